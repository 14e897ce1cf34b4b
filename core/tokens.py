"""Words, numbers, codes and signs of a typed question, with their places in the text.

Chat spellings are written out ("qto" is "quanto"), contractions opened ("what's" is "what is"), and one slip in a
long interrogative is forgiven ("quantso"), so that the grammar above reads what was meant.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from core.lexicon import (
    EN_SUBJECTS,
    FUNCTION_WORDS,
    FUZZY_STARTS,
    INTERROGATIVES,
    REQUEST_INFINITIVES,
    SHORTHAND,
)
from core.normalize import fold

_TOKEN = re.compile(
    r"(?:us|r|u|a)?[$€£]|[%<>]=?"
    r"|[^\W\d_]{3,9}[/-](?:19|20)?\d\d(?!\w)"  # mar/25, março-2024
    r"|[0-9]+(?:[.,:/-][0-9]+)*(?:\([a-z0-9]{1,2}\))?(?:%|[ªº°²³]|[a-z]{1,3}(?![\w-]))?"  # 1.234,56  14.3(b)  12/03  20%  1º  2k
    r"|[^\W_][\w]*(?:[-./]\w*\d\w*)+(?:\([a-z0-9]{1,2}\))?"  # E-4021, v2.1, PX-200.3
    r"|\w+(?:[-'’]\w+)*",
    re.UNICODE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number, code or sign. `start` and `end` are places in the original text."""

    raw: str
    word: str  # folded, chat spellings written out
    start: int
    end: int
    marked: bool = False  # a comma, colon, bracket or stop stands before it


@lru_cache(maxsize=1024)
def tokenize(text: str) -> tuple[Token, ...]:
    """Words, numbers, codes and signs of a text with their places."""
    found: list[Token] = []
    last = 0
    for match in _TOKEN.finditer(text):
        raw, start = match.group(), match.start()
        marked = bool(found) and not text[last:start].isspace() and last != start
        for word in _spell(fold(raw)):
            found.append(Token(raw, word, start, match.end(), marked))
            marked = False
        last = match.end()
    return tuple(found)


@lru_cache(maxsize=16384)
def _spell(word: str) -> tuple[str, ...]:
    """Chat spellings and contractions written out; a slip in a long interrogative undone."""
    word = word.replace("’", "'")
    if word in SHORTHAND:
        return tuple(SHORTHAND[word].split())
    for ending, full in (
        ("n't", "not"),
        ("'s", "is"),
        ("'re", "are"),
        ("'ll", "will"),
        ("'d", "would"),
        ("'ve", "have"),
        ("'m", "am"),
    ):
        if word.endswith(ending) and len(word) > len(ending):
            stem = word[: -len(ending)]
            if ending == "'s" and stem not in INTERROGATIVES | EN_SUBJECTS:
                return (stem,)  # a possessive
            return ({"wo": "will", "ca": "can"}.get(stem, stem), full)
    if word[:1] in "qg" and 4 <= len(word) <= 8 and word not in INTERROGATIVES:
        near = [start for start in FUZZY_STARTS if _one_slip(word, start)]
        if near:
            return (min(near, key=lambda start: (abs(len(start) - len(word)), start)),)
    return (word,)


def _one_slip(typed: str, meant: str) -> bool:
    """One letter missing, added, wrong, or two swapped."""
    if abs(len(typed) - len(meant)) > 1 or typed == meant:
        return typed == meant
    first = next(
        (i for i, (a, b) in enumerate(zip(typed, meant, strict=False)) if a != b), min(len(typed), len(meant))
    )
    a, b = typed[first:], meant[first:]
    swapped = len(a) > 1 and len(b) > 1 and a[0] == b[1] and a[1] == b[0] and a[2:] == b[2:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or swapped


def flat(text: str) -> str:
    """Folded letter by letter, so that a place in the result is the same place in the text."""
    return "".join(_flat(char) for char in text)


@lru_cache(maxsize=4096)
def _flat(char: str) -> str:
    folded = fold(char)
    return folded if len(folded) == 1 else " " if char.isspace() else char


def content_words(tokens: tuple[Token, ...]) -> tuple[str, ...]:
    """Words that carry topic: no function words, no interrogatives, no requests."""
    return tuple(t.word for t in tokens if is_content(t.word))


def is_content(word: str) -> bool:
    return (
        word not in FUNCTION_WORDS
        and word not in INTERROGATIVES
        and word not in REQUEST_INFINITIVES
        and (word[0].isalnum())
        and word not in _POLITE
    )


_POLITE = frozenset(
    fold(
        "favor gostaria queria quero oi ola obrigado obrigada please thanks hello hi hey gentileza bom boa"
    ).split()
)
