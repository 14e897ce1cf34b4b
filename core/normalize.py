"""Folding of text for comparison. Users type without accents, in lower case, in a hurry."""

import re
import unicodedata
from functools import lru_cache

_SPACES = re.compile(r"\s+")
_WORDS = re.compile(r"[0-9]+(?:[.,:/-][0-9]+)*%?|\w+(?:[-'’]\w+)*", re.UNICODE)
_ARTICLES = frozenset(["a", "o", "as", "os", "um", "uma", "uns", "umas", "the", "an"])


@lru_cache(maxsize=65536)
def fold(text: str) -> str:
    """Lower case, no accents, compatibility forms unified, single spaces."""
    decomposed = unicodedata.normalize("NFKD", text)
    bare = "".join(char for char in decomposed if not unicodedata.combining(char))
    return _SPACES.sub(" ", bare.casefold()).strip()


def squeeze(text: str) -> str:
    """Unicode NFKC with single spaces; case and accents stay. What an embedder gets."""
    return _SPACES.sub(" ", unicodedata.normalize("NFKC", text)).strip()


def words(text: str) -> tuple[str, ...]:
    """Folded word and number tokens in order; codes like `e-4021` and `14.3` stay whole."""
    return tuple(match.group() for match in _WORDS.finditer(fold(text)))


def canonical_name(name: str) -> str:
    """One spelling for an entity: folded, underscores and spacing unified, leading articles and edge marks gone.

    Returns an empty string when nothing is left.
    """
    parts = fold(name.replace("_", " ")).strip(" .,;:!?\"'()[]{}«»“”*`-–—").split()
    while parts and parts[0] in _ARTICLES:
        parts = parts[1:]
    return " ".join(parts)
