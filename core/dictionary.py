"""Words that Portuguese and English have: who types one of them has not mistyped another.

The lists are pyspellchecker's, counted over film subtitles (OpenSubtitles); rare entries are slips themselves and left out.
"""

from collections.abc import Mapping
from functools import cache

from spellchecker import SpellChecker

from core.normalize import fold

_COMMON = 200  # occurrences from which on an entry counts as a word


def is_word(word: str) -> bool:
    """Whether a folded word stands in either language's dictionary. The first call reads the lists, for about a second."""
    return any(word in words for words in _words().values())


def share_a_language(word: str, other: str) -> bool:
    """Whether one language has both folded words."""
    return any(word in words and other in words for words in _words().values())


@cache
def _words() -> Mapping[str, frozenset[str]]:
    listed = {lang: SpellChecker(language=lang).word_frequency.dictionary.items() for lang in ("en", "pt")}
    return {
        lang: frozenset(fold(word) for word, count in items if count >= _COMMON)
        for lang, items in listed.items()
    }
