"""Which code made an answer: kept answers and recorded decisions of another version are told apart from this one's."""

from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable


@cache
def code_version() -> str:
    """16 hex digits over the engine's source files: the same code has the same version, wherever it is installed."""
    digest = sha256()
    for path, file in sorted(_sources(files("core"), "core"), key=lambda pair: pair[0]):
        digest.update(path.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _sources(folder: Traversable, path: str) -> list[tuple[str, Traversable]]:
    found: list[tuple[str, Traversable]] = []
    for item in folder.iterdir():
        named = f"{path}/{item.name}"
        if item.is_dir():
            found += _sources(item, named)
        elif item.name.endswith(".py"):
            found.append((named, item))
    return found
