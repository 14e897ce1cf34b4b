"""The type of a column, decided on the whole column; the one home of pandas.

A cell proves something or nothing ("1.234" proves nothing, "0,5" proves a decimal comma). Proofs are counted over
all distinct values of a column, then over the table, then the file's format and language decide, and what was
decided without proof is said as a note.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from core.ingest.notes import Note, note
from core.ingest.tables.calendar import Order, Written, iso, read_compact, read_date
from core.ingest.tables.headers import Header
from core.ingest.tables.numerals import (
    Numeral,
    is_grouped,
    is_missing,
    plain_digits,
    plain_value,
    proven_mark,
    read_numeral,
    value_of,
)
from core.ingest.tables.totals import is_total_label
from core.ingest.tables.units import is_ordinal, same_unit, scale_of, unit_of
from core.normalize import fold
from core.types import ColumnType, Language, RawCell, Value

ENOUGH = 0.9  # share of the filled cells that must fit a type; the others become empty and are reported
_SAMPLE = 2_000  # distinct values looked at before a plainly textual column is left alone
_BIG = 2**63
_TRUTH = {"true": True, "false": False, "verdadeiro": True, "falso": False}


@dataclass(frozen=True, slots=True)
class Typed:
    """One converted column."""

    type: ColumnType
    unit: str
    values: list[Value]
    bad: tuple[tuple[int, str], ...] = ()  # (row, text) of cells that did not fit and became empty
    notes: tuple[Note, ...] = ()


@dataclass(slots=True)
class _Survey:
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
class _Plan:
    """How a column is converted."""

    type: ColumnType
    unit: str = ""
    mark: Literal[",", "."] = "."
    order: Order = "day"
    compact: bool = False
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class _Distinct:
    """A column as codes into its distinct values; code -1 is an empty cell."""

    codes: npt.NDArray[np.intp]
    values: list[RawCell]
    counts: list[int]


def type_columns(
    columns: Sequence[Sequence[RawCell]],
    headers: Sequence[Header],
    *,
    language: Language,
    decimal: Literal["", ",", "."] = "",
) -> tuple[Typed, ...]:
    """Type and convert all columns of a table.

    Args:
        columns: one sequence of cells a column, all of one length, total rows included.
        headers: one a column.
        language: of the document; decides between day and month first only where nothing proves either.
        decimal: the mark that the file's format implies, "" if none.
    """
    distinct = [_distinct(cells) for cells in columns]
    surveys = [_survey(column, header) for column, header in zip(distinct, headers, strict=True)]
    mark = _table_mark(surveys, decimal, language)
    order = _table_order(surveys, language)
    return tuple(
        _convert(column, _plan(survey, column, header, mark, order))
        for column, survey, header in zip(distinct, surveys, headers, strict=True)
    )


# --- surveying -------------------------------------------------------------------------------------


def _distinct(cells: Sequence[RawCell]) -> _Distinct:
    """Distinct values in order of appearance. Truth values beside others become words: to a hash, True is 1."""
    kinds = set(map(type, cells)) - {type(None)}
    if bool in kinds and len(kinds) > 1:
        cells = [("true" if c else "false") if isinstance(c, bool) else c for c in cells]
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    codes, values = pd.factorize(array)
    counts = np.bincount(codes[codes >= 0], minlength=len(values))
    return _Distinct(codes, list(values), [int(count) for count in counts])


def _survey(column: _Distinct, header: Header) -> _Survey:
    survey = _Survey()
    step = max(1, len(column.values) // _SAMPLE)
    for start in range(step):  # a sample spread over the column first, then the rest
        for at in range(start, len(column.values), step):
            _look(column.values[at], column.counts[at], header, survey)
        if start == 0 and (_is_textual(survey) or (header.code and _is_code(survey))):
            break
    return survey


def _is_textual(survey: _Survey) -> bool:
    return survey.filled > 2 * (survey.numbers + survey.dates + survey.truths)


def _is_code(survey: _Survey) -> bool:
    """Bare digits under a header that names codes stay text, whatever follows."""
    return survey.leading_zero and survey.numbers == survey.filled


def _look(value: RawCell, count: int, header: Header, survey: _Survey) -> None:
    """Count what one distinct value proves."""
    if isinstance(value, str):
        _look_at_text(value, count, header, survey)
        return
    survey.filled += count
    if isinstance(value, bool):
        survey.truths += count
    elif isinstance(value, date):
        survey.dates += count
        survey.clocks += count if isinstance(value, datetime) and _has_clock(value) else 0
    else:
        survey.numbers += count
        survey.bare += count


def _look_at_text(text: str, count: int, header: Header, survey: _Survey) -> None:
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
    if len(text) < 11 and text[0].isalpha() and fold(text) in _TRUTH:
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


def _look_at_plain(parts: tuple[str, str, str], text: str, count: int, survey: _Survey) -> None:
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


def _look_at_number(numeral: Numeral, text: str, count: int, survey: _Survey) -> None:
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


def _look_at_date(written: Written, text: str, count: int, survey: _Survey) -> None:
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


def _has_clock(value: datetime) -> bool:
    return (value.hour, value.minute, value.second) != (0, 0, 0)


# --- deciding --------------------------------------------------------------------------------------


def _table_mark(
    surveys: Sequence[_Survey], decimal: Literal["", ",", "."], language: Language
) -> Literal[",", "."]:
    """The decimal mark for cells that prove none: other columns' proofs, then the format, then the language."""
    numeric = [s for s in surveys if s.numbers >= ENOUGH * max(s.filled, 1)]
    comma, dot = (sum(s.marks[mark] > 0 for s in numeric) for mark in (",", "."))
    if comma != dot:
        return "," if comma > dot else "."
    if decimal:
        return decimal
    return "," if language == "pt" else "."


def _table_order(surveys: Sequence[_Survey], language: Language) -> Order:
    """Day or month first where a column proves neither: the other date columns, then the language."""
    day, month = (sum(s.orders[order] for s in surveys) for order in ("day", "month"))
    if day != month:
        return "day" if day > month else "month"
    return "month" if language == "en" else "day"


def _plan(survey: _Survey, column: _Distinct, header: Header, mark: Literal[",", "."], order: Order) -> _Plan:
    """Choose the type; text is what remains."""
    needed = ENOUGH * survey.filled
    if survey.filled == 0:
        return _Plan("text")
    if survey.truths == survey.filled:
        return _Plan("boolean")
    if survey.dates >= needed and (header.dated or survey.numbers < survey.dates or survey.numbers < needed):
        return _date_plan(survey, header, order)
    if survey.numbers >= needed:
        return _number_plan(survey, column, header, mark)
    mostly = max(survey.numbers, survey.dates)
    if survey.filled > 3 and mostly > survey.filled / 2:
        return _Plan(
            "text", notes=(note("mixed", column=header.name, share=round(100 * mostly / survey.filled)),)
        )
    return _Plan("text")


def _date_plan(survey: _Survey, header: Header, order: Order) -> _Plan:
    day, month = survey.orders["day"], survey.orders["month"]
    if min(day, month) > (1 - ENOUGH) * survey.filled:
        return _Plan("text", notes=(note("two_orders", column=header.name),))
    notes: tuple[Note, ...] = ()
    if day != month:
        order = "day" if day > month else "month"
    elif survey.open_dates:
        order = "day" if survey.dotted_dates else order
        key = "day_first" if order == "day" else "month_first"
        notes = (note(key, column=header.name, example=survey.open_example),)
    if survey.months:
        notes += (note("months", column=header.name),)
    kind: ColumnType = "datetime" if survey.clocks else "date"
    return _Plan(kind, order=order, compact=header.dated, notes=notes + _missing_note(survey, header))


def _number_plan(survey: _Survey, column: _Distinct, header: Header, table_mark: Literal[",", "."]) -> _Plan:
    if reason := _code_reason(survey, header):
        told = (note(reason, column=header.name),) if reason != "code_header" else ()
        return _Plan("text", notes=told)
    if len(survey.currencies) > 1:
        return _Plan(
            "text",
            notes=(note("currencies", column=header.name, found=", ".join(sorted(survey.currencies))),),
        )
    unit, known = _common_unit(survey)
    if not known:
        return _Plan(
            "text", notes=(note("units", column=header.name, found=", ".join(sorted(survey.units))),)
        )
    comma, dot = survey.marks[","], survey.marks["."]
    mark, notes = table_mark, _missing_note(survey, header)
    if comma != dot:
        mark = "," if comma > dot else "."
    elif survey.unclear:
        key = "comma_decimal" if mark == "," else "dot_decimal"
        notes += (note(key, column=header.name, example=survey.unclear_example),)
    unit = header.unit or next(iter(survey.currencies), "") or unit
    kind: ColumnType = "integer" if _whole(column, mark) else "real"
    return _Plan(kind, unit=unit, mark=mark, notes=notes)


def _code_reason(survey: _Survey, header: Header) -> str:
    """Why digits are a code and not an amount; "" when they are an amount."""
    if survey.leading_zero and not survey.units:
        return "leading_zeros"
    if survey.longest_digits > 15:
        return "long_digits"
    measured = survey.units or survey.currencies or survey.marks
    return "code_header" if header.code and not measured else ""


def _common_unit(survey: _Survey) -> tuple[str, bool]:
    """The unit that the cells share, and whether they may be added up at all."""
    if not survey.units:
        return "", True
    unit, count = survey.units.most_common(1)[0]
    others = sum(survey.units.values()) - count
    known = same_unit(unit) or (survey.bare == 0 and count >= 3 and len(unit) > 1)
    return unit, known and others == 0 and count >= survey.bare


def _missing_note(survey: _Survey, header: Header) -> tuple[Note, ...]:
    if not survey.missing:
        return ()
    words = ", ".join(sorted(dict.fromkeys(survey.missing_words))[:4])
    return (note("missing", column=header.name, count=survey.missing, words=words),)


def _whole(column: _Distinct, mark: Literal[",", "."]) -> bool:
    """Whether every number is an integer; 10,00 is not, a spreadsheet's 10.0 is."""
    return all(not isinstance(n, float) or (not isinstance(v, str) and n.is_integer()) for v in column.values
               if (n := _number(v, mark)) is not None)  # fmt: skip


# --- converting ------------------------------------------------------------------------------------


def _convert(column: _Distinct, plan: _Plan) -> Typed:
    """Convert the distinct values, then spread them over the rows."""
    reader = _reader(plan)
    converted = [reader(value) for value in column.values]
    failed = {
        code
        for code, (value, result) in enumerate(zip(column.values, converted, strict=True))
        if result is None and not (isinstance(value, str) and (is_missing(value) or is_total_label(value)))
    }
    spread = np.empty(len(converted) + 1, dtype=object)
    spread[:-1] = converted
    spread[-1] = None  # code -1
    bad: tuple[tuple[int, str], ...] = ()
    if failed:
        rows = np.flatnonzero(np.isin(column.codes, sorted(failed)))
        bad = tuple((int(row), str(column.values[column.codes[row]])) for row in rows)
    return Typed(plan.type, plan.unit, list(spread[column.codes]), bad, plan.notes)


def _reader(plan: _Plan) -> Callable[[RawCell], Value]:
    if plan.type == "integer":
        return lambda value: _integer(_number(value, plan.mark))
    if plan.type == "real":
        return lambda value: _real(_number(value, plan.mark))
    if plan.type in ("date", "datetime"):
        return lambda value: _date(value, plan)
    if plan.type == "boolean":
        return lambda value: value if isinstance(value, bool) else _TRUTH.get(fold(str(value)))
    return as_text


def _number(value: RawCell, mark: Literal[",", "."]) -> int | float | None:
    """A cell as a number; None when it is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    if not isinstance(value, str):
        return None
    if value[-1].isdigit() and plain_digits(value) is not None:
        return plain_value(value, mark)
    if is_missing(value):
        return None
    numeral = read_numeral(value)
    if numeral is None:
        return None
    number = value_of(numeral, mark)
    factor = scale_of(numeral.suffix)
    return number if number is None or factor == 1 else round(number * factor, 6)


def _integer(number: int | float | None) -> int | None:
    return None if number is None or abs(number) >= _BIG else int(number)


def _real(number: int | float | None) -> float | None:
    return None if number is None else float(number)


def _date(value: RawCell, plan: _Plan) -> str | None:
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds") if plan.type == "datetime" else value.date().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if not isinstance(value, str):
        return None
    written = read_date(value) or (read_compact(value) if plan.compact else None)
    return None if written is None else iso(written, plan.order)


def as_text(value: RawCell) -> str | None:
    """A cell as the sheet shows it: 12.0 is 12, dates are ISO 8601."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < _BIG else repr(value)
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds") if _has_clock(value) else value.date().isoformat()
    return value.isoformat() if isinstance(value, date) else str(value)
