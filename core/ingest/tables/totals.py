"""Total and subtotal rows: by their label, and by arithmetic where the label alone could be a name."""

import re
from collections.abc import Sequence
from math import isclose

from core.normalize import fold
from core.types import Value

_SURE = re.compile(
    r"(?:(?:sub|grand|grande|valor|net|gross)?[ -]?tota(?:l|is)|totals|somatorio|soma|sum|media|average|mean|avg)"
    r"(?: (?:geral|gerais|global|parcial|final|overall|general|grand|acumulado|anual|mensal|annual|monthly|do|da|dos|das|de|del|of|for"
    r"|ano|mes|periodo|year|month|period|r\$|\(.{0,20}\)|[:=-])+)?[ :=]*"
)
_MENTION = re.compile(r"\b(?:sub)?-?tota(?:l|is)\b|\btotals\b|\bsoma\b|\bmedia\b|\baverage\b")
_HINT = re.compile(r"tota[il]|som|sum|m[ée]di|mean|average|avg", re.IGNORECASE)  # before anything costs time


def is_total_label(text: str) -> bool:
    """Whether a label is nothing but a word for a total: 'Total geral', 'Subtotal:', 'Grand total'."""
    return len(text) < 80 and bool(_SURE.fullmatch(fold(text)))


def find_totals(columns: Sequence[Sequence[Value]], numeric: Sequence[bool]) -> frozenset[int]:
    """Rows that repeat what other rows say.

    Args:
        columns: typed values, one sequence a column.
        numeric: which columns are numbers.
    Returns: row indices. A bare total label is believed; "A Total" and a blank label need their figures to be the sum
        of rows above, or a group of that name above.
    """
    height = len(columns[0]) if columns else 0
    texts = [c for c, is_number in enumerate(numeric) if not is_number][:3]
    found: set[int] = set()
    for row in _candidates(columns, texts, numeric):
        label = " ".join(str(columns[c][row]) for c in texts if columns[c][row] is not None)
        first = next((str(columns[c][row]) for c in texts if columns[c][row] is not None), "")
        any_sure = any(is_total_label(str(columns[c][row])) for c in texts if columns[c][row] is not None)
        has_figures = any(columns[c][row] is not None for c, is_number in enumerate(numeric) if is_number)
        if any_sure and (has_figures or not any(numeric)):
            if (
                is_total_label(first)
                or _all_totals_or_blank(columns, texts, row)
                or _sums_up(columns, numeric, row, found)
            ):
                found.add(row)
        elif label and _MENTION.search(fold(label)):
            if _names_group_above(columns, texts, row, label) or _sums_up(columns, numeric, row, found):
                found.add(row)
        elif (
            not label
            and row == height - 1
            and height > 3
            and _sums_up(columns, numeric, row, found, whole=True)
        ):
            found.add(row)
    return frozenset(found)


def _candidates(
    columns: Sequence[Sequence[Value]], texts: Sequence[int], numeric: Sequence[bool]
) -> list[int]:
    """Rows whose label mentions a total, and the last one."""
    height = len(columns[0]) if columns else 0
    rows = set()
    for column in texts:
        rows |= {
            row for row, value in enumerate(columns[column]) if isinstance(value, str) and _mentions(value)
        }
    if height and any(numeric):
        rows.add(height - 1)
    return sorted(rows)


def _mentions(text: str) -> bool:
    if len(text) >= 80 or not _HINT.search(text):
        return False
    folded = fold(text)
    return bool(_MENTION.search(folded)) or bool(_SURE.fullmatch(folded))


def _all_totals_or_blank(columns: Sequence[Sequence[Value]], texts: Sequence[int], row: int) -> bool:
    """A total of a group repeats the group's name beside the word: 'Norte | Total | 30'."""
    cells = [str(columns[c][row]) for c in texts if columns[c][row] is not None]
    return sum(not is_total_label(cell) for cell in cells) <= 1


def _names_group_above(
    columns: Sequence[Sequence[Value]], texts: Sequence[int], row: int, label: str
) -> bool:
    """'A Total' under rows of group A."""
    bare = " ".join(re.sub(r"\b(?:sub)?-?total\b|\b(?:de|do|da|of|for)\b|[:()-]", " ", fold(label)).split())
    above = {
        fold(str(columns[c][r]))
        for c in texts
        for r in range(max(0, row - 500), row)
        if columns[c][r] is not None
    }
    return bool(bare) and bare in above


def _sums_up(
    columns: Sequence[Sequence[Value]],
    numeric: Sequence[bool],
    row: int,
    totals: set[int],
    *,
    whole: bool = False,
) -> bool:
    """Whether every figure of the row is the sum of the rows above it, back to the last total or to the top."""
    figures = [c for c, is_number in enumerate(numeric) if is_number and _figure(columns[c][row]) is not None]
    if not figures or (whole and len(figures) == 1 and row < 3):
        return False
    last = max((total for total in totals if total < row), default=-1)
    starts = [0] if whole else sorted({0, last + 1})
    return any(
        row - start >= 2 and all(_is_sum(columns[c], start, row, totals) for c in figures) for start in starts
    )


def _is_sum(column: Sequence[Value], start: int, row: int, totals: set[int]) -> bool:
    parts = [_figure(column[r]) for r in range(start, row) if r not in totals]
    known = [part for part in parts if part is not None]
    target = _figure(column[row])
    if target is None or len(known) < 2 or not any(known):
        return False
    return isclose(sum(known), target, rel_tol=1e-6, abs_tol=0.011)


def _figure(value: Value) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
