"""Every number, percentage, amount of money, date, time and code of a text, with its place and what it may mean."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from core.lexicon import UNITS
from core.numbers.dates import find_dates
from core.numbers.flat import composed, flat
from core.numbers.spelled import spelled_numbers

Kind = Literal["number", "percent", "money", "date", "time", "code"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """One number, date or code. `values` holds several numbers where the writing is ambiguous (1.234)."""

    kind: Kind
    text: str  # as written
    start: int  # in the NFC form of the text
    end: int
    values: tuple[float, ...] = ()  # sorted
    dates: tuple[str, ...] = ()  # ISO with open parts, see core.numbers.dates
    unit: str = ""  # "BRL", "%", or the canonical measure: "day", "hour", "kg", ...
    step: float = 0.0  # value of one unit in the last place shown: "1,2 milhão" shows steps of 100,000
    weak: bool = False  # an article or ordinal in words, which is often no number
    scaled: bool = False  # a scale word is part of it
    spelled: bool = False

    @property
    def key(self) -> str:
        """Letters and digits only: E-4021, E 4021 and e4021 are the same code."""
        return "".join(char for char in flat(self.text) if char.isalnum())


_LINK = re.compile(
    r"https?://[^\s<>()\[\]]+[^\s<>()\[\].,;:!?]|www\.[^\s<>()\[\]]+[^\s<>()\[\].,;:!?]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
)
_LETTER_CODE = re.compile(
    r"(?<![\w@])(?=[a-z_-]*\d)[a-z]{1,10}(?:[-_./](?=[a-z0-9]))?(?:[a-z0-9]+(?:[-_](?=[a-z0-9])|[./](?=\d))?)*[a-z0-9](?:\([a-z0-9]{1,3}\))?(?!\w)"
)
_DIGIT_CODE = re.compile(
    r"(?<![\w.,])\d+(?:\.\d+)*\([a-z0-9]{1,3}\)"  # 14.3(b)
    r"|(?<![\w.,/-])\d{2,3}\.\d{3}\.\d{3}(?:/\d{4})?-\d{2}(?!\d)"  # tax numbers
    r"|(?<![\w.,/-])(?:\d{5}-\d{3,4}|\d{4}-\d{4})(?![\d-])"  # postal codes and telephones
    r"|(?<![\w.,])\d+\.\d+(?:\.\d+)+(?!\w|[.,]\d)"  # versions and sections: 3.10.0
    r"|(?<![\w.,-])\d+(?!h[0-5]\d(?!\w))[a-z]{1,2}\d[\w-]*"  # 4x4, 10b2
)
_DIGITS = r"\d{1,3}(?:[.\u00a0\u202f\u2009']\d{3})+(?:,\d+)?|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?: \d{3}){2,}(?:[.,]\d+)?|\d+(?:[.,]\d+)?"
_NUMBER = re.compile(
    rf"(?:(?<![\w.,)%])[-−])?(?P<before>(?:r\$|us\$|u\$|\$|€|£|\b(?:brl|usd|eur|gbp)\b)\s?)?(?<![\w.,]\d)(?<![a-z_])(?<!\d[.,])"
    rf"(?P<minus>(?(before)[-−]?))(?P<digits>{_DIGITS})(?![\d])"
    r"(?P<scale>\s?(?:mil|milhao|milhoes|bilhao|bilhoes|trilhao|trilhoes|thousand|millions?|billion|trillion|hundred|mi|bi|k|mm|m)\b)?"
    r"(?P<percent>\s?%|\s(?:por\s?cento|per\s?cent|percent)\b)?"
)
_SCALES = {
    "mil": 1e3, "thousand": 1e3, "k": 1e3, "hundred": 1e2, "milhao": 1e6, "milhoes": 1e6, "million": 1e6,
    "millions": 1e6, "mi": 1e6, "mm": 1e6, "m": 1e6, "bilhao": 1e9, "bilhoes": 1e9, "billion": 1e9, "bi": 1e9,
    "trilhao": 1e12, "trilhoes": 1e12, "trillion": 1e12,
}  # fmt: skip
_ATTACHED_ONLY = frozenset(["k", "m", "mm"])  # "40k" is forty thousand, "5 m" is five metres
_MONEY = {
    "r$": "BRL", "brl": "BRL", "reais": "BRL", "real": "BRL", "us$": "USD", "u$": "USD", "$": "USD", "usd": "USD",
    "dolares": "USD", "dolar": "USD", "dollars": "USD", "dollar": "USD", "€": "EUR", "eur": "EUR", "euros": "EUR",
    "euro": "EUR", "£": "GBP", "gbp": "GBP", "libras": "GBP", "pounds": "GBP",
}  # fmt: skip
_UNITS = {**UNITS, "°c": "celsius", "ºc": "celsius", "hs": "hour", "d": "day", "s": "second"}
_ORDINAL_MARK = re.compile(r"\s?(?:[ºª°](?!c)|(?:st|nd|rd|th|o|a)\b)")
_FOLLOWING = re.compile(r"[ \u00a0-]?([a-z°º]+c?)")
_JOIN = re.compile(r"\s(?:e|and)\s|\s")
_MEASURED = re.compile(r"\s(?:de\s)?([a-z]+)")
_PERCENT_WORDS = re.compile(r"\s(?:por\s?cento|per\s?cent|percent)\b")


@lru_cache(maxsize=2048)
def quantities(text: str) -> tuple[Quantity, ...]:
    """All quantities of a text in order of place, never overlapping. Places refer to the NFC form of the text."""
    text = composed(text)
    bare = flat(text)
    found: list[Quantity] = []
    _add(found, [_code(text, m.start(), m.end()) for m in _LINK.finditer(bare)])
    _add(found, _digit_codes(text, bare))
    _add(found, _dates(text, bare))
    _add(found, _letter_codes(text, bare))
    _add(found, [q for q in (_number(text, bare, m) for m in _NUMBER.finditer(bare)) if q is not None])
    _add(found, _spelled(text, _masked(bare, found)))
    return _merged(text, bare, sorted(found, key=lambda q: q.start))


def _add(found: list[Quantity], more: list[Quantity]) -> None:
    """Keep those that touch nothing found before: earlier kinds are the longer readings."""
    for quantity in more:
        if all(quantity.end <= other.start or quantity.start >= other.end for other in found):
            found.append(quantity)


def _code(text: str, start: int, end: int) -> Quantity:
    return Quantity("code", text[start:end], start, end)


def _digit_codes(text: str, bare: str) -> list[Quantity]:
    found = []
    for m in _DIGIT_CODE.finditer(bare):
        years = re.fullmatch(r"(?:19|20)\d\d-(?:19|20)\d\d", m.group())
        grouped = re.fullmatch(r"\d{1,3}(?:\.\d{3})+", m.group())
        date = re.fullmatch(r"\d{1,2}\.\d{1,2}\.\d{4}", m.group())
        if years is None and grouped is None and date is None:
            found.append(_code(text, m.start(), m.end()))
    return found


def _letter_codes(text: str, bare: str) -> list[Quantity]:
    """Words that mix letters and digits; a unit or a scale glued to digits is a number and not matched here."""
    return [_code(text, m.start(), m.end()) for m in _LETTER_CODE.finditer(bare)]


def _dates(text: str, bare: str) -> list[Quantity]:
    return [
        Quantity(
            "time" if d.dates[0].startswith("T") else "date",
            text[d.start : d.end],
            d.start,
            d.end,
            d.values,
            d.dates,
        )
        for d in find_dates(text, bare)
    ]


def _readings(digits: str) -> tuple[tuple[float, ...], int]:
    """What a run of digits and separators may mean, and how many decimals it shows (the fewest of its readings)."""
    digits = re.sub(r"[\u00a0\u202f\u2009' ]", "", digits)
    marks = re.findall(r"[.,]", digits)
    if not marks:
        return (float(digits),), 0
    last = marks[-1]
    whole, _, tail = digits.rpartition(last)
    if len(set(marks)) == 2:  # both marks: the last one is the decimal mark
        return (float(re.sub(r"[.,]", "", whole) + "." + tail),), len(tail)
    if len(marks) > 1:
        return (float(digits.replace(last, "")),), 0
    decimal = float(f"{whole}.{tail}")
    if len(tail) == 3 and len(whole) <= 3 and not whole.startswith("0"):
        return tuple(sorted((decimal, float(whole + tail)))), 0
    return (decimal,), len(tail)


def _number(text: str, bare: str, m: re.Match[str]) -> Quantity | None:
    values, decimals = _readings(m["digits"])
    end, factor, scale = m.end(), 1.0, (m["scale"] or "").strip()
    if scale and _is_scale(text, m, scale):
        factor = _SCALES[scale]
        optional = scale in ("m", "mm")  # "5M": five million or five metres
        values = tuple(sorted({v * factor for v in values} | (set(values) if optional else set())))
    elif scale:
        scale, end = "", m.end("digits")
    negative = bool(m["minus"]) or m.group()[0] in "-−"
    values = tuple(sorted(-v if negative else v for v in values))
    start = m.start()
    kind, unit, end = _unit(bare, m, end, scale)
    return Quantity(
        kind, text[start:end], start, end, values, (), unit, factor * 10.0**-decimals, False, bool(scale)
    )


def _is_scale(text: str, m: re.Match[str], scale: str) -> bool:
    attached = not m["scale"][0].isspace()
    if scale == "m":
        return attached and text[m.end("scale") - 1] == "M"
    return attached or scale not in _ATTACHED_ONLY


def _unit(bare: str, m: re.Match[str], end: int, scale: str) -> tuple[Kind, str, int]:
    if m["percent"] and (scale or m["scale"] is None):
        return "percent", "%", m.end()
    if m["before"]:
        return "money", _MONEY[m["before"].strip()], end
    ordinal = _ORDINAL_MARK.match(bare, end)
    if ordinal and not ordinal.group()[0].isspace():
        return "number", "", ordinal.end()
    after = _MEASURED.match(bare, end) or _FOLLOWING.match(bare, end)
    word = after[1] if after else ""
    if word in _MONEY and word != "real":
        return "money", _MONEY[word], after.end() if after else end
    unit = _UNITS.get(word, "")
    if unit and after and len(word) == 1 and after.group() != word and word not in ("h", "g", "l"):
        unit = ""  # "5 s", "3 d" and "2 t" are rarely units when set apart
    return "number", unit, end


def _masked(bare: str, found: list[Quantity]) -> str:
    """The text with what is already read blotted out, so that "3 mil e quinhentos" leaves "quinhentos"."""
    chars = list(bare)
    for quantity in found:
        chars[quantity.start : quantity.end] = "#" * (quantity.end - quantity.start)
    return "".join(chars)


def _spelled(text: str, bare: str) -> list[Quantity]:
    found = []
    for s in spelled_numbers(bare):
        percent = _PERCENT_WORDS.match(bare, s.end)
        end = percent.end() if percent else s.end
        after = _FOLLOWING.match(bare, end)
        word = after[1] if after and not percent else ""
        kind: Kind = "percent" if percent else "money" if word in _MONEY and word != "real" else "number"
        unit = "%" if percent else _MONEY.get(word, _UNITS.get(word, "")) if len(word) > 1 else ""
        weak = s.weak and not unit
        found.append(
            Quantity(kind, text[s.start : end], s.start, end, s.values, (), unit, 1.0, weak, False, True)
        )
    return found


def _merged(text: str, bare: str, found: list[Quantity]) -> tuple[Quantity, ...]:
    """Join "2 milhões e 300 mil" and "2 mil e quinhentos" into one number."""
    merged: list[Quantity] = []
    for quantity in found:
        last = merged[-1] if merged else None
        if last is not None and _continues(bare, last, quantity):
            values = tuple(sorted(a + b for a in last.values for b in quantity.values))
            merged[-1] = replace(
                quantity, text=text[last.start : quantity.end], start=last.start, values=values,
                kind=last.kind if last.kind == "money" else quantity.kind, unit=last.unit or quantity.unit,
                scaled=True,
            )  # fmt: skip
        else:
            merged.append(quantity)
    return tuple(merged)


def _continues(bare: str, last: Quantity, following: Quantity) -> bool:
    gap = bare[last.end : following.start]
    if not (last.scaled and following.values and (following.scaled or following.spelled)):
        return False
    return bool(_JOIN.fullmatch(gap)) and 0 < following.values[-1] < last.step and len(last.values) == 1
