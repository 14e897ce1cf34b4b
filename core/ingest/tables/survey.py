"""What the cells of one column prove, counted over its distinct values."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

import numpy as np
import numpy.typing as npt
import pandas as pd

from core.ingest.tables.calendar import Written, read_compact, read_date
from core.ingest.tables.headers import Header
from core.ingest.tables.numerals import (
    Numeral,
    is_grouped,
    is_missing,
    plain_digits,
    proven_mark,
    read_numeral,
)
from core.ingest.tables.totals import is_total_label
from core.ingest.tables.units import is_ordinal, unit_of
from core.normalize import fold
from core.types import RawCell

_SAMPLE = 2_000  # distinct values looked at before a plainly textual column is left alone
TRUTH = {"true": True, "false": False, "verdadeiro": True, "falso": False}


@dataclass(slots=True)
class Survey:
    """What the distinct values of one column prove, weighted by how often they occur."""

    filled: int = 0  # cells that hold something and do not say "missing"
    missing: int = 0
    missing_words: list[str] = field(default_factory=list)
    numbers: int = 0
    dates: int = 0
    truths: int = 0
    marks: Counter[str] = field(default_factory=Counter)  # proofs of "," and of "."
    unclear: int = 0  # 1.234
    unclear_example: str = ""
    units: Counter[str] = field(default_factory=Counter)
    bare: int = 0  # numbers without a unit
    currencies: Counter[str] = field(default_factory=Counter)
    orders: Counter[str] = field(default_factory=Counter)  # proofs of "day" and "month" first
    open_dates: int = 0  # 02/10/2011
    open_example: str = ""
    dotted_dates: int = 0
    months: int = 0
    clocks: int = 0
    leading_zero: bool = False
    longest_digits: int = 0


@dataclass(frozen=True, slots=True)
class Distinct:
    """A column as codes into its distinct values; code -1 is an empty cell."""

    codes: npt.NDArray[np.intp]
    values: list[RawCell]
    counts: list[int]


def distinct(cells: Sequence[RawCell]) -> Distinct:
    """Distinct values in order of appearance. Truth values beside others become words: to a hash, True is 1."""
    kinds = set(map(type, cells)) - {type(None)}
    if bool in kinds and len(kinds) > 1:
        cells = [("true" if c else "false") if isinstance(c, bool) else c for c in cells]
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    codes, values = pd.factorize(array)
    counts = np.bincount(codes[codes >= 0], minlength=len(values))
    return Distinct(codes, list(values), [int(count) for count in counts])


def survey_column(column: Distinct, header: Header) -> Survey:
    survey = Survey()
    step = max(1, len(column.values) // _SAMPLE)
    for start in range(step):  # a sample spread over the column first, then the rest
        for at in range(start, len(column.values), step):
            _look(column.values[at], column.counts[at], header, survey)
        if start == 0 and (_is_textual(survey) or (header.code and _is_code(survey))):
            break
    return survey


def _is_textual(survey: Survey) -> bool:
    return survey.filled > 2 * (survey.numbers + survey.dates + survey.truths)


def _is_code(survey: Survey) -> bool:
    """Bare digits under a header that names codes stay text, whatever follows."""
    return survey.leading_zero and survey.numbers == survey.filled


def _look(value: RawCell, count: int, header: Header, survey: Survey) -> None:
    """Count what one distinct value proves."""
    if isinstance(value, str):
        _look_at_text(value, count, header, survey)
        return
    survey.filled += count
    if isinstance(value, bool):
        survey.truths += count
    elif isinstance(value, date):
        survey.dates += count
        survey.clocks += count if isinstance(value, datetime) and has_clock(value) else 0
    else:
        survey.numbers += count
        survey.bare += count


def _look_at_text(text: str, count: int, header: Header, survey: Survey) -> None:
    if is_missing(text):
        survey.missing += count
        survey.missing_words.append(text)
        return
    if is_total_label(text):
        return  # the label of a total row is no evidence about the column
    survey.filled += count
    bare = None if header.dated else plain_digits(text)
    if bare is not None:
        _look_at_plain(bare, text, count, survey)
        return
    if len(text) < 11 and text[:1].isalpha() and fold(text) in TRUTH:
        survey.truths += count
        return
    written = _date_in(text, header)
    if written is not None:
        survey.dates += count
        _look_at_date(written, text, count, survey)
        if header.dated:
            return
    numeral = read_numeral(text)
    if numeral is not None and not is_ordinal(numeral.suffix):
        _look_at_number(numeral, text, count, survey)


def _look_at_plain(parts: tuple[str, str, str], text: str, count: int, survey: Survey) -> None:
    """A bare number: the same as `_look_at_number`, for the many cells that hold nothing else."""
    whole, mark, decimals = parts
    survey.numbers += count
    survey.bare += count
    if not mark:
        survey.leading_zero |= len(whole) > 1 and whole[0] == "0"
        survey.longest_digits = max(survey.longest_digits, len(whole))
    elif is_grouped(whole, decimals):
        survey.unclear += count
        survey.unclear_example = survey.unclear_example or text
    else:
        survey.marks[mark] += count


def _look_at_number(numeral: Numeral, text: str, count: int, survey: Survey) -> None:
    mark = proven_mark(numeral.digits)
    if mark is None:
        return
    survey.numbers += count
    digits = numeral.digits
    if mark:
        survey.marks[mark] += count
    elif not digits.isdigit():
        survey.unclear += count
        survey.unclear_example = survey.unclear_example or text
    else:
        survey.leading_zero |= len(digits) > 1 and digits[0] == "0"
        survey.longest_digits = max(survey.longest_digits, len(digits))
    if numeral.currency:
        survey.currencies[numeral.currency] += count
    unit = unit_of(numeral.suffix)
    if unit:
        survey.units[unit] += count
    else:
        survey.bare += count


def _look_at_date(written: Written, text: str, count: int, survey: Survey) -> None:
    survey.months += count if written.day is None else 0
    survey.clocks += count if written.clock else 0
    if not written.open_order or written.day is None:
        return
    if written.day > 12 >= written.month:
        survey.orders["day"] += count
    elif written.month > 12 >= written.day:
        survey.orders["month"] += count
    elif written.day != written.month:
        survey.open_dates += count
        survey.dotted_dates += count if "." in text else 0
        survey.open_example = survey.open_example or text


def _date_in(text: str, header: Header) -> Written | None:
    written = read_date(text)
    return read_compact(text) if written is None and header.dated else written


def has_clock(value: datetime) -> bool:
    return (value.hour, value.minute, value.second) != (0, 0, 0)
