"""Files inside files: archives and mails give up what they hold, and each member is read like a file of its own.

Every member is bounded by what the file around it has left: depth, number of members, unpacked bytes.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from core.errors import FileRejected, NothingInside, OversizedFile, TooNested
from core.ingest.load.decode import clean
from core.ingest.load.reading import Reading
from core.language import detect_language
from core.normalize import fold
from core.ports import Ocr, ReadLimits
from core.types import Block, Grid, Loaded, Rejected

DEEPEST = 3  # a zip in a mail in a zip
MOST = 500  # members of one uploaded file, all levels together
GROWTH = 8  # unpacked bytes allowed for each byte of the upload limit
_DEEPEST_HEADING = 6

OpenMember = Callable[[bytes, str], Loaded]
"""Reads one member as a file of its own. Raises: FileRejected and its kin."""


@runtime_checkable
class Container(Protocol):
    """A parser of files that hold other files; `read_file` hands it the way to read those."""

    def read_members(
        self, data: bytes, name: str, limits: ReadLimits, ocr: Ocr | None, open_member: OpenMember
    ) -> Loaded:
        """As `Parser.read`, with the members read too. Raises: FileRejected and its kin."""
        ...


@dataclass(slots=True)
class Budget:
    """What one uploaded file may still unpack to. Lives only while that file is read."""

    members: int
    bytes: int
    most_bytes: int

    @classmethod
    def of(cls, limits: ReadLimits) -> "Budget":
        return cls(MOST, limits.max_bytes * GROWTH, limits.max_bytes * GROWTH)

    def take(self, size: int, depth: int) -> None:
        """Count one member. Raises: TooNested, OversizedFile when it goes beyond what is left."""
        if depth > DEEPEST:
            raise TooNested(f"depth {depth}", limit=DEEPEST)
        if self.members < 1:
            raise OversizedFile("members", size=f"> {MOST} files", limit=f"{MOST} files")
        self.members -= 1
        if size > self.bytes:
            limit = f"{self.most_bytes / 1e6:.0f} MB"
            raise OversizedFile("unpacked bytes", size=f"> {limit}", limit=limit)
        self.bytes -= size


class Members:
    """Collects the members of one file into a reading, and the reasons of those that could not be read."""

    def __init__(self, reading: Reading, open_member: OpenMember) -> None:
        self._reading = reading
        self._open = open_member
        self._refused: list[tuple[str, FileRejected]] = []

    def add(self, data: bytes, path: str) -> None:
        """Read one member; what cannot be read is kept as a refusal."""
        path = shown_path(path)
        try:
            add_member(self._reading, self._open(data, path), path)
        except FileRejected as refusal:
            self._refused.append((path, refusal))

    def refuse(self, path: str, refusal: FileRejected) -> None:
        self._refused.append((shown_path(path), refusal))

    def close(self) -> None:
        """Report the refusals in the language of what was read.

        Raises: the refusal itself where all members were refused for one reason; NothingInside for several.
        """
        if not self._reading.items and self._refused:
            reasons = {type(refusal) for _, refusal in self._refused}
            raise self._refused[0][1] if len(reasons) == 1 else NothingInside(self._refused)
        prose = "\n".join(item.text for item in self._reading.items if isinstance(item, Block))
        language = detect_language(prose[:20_000])
        for path, refusal in self._refused:
            self._reading.rejected.append(Rejected(path, refusal.say("en" if language == "en" else "pt")))


def add_member(reading: Reading, loaded: Loaded, path: str) -> None:
    """Append what a member holds under a heading with its title, or its path where it has none.

    The member's path stands in the `part` of every locator; headings move one level down.
    """
    title = loaded.title or path
    reading.leave_headings()
    reading.heading(title, 1)
    reading.items[-1] = _placed(reading.items[-1], path, len(reading.items) - 1)
    for item in loaded.items:
        if isinstance(item, Grid):
            item = replace(item, headings=(title, *item.headings))
        elif item.kind == "title" or (item.kind == "heading" and fold(item.text) == fold(title)):
            if fold(item.text) == fold(title):
                continue
            item = replace(item, kind="heading", level=2)
        elif item.kind == "heading":
            item = replace(item, level=min(item.level + 1, _DEEPEST_HEADING))
        reading.items.append(_placed(item, path, len(reading.items)))
    reading.leave_headings()
    reading.assumptions += [f"{path}: {told}" for told in loaded.assumptions]
    reading.rejected += [replace(one, where=f"{path}: {one.where}") for one in loaded.rejected]


def _placed(item: Block | Grid, path: str, ordinal: int) -> Block | Grid:
    """An item whose locator says which member it stands in; a member of a member has both paths."""
    inner = item.locator.part
    part = f"{path} · {inner}" if inner else path
    return replace(item, locator=replace(item.locator, part=part, ordinal=ordinal))


def shown_path(path: str) -> str:
    """A member's path as people may see it: one line, forward slashes, no climbing out."""
    steps = clean(" ".join(path.split())).replace("\\", "/").split("/")
    return "/".join(step for step in steps if step not in ("", ".", ".."))[-200:] or "?"
