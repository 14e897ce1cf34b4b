"""Dates and clock times in Portuguese and English, as ISO strings whose unknown parts are left open.

"2026-03-12" is a day, "2026-03" a month, "--03-12" a day without a year, "--03" a month without a year,
"T14:30" a time of day. "03/04/2026" may be either of two days: both are kept.
"""

import re
from dataclasses import dataclass

from core.lexicon import MONTHS

_LONG = "|".join(name for name in sorted(MONTHS, key=len, reverse=True) if len(name) > 4 or name == "may")
_LONG += "|maio"
_ANY = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_CAPITAL_ONLY = frozenset(["may", "march", "august"])  # English months that are also words

_ISO = re.compile(
    r"\b(\d{4})[-/](\d{2})(?:[-/](\d{2}))?(?:[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?z?)?(?![\d/-])"
)
_NUMERIC = re.compile(r"(?<![\d/.,-])(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?![\d/-])(?![.,]\d)")
_SHORT = re.compile(r"(?<![\d/.,-])(\d{1,2})/(\d{1,2})(?![\d/%])(?![.,]\d)")
_MONTH_YEAR = re.compile(r"(?<![\d/.,-])(\d{1,2})/(\d{4})(?![\d/-])")
_DAY_MONTH = re.compile(
    rf"(?<![\d/.,-])(\d{{1,2}})(?:º|o|ª|st|nd|rd|th)?(?:\s+de\s+|\s+of\s+|/|-|\s+)({_ANY})\b\.?"
    r"(?:(?:\s+de\s+|\s+do ano de\s+|\s+of\s+|,\s*|/|-|\s+)(\d{4}|\d{2}(?!\d))(?![.,]\d))?"
)
_MONTH_DAY = re.compile(
    rf"\b({_LONG}|jan|feb|apr|jun|jul|aug|sep|sept|oct|nov|dec)\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(\d{{4}}))?(?![\d.,:/%]\d|\d|%)"
)
_NAMED_YEAR = re.compile(rf"\b({_ANY})\b\.?(?:\s+de\s+|\s+of\s+|/|-|\s+)(\d{{4}}|(?<=[/-])\d{{2}})(?![\d/])")
_MONTH = re.compile(rf"\b({_LONG})\b")
_CLOCK = re.compile(
    r"(?<![\d:.,/])([01]?\d|2[0-4])(?::|h)([0-5]\d)(?::[0-5]\d)?(?:h|min)?(?:\s*([ap])\.?m\b\.?)?(?![\d:])"
)
_HOUR = re.compile(r"(?<![\d:.,/])(1[0-2]|0?[1-9])\s*([ap])\.?m\b\.?")


@dataclass(frozen=True, slots=True)
class Dated:
    """A date or a time where it stands. `values` holds what it is as a plain number, where it may be one."""

    start: int
    end: int
    dates: tuple[str, ...]
    values: tuple[float, ...] = ()


def _iso(year: int | None, month: int, day: int | None) -> str | None:
    """An ISO string with open parts; None where no calendar has such a day."""
    if not 1 <= month <= 12 or (day is not None and not 1 <= day <= _DAYS[month - 1]):
        return None
    head = "-" if year is None else f"{year:04d}"
    return f"{head}-{month:02d}" + ("" if day is None else f"-{day:02d}")


def _year(digits: str | None) -> int | None:
    """Two digits are read as 1970-2069, as spreadsheets do."""
    if digits is None:
        return None
    number = int(digits)
    return number if len(digits) == 4 else number + (1900 if number >= 70 else 2000)


def _both_orders(first: int, second: int, year: int | None) -> tuple[str, ...]:
    options = (_iso(year, second, first), _iso(year, first, second))
    return tuple(sorted({option for option in options if option is not None}))


def _spoken_month(text: str, match: re.Match[str], group: int) -> bool:
    """English "may", "march" and "august" are months only when written with a capital."""
    word = match.group(group)
    return word not in _CAPITAL_ONLY or text[match.start(group)].isupper()


def find_dates(text: str, flat_text: str) -> tuple[Dated, ...]:
    """All dates and times, longest reading first, never overlapping, in order of place.

    Args:
        text: as written (for capitals); flat_text: the same after `core.numbers.flat.flat`.
    """
    taken: list[Dated] = []
    for candidate in _candidates(text, flat_text):
        if all(candidate.end <= other.start or candidate.start >= other.end for other in taken):
            taken.append(candidate)
    return tuple(sorted(taken, key=lambda item: item.start))


def _candidates(text: str, flat_text: str) -> list[Dated]:
    return [
        *_iso_dates(flat_text),
        *_numeric_dates(flat_text),
        *_named_dates(text, flat_text),
        *_short_dates(flat_text),
        *_times(flat_text),
    ]


def _iso_dates(flat_text: str) -> list[Dated]:
    found = []
    for m in _ISO.finditer(flat_text):
        day = int(m[3]) if m[3] else None
        date = _iso(int(m[1]), int(m[2]), day)
        if date is not None and int(m[1]) >= 1000:
            found.append(Dated(m.start(), m.end(), (date,)))
    return found


def _numeric_dates(flat_text: str) -> list[Dated]:
    found = []
    for m in _NUMERIC.finditer(flat_text):
        dates = _both_orders(int(m[1]), int(m[3]), _year(m[4]))
        if dates and (len(m[4]) == 4 or m[2] == "/"):
            found.append(Dated(m.start(), m.end(), dates))
    for m in _MONTH_YEAR.finditer(flat_text):
        date = _iso(int(m[2]), int(m[1]), None)
        if date is not None and 1900 <= int(m[2]) <= 2199:
            found.append(Dated(m.start(), m.end(), (date,)))
    return found


def _named_dates(text: str, flat_text: str) -> list[Dated]:
    found = []
    for m in _DAY_MONTH.finditer(flat_text):
        short_and_spaced = len(m[2]) == 3 and m[3] is None and flat_text[m.end(1)].isspace()
        spoken = _spoken_month(text, m, 2) and (not short_and_spaced or " de " in m.group())
        date = _iso(_year(m[3]), MONTHS[m[2]], int(m[1]))
        if date is not None and spoken:
            found.append(Dated(m.start(), m.end(), (date,)))
    for m in _MONTH_DAY.finditer(flat_text):
        date = _iso(_year(m[3]), MONTHS[m[1]], int(m[2]))
        if date is not None and text[m.start()].isupper():
            found.append(Dated(m.start(), m.end(), (date,)))
    for m in _NAMED_YEAR.finditer(flat_text):
        date = _iso(_year(m[2]), MONTHS[m[1]], None)
        if date is not None:
            found.append(Dated(m.start(), m.end(), (date,)))
    for m in _MONTH.finditer(flat_text):
        date = _iso(None, MONTHS[m[1]], None)
        if date is not None and _spoken_month(text, m, 1):
            found.append(Dated(m.start(), m.end(), (date,)))
    return found


def _short_dates(flat_text: str) -> list[Dated]:
    found = []
    for m in _SHORT.finditer(flat_text):
        dates = _both_orders(int(m[1]), int(m[2]), None)
        if dates:
            found.append(Dated(m.start(), m.end(), dates, (int(m[1]) / max(int(m[2]), 1),)))
    return found


def _times(flat_text: str) -> list[Dated]:
    found = []
    for m in _CLOCK.finditer(flat_text):
        hour = int(m[1]) % 12 + 12 if m[3] == "p" else int(m[1])
        plain = (float(int(m[1])),) if m[2] == "00" else ()
        found.append(Dated(m.start(), m.end(), (f"T{hour:02d}:{m[2]}",), plain))
    for m in _HOUR.finditer(flat_text):
        hour = int(m[1]) % 12 + (12 if m[2] == "p" else 0)
        found.append(Dated(m.start(), m.end(), (f"T{hour:02d}:00",), (float(m[1]),)))
    return found


def covers_date(known: str, claimed: str) -> bool:
    """Whether a date `known` from evidence says all that `claimed` says: every stated part is known and equal."""
    if known.startswith("T") or claimed.startswith("T"):
        return known == claimed
    ours, theirs = _parts(known), _parts(claimed)
    return all(their is None or our == their for our, their in zip(ours, theirs, strict=True))


def _parts(date: str) -> tuple[str | None, str | None, str | None]:
    open_year = date.startswith("--")
    pieces = date[2:].split("-") if open_year else date.split("-")
    year = None if open_year else pieces.pop(0)
    return year, pieces[0] if pieces else None, pieces[1] if len(pieces) > 1 else None
