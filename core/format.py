"""Values as people write them in Portuguese and English."""

import math
import re

from core.types import Language, Value

_CURRENCY = frozenset(["R$", "$", "US$", "U$", "€", "£", "BRL", "USD", "EUR"])
_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2})(?::\d{2})?.*)?$")
_GROUPED_FROM = 10_000  # a bare integer below this may be a year or a code: it is shown as it stands


def format_value(value: Value, unit: str = "", language: Language = "und") -> str:
    """One cell for a reader: `1.234,56` in Portuguese, `1,234.56` in English, with its unit.

    Args:
        value: a typed cell; ISO dates are recognised by their shape.
        unit: "R$", "%", "kg", ... or empty.
        language: of the reader; undecided is written the English way, with ISO dates.
    Returns: "—" for a missing value.
    """
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "—"
    if isinstance(value, bool):
        return ("sim" if value else "não") if language == "pt" else ("yes" if value else "no")
    if isinstance(value, str):
        return _with_unit(_date(value, language), unit if _numeric(value) else "")
    return _with_unit(format_number(value, language, money=unit in _CURRENCY, grouped=bool(unit)), unit)


def format_number(
    value: int | float, language: Language, *, money: bool = False, grouped: bool = False
) -> str:
    """A number with the language's separators; two decimals for money, else as many as say something.

    Args:
        value: finite.
        language: decides the separators.
        money: always two decimals.
        grouped: group thousands even where a bare integer might be a year or a code.
    """
    if money:
        text = f"{value:,.2f}"
    elif isinstance(value, int) or float(value).is_integer():
        whole = int(value)
        text = (
            f"{whole:,}" if grouped or isinstance(value, float) or abs(whole) >= _GROUPED_FROM else str(whole)
        )
    else:
        text = f"{value:,.{2 if abs(value) >= 1 else 4}f}".rstrip("0").rstrip(".")
    return text.translate(str.maketrans(",.", ".,")) if language == "pt" else text


def _with_unit(text: str, unit: str) -> str:
    if not unit:
        return text
    if unit in _CURRENCY:
        return f"{unit} {text}"
    return f"{text}%" if unit == "%" else f"{text} {unit}"


def _numeric(text: str) -> bool:
    return bool(re.fullmatch(r"[\d.,]+", text))


def _date(text: str, language: Language) -> str:
    match = _DATE.match(text)
    if not match or language != "pt":
        return text
    year, month, day, hour = match.groups()
    return f"{day}/{month}/{year}" + (f" {hour}" if hour and hour != "00:00" else "")
