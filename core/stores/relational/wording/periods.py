"""Periods in questions: "em abril", "Q2 2024", "de janeiro a março", "no mês passado", "depois de 05/03/2026".

A period is read without knowing the data; which dates it means there (the year of "em abril") is decided when it
meets a column.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from core.normalize import fold
from core.stores.relational.wording.calendar import FIRST_YEAR, LAST_YEAR, MONTHS, ORDINALS, month_days
from core.stores.relational.wording.words import Token


@dataclass(frozen=True, slots=True)
class Period:
    """Days [low, high] when fully known, else months without a year. Tokens [start, end)."""

    start: int
    end: int
    low: str = ""  # ISO date, inclusive; empty: open or unknown
    high: str = ""
    months: tuple[int, ...] = ()  # when the question names months; with a year, `low` and `high` are set too
    year: int | None = None
    bare_year: bool = False  # only a number that looks like a year
    latest: str = ""  # "month" | "year" | "quarter": the last one that has data


_NUMERIC_DATE = re.compile(
    r"(?<!\d)(?:(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2})|(\d{4})-(\d{2})-(\d{2}))(?!\d)"
)
_NUMERIC_MONTH = re.compile(r"(?<![\d/])(?:(\d{1,2})/(\d{4})|(\d{4})[-/](\d{1,2}))(?![\d/-])")
_JOINS = ("de", "do", "of", "in", "em", "the", "no", "deste", "desse", "dos")
_TO = ("a", "ate", "to", "through", "until", "e", "and", "ao")
_QUARTERS = ("trimestre", "trim", "tri", "quarter")
_HALVES = ("semestre", "half")
_LAST_OF = ("ultimo", "last", "final")
_PAST = ("passado", "passada", "last", "previous", "anterior")
_THIS = ("este", "esta", "this", "nesse", "neste", "nesta", "current", "deste", "desta", "atual", "corrente")
_LAST = ("ultimo", "ultima", "latest")
_UNITS = {
    "mes": "month", "meses": "month", "month": "month", "months": "month", "ano": "year", "anos": "year",
    "year": "year", "years": "year", "trimestre": "quarter", "trimestres": "quarter", "quarter": "quarter",
    "quarters": "quarter", "semana": "week", "semanas": "week", "week": "week", "weeks": "week", "dias": "day",
    "days": "day",
}  # fmt: skip


def periods(
    text: str, tokens: Sequence[Token], today: str, *, apart: tuple[str, ...] = ()
) -> tuple[Period, ...]:
    """All periods of a question, in reading order, not overlapping.

    Args:
        text: the question as typed.
        tokens: its tokens.
        today: ISO date for "last month"; empty when unknown, then only "latest" periods are read.
        apart: words between two periods that make no range of them, because they are compared with each other.
    """
    found = list(_numeric(text, tokens))
    position = 0
    while position < len(tokens):
        period = _named(tokens, position, today)
        if period is not None and not any(_overlap(period, other) for other in found):
            found.append(period)
            position = period.end
        else:
            position += 1
    for position, token in enumerate(tokens):
        year = _year_at(tokens, position)
        bare = Period(position, position + 1, f"{year}-01-01", f"{year}-12-31", (), year, bare_year=True)
        if year is not None and token.text.isdigit() and not any(_overlap(bare, other) for other in found):
            found.append(bare)
    ordered = sorted(found, key=lambda period: period.start)
    return _dated_alike(ordered, tokens, apart)


def _overlap(left: Period, right: Period) -> bool:
    return left.start < right.end and right.start < left.end


def _numeric(text: str, tokens: Sequence[Token]) -> list[Period]:
    found: list[Period] = []
    for match in [*_NUMERIC_DATE.finditer(text), *_NUMERIC_MONTH.finditer(text)]:
        span = [i for i, t in enumerate(tokens) if t.start < match.end() and t.end > match.start()]
        days = _day_of(match) if match.re is _NUMERIC_DATE else _month_of(match)
        if span and days and all(tokens[i].kind == "number" for i in span):
            period = Period(span[0], span[-1] + 1, *days)
            found += [] if any(_overlap(period, other) for other in found) else [period]
    return found


def _day_of(match: re.Match[str]) -> tuple[str, str, tuple[int, ...], int] | None:
    day, month, year, iso_year, iso_month, iso_day = match.groups()
    y = int(iso_year or (year if len(year) == 4 else f"20{year}"))
    m, d = int(iso_month or month), int(iso_day or day)
    if m > 12 >= d:  # written month first
        m, d = d, m
    if not (1 <= m <= 12 and 1 <= d <= month_days(y, m)):
        return None
    iso = f"{y:04d}-{m:02d}-{d:02d}"
    return iso, iso, (m,), y


def _month_of(match: re.Match[str]) -> tuple[str, str, tuple[int, ...], int] | None:
    m1, y1, y2, m2 = match.groups()
    month, year = int(m1 or m2), int(y1 or y2)
    if not (1 <= month <= 12 and FIRST_YEAR <= year <= LAST_YEAR):
        return None
    return *_month_days(year, (month,)), (month,), year


def _month_days(year: int, months: tuple[int, ...]) -> tuple[str, str]:
    last = months[-1]
    return f"{year:04d}-{months[0]:02d}-01", f"{year:04d}-{last:02d}-{month_days(year, last):02d}"


def _word(tokens: Sequence[Token], position: int) -> str:
    inside = 0 <= position < len(tokens) and tokens[position].kind != "quoted"
    return tokens[position].text if inside else ""


def _year_at(tokens: Sequence[Token], position: int) -> int | None:
    word = _word(tokens, position)
    return int(word) if len(word) == 4 and word.isdigit() and FIRST_YEAR <= int(word) <= LAST_YEAR else None


def _named(tokens: Sequence[Token], position: int, today: str) -> Period | None:
    return (
        _day_range(tokens, position)
        or _day_and_month(tokens, position)
        or _months(tokens, position)
        or _part_of_year(tokens, position)
        or _relative(tokens, position, today)
    )


def _trailing_year(tokens: Sequence[Token], position: int) -> tuple[int | None, int]:
    """The year after a month or quarter ("de 2024", "/24"), and where the period ends."""
    step = position
    while _word(tokens, step) in _JOINS and step - position < 2:
        step += 1
    year = _year_at(tokens, step)
    if year is not None:
        return year, step + 1
    short = _word(tokens, position)
    if (
        len(short) == 2
        and short.isdigit()
        and (
            tokens[position].gap in ("/", "-", "'", "’") or tokens[position].start == tokens[position - 1].end
        )
    ):
        return 2000 + int(short), position + 1
    return None, position


def _is_month(tokens: Sequence[Token], position: int) -> bool:
    """A month's name; "may", "mar", "set" and the like only after a word that leads to a moment."""
    word = _word(tokens, position)
    if word not in MONTHS:
        return False
    if word not in ("may", "mar", "set", "dez", "sept", "march", "ago", "marco"):
        return True
    before, after = _word(tokens, position - 1), _word(tokens, position + 1)
    lead = (
        "in",
        "em",
        "de",
        "of",
        "a",
        "e",
        "and",
        "to",
        "from",
        "entre",
        "between",
        "ate",
        "desde",
        "mes",
        "no",
        "during",
        "for",
        "or",
        "ou",
        "since",
        "do",
        "by",
        "before",
        "after",
        "para",
        "pra",
        "ao",
        "x",
        "vs",
        "versus",
        "com",
        "with",
    )
    return before in lead or before in MONTHS or before.isdigit() or after.isdigit() or len(tokens) == 1


def _day_and_month(tokens: Sequence[Token], position: int) -> Period | None:
    """ "5 de janeiro [de 2026]", "January 5[, 2026]"."""
    day, step = _word(tokens, position), position + 1
    if day.isdigit() and 1 <= int(day) <= 31:
        step += _word(tokens, step) in ("de", "of", "o", "st", "nd", "rd", "th")
        if _word(tokens, step) in MONTHS and not _year_at(tokens, position):
            return _dated(tokens, position, int(day), MONTHS[_word(tokens, step)], step + 1)
    after = _word(tokens, position + 1)
    if _is_month(tokens, position) and after.isdigit() and len(after) <= 2 and 1 <= int(after) <= 31:
        gap = tokens[position + 1].gap
        year, _ = _trailing_year(tokens, position + 2)
        if gap not in ("/", "-", "'") and (year is not None or after not in ("24", "25", "26", "27")):
            return _dated(tokens, position, int(after), MONTHS[_word(tokens, position)], position + 2)
    return None


def _day_range(tokens: Sequence[Token], position: int) -> Period | None:
    """ "between 20 april and 10 may 2026", "de 3 a 15 de maio de 2026": what is said last holds for both days."""
    day, step = _word(tokens, position), position + 1
    if not day.isdigit() or not 1 <= int(day) <= 31:
        return None
    step += _word(tokens, step) in ("de", "of", "o", "st", "nd", "rd", "th")
    month = MONTHS.get(_word(tokens, step))
    step += month is not None
    joint, lead = _word(tokens, step), _word(tokens, position - 1)
    if joint not in _TO or (joint in ("e", "and") and lead not in ("entre", "between")):
        return None
    last = _day_and_month(tokens, step + 1)
    if last is None or last.year is None:
        return None
    first = month or last.months[0]
    year = last.year - (first > last.months[0])
    low = f"{year:04d}-{first:02d}-{int(day):02d}"
    if int(day) > month_days(year, first) or low >= last.low:
        return None
    months = tuple(range(first, last.months[0] + 1)) if year == last.year else ()
    return Period(position, last.end, low, last.high, months, last.year if months else None)


def _dated(tokens: Sequence[Token], start: int, day: int, month: int, end: int) -> Period | None:
    year, stop = _trailing_year(tokens, end)
    if year is None or day > month_days(year, month):
        return None
    iso = f"{year:04d}-{month:02d}-{day:02d}"
    return Period(start, stop, iso, iso, (month,), year)


def _months(tokens: Sequence[Token], position: int) -> Period | None:
    if not _is_month(tokens, position):
        return None
    month = MONTHS[_word(tokens, position)]
    year, end = _trailing_year(tokens, position + 1)
    if year is None:
        return Period(position, end, months=(month,))
    return Period(position, end, *_month_days(year, (month,)), (month,), year)


def _dated_alike(found: list[Period], tokens: Sequence[Token], apart: tuple[str, ...]) -> tuple[Period, ...]:
    """Ranges; but "de janeiro para fevereiro de 2025" compares two months, and the year said once holds for both."""
    between = [tokens[i].text for i in range(found[0].end, found[1].start)] if len(found) == 2 else []
    if not set(between) & set(apart):
        return _ranges(found, tokens)
    year = found[1].year
    if year is None or found[0].year is not None or not found[0].months:
        return tuple(found)
    low, high = _month_days(year, found[0].months)
    return replace(found[0], low=low, high=high, year=year), found[1]


def _part_of_year(tokens: Sequence[Token], position: int) -> Period | None:
    """Quarters and halves: "2o trimestre", "segundo trimestre", "Q2", "2T24", "1o semestre", "H1"."""
    word, after = _word(tokens, position), _word(tokens, position + 1)
    number, unit, end = 0, "", 0
    step = position + 1
    unit_there = _unit_after(tokens, position + 1)
    if word in _LAST_OF and after in (*_QUARTERS, *_HALVES):  # "the last quarter of 2024"
        last = 4 if after in _QUARTERS else 2
        return _part(tokens, position, last, after, position + 2, dated=True)
    if (
        word in ORDINALS
        and not word.isdigit()
        and after in ("e", "and", "to", "para", "a", "ao")
        and unit_there
    ):
        return _part(
            tokens, position, ORDINALS[word], unit_there, position + 1
        )  # "the first and second quarter"
    if word.isdigit() and len(word) == 1:
        step += after in ("o", "st", "nd", "rd", "th", "a")
        number, unit, end = int(word), _word(tokens, step), step + 1
    elif word in ORDINALS and not word.isdigit() and after in (*_QUARTERS, *_HALVES):
        number, unit, end = ORDINALS[word], after, position + 2
    elif word in ("q", "h", "trimestre", "quarter", "semestre", "t") and after.isdigit() and len(after) == 1:
        number, unit, end = int(after), word, position + 2
    return _part(tokens, position, number, unit, end)


def _unit_after(tokens: Sequence[Token], joint: int) -> str:
    """The quarter or half that follows "and second" or "e o segundo"; empty when none does."""
    step = joint + 1
    step += _word(tokens, step) in ("o", "the")
    named = _word(tokens, step) in ORDINALS
    unit = _word(tokens, step + 1)
    return unit if named and unit in (*_QUARTERS, *_HALVES) else ""


def _part(
    tokens: Sequence[Token], start: int, number: int, unit: str, end: int, *, dated: bool = False
) -> Period | None:
    """The quarter or half of that number; `dated`: only where a year is said."""
    size = 3 if unit in (*_QUARTERS, "q", "t") else 6 if unit in (*_HALVES, "h", "s") else 0
    if not size or not 1 <= number <= 12 // size:
        return None
    months = tuple(range(size * (number - 1) + 1, size * number + 1))
    year, stop = _trailing_year(tokens, end)
    if year is None:
        return None if dated else Period(start, end, months=months)
    return Period(start, stop, *_month_days(year, months), months, year)


def _relative(tokens: Sequence[Token], position: int, today: str) -> Period | None:
    """ "este mes", "mes passado", "ultimos 3 meses", "hoje", "last year", "ultimo mes"."""
    word, after, third = (_word(tokens, position + i) for i in range(3))
    now = date.fromisoformat(today[:10]) if today else None
    if word in ("hoje", "today") and now:
        return Period(position, position + 1, now.isoformat(), now.isoformat())
    if word in ("ontem", "yesterday") and now:
        day = (now - timedelta(days=1)).isoformat()
        return Period(position, position + 1, day, day)
    if word in ("ultimos", "ultimas", "last", "past") and after.isdigit() and third in _UNITS and now:
        low = _back(now, _UNITS[third], int(after))
        return Period(position, position + 3, low.isoformat(), now.isoformat())
    if word in _LAST and after in _UNITS:
        return Period(position, position + 2, latest=_UNITS[after])
    shift = _shift(word, after)
    if shift is None or now is None:
        return None
    return _calendar_unit(position, now, _UNITS[after] if after in _UNITS else _UNITS[word], shift)


def _shift(word: str, after: str) -> int | None:
    if word in _THIS and after in _UNITS:
        return 0
    if (word in _PAST and after in _UNITS) or (word in _UNITS and after in _PAST):
        return -1
    return 0 if word in _UNITS and after in _THIS else None


def _back(now: date, unit: str, count: int) -> date:
    days = {"day": 1, "week": 7}.get(unit)
    if days:
        return now - timedelta(days=days * count)
    months = now.year * 12 + now.month - 1 - count * {"month": 1, "quarter": 3, "year": 12}[unit]
    year, month = divmod(months, 12)
    return date(year, month + 1, min(now.day, month_days(year, month + 1)))


def _calendar_unit(position: int, now: date, unit: str, shift: int) -> Period:
    if unit in ("week", "day"):
        monday = now - timedelta(days=now.weekday() - 7 * shift)
        low, high = monday, monday + timedelta(days=6)
        return Period(position, position + 2, low.isoformat(), high.isoformat())
    if unit == "year":
        year = now.year + shift
        return Period(position, position + 2, f"{year}-01-01", f"{year}-12-31", (), year)
    size = 3 if unit == "quarter" else 1
    index = (now.year * 12 + now.month - 1) // size + shift
    year, first = divmod(index * size, 12)
    months = tuple(range(first + 1, first + 1 + size))
    return Period(position, position + 2, *_month_days(year, months), months, year)


def _ranges(found: list[Period], tokens: Sequence[Token]) -> tuple[Period, ...]:
    """Join "de janeiro a março", "entre 2020 e 2022", "from 01/03 to 15/03" into one period."""
    joined: list[Period] = []
    for period in found:
        before = joined[-1] if joined else None
        if before is not None and _spans(before, period, tokens):
            joined[-1] = _span(before, period)
        else:
            joined.append(period)
    return tuple(joined)


def _spans(before: Period, period: Period, tokens: Sequence[Token]) -> bool:
    between = [tokens[i].text for i in range(before.end, period.start)]
    lead = _word(tokens, before.start - 1)
    if before.latest or period.latest or before.bare_year != period.bare_year or len(between) != 1:
        return False
    if between[0] in ("a", "ate", "to", "through", "until", "ao"):
        return True
    return between[0] in _TO and lead in ("entre", "between")


def _span(before: Period, period: Period) -> Period:
    year = before.year if before.year is not None else period.year
    if before.months and period.months and year is None:
        months = tuple(range(before.months[0], period.months[-1] + 1))
        return Period(before.start, period.end, months=months or before.months)
    low = before.low or (_month_days(year, before.months)[0] if year is not None and before.months else "")
    months = ()
    if before.months and period.months and before.year in (None, period.year):
        months = tuple(range(before.months[0], period.months[-1] + 1))
    same = year if before.year in (None, period.year) else None
    return Period(before.start, period.end, low, period.high, months, same, bare_year=before.bare_year)


def lead_word(tokens: Sequence[Token], position: int) -> str:
    """The folded word before a position, for "em 2024" against "2024 unidades"."""
    return fold(_word(tokens, position - 1))
