"""Total and subtotal rows: by their label, and by arithmetic where the label alone could be a name."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isclose

from core.ingest.tables.numerals import read_numeral
from core.normalize import fold
from core.types import RawCell, Value

_SURE = re.compile(
    r"(?:(?:sub|grand|grande|valor|net|gross)?[ -]?tota(?:l|is)|totals|somatorio|soma|sum|media|average|mean|avg)"
    r"(?: (?:geral|gerais|global|parcial|final|overall|general|grand|acumulado|anual|mensal|annual|monthly|do|da|dos|das|de|of|for"
    r"|ano|mes|periodo|year|month|period|r\$|\(.{0,20}\)|[:=-]))*[ :=]*"
)
_MENTION = re.compile(r"\b(?:sub)?-?tota(?:l|is)\b|\btotals\b|\bsoma\b|\bmedia\b|\baverage\b")
_MEAN = re.compile(r"\b(?:media|average|mean|avg|soma|sum)\b")  # also plain words and categories
_WORDS_OF_TOTALS = re.compile(r"\b(?:sub)?-?total\b|\b(?:de|do|da|of|for)\b|[:()-]")
_LEADING = 4  # columns that may hold a row's label
_GROUP = 500  # rows above a subtotal in which its group is looked for
_HINT = re.compile(r"tota[il]|som|sum|m[ée]di|mean|average|avg", re.IGNORECASE)  # before anything costs time


def is_total_label(text: str) -> bool:
    """Whether a label is nothing but a word for a total: 'Total geral', 'Subtotal:', 'Grand total'."""
    return len(text) < 80 and bool(_SURE.fullmatch(fold(text)))


def find_totals(
    columns: Sequence[Sequence[Value]], numeric: Sequence[bool], labels: Sequence[Sequence[RawCell]]
) -> frozenset[int]:
    """Rows that repeat what other rows say.

    Args:
        columns: typed values, one sequence a column.
        numeric: which columns are numbers.
        labels: the same cells as they were read: in a column of dates the word "Total" is no value.
    Returns: row indices. A bare total label is believed; "A Total" needs a group A above or a figure that is the sum
        of rows above, a blank label needs that all are.
    """
    height = len(columns[0]) if columns else 0
    leading = labels[:_LEADING]
    table = _Table(columns, numeric, leading)
    found: set[int] = set()
    for row in _candidates(leading, height):
        words = [
            cell
            for cell in (column[row] for column in leading)
            if isinstance(cell, str) and read_numeral(cell) is None
        ]
        if any(map(is_total_label, words)):
            if _is_believed(table, row, words, found):
                found.add(row)
        elif any(map(_mentions, words)):
            if _names_group_above(leading, row, " ".join(words)) or _repeats(table, row, found):
                found.add(row)
        elif not words and row == height - 1 and _repeats(table, row, found, all_of_them=True):
            found.add(row)
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class _Table:
    """What the checks look at."""

    columns: Sequence[Sequence[Value]]
    numeric: Sequence[bool]
    labels: Sequence[Sequence[RawCell]]

    def figures(self, row: int) -> list[int]:
        """Columns with a figure in a row."""
        return [
            c
            for c, is_number in enumerate(self.numeric)
            if is_number and _figure(self.columns[c][row]) is not None
        ]


def _is_believed(table: _Table, row: int, words: Sequence[str], totals: set[int]) -> bool:
    """Whether a label that can only mean a total means one here.

    "Média" is also a priority, "Total" also a kind of cleaning: means, labels that recur and labels beside another
    one need figures that agree.
    """
    if any(table.numeric) and not table.figures(row):
        return False
    first = words[0]
    column = next(column for column in table.labels if column[row] == first)
    if is_total_label(first):
        rare = sum(cell == first for cell in column) <= 2
        return (rare and not _MEAN.search(fold(first))) or _repeats(table, row, totals)
    of_group = row > 0 and column[row - 1] == first and not _MEAN.search(fold(words[-1]))
    return of_group or _repeats(table, row, totals)


def _candidates(labels: Sequence[Sequence[RawCell]], height: int) -> list[int]:
    """Rows whose label mentions a total, and the last one."""
    rows = {height - 1} if height else set()
    for column in labels:
        rows |= {row for row, cell in enumerate(column) if isinstance(cell, str) and _mentions(cell)}
    return sorted(rows)


def _mentions(text: str) -> bool:
    if len(text) >= 80 or not _HINT.search(text):
        return False
    folded = fold(text)
    return bool(_MENTION.search(folded)) or bool(_SURE.fullmatch(folded))


def _names_group_above(labels: Sequence[Sequence[RawCell]], row: int, label: str) -> bool:
    """'A Total' under rows of group A."""
    bare = " ".join(_WORDS_OF_TOTALS.sub(" ", fold(label)).split())
    if not bare:
        return False
    start = max(0, row - _GROUP)
    return any(
        isinstance(cell, str) and fold(cell) == bare for column in labels for cell in column[start:row]
    )


def _repeats(table: _Table, row: int, totals: set[int], *, all_of_them: bool = False) -> bool:
    """Whether figures of the row are sums or means of the rows above, back to the last total or to the top.

    Args:
        all_of_them: every figure must be a sum, for a row that has nothing but its figures to speak for it.
    """
    figures = table.figures(row)
    if not figures or (all_of_them and len(figures) == 1 and row < 3):
        return False
    last = max((total for total in totals if total < row), default=-1)
    for start in (0,) if all_of_them else sorted({0, last + 1}):
        if row - start < 2:
            continue
        agree = [_agrees(table.columns[c], start, row, totals, means=not all_of_them) for c in figures]
        if all(agree) if all_of_them else any(agree):
            return True
    return False


def _agrees(column: Sequence[Value], start: int, row: int, totals: set[int], *, means: bool) -> bool:
    parts = [_figure(column[r]) for r in range(start, row) if r not in totals]
    known = [part for part in parts if part is not None]
    target = _figure(column[row])
    if target is None or len(known) < 2 or not any(known):
        return False
    total = sum(known)
    mean = total / len(known)
    return isclose(total, target, rel_tol=1e-6, abs_tol=0.011) or (
        means and isclose(mean, target, rel_tol=1e-3, abs_tol=0.006)
    )


def _figure(value: Value) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
