"""Numbers in questions: digits in either notation, number words, "10 mil", "1.5 million", "R$ 100", "20%"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.stores.relational.wording.words import Token
from core.types import Language

_WORDS = {
    "zero": 0, "um": 1, "uma": 1, "one": 1, "dois": 2, "duas": 2, "two": 2, "tres": 3, "three": 3, "quatro": 4,
    "four": 4, "cinco": 5, "five": 5, "seis": 6, "six": 6, "sete": 7, "seven": 7, "oito": 8, "eight": 8,
    "nove": 9, "nine": 9, "dez": 10, "ten": 10, "onze": 11, "eleven": 11, "doze": 12, "twelve": 12, "quinze": 15,
    "vinte": 20, "twenty": 20, "trinta": 30, "thirty": 30, "quarenta": 40, "cinquenta": 50, "fifty": 50,
    "cem": 100, "hundred": 100, "once": 1, "twice": 2, "single": 1, "unico": 1,
}  # fmt: skip
_SCALES = {
    "mil": 1_000, "thousand": 1_000, "k": 1_000, "milhao": 1_000_000, "milhoes": 1_000_000, "million": 1_000_000,
    "millions": 1_000_000, "mi": 1_000_000, "bilhao": 1_000_000_000, "bilhoes": 1_000_000_000,
    "billion": 1_000_000_000, "bi": 1_000_000_000,
}  # fmt: skip
_MONEY_WORDS = {
    "reais": "R$",
    "real": "R$",
    "dolares": "$",
    "dollars": "$",
    "usd": "$",
    "euros": "€",
    "brl": "R$",
}
_ARTICLES = frozenset(
    ["um", "uma", "one", "single", "unico"]
)  # articles or adjectives more often than numbers
_GROUPED = re.compile(r"\d{1,3}([.,]\d{3})+$")
_MONEY = re.compile(r"(?:R\$|US\$|\$|€|£)\s*$")


@dataclass(frozen=True, slots=True)
class Amount:
    """A number over tokens [start, end)."""

    value: int | float
    start: int
    end: int
    unit: str = ""  # "R$", "%", "" when not said
    digits: bool = True  # written with digits
    scaled: bool = False


def amounts(text: str, tokens: Sequence[Token], language: Language) -> tuple[Amount, ...]:
    """All numbers of a question in reading order.

    Args:
        text: the question, for currency signs and percent marks around the digits.
        tokens: of the question.
        language: decides what a single `.` or `,` before three digits means; undecided reads as Portuguese does
            with a dot and as English does with a comma (thousands).
    """
    found: list[Amount] = []
    for position, token in enumerate(tokens):
        if found and position < found[-1].end:
            continue
        if token.kind == "number":
            found.append(_digits(text, tokens, position, language))
        elif token.kind == "word" and token.text in _WORDS:
            found.append(_scaled(tokens, _WORDS[token.text], position, position + 1, "", digits=False))
    return tuple(found)


def is_article(token: Token) -> bool:
    """A word that counts one, but is more often an article."""
    return token.text in _ARTICLES


def _digits(text: str, tokens: Sequence[Token], position: int, language: Language) -> Amount:
    token = tokens[position]
    value = parse_number(token.text, language)
    before, after = text[: token.start], text[token.end : token.end + 2]
    unit = "%" if after.lstrip().startswith("%") else "R$" if _MONEY.search(before) else ""
    return _scaled(tokens, value, position, position + 1, unit, digits=True)


def _scaled(
    tokens: Sequence[Token], value: int | float, start: int, end: int, unit: str, *, digits: bool
) -> Amount:
    scale = _SCALES.get(tokens[end].text) if end < len(tokens) and tokens[end].kind == "word" else None
    if scale is not None:
        product = value * scale
        value = int(product) if float(product).is_integer() else product
        end += 1
        if end + 1 < len(tokens) and tokens[end].text == "de" and tokens[end + 1].text in _MONEY_WORDS:
            end += 1
    if end < len(tokens) and tokens[end].text in _MONEY_WORDS:
        return Amount(value, start, end + 1, _MONEY_WORDS[tokens[end].text], digits, scale is not None)
    return Amount(value, start, end, unit, digits, scale is not None)


def parse_number(text: str, language: Language = "und") -> int | float:
    """`1.234,5`, `1,234.5`, `1.234`, `12,5`, `0007` as a number; the last mark is the decimal one unless it groups."""
    if text.isdigit():
        return int(text)
    last = max(text.rfind("."), text.rfind(","))
    marks = {mark for mark in text if mark in ".,"}
    if len(marks) == 1:
        mark = text[last]
        groups = bool(_GROUPED.match(text))
        decimal_here = (mark == ".") == (language == "en") and not text.endswith("000")
        if groups and (text.count(mark) > 1 or not (decimal_here and language != "und")):
            return int(text.replace(mark, ""))
        return float(text.replace(",", ".")) if text.count(mark) == 1 else int(text.replace(mark, ""))
    whole, fraction = text[:last], text[last + 1 :]
    return float(f"{re.sub('[.,]', '', whole)}.{fraction}")
