"""Words of a sentence with what their spelling says: name, code, number, amount, mark."""

import re
from dataclasses import dataclass

from core.normalize import fold

_TOKEN = re.compile(
    r"https?://\S+|\S+@\S+\.\w+"
    r"|(?:R\$|US\$|[$€£])\s?\d[\d.,]*\d?(?:\s(?:mil|milhões|milhão|bilhões|bilhão|thousand|million|billion)\b|[kKmM]\b)?"
    r"|(?:Dra?|Sra?|Profa?|Mrs?|Ms|Eng|Ltda|Inc|Ltd|Co|St|S\.A)\.(?=\s|$)"
    r"|\d+(?:[.,:/]\d+)*(?:\s?%|\s?°\s?[CFc]\b|[ºª°])?(?!\w)"
    r"|[^\W_]+(?:['’&/_.-][^\W_]+)*[ºª]?"
    r"|[^\w\s]"
)
_ROMAN = re.compile(r"[IVX]{1,5}")
_ORDINARY = re.compile(
    r"\d+(?:[ºªh%]|a|o|st|nd|rd|th|min|kg|g|mg|ml|l|km|m|cm|mm|d|x|k|s|v|w|kwh|kw|ppm|gb|mb|tb)\.?", re.I
)
_MONEY = re.compile(r"(?:R\$|US\$|[$€£])")


@dataclass(frozen=True, slots=True)
class Token:
    """One word or mark. `start` and `end` are offsets in the sentence."""

    text: str
    word: str  # folded
    start: int
    end: int
    is_word: bool
    is_name: bool  # a capital that is not owed to the sentence's beginning
    is_code: bool  # FL-12, E-4021, PCM
    is_number: bool
    is_amount: bool  # R$ 10 mil

    @property
    def is_anchor(self) -> bool:
        """Whether the word itself identifies something."""
        return self.is_name or self.is_code


def tokenize(sentence: str, *, running: bool = True) -> tuple[Token, ...]:
    """Tokens in order. In a shouted sentence capitals mean nothing.

    Args:
        running: whether the text begins like a sentence, with a capital that says nothing; a table cell or the value
            of a `key: value` line does not.
    """
    matches = list(_TOKEN.finditer(sentence))
    letters = [m.group() for m in matches if m.group()[0].isalpha() and len(m.group()) > 1]
    shouted = len(letters) > 3 and sum(text.isupper() for text in letters) * 3 > 2 * len(letters)
    tokens = []
    fresh = running  # at the beginning, or behind a mark that asks for a capital
    for match in matches:
        text = match.group()
        token = _token(text, match.start(), match.end(), fresh, shouted)
        tokens.append(token)
        fresh = text in '.!?:;•“"' or (fresh and not token.is_word and not token.is_number)
    return tuple(tokens)


def _token(text: str, start: int, end: int, fresh: bool, shouted: bool) -> Token:
    measured = "°" in text or "º" in text or "ª" in text
    is_word = text[0].isalpha() or (
        text[0].isdigit() and not measured and any(char.isalpha() for char in text)
    )
    has_digit, has_letter = any(c.isdigit() for c in text), any(c.isalpha() for c in text)
    mixed = (
        not measured and has_digit and has_letter and not _ORDINARY.fullmatch(text) and not _MONEY.match(text)
    )
    acronym = (
        len(text) > 1 and text.isupper() and text.isalpha() and not shouted and not _ROMAN.fullmatch(text)
    )
    is_code = bool(is_word and "@" not in text and "://" not in text and (mixed or acronym))
    inner_capital = any(char.isupper() for char in text[1:]) and not text.isupper()
    is_name = is_word and not shouted and ((text[0].isupper() and not fresh) or inner_capital)
    return Token(
        text=text,
        word=fold(text),
        start=start,
        end=end,
        is_word=is_word and not _MONEY.match(text),
        is_name=is_name and not is_code and not _MONEY.match(text),
        is_code=is_code,
        is_number=text[0].isdigit() and not is_code,
        is_amount=bool(_MONEY.match(text)),
    )
