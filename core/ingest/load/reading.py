"""What a reader gathers while it walks a file: blocks and grids with their places and the headings above them."""

import math
import re
from collections.abc import Iterable, Sequence
from typing import Literal

from core.errors import EmptyFile
from core.ingest.load.decode import clean
from core.ingest.notes import note
from core.ingest.tables.cells import WIDEST
from core.types import Block, Grid, Loaded, Locator, RawCell, Rejected

BlockKind = Literal["title", "heading", "paragraph", "list", "code", "note", "caption"]
_BLANK_LINES = re.compile(r"\n{3,}")
_SECTION_LENGTH = 100


def tidy(text: str) -> str:
    """Text without control characters, trailing blanks and runs of empty lines."""
    text = clean(text.replace("\r\n", "\n").replace("\r", "\n").replace("\u00ad", ""))
    text = "\n".join(line.rstrip(" \t\u00a0") for line in text.split("\n"))
    return _BLANK_LINES.sub("\n\n", text).strip("\n")


def cell(value: RawCell) -> RawCell:
    """A cell without control characters and outer blanks; an empty one is None."""
    if not isinstance(value, str):
        return None if isinstance(value, float) and not math.isfinite(value) else value
    return clean(value).strip(" \t\r\n\u00a0\u200b\ufeff") or None


class Reading:
    """Collects the items of one file in reading order. Lives only while a reader runs."""

    def __init__(self, media: str) -> None:
        self.media = media
        self.items: list[Block | Grid] = []
        self.assumptions: list[str] = []
        self.rejected: list[Rejected] = []
        self.title = ""
        self._trail: list[tuple[int, str]] = []

    @property
    def trail(self) -> tuple[str, ...]:
        """The headings in force, outermost first."""
        return tuple(text for _, text in self._trail)

    def place(
        self, *, page: int | None = None, sheet: str = "", row: int | None = None, part: str = ""
    ) -> Locator:
        """The locator of the next item."""
        section = self._trail[-1][1][:_SECTION_LENGTH] if self._trail and not part else ""
        return Locator(page, section, sheet, row, part, len(self.items))

    def text(
        self,
        kind: BlockKind,
        text: str,
        *,
        page: int | None = None,
        sheet: str = "",
        row: int | None = None,
        part: str = "",
    ) -> None:
        """Add prose; empty text is nothing."""
        text = tidy(text)
        if text.strip():
            self.items.append(Block(kind, text, self.place(page=page, sheet=sheet, row=row, part=part)))

    def heading(self, text: str, level: int, *, page: int | None = None) -> None:
        """Add a heading and put it into the trail; deeper ones leave it."""
        text = " ".join(tidy(text).split())
        if not text:
            return
        self._trail = [(depth, above) for depth, above in self._trail if depth < level]
        self._trail.append((level, text))
        self.items.append(Block("heading", text, self.place(page=page), level))

    def leave_headings(self) -> None:
        """What follows stands under no heading: a new slide without a title."""
        self._trail = []

    def name(self, text: str, *, page: int | None = None) -> None:
        """Add the document's title; the first one wins."""
        text = " ".join(tidy(text).split())
        if text:
            self.title = self.title or text
            self.items.append(Block("title", text, self.place(page=page)))

    def grid(
        self,
        rows: Iterable[Sequence[RawCell]],
        *,
        page: int | None = None,
        sheet: str = "",
        row: int | None = None,
        part: str = "",
        caption: str = "",
        merges: tuple[tuple[int, int, int, int], ...] = (),
        hidden: bool = False,
        header_rows: int | None = None,
        decimal: Literal["", ",", "."] = "",
        units: tuple[str, ...] = (),
    ) -> None:
        """Add a rectangle of cells; short rows are padded. A grid without any cell is nothing."""
        cells = [tuple(cell(value) for value in row_cells) for row_cells in rows]
        if not any(value is not None for row_cells in cells for value in row_cells):
            return
        width = max(len(row_cells) for row_cells in cells)
        padded = tuple(
            row_cells if len(row_cells) == width else row_cells + (None,) * (width - len(row_cells))
            for row_cells in cells
        )
        where = self.place(page=page, sheet=sheet, row=row, part=part)
        self.rectangle(
            Grid(padded, where, tidy(caption), self.trail, merges, hidden, header_rows, decimal, units)
        )

    def rectangle(self, grid: Grid) -> None:
        """Add a grid whose cells are clean already and whose locator is `place(...)`.

        One that is too wide for a table stays readable as rows of text, and the uploader is told.
        """
        self.items.append(grid)
        width = len(grid.rows[0])
        if width > WIDEST:
            where = str(grid.locator) or f"#{len(self.items)}"
            reason = note("too_wide", columns=width, limit=WIDEST).say("und")
            self.rejected.append(Rejected(where, reason))

    def loaded(self, *, title: str = "", date: str = "", pages: int | None = None) -> Loaded:
        """The finished document; `title` is what its metadata say. Raises: EmptyFile when nothing was found."""
        if not self.items:
            raise EmptyFile(f"nothing readable in {self.media}")
        return Loaded(
            self.media,
            tuple(self.items),
            self.title or self._top_heading() or " ".join(tidy(title).split()),
            date,
            pages,
            tuple(dict.fromkeys(self.assumptions)),
            tuple(self.rejected),
        )

    def _top_heading(self) -> str:
        """A first heading that no other equals in rank names the whole document."""
        body = [item for item in self.items if not item.locator.part]
        first = body[0] if body else None
        if not isinstance(first, Block) or first.kind != "heading":
            return ""
        ranks = [item.level for item in body if isinstance(item, Block) and item.kind == "heading"]
        return first.text if ranks.count(first.level) == 1 and first.level == min(ranks) else ""
