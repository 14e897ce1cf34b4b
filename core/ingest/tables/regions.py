"""Where the tables of a sheet are: rectangles between blank rows and columns, with their titles and footnotes.

Spreadsheets hold titles, notes, forms and several tables side by side; this module takes them apart and keeps
everything: what is no table comes back as lines of text.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.ingest.tables.cells import Row, column_kinds, filled, is_blank, kind_of, same_cells
from core.ingest.tables.frames import Lines, Region, frame, is_form, row_text
from core.ingest.tables.heads import Merge, header_depth
from core.types import RawCell

_SAMPLE = 200
_LONG_LIST = 6  # rows of a single column that make it a table beside real ones


@dataclass(frozen=True, slots=True)
class _Box:
    top: int
    left: int
    bottom: int  # inclusive
    right: int

    @property
    def width(self) -> int:
        return self.right - self.left + 1


def find_regions(rows: Sequence[Row], merges: Sequence[Merge] = ()) -> tuple[Lines | Region, ...]:
    """Take a sheet apart, in reading order.

    Args:
        rows: the sheet's rows, all of one width; blank cells are None.
        merges: merged cells in sheet coordinates.
    """
    if not rows:
        return ()
    parts: list[Lines | Region] = []
    boxes = list(_cut(rows, _Box(0, 0, len(rows) - 1, len(rows[0]) - 1)))
    wide = any(box.width > 1 for box in boxes)
    for box in boxes:
        for part in _read_box(rows, box, merges, beside_tables=wide):
            _append(parts, part)
    return tuple(parts) if any(isinstance(part, Region) for part in parts) else _at_least_one(parts)


# --- cutting ---------------------------------------------------------------------------------------


def _cut(rows: Sequence[Row], box: _Box) -> Iterator[_Box]:
    """Split at blank rows, then at blank columns where both sides are tables of their own."""
    bands = list(_bands(rows, box))
    if len(bands) > 1:
        for band in bands:
            yield from _cut(rows, band)
        return
    for band in bands:
        sides = _sides(rows, band)
        if len(sides) == 1:
            yield sides[0]
        else:
            for side in sides:
                yield from _cut(rows, side)


def _bands(rows: Sequence[Row], box: _Box) -> Iterator[_Box]:
    start: int | None = None
    whole = box.left == 0 and box.width == len(rows[0])
    for at in range(box.top, box.bottom + 2):
        row = rows[at] if at <= box.bottom else ()
        blank = is_blank(row if whole else row[box.left : box.right + 1])
        if not blank and start is None:
            start = at
        elif blank and start is not None:
            yield replace(box, top=start, bottom=at - 1)
            start = None


def _sides(rows: Sequence[Row], box: _Box) -> list[_Box]:
    """The box without blank edge columns, or its parts left and right of blank columns."""
    used = [
        any(row[c] is not None for row in rows[box.top : box.bottom + 1])
        for c in range(box.left, box.right + 1)
    ]
    spans: list[_Box] = []
    for offset, is_used in enumerate(used):
        column = box.left + offset
        if is_used and spans and spans[-1].right == column - 1:
            spans[-1] = replace(spans[-1], right=column)
        elif is_used:
            spans.append(replace(box, left=column, right=column))
    whole = replace(box, left=spans[0].left, right=spans[-1].right)
    separate = len(spans) > 1 and all(_stands_alone(_slice(rows, span)) for span in spans)
    return spans if separate else [whole]


def _stands_alone(rows: Sequence[Row]) -> bool:
    """Whether a side is a table by itself: two columns, a header, and labels beside its figures."""
    rows = [row for row in rows if not is_blank(row)]
    while rows and filled(rows[0]) == 1 and len(rows[0]) > 1:
        rows = rows[1:]
    if len(rows) < 2 or len(rows[0]) < 2 or header_depth(rows) == 0:
        return False
    return "t" in column_kinds(rows[1:_SAMPLE], len(rows[0]))


def _slice(rows: Sequence[Row], box: _Box) -> list[Row]:
    if box.left == 0 and rows and box.width == len(rows[0]):
        return list(rows[box.top : box.bottom + 1])
    return [row[box.left : box.right + 1] for row in rows[box.top : box.bottom + 1]]


# --- reading one box -------------------------------------------------------------------------------


def _read_box(
    rows: Sequence[Row], box: _Box, merges: Sequence[Merge], *, beside_tables: bool
) -> Iterator[Lines | Region]:
    """Titles, then a table, a form or lines of text, then footnotes."""
    cells = [tuple(row) for row in _slice(rows, box)]
    if is_form(cells) if box.width > 1 else not _is_list(cells, _LONG_LIST if beside_tables else 2):
        yield Lines(tuple(row_text(row) for row in cells), box.top, title=True)
        return
    for part in frame(cells, _inside(merges, box)):
        if isinstance(part, Region):
            yield replace(part, row=box.top + part.row, column=box.left)
        else:
            lone = replace(part.lone, row=box.top + part.row, column=box.left) if part.lone else None
            yield replace(part, row=box.top + part.row, lone=lone)


def _is_list(rows: Sequence[Row], least: int) -> bool:
    """One column of short texts or figures under a name, not a title or a letter typed into cells."""
    cells = [row[0] for row in rows[:_SAMPLE] if row[0] is not None]
    return len(cells) >= least and sum(len(str(cell)) for cell in cells) / len(cells) <= 40


def _inside(merges: Sequence[Merge], box: _Box) -> list[Merge]:
    return [
        (top - box.top, left - box.left, bottom - box.top, right - box.left)
        for top, left, bottom, right in merges
        if box.top <= top and bottom <= box.bottom and box.left <= left and right <= box.right
    ]


# --- putting together ------------------------------------------------------------------------------


def _append(parts: list[Lines | Region], part: Lines | Region) -> None:
    """Add a part; one that only continues the table above (a blank row in between) goes back to it."""
    piece = part if isinstance(part, Region) else part.lone
    above = parts[-1] if parts else None
    joined = _joined(above, piece) if isinstance(above, Region) and piece is not None else None
    if joined is not None:
        parts[-1] = joined
    else:
        parts.append(part)


def _joined(table: Region, part: Region) -> Region | None:
    """The table with the part's rows added, where they have its columns and its kinds."""
    width = len(table.rows[0])
    left = part.column - table.column
    if left < 0 or left + len(part.rows[0]) > width:
        return None
    rows = tuple((None,) * left + row + (None,) * (width - left - len(row)) for row in part.rows)
    header = table.rows[: table.header_rows]
    if table.header_rows and same_cells(rows[0], header[-1]):
        return _with_rows(table, part, rows[1:])
    kinds = column_kinds(table.rows[table.header_rows :][:_SAMPLE], width)
    measured = [column for column, kind in enumerate(kinds) if kind in ("n", "d")]
    first = [rows[0][column] for column in measured if rows[0][column] is not None]
    if (
        measured
        and first
        and all(kind_of(cell) in ("n", "d", "m") for cell in first)
        and part.header_rows < 1
    ):
        return _with_rows(table, part, rows)
    return None


def _with_rows(table: Region, part: Region, rows: tuple[tuple[RawCell, ...], ...]) -> Region:
    lift = len(table.rows) - (len(part.rows) - len(rows))
    left = part.column - table.column
    moved = tuple((a + lift, b + left, c + lift, d + left) for a, b, c, d in part.merges)
    return replace(table, rows=table.rows + rows, merges=table.merges + moved)


def _at_least_one(parts: Sequence[Lines | Region]) -> tuple[Lines | Region, ...]:
    """A sheet without a table whose only row of several cells is one, or a bare header."""
    lone = [part for part in parts if isinstance(part, Lines) and part.lone is not None]
    if len(lone) != 1 or lone[0].lone is None:
        return tuple(parts)
    region = replace(lone[0].lone, header_rows=header_depth(lone[0].lone.rows))
    return tuple(region if part is lone[0] else part for part in parts)
