"""Where the tables of a sheet are: rectangles between blank rows and columns, with their titles and footnotes.

Spreadsheets hold titles, notes, forms and several tables side by side; this module takes them apart and keeps
everything: what is no table comes back as lines of text.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median_high

from core.ingest.tables.cells import Row, column_kinds, filled, is_blank, kind_of, same_cells
from core.ingest.tables.columns import as_text
from core.ingest.tables.heads import Merge, header_depth
from core.ingest.tables.totals import is_total_label
from core.normalize import fold
from core.types import RawCell

_SAMPLE = 200
_LONG_LIST = 6  # rows of a single column that make it a table beside real ones
_PREAMBLE = 15  # rows above a header that are looked at
_NOTE = re.compile(
    r"(?:\*+|\(\*\)|\(?\d\)|¹|²|³|†|‡|fonte|nota|notas|obs|observa\w+|source|note|notes|legenda|legend|elabora\w+|disclaimer|\*)\b|[*†‡¹²³]"
)


@dataclass(frozen=True, slots=True)
class Region:
    """One table: header rows first, then data; merges relative to `rows`."""

    rows: tuple[tuple[RawCell, ...], ...]
    row: int  # sheet row of rows[0], 0-based
    column: int
    header_rows: int
    merges: tuple[Merge, ...] = ()


@dataclass(frozen=True, slots=True)
class Lines:
    """Cells that are no table, as text; `row` is the first sheet row, 0-based."""

    texts: tuple[str, ...]
    row: int
    title: bool = False  # stands above the next table
    lone: Region | None = None  # a single row with several cells: the last row of the table above, perhaps


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
        yield Lines(tuple(_line(row) for row in cells), box.top, title=True)
        return
    for part in frame(cells, _inside(merges, box)):
        if isinstance(part, Region):
            yield replace(part, row=box.top + part.row, column=box.left)
        else:
            lone = replace(part.lone, row=box.top + part.row, column=box.left) if part.lone else None
            yield replace(part, row=box.top + part.row, lone=lone)


def frame(
    rows: Sequence[tuple[RawCell, ...]], merges: Sequence[Merge], header_rows: int | None = None
) -> Iterator[Lines | Region]:
    """One table's own titles, its header and data, and its footnotes.

    Args:
        rows: of one width, at least one.
        header_rows: how many header rows there are, where the file marks them.
    """
    start = _header_start(rows, merges)
    end = _footnote_start(rows, start)
    if start:
        yield Lines(tuple(_line(row) for row in rows[:start]), 0, title=True)
    body = tuple(rows[start:end])
    if len(body) == 1:
        lone = Region(body, start, 0, 0) if filled(body[0]) > 1 else None
        yield Lines((_line(body[0]),), start, title=True, lone=lone)
    else:
        shifted = tuple(_shift(merges, start, end))
        depth = (
            header_depth(body[: _SAMPLE + 20], shifted)
            if header_rows is None
            else max(header_rows - start, 0)
        )
        yield Region(body, start, 0, min(depth, len(body) - 1), shifted)
    if end < len(rows):
        yield Lines(tuple(_line(row) for row in rows[end:]), end)


def is_form(rows: Sequence[Row], *, labelled: bool = False) -> bool:
    """Labels with their values, not a table: labels end in a colon, or are marked, or head values of many kinds."""
    pairs = [[cell for cell in row if cell is not None] for row in rows if filled(row) == 2]
    if len(rows) > 40 or not pairs or any(filled(row) > 2 for row in rows):
        return False
    labels = [pair[0] for pair in pairs]
    if not all(isinstance(label, str) and len(label) <= 60 for label in labels):
        return False
    return labelled or all(str(label).rstrip().endswith(":") for label in labels)


def values_differ(rows: Sequence[Row]) -> bool:
    """Whether the second of two columns holds values of several kinds: one row each for name, date, amount."""
    kinds = [kind_of(row[1]) for row in rows if len(row) == 2 and row[1] is not None]
    first = kind_of(rows[0][1]) if rows and len(rows[0]) == 2 else ""
    measured = sum(kind in ("n", "d") for kind in kinds)
    several = len({kind for kind in kinds if kind in ("n", "d", "t")}) > 1
    return (
        len(kinds) >= 3
        and several
        and (first in ("n", "d") or 3 * measured < 2 * len(kinds))
        and measured > 0
    )


def _is_list(rows: Sequence[Row], least: int) -> bool:
    """One column of short texts or figures under a name, not a title or a letter typed into cells."""
    cells = [row[0] for row in rows[:_SAMPLE] if row[0] is not None]
    return len(cells) >= least and sum(len(str(cell)) for cell in cells) / len(cells) <= 40


def _header_start(rows: Sequence[Row], merges: Sequence[Merge]) -> int:
    """Rows above the header: titles over the whole width, preamble lines with few cells."""
    width = len(rows[0])
    if width == 1:
        return 0
    typical = median_high(_breadth(row, at, merges) for at, row in enumerate(rows[:_SAMPLE]))
    for at, row in enumerate(rows[:_PREAMBLE]):
        breadth = _breadth(row, at, merges)
        if breadth >= 2 and 2 * breadth >= typical:
            return at
        if _names_groups(rows, at):
            return at
    return 0


def _breadth(row: Row, at: int, merges: Sequence[Merge]) -> int:
    """Filled cells, merged ones with their width; a cell merged over the whole row is a title and counts once."""
    extra = 0
    for top, left, bottom, right in merges:
        if top <= at <= bottom:
            across = right - left + 1
            extra += 0 if across >= len(row) else across - (1 if row[left] is not None else 0)
    return min(filled(row) + extra, len(row))


def _names_groups(rows: Sequence[Row], at: int) -> bool:
    """A sparse row over a row with repeated names (Q1 Q2 Q1 Q2) names groups of columns."""
    if at + 1 >= len(rows) or filled(rows[at]) < 2:
        return False
    below = [fold(str(cell)) for cell in rows[at + 1] if cell is not None]
    return len(set(below)) < len(below) and all(
        kind_of(cell) == "t" for cell in rows[at + 1] if cell is not None
    )


def _footnote_start(rows: Sequence[Row], start: int) -> int:
    """Where trailing notes begin: single texts under a table of several columns."""
    end = len(rows)
    while end - 1 > start + 1 and _is_footnote(rows[end - 1]):
        end -= 1
    return end


def _is_footnote(row: Row) -> bool:
    cells = [cell for cell in row if cell is not None]
    if len(row) < 2 or len(cells) != 1 or not isinstance(cells[0], str) or row[0] is None:
        return False
    text = cells[0]
    if is_total_label(text):
        return False
    return bool(_NOTE.match(fold(text))) or len(text) > 50


def _inside(merges: Sequence[Merge], box: _Box) -> list[Merge]:
    return [
        (top - box.top, left - box.left, bottom - box.top, right - box.left)
        for top, left, bottom, right in merges
        if box.top <= top and bottom <= box.bottom and box.left <= left and right <= box.right
    ]


def _shift(merges: Sequence[Merge], start: int, end: int) -> Iterator[Merge]:
    for top, left, bottom, right in merges:
        if start <= top and bottom < end:
            yield top - start, left, bottom - start, right


def _line(row: Row) -> str:
    """A row as text: 'Emitido em: 01/02/2025'."""
    cells = [text for text in (as_text(cell) for cell in row) if text]
    return f"{cells[0].rstrip(' :')}: {cells[1]}" if len(cells) == 2 else " · ".join(cells)


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
