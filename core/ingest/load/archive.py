"""Office files are zip archives; none may unpack to more than the bot can hold."""

import io
import zipfile

from core.errors import DamagedFile, EncryptedFile, OversizedFile
from core.ports import ReadLimits

_GROWTH = 8  # unpacked bytes allowed for each byte of the upload limit
_MEMBERS = 20_000


def open_archive(data: bytes, limits: ReadLimits) -> zipfile.ZipFile:
    """The archive, after its directory was checked.

    Raises: OversizedFile for a zip bomb; EncryptedFile; DamagedFile for a broken directory. The sizes that the directory
        claims are enforced by zipfile itself when a member is read.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError) as err:
        raise DamagedFile(f"zip: {err}") from err
    members = archive.infolist()
    if any(member.flag_bits & 0x1 for member in members):
        raise EncryptedFile("encrypted zip member")
    total = sum(member.file_size for member in members)
    allowed = limits.max_bytes * _GROWTH
    if total > allowed or len(members) > _MEMBERS:
        size, limit = f"{total / 1e6:.0f} MB", f"{allowed / 1e6:.0f} MB"
        raise OversizedFile(f"zip of {len(members)} members, {total} bytes", size=size, limit=limit)
    return archive


def read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    """One member's bytes, or nothing where it is missing. Raises: DamagedFile when it does not unpack."""
    try:
        return archive.read(name)
    except KeyError:
        return b""
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, ValueError) as err:
        raise DamagedFile(f"{name}: {err}") from err
