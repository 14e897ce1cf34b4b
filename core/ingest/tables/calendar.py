"""Dates as people write them in cells, Portuguese and English. One cell at a time; the order of day and month is the column's."""

import re
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Literal

from core.lexicon import MONTHS
from core.normalize import fold

Order = Literal["day", "month"]
_ANY = "|".join(sorted(MONTHS, key=len, reverse=True))
_CLOCK = r"(?:[ t,]+(?:as )?(?P<clock>\d{1,2}(?::|h)\d{2}(?::\d{2})?)(?:[.,]\d+)?(?P<half> ?[ap]\.?m\.?)?(?: ?(?:z|utc|[+-]\d{2}:?\d{2}))?)?"
_ISO = re.compile(rf"(\d{{4}})[-/.](\d{{1,2}})[-/.](\d{{1,2}}){_CLOCK}")
_COMPACT = re.compile(r"((?:19|20)\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])")
_NUMERIC = re.compile(rf"(\d{{1,2}})([/.-])(\d{{1,2}})\2(\d{{4}}|\d{{2}}){_CLOCK}")
_NAMED = re.compile(
    rf"(?:[a-z-]{{3,14}},? )?(\d{{1,2}})(?:º|o|a|st|nd|rd|th)?(?: de | of |[ /.-])({_ANY})\.?(?: de | of |, |[ /.-])(\d{{4}}|\d{{2}}){_CLOCK}"
)
_MONTH_FIRST = re.compile(rf"(?:[a-z]{{3,9}},? )?({_ANY})\.? (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}}){_CLOCK}")
_MONTH_YEAR = re.compile(rf"({_ANY})\.?(?: de | of |, |[ /._-])(\d{{4}}|\d{{2}})")
_YEAR_MONTH = re.compile(r"((?:19|20)\d{2})[-/.](\d{1,2})")
_NUMBER_YEAR = re.compile(r"(\d{1,2})[/.-]((?:19|20)\d{2})")
_HINT = re.compile(  # before anything costs time
    r"\d[-/.]\d|\d ?(?:º|°|o|a|st|nd|rd|th)? ?(?:de |of |[-/.])?(?:{0})|(?:{0})[a-zç]*\.?(?: de | of |[ /,._-])+\d".format(
        "jan|fev|feb|mar|abr|apr|mai|may|jun|jul|ago|aug|set|sep|out|oct|nov|dez|dec"
    ),
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Written:
    """A date taken apart. Two-part numbers keep both readings open; `day` is None for a month."""

    year: int
    month: int
    day: int | None
    open_order: bool = False  # `day` and `month` may be the other way round
    clock: str = ""  # "08:30:00"


@lru_cache(maxsize=65_536)
def read_date(text: str) -> Written | None:
    """Take a cell apart; None when it cannot be a date. Calendar errors (31 February) show only in `iso`."""
    if len(text) > 60 or not _HINT.search(text):
        return None
    folded = fold(text)
    if match := _ISO.fullmatch(folded):
        return Written(int(match[1]), int(match[2]), int(match[3]), clock=_clock(match))
    if match := _NUMERIC.fullmatch(folded):
        return Written(_year(match[4]), int(match[3]), int(match[1]), open_order=True, clock=_clock(match))
    if match := _NAMED.fullmatch(folded):
        return Written(_year(match[3]), MONTHS[match[2]], int(match[1]), clock=_clock(match))
    if match := _MONTH_FIRST.fullmatch(folded):
        return Written(int(match[3]), MONTHS[match[1]], int(match[2]), clock=_clock(match))
    if match := _MONTH_YEAR.fullmatch(folded):
        return Written(_year(match[2]), MONTHS[match[1]], None)
    if match := _YEAR_MONTH.fullmatch(folded):
        return _month_of(int(match[1]), int(match[2]))
    if match := _NUMBER_YEAR.fullmatch(folded):
        return _month_of(int(match[2]), int(match[1]))
    return None


def read_compact(text: str) -> Written | None:
    """20240131: only where a header says that the column holds dates."""
    match = _COMPACT.fullmatch(text)
    return Written(int(match[1]), int(match[2]), int(match[3])) if match else None


def iso(written: Written, order: Order) -> str | None:
    """ISO 8601 in the column's order; a month is its first day; None where no calendar has such a day."""
    month, day = written.month, written.day if written.day is not None else 1
    if written.open_order and order == "month":
        month, day = day, month
    try:
        stamp = date(written.year, month, day).isoformat()
    except ValueError:
        return None
    return f"{stamp}T{written.clock}" if written.clock else stamp


def _month_of(year: int, month: int) -> Written | None:
    return Written(year, month, None) if 1 <= month <= 12 else None


def _year(digits: str) -> int:
    """Two digits are 1970 to 2069, as spreadsheets read them (but for the pivot, which they differ in)."""
    number = int(digits)
    return number if len(digits) == 4 else number + (2000 if number < 70 else 1900)


def _clock(match: re.Match[str]) -> str:
    written = match["clock"]
    if not written:
        return ""
    parts = [int(part) for part in re.split("[:h]", written)]
    hour, minute, second = (*parts, 0)[:3]
    half = (match["half"] or "").strip()
    if half:
        hour = hour % 12 + (12 if half.startswith("p") else 0)
    if hour > 23 or minute > 59 or second > 59:
        return ""
    return f"{hour:02d}:{minute:02d}:{second:02d}"
