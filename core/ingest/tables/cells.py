"""What kind of thing one cell holds, for telling headers from data before any column is typed."""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Literal

from core.ingest.tables.calendar import read_date
from core.ingest.tables.numerals import is_missing, proven_mark, read_numeral
from core.ingest.tables.units import is_ordinal, is_unit_cell, unit_of
from core.normalize import fold
from core.types import RawCell

Kind = Literal["", "m", "n", "d", "t"]  # blank, says "missing", number or truth value, date, text
Row = Sequence[RawCell]
_DIGITS, _LETTERS = re.compile(r"\d+"), re.compile(r"[^\W\d_]+")
WIDEST = 1_000  # columns; no store keeps wider tables, and nobody asks about their columns by name


def kind_of(cell: RawCell) -> Kind:
    """The kind of one cell."""
    if cell is None:
        return ""
    if isinstance(cell, date):
        return "d"
    if not isinstance(cell, str):
        return "n"
    if is_missing(cell):
        return "m"
    numeral = read_numeral(cell)
    if numeral is not None and proven_mark(numeral.digits) is not None and not is_ordinal(numeral.suffix):
        suffix = unit_of(numeral.suffix)
        return "n" if not suffix or is_unit_cell(suffix) else "t"
    return "d" if read_date(cell) is not None else "t"


def column_kinds(rows: Sequence[Row], width: int) -> list[Kind]:
    """The kind that holds most filled cells of each column, where it holds 60 % of them; else text."""
    kinds: list[Kind] = []
    for column in range(width):
        counts = Counter(kind_of(row[column]) for row in rows)
        filled = counts["n"] + counts["d"] + counts["t"]
        best: Kind = max(("t", "n", "d"), key=lambda kind: counts[kind])
        kinds.append(
            ("" if not counts["m"] else "m") if not filled else best if counts[best] >= 0.6 * filled else "t"
        )
    return kinds


def is_year(cell: RawCell) -> bool:
    """A number that reads as a calendar year."""
    if isinstance(cell, str):
        cell = int(cell) if cell.isdigit() and len(cell) == 4 else None
    return (
        isinstance(cell, int | float)
        and not isinstance(cell, bool)
        and 1900 <= cell <= 2100
        and cell == int(cell)
    )


def is_period(cell: RawCell) -> bool:
    """A year, a month or another label of time that heads a column of figures."""
    if is_year(cell):
        return True
    written = read_date(cell) if isinstance(cell, str) else None
    return isinstance(cell, date) or (written is not None and not written.clock)


def shape_of(text: str) -> str:
    """'SKU-8847' and 'SKU-1' have one shape; '' for texts without digits, which have none."""
    return _LETTERS.sub("a", _DIGITS.sub("9", fold(text))) if any(char.isdigit() for char in text) else ""


def filled(row: Row) -> int:
    """How many cells hold something."""
    return len(row) - row.count(None)


def is_blank(row: Row) -> bool:
    return row.count(None) == len(row)


def same_cells(one: Row, other: Row) -> bool:
    """Whether two rows say the same, apart from case, accents and spaces."""
    return len(one) == len(other) and all(
        fold(str(a)) == fold(str(b)) if a is not None and b is not None else a is b
        for a, b in zip(one, other, strict=True)
    )
