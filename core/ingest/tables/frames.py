"""One rectangle taken apart: titles above, header, data, footnotes below; or a form, which is no table."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median_high

from core.ingest.tables.cells import Row, filled, kind_of
from core.ingest.tables.columns import as_text
from core.ingest.tables.heads import Merge, header_depth
from core.ingest.tables.totals import is_total_label
from core.normalize import fold
from core.types import RawCell

_SAMPLE = 200
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
        yield Lines(tuple(row_text(row) for row in rows[:start]), 0, title=True)
    body = tuple(rows[start:end])
    if len(body) == 1:
        lone = Region(body, start, 0, 0) if filled(body[0]) > 1 else None
        yield Lines((row_text(body[0]),), start, title=True, lone=lone)
    else:
        shifted = tuple(_shift(merges, start, end))
        depth = (
            header_depth(body[: _SAMPLE + 20], shifted)
            if header_rows is None
            else max(header_rows - start, 0)
        )
        yield Region(body, start, 0, min(depth, len(body) - 1), shifted)
    if end < len(rows):
        yield Lines(tuple(row_text(row) for row in rows[end:]), end)


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


def _shift(merges: Sequence[Merge], start: int, end: int) -> Iterator[Merge]:
    for top, left, bottom, right in merges:
        if start <= top and bottom < end:
            yield top - start, left, bottom - start, right


def row_text(row: Row) -> str:
    """A row as text: 'Emitido em: 01/02/2025'."""
    cells = [text for text in (as_text(cell) for cell in row) if text]
    return f"{cells[0].rstrip(' :')}: {cells[1]}" if len(cells) == 2 else " · ".join(cells)
