"""Months, quarters and years as they stand in headers, cells and questions, in Portuguese and English."""

import re
from dataclasses import dataclass
from functools import lru_cache

from core.normalize import fold

_MONTHS = (
    "janeiro jan january",
    "fevereiro fev february feb",
    "marco mar march",
    "abril abr april apr",
    "maio mai may",
    "junho jun june",
    "julho jul july",
    "agosto ago august aug",
    "setembro set september sep sept",
    "outubro out october oct",
    "novembro nov november",
    "dezembro dez december dec",
)
MONTHS = {name: number for number, names in enumerate(_MONTHS, start=1) for name in names.split()}
MONTH_NAMES = {
    "pt": tuple(("março" if names.startswith("marco") else names.split()[0]) for names in _MONTHS),
    "en": tuple(names.split()[2 if len(names.split()) > 2 else 1].capitalize() for names in _MONTHS),
}
ORDINALS = {
    "primeiro": 1, "primeira": 1, "segundo": 2, "segunda": 2, "terceiro": 3, "terceira": 3, "quarto": 4,
    "quarta": 4, "first": 1, "second": 2, "third": 3, "fourth": 4, "1o": 1, "2o": 2, "3o": 3, "4o": 4,
    "1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "i": 1, "ii": 2, "iii": 3, "iv": 4,
}  # fmt: skip
FIRST_YEAR, LAST_YEAR = 1800, 2199
_MONTH_WORD = re.compile(r"[^\W\d_]+")
_YEAR = r"(?:(?P<year>(?:1[89]|2[01])\d{2})|'?(?P<short>\d{2}))"
_NAMED = re.compile(rf"(?P<name>[a-z]+)\.?(?:\s*(?:de|/|-|_|\s)\s*{_YEAR})?$")
_NUMBERED = re.compile(
    r"(?:(?P<y1>(?:1[89]|2[01])\d{2})[-/._](?P<m1>\d{1,2})|(?P<m2>\d{1,2})[-/._](?P<y2>(?:1[89]|2[01])\d{2}))$"
)
_QUARTER = re.compile(
    r"(?:(?P<n1>[1-4])(?:o|st|nd|rd|th)?\s*(?:trimestre|trim|tri|quarter|t|q)|(?:q|t|trimestre|trim|quarter)\s*(?P<n2>[1-4]))"
    rf"(?:\s*(?:de|of|/|-|_|\s)?\s*{_YEAR})?$"
)
_LEADING_YEAR = re.compile(r"(?P<year>(?:1[89]|2[01])\d{2})[\s/_-]+(?P<rest>.+)$")


@dataclass(frozen=True, slots=True)
class Moment:
    """A month or a quarter named by a header or a cell; `year` is None when it does not say."""

    year: int | None
    months: tuple[int, ...]


@lru_cache(maxsize=65536)
def moment_of(text: str) -> Moment | None:
    """Read "abr/24", "Abril", "2024-04", "04/2024", "Q2 2024", "2º trimestre"; None for anything else."""
    folded = fold(text).strip(" .")
    leading = _LEADING_YEAR.match(folded)
    if leading and (rest := moment_of(leading["rest"])) and rest.year is None:
        return Moment(int(leading["year"]), rest.months)
    if (match := _NAMED.match(folded)) and match["name"] in MONTHS:
        return Moment(_year(match["year"], match["short"]), (MONTHS[match["name"]],))
    if match := _NUMBERED.match(folded):
        month = int(match["m1"] or match["m2"])
        return Moment(int(match["y1"] or match["y2"]), (month,)) if 1 <= month <= 12 else None
    if match := _QUARTER.match(folded):
        first = 3 * int(match["n1"] or match["n2"]) - 2
        return Moment(_year(match["year"], match["short"]), (first, first + 1, first + 2))
    return None


def is_year(number: float) -> bool:
    """A number that may well be a calendar year."""
    return float(number).is_integer() and FIRST_YEAR <= number <= LAST_YEAR


def _year(full: str | None, short: str | None) -> int | None:
    if full:
        return int(full)
    return 2000 + int(short) if short else None


def month_days(year: int, month: int) -> int:
    """Days of a month of the Gregorian calendar."""
    if month == 2:
        return 29 if (year % 4 == 0 and year % 100 != 0) or year % 400 == 0 else 28
    return 30 if month in (4, 6, 9, 11) else 31
