"""Where a table's header ends: how many rows name the columns, and what the names are."""

import itertools
from collections.abc import Sequence
from datetime import date
from math import nan

from core.ingest.tables.cells import Kind, Row, column_kinds, filled, is_period, is_year, kind_of, shape_of
from core.ingest.tables.columns import as_text
from core.ingest.tables.units import is_unit_cell
from core.normalize import fold
from core.types import Language, RawCell

Merge = tuple[int, int, int, int]  # first row, first column, last row, last column; 0-based, inclusive
DEEPEST = 5
_MONTHS = (
    ("jan", "fev", "mar", "abr", "mai", "jun", "jul", "ago", "set", "out", "nov", "dez"),
    ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
)
_SAMPLE = 200


def header_depth(rows: Sequence[Row], merges: Sequence[Merge] = ()) -> int:
    """How many rows at the top name the columns; 0 when the first row is data already."""
    if not rows:
        return 0
    kinds = column_kinds(_body_sample(rows), len(rows[0]))
    if not _names_columns(rows, kinds):
        return 0
    depth = 1
    while depth < min(DEEPEST, len(rows) - 1) and _continues(rows, depth, kinds, merges):
        depth += 1
    return depth


def has_unit_row(rows: Sequence[Row], depth: int) -> bool:
    """Whether the row under the header only names units."""
    if depth == 0 or depth >= len(rows) - 1:
        return False
    cells = [cell for cell in rows[depth] if cell is not None]
    return bool(cells) and all(isinstance(cell, str) and is_unit_cell(cell) for cell in cells)


def header_names(rows: Sequence[Row], merges: Sequence[Merge], language: Language) -> tuple[str, ...]:
    """One name a column: the header rows from top to bottom, each text once ("2024 Q1"); months by name."""
    filled_rows = [list(row) for row in rows]
    across = [merge for merge in merges if merge[0] < len(rows)]
    for top, left, bottom, right in across:
        for row in range(top, min(bottom, len(rows) - 1) + 1):
            for column in range(left, min(right, len(filled_rows[row]) - 1) + 1):
                filled_rows[row][column] = rows[top][left]
    if not across:
        for row in range(len(rows) - 1):
            _spread(filled_rows, row)
    return tuple(_joined([row[column] for row in filled_rows], language) for column in range(len(rows[0])))


def _spread(rows: list[list[RawCell]], row: int) -> None:
    """Without merge marks a group name stands over its first column only; it holds until the next name."""
    for column in range(1, len(rows[row])):
        below = any(lower[column] is not None for lower in rows[row + 1 :])
        if rows[row][column] is None and below:
            rows[row][column] = rows[row][column - 1]


def _joined(cells: Sequence[RawCell], language: Language) -> str:
    names = [" ".join(_name(cell, language).split()) for cell in cells if cell is not None]
    return " ".join(dict.fromkeys(name for name in names if name))


def _name(cell: RawCell, language: Language) -> str:
    """A header cell as people say it: the first of January over figures means the month."""
    if isinstance(cell, date) and cell.day == 1:
        month = _MONTHS[language == "en"][cell.month - 1]
        return f"{month} {cell.year}" if language == "en" else f"{month}/{cell.year}"
    return as_text(cell) or ""


def _body_sample(rows: Sequence[Row]) -> Sequence[Row]:
    """Rows that are surely not header, if there are enough of them."""
    start = min(DEEPEST, (len(rows) + 1) // 2) if len(rows) > 2 else 1
    return rows[start : start + _SAMPLE] or rows[1:]


def _names_columns(rows: Sequence[Row], kinds: Sequence[Kind]) -> bool:
    """Whether the first row can be a header above columns of these kinds."""
    first = rows[0]
    if len(rows) == 1:
        names = [cell for cell in first if cell is not None]
        return len(names) > 1 and all(kind_of(name) == "t" for name in names) and _distinct(names)
    measured = [column for column, kind in enumerate(kinds) if kind in ("n", "d")]
    cells = [first[column] for column in measured if first[column] is not None]
    if cells:
        labels = sum(_is_label(first[c], c, rows) for c in measured if first[c] is not None)
        return labels * 2 > len(cells) or _is_sequence(cells)
    others = [cell for cell in first if cell is not None]
    if measured:
        return bool(others) and all(kind_of(cell) == "t" for cell in others) and 2 * len(others) >= len(first)
    return _names_texts(rows)


def _is_label(cell: RawCell, column: int, rows: Sequence[Row]) -> bool:
    """Whether a cell above figures can be their name."""
    if kind_of(cell) == "t":
        return True
    if not is_period(cell):
        return False
    body = [row[column] for row in _body_sample(rows) if row[column] is not None]
    same = is_year if is_year(cell) else is_period
    return not body or 2 * sum(same(value) for value in body) < len(body)


def _is_sequence(cells: Sequence[RawCell]) -> bool:
    """1, 2, 3 … over figures: days or months as column names."""
    numbers = [_count(cell) for cell in cells]
    steps = {after - before for before, after in itertools.pairwise(numbers)}
    return len(numbers) >= 5 and steps == {1}


def _count(cell: RawCell) -> float:
    """A whole number in a cell; NaN, which is in no sequence, for anything else."""
    if isinstance(cell, int):
        return float(cell)
    return float(cell) if isinstance(cell, str) and cell.isdecimal() else nan


def _names_texts(rows: Sequence[Row]) -> bool:
    """A first row above texts only: a header, unless it looks or recurs like the rows below."""
    first = rows[0]
    cells = [cell for cell in first if cell is not None]
    if 2 * len(cells) <= len(first) or not _distinct(cells) or any(len(str(cell)) > 80 for cell in cells):
        return False
    if any(kind_of(cell) in ("n", "d") and not is_period(cell) for cell in cells):
        return False
    for column, cell in enumerate(first):
        below = [str(row[column]) for row in rows[1:_SAMPLE] if row[column] is not None]
        if cell is None or not below:
            continue
        if fold(str(cell)) in {fold(text) for text in below}:
            return False
        shapes = {shape_of(text) for text in below}
        if len(below) > 1 and len(shapes) == 1 and shape_of(str(cell)) in shapes - {""}:
            return False
    return True


def _continues(rows: Sequence[Row], depth: int, kinds: Sequence[Kind], merges: Sequence[Merge]) -> bool:
    """Whether row `depth` is one more header row: it names parts of a group named above."""
    row, above = rows[depth], rows[depth - 1]
    if has_unit_row(rows, depth) or filled(row) == 0:
        return False
    grouped = any(top <= depth - 1 <= bottom and right > left for top, left, bottom, right in merges)
    measured = [column for column, kind in enumerate(kinds) if kind in ("n", "d") and row[column] is not None]
    if any(not _is_label(row[column], column, rows[depth:]) for column in measured):
        return False
    if not measured:
        return grouped and not any(kind == "n" for kind in kinds)
    gaps = any(above[column] is None and row[column] is not None for column in range(1, len(row)))
    return grouped or gaps or _names_parts(above, row)


def _names_parts(above: Row, row: Row) -> bool:
    """Whether neighbours share a name above that the row tells apart: merged cells that an export filled."""
    repeated = any(one is not None and one == other for one, other in itertools.pairwise(above))
    cells = [cell for cell in row if cell is not None]
    return repeated and len(cells) == len(row) and _distinct(cells) and all(kind_of(c) == "t" for c in cells)


def _distinct(cells: Sequence[RawCell]) -> bool:
    names = [fold(str(cell)) for cell in cells]
    return len(set(names)) == len(names)
