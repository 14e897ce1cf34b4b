"""Zip archives, also those that office files are; none may unpack to more than the bot can hold."""

import io
import lzma
import zipfile
import zlib

from core.errors import DamagedFile, EncryptedFile, OversizedFile
from core.ports import ReadLimits

_GROWTH = 8  # unpacked bytes allowed for each byte of the upload limit
_MEMBERS = 20_000
_BROKEN = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, ValueError, NotImplementedError, EOFError, RuntimeError,
)  # fmt: skip


def open_archive(data: bytes, limits: ReadLimits) -> zipfile.ZipFile:
    """The archive of an office file, after its directory was checked.

    Raises: OversizedFile for a zip bomb; EncryptedFile; DamagedFile for a broken directory. The sizes that the directory
        claims are enforced by zipfile itself when a member is read.
    """
    archive = open_directory(data)
    if any(member.flag_bits & 0x1 for member in archive.infolist()):
        raise EncryptedFile("encrypted zip member")
    check_growth(archive, limits)
    return archive


def open_directory(data: bytes) -> zipfile.ZipFile:
    """Raises: DamagedFile for a broken directory."""
    try:
        return zipfile.ZipFile(io.BytesIO(data))
    except _BROKEN as err:
        raise DamagedFile(f"zip: {err}") from err


def check_growth(archive: zipfile.ZipFile, limits: ReadLimits) -> None:
    """Raises: OversizedFile when the members would unpack to more than the bot can hold, or are too many."""
    members = archive.infolist()
    total = sum(member.file_size for member in members)
    allowed = limits.max_bytes * _GROWTH
    if total > allowed or len(members) > _MEMBERS:
        size, limit = f"{total / 1e6:.0f} MB", f"{allowed / 1e6:.0f} MB"
        if total <= allowed:
            size, limit = f"{len(members)} files", f"{_MEMBERS} files"
        raise OversizedFile(f"zip of {len(members)} members, {total} bytes", size=size, limit=limit)


def read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    """One member's bytes, or nothing where it is missing. Raises: DamagedFile when it does not unpack."""
    try:
        return read_whole(archive, archive.getinfo(name))
    except KeyError:
        return b""


def read_whole(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Raises: DamagedFile when a member does not unpack."""
    try:
        return archive.read(member)
    except _BROKEN as err:
        raise DamagedFile(f"{member.filename}: {err}") from err
