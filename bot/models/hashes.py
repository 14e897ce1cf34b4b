"""SHA-256 of large files, remembered while the file does not change."""

import errno
from hashlib import sha256
from pathlib import Path

from bot.models.sources import CHUNK


def hash_of(path: Path) -> str:
    """SHA-256 of the content, hex."""
    digest = sha256()
    with path.open("rb") as source:
        while piece := source.read(CHUNK):
            digest.update(piece)
    return digest.hexdigest()


def verified(path: Path, expected: str, root: Path) -> bool:
    """Whether the file has the hash. Hashing a gigabyte takes seconds, so a good result is remembered in the
    cache folder `root` until the file's size or time changes.
    """
    known = _stamp_path(path, root)
    if known.is_file() and known.read_text(encoding="ascii") == _signature(path, expected):
        return True
    if hash_of(path) != expected:
        return False
    try:
        stamp(path, expected, root)
    except OSError as err:  # a read-only cache works, it is only checked again each time
        if err.errno not in (errno.EACCES, errno.EROFS, errno.EPERM):
            raise
    return True


def stamp(path: Path, digest: str, root: Path) -> None:
    """Remember that the file as it is now has this hash."""
    known = _stamp_path(path, root)
    known.parent.mkdir(parents=True, exist_ok=True)
    known.write_text(_signature(path, digest), encoding="ascii")


def _stamp_path(path: Path, root: Path) -> Path:
    return root / "verified" / sha256(str(path).encode()).hexdigest()[:24]


def _signature(path: Path, digest: str) -> str:
    stat = path.stat()
    return f"{digest} {stat.st_size} {stat.st_mtime_ns}"
