"""Numbers as people write them in cells: signs, currencies, percent, units, thousands. One cell at a time, no guessing.

What a separator means is decided by `columns` for a whole column; here only what a cell proves by itself.
"""

import re
from dataclasses import dataclass
from typing import Literal

Mark = Literal["", ",", "."]

_MINUS = "-−–"
_DASH = r"\-−–"  # the same, inside a character class
_CURRENCIES = {
    "r$": "R$", "brl": "R$", "us$": "US$", "u$s": "US$", "usd": "US$", "$": "$", "€": "€", "eur": "€", "£": "£",
    "gbp": "£", "¥": "¥", "jpy": "¥",
}  # fmt: skip
_CURRENCY = r"R\$|US\$|U\$S|\$|€|£|¥|BRL|USD|EUR|GBP|JPY"
_GAPS = "[ \u00a0\u2009\u202f'’]"  # blanks and apostrophes that group thousands
_NUMBER = re.compile(
    rf"(?P<open>\()?\s*(?P<sign>[+{_DASH}])?\s*(?P<before>{_CURRENCY})?\s*(?P<inner>[+{_DASH}])?\s*"
    rf"(?P<digits>\d[\d.,]*(?:{_GAPS}\d{{3}})*(?:[.,]\d+)?|[.,]\d+)"
    rf"(?P<power>[eE][+-]?\d{{1,3}})?\s*(?P<suffix>[^\d\s.,()*†‡{_DASH}][^\d()*†‡]{{0,19}}?[²³]?)?\s*(?P<close>\))?"
    rf"(?P<after>[{_DASH}])?\s*(?:[*†‡]+|\(\d\))?",
    re.IGNORECASE,
)
_LONGEST = 60  # characters of a cell that can be a number
_GAP = re.compile(_GAPS)
_PLAIN = re.compile(r"(-?)(\d{1,15})(?:([.,])(\d*))?")
_MIXED_COMMA = re.compile(r"\d{1,3}(?:\.\d{3})+,\d*")
_MIXED_DOT = re.compile(r"\d{1,3}(?:,\d{3})+\.\d*")
_GROUPED = re.compile(r"\d{1,3}(?:([.,])\d{3})(?:\1\d{3})+")
_SINGLE = re.compile(r"(\d*)([.,])(\d*)")
_MISSING = frozenset(
    ["-", "–", "—", "--", "---", "n/d", "nd", "n.d.", "n/a", "na", "n.a.", "#n/a", "#n/d", "#ref!", "#div/0!", "#valor!",
     "#value!", "#nome?", "#name?", "nan", "null", "none", "nulo", "vazio", "empty", "s/d", "s/i", "s/n", "sem dados",
     "sem informação", "não informado", "nao informado", "não disponível", "nao disponivel", "not available", "unknown", "desconhecido", "...", "…", "?", "(vazio)",
     "(blank)", "(em branco)", "em branco", "<null>", "tbd", "a definir", "pendente", "pending"]
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Numeral:
    """A cell that can be a number: digits and separators as written, and what stands around them."""

    digits: str
    negative: bool = False
    currency: str = ""  # canonical: "R$", "US$", "$", "€", "£", "¥"
    suffix: str = ""  # "%", "kg", "dias" ... as written, without outer blanks
    power: str = ""  # "e+03"


def is_missing(text: str) -> bool:
    """Whether a cell says in words or signs that there is no value; only believed in columns of numbers or dates."""
    return text.strip().lower() in _MISSING


def plain_digits(text: str) -> tuple[str, str, str] | None:
    """(whole, mark, decimals) of a bare number with at most one separator; the common case, without further parsing."""
    match = _PLAIN.fullmatch(text)
    return (match[2], match[3] or "", match[4] or "") if match else None


def is_grouped(whole: str, decimals: str) -> bool:
    """Whether 1.234 can be a thousand and more: three digits behind, and nothing that speaks against it before."""
    return len(decimals) == 3 and len(whole) <= 3 and whole[0] != "0"


def plain_value(text: str, mark: Literal[",", "."]) -> int | float | None:
    """The number in a bare text under a decimal mark. Raises: ValueError when the text is not bare."""
    parts = plain_digits(text)
    if parts is None:
        raise ValueError(text)
    whole, used, decimals = parts
    if not used:
        return int(text)
    if used == mark:
        return float(text.replace(",", "."))
    return int(text.replace(used, "")) if is_grouped(whole, decimals) else None


def read_numeral(text: str) -> Numeral | None:
    """Take a cell apart; None when it cannot be a number."""
    bare = plain_digits(text)
    if bare is not None:
        return Numeral(text.removeprefix("-"), text[0] == "-")
    match = _NUMBER.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if match is None or bool(match["open"]) != bool(match["close"]):
        return None
    signs = [match[name] for name in ("sign", "inner", "after") if match[name]]
    if len(signs) > 1 or (match["open"] and signs):
        return None
    suffix = (match["suffix"] or "").strip()
    currency = _CURRENCIES.get((match["before"] or "").lower(), "")
    if not currency and suffix.lower() in _CURRENCIES:
        currency, suffix = _CURRENCIES[suffix.lower()], ""
    if match["power"] and not _plausible_power(match["digits"]):
        return None
    negative = bool(match["open"]) or any(sign in _MINUS for sign in signs)
    return Numeral(_GAP.sub("", match["digits"]), negative, currency, suffix, match["power"] or "")


def _plausible_power(digits: str) -> bool:
    """1.5E+03 is a number; 12E5 is more often a code."""
    return bool(re.fullmatch(r"\d[.,]\d+", digits))


def proven_mark(digits: str) -> Mark | None:
    """The decimal mark that digits prove: "" when they prove none, None when they are no number at all."""
    if digits.isdigit():
        return ""
    if _MIXED_COMMA.fullmatch(digits):
        return ","
    if _MIXED_DOT.fullmatch(digits):
        return "."
    if grouped := _GROUPED.fullmatch(digits):
        return "," if grouped[1] == "." else "."
    single = _SINGLE.fullmatch(digits)
    if single is None or not (single[1] or single[3]):
        return None
    whole, mark, decimals = single.groups()
    if whole and is_grouped(whole, decimals):
        return ""  # 1.234: thousands or a fraction
    return "," if mark == "," else "."


def value_of(numeral: Numeral, mark: Literal[",", "."]) -> int | float | None:
    """The number under a decimal mark; None where the digits contradict it. 10,00 is a float, 10 an int."""
    digits = numeral.digits
    if digits.isdigit():
        number: int | float = int(digits)
    else:
        other = "." if mark == "," else ","
        proven = proven_mark(digits)
        if proven not in ("", mark):
            return None
        plain = digits.replace(other, "")
        number = float(plain.replace(mark, ".")) if mark in plain else int(plain)
    if numeral.power:
        number = float(f"{number}{numeral.power}")
    return -number if numeral.negative else number
