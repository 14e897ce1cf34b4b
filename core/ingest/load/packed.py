"""Zip archives of files: each member that can be read becomes a part of one document, the others are reported."""

import re
import zipfile

from core.errors import DamagedFile, EncryptedFile, FileRejected, OversizedFile
from core.ingest.load.archive import check_growth, open_directory, read_whole
from core.ingest.load.decode import decode
from core.ingest.load.members import MOST, Members, OpenMember
from core.ingest.load.reading import Reading
from core.ingest.load.sniff import kind_of_bytes
from core.ports import Ocr, ReadLimits
from core.types import Loaded

_RATIO = 200  # a large member that shrinks more than this was made to hurt
_LARGE = 10_000_000  # bytes from which the ratio counts
_LITTER = re.compile(r"(?:^|/)(?:__MACOSX/|\.DS_Store$|Thumbs\.db$|desktop\.ini$|\._)", re.IGNORECASE)
_UTF8_NAME = 0x800
_LOCKED = 0x1


class ZipParser:
    """Reads zip archives of other files."""

    name = "zip"
    kinds: tuple[str, ...] = ("zip",)

    def accepts(self, data: bytes, name: str) -> float:
        return 0.9 if kind_of_bytes(data, name) == "zip" else 0.0

    def read(self, data: bytes, name: str, limits: ReadLimits, ocr: Ocr | None = None) -> Loaded:
        """Raises: EmptyFile; without a reader for its members an archive says nothing."""
        return Reading("zip").loaded()

    def read_members(
        self, data: bytes, name: str, limits: ReadLimits, ocr: Ocr | None, open_member: OpenMember
    ) -> Loaded:
        reading = Reading("zip")
        members = Members(reading, open_member)
        with open_directory(data) as archive:
            files = [info for info in archive.infolist() if not info.is_dir()]
            files = [info for info in files if not _LITTER.search(info.filename)]
            check_growth(archive, limits)
            for info in files[:MOST]:
                try:
                    content = _content(archive, info, limits)
                except FileRejected as refusal:
                    members.refuse(_path(info), refusal)
                else:
                    members.add(content, _path(info))
        if len(files) > MOST:
            size, limit = f"{len(files)} files", f"{MOST} files"
            members.refuse(f"+ {len(files) - MOST} files", OversizedFile(size, size=size, limit=limit))
        members.close()
        return reading.loaded()


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limits: ReadLimits) -> bytes:
    """A member's bytes. Raises: EncryptedFile, OversizedFile (also for a bomb), DamagedFile."""
    if info.flag_bits & _LOCKED:
        raise EncryptedFile("encrypted member")
    bomb = info.file_size > _LARGE and info.file_size > _RATIO * max(info.compress_size, 1)
    if info.file_size > limits.max_bytes or bomb:
        size, limit = f"{info.file_size / 1e6:.1f} MB", f"{limits.max_bytes / 1e6:.1f} MB"
        if bomb:
            limit = f"{_RATIO} : 1"
            size = f"{info.file_size // max(info.compress_size, 1)} : 1"
        raise OversizedFile(f"member of {info.file_size} bytes", size=size, limit=limit)
    try:
        return read_whole(archive, info)
    except KeyError as err:
        raise DamagedFile(f"member: {err}") from err


def _path(info: zipfile.ZipInfo) -> str:
    """The member's path; names without the UTF-8 mark come in whatever code page their program used."""
    if info.flag_bits & _UTF8_NAME:
        return info.filename
    try:
        return decode(info.filename.encode("cp437")).text
    except UnicodeEncodeError:  # not what zipfile decoded: the name came from a Unicode field
        return info.filename
