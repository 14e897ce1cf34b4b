"""The type of a column, decided on the whole column; by what `survey` counts.

A cell proves something or nothing ("1.234" proves nothing, "0,5" proves a decimal comma). Proofs are counted over
all distinct values of a column, then over the table, then the file's format and language decide, and what was
decided without proof is said as a note.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

import numpy as np

from core.ingest.notes import Note, note
from core.ingest.tables.calendar import Order, iso, read_compact, read_date
from core.ingest.tables.headers import Header
from core.ingest.tables.numerals import is_missing, plain_digits, plain_value, read_numeral, value_of
from core.ingest.tables.survey import TRUTH, Distinct, Survey, distinct, has_clock, survey_column
from core.ingest.tables.totals import is_total_label
from core.ingest.tables.units import same_unit, scale_of
from core.normalize import fold
from core.types import ColumnType, Language, RawCell, Value

ENOUGH = 0.9  # share of the filled cells that must fit a type; the others become empty and are reported
_BIG = 2**63


@dataclass(frozen=True, slots=True)
class Typed:
    """One converted column."""

    type: ColumnType
    unit: str
    values: list[Value]
    bad: tuple[tuple[int, str], ...] = ()  # (row, text) of cells that did not fit and became empty
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class _Plan:
    """How a column is converted."""

    type: ColumnType
    unit: str = ""
    mark: Literal[",", "."] = "."
    order: Order = "day"
    compact: bool = False
    notes: tuple[Note, ...] = ()


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
    values = [distinct(cells) for cells in columns]
    surveys = [survey_column(column, header) for column, header in zip(values, headers, strict=True)]
    mark = _table_mark(surveys, decimal, language)
    order = _table_order(surveys, language)
    return tuple(
        _convert(column, _plan(survey, column, header, mark, order))
        for column, survey, header in zip(values, surveys, headers, strict=True)
    )


# --- deciding --------------------------------------------------------------------------------------


def _table_mark(
    surveys: Sequence[Survey], decimal: Literal["", ",", "."], language: Language
) -> Literal[",", "."]:
    """The decimal mark for cells that prove none: other columns' proofs, then the format, then the language."""
    numeric = [s for s in surveys if s.numbers >= ENOUGH * max(s.filled, 1)]
    comma, dot = (sum(s.marks[mark] > 0 for s in numeric) for mark in (",", "."))
    if comma != dot:
        return "," if comma > dot else "."
    if decimal:
        return decimal
    return "," if language == "pt" else "."


def _table_order(surveys: Sequence[Survey], language: Language) -> Order:
    """Day or month first where a column proves neither: the other date columns, then the language."""
    day, month = (sum(s.orders[order] for s in surveys) for order in ("day", "month"))
    if day != month:
        return "day" if day > month else "month"
    return "month" if language == "en" else "day"


def _plan(survey: Survey, column: Distinct, header: Header, mark: Literal[",", "."], order: Order) -> _Plan:
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


def _date_plan(survey: Survey, header: Header, order: Order) -> _Plan:
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


def _number_plan(survey: Survey, column: Distinct, header: Header, table_mark: Literal[",", "."]) -> _Plan:
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


def _code_reason(survey: Survey, header: Header) -> str:
    """Why digits are a code and not an amount; "" when they are an amount."""
    if survey.leading_zero and not survey.units:
        return "leading_zeros"
    if survey.longest_digits > 15:
        return "long_digits"
    measured = survey.units or survey.currencies or survey.marks
    return "code_header" if header.code and not measured else ""


def _common_unit(survey: Survey) -> tuple[str, bool]:
    """The unit that the cells share, and whether they may be added up at all."""
    if not survey.units:
        return "", True
    unit, count = survey.units.most_common(1)[0]
    others = sum(survey.units.values()) - count
    known = same_unit(unit) or (survey.bare == 0 and count >= 3 and len(unit) > 1)
    return unit, known and others == 0 and count >= survey.bare


def _missing_note(survey: Survey, header: Header) -> tuple[Note, ...]:
    if not survey.missing:
        return ()
    words = ", ".join(sorted(dict.fromkeys(survey.missing_words))[:4])
    return (note("missing", column=header.name, count=survey.missing, words=words),)


def _whole(column: Distinct, mark: Literal[",", "."]) -> bool:
    """Whether every number is an integer; 10,00 is not, a spreadsheet's 10.0 is."""
    return all(not isinstance(n, float) or (not isinstance(v, str) and n.is_integer()) for v in column.values
               if (n := _number(v, mark)) is not None)  # fmt: skip


# --- converting ------------------------------------------------------------------------------------


def _convert(column: Distinct, plan: _Plan) -> Typed:
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
        return lambda value: value if isinstance(value, bool) else TRUTH.get(fold(str(value)))
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
        return value.isoformat(timespec="seconds") if has_clock(value) else value.date().isoformat()
    return value.isoformat() if isinstance(value, date) else str(value)
