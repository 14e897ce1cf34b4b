"""Words that Portuguese and English have: who types one of them has not mistyped another.

The lists are pyspellchecker's, counted over film subtitles (OpenSubtitles); rare entries are slips themselves and left out.
"""

from functools import cache

from spellchecker import SpellChecker

from core.normalize import fold

_COMMON = 200  # occurrences from which on an entry counts as a word


def is_word(word: str) -> bool:
    """Whether a folded word stands in either language's dictionary. The first call reads the lists, for about a second."""
    return word in _words()


@cache
def _words() -> frozenset[str]:
    listed = (SpellChecker(language=language).word_frequency.dictionary.items() for language in ("pt", "en"))
    return frozenset(fold(word) for items in listed for word, count in items if count >= _COMMON)
