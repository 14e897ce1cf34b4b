"""A fold that keeps every character in its place, so that a match can be shown as it was written."""

import unicodedata
from functools import lru_cache


@lru_cache(maxsize=4096)
def _flat_char(char: str) -> str:
    bare = "".join(c for c in unicodedata.normalize("NFD", char) if not unicodedata.combining(c))
    lower = bare.casefold()
    return lower if len(lower) == 1 else char


def flat(text: str) -> str:
    """Lower case without accents, same length as `text`; characters without a one-letter fold stay."""
    return "".join(map(_flat_char, text))


def composed(text: str) -> str:
    """Unicode NFC: letters with their accents are one character. All positions refer to this form."""
    return unicodedata.normalize("NFC", text)
