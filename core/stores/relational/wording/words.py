"""Words of questions, headers and cells, cut and stemmed in one way so that they meet.

Headers rarely say which language they are in, and people mix Portuguese and English in one sentence; so a word
gets several keys at once (a light stem of our own for both languages, both Snowball stems, its concepts in the
lexicon), each with the trust it deserves.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import Stemmer

from core.lexicon import MONTHS, WEEKDAYS
from core.normalize import fold

_QUOTES = {'"': '"', "“": "”", "«": "»", "‘": "’", "'": "'", "`": "`"}
_PIECE = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+", re.UNICODE)
_CAMEL = re.compile(r"(?<=[a-zà-ÿ])(?=[A-ZÀ-Ý])|(?<=[A-ZÀ-Ý])(?=[A-ZÀ-Ý][a-zà-ÿ])")
_POSSESSIVE = re.compile(r"(?<=\w)['’]s?\b")
_STEM_FROM = 4  # letters; shorter words are compared as they stand

_english = Stemmer.Stemmer("english")
_portuguese = Stemmer.Stemmer("portuguese")


def word_set(table: str) -> frozenset[str]:
    """The words of a table written as running text."""
    return frozenset(table.split())


@dataclass(frozen=True, slots=True)
class Token:
    """One word, number or quoted span of a question."""

    text: str  # folded
    raw: str
    kind: Literal["word", "number", "quoted"]
    start: int  # character offsets in the question
    end: int
    gap: str = ""  # what stands between the previous token and this one: punctuation that separates


def tokenize(text: str) -> tuple[Token, ...]:
    """Words, numbers and quoted spans in reading order. `Q2` is `q` and `2`, here and in every cell."""
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        quoted = _quoted_at(text, position)
        if quoted is not None:
            inner = text[position + 1 : quoted]
            tokens.append(_token(text, fold(inner), "quoted", position, quoted + 1, tokens))
            position = quoted + 1
            continue
        match = _PIECE.match(text, position)
        if match is None:
            skip = _POSSESSIVE.match(text, position)
            position = skip.end() if skip else position + 1
            continue
        kind: Literal["word", "number"] = "number" if match.group()[0].isdigit() else "word"
        tokens.append(_token(text, fold(match.group()), kind, match.start(), match.end(), tokens))
        position = match.end()
    return tuple(token for token in tokens if token.text)


def _token(
    text: str,
    folded: str,
    kind: Literal["word", "number", "quoted"],
    start: int,
    end: int,
    before: list[Token],
) -> Token:
    gap = text[before[-1].end if before else 0 : start].strip()
    return Token(folded, text[start:end], kind, start, end, gap)


def _quoted_at(text: str, position: int) -> int | None:
    """End of the quoted span that opens here; an apostrophe inside a word opens nothing."""
    closing = _QUOTES.get(text[position])
    if closing is None or (position and text[position - 1].isalnum()):
        return None
    end = position + 1
    while (end := text.find(closing, end)) > 0:
        after = text[end + 1 : end + 2]
        if end - position > 1 and not after.isalnum():
            return end if "\n" not in text[position:end] else None
        end += 1
    return None


@lru_cache(maxsize=65536)
def name_words(name: str) -> tuple[str, ...]:
    """Folded words of a header, sheet or file name: underscores, camel case and digits separate."""
    spaced = _CAMEL.sub(" ", name.replace("_", " "))
    return tuple(fold(match.group()) for match in _PIECE.finditer(spaced))


@lru_cache(maxsize=65536)
def cell_words(value: str) -> tuple[str, ...]:
    """Folded words of a cell, cut as the words of a question are."""
    return tuple(fold(match.group()) for match in _PIECE.finditer(value))


@lru_cache(maxsize=65536)
def light_stem(word: str) -> str:
    """A folded word without plural and grammatical gender, by the endings of both languages at once."""
    if len(word) < _STEM_FROM or word[0].isdigit():
        return word
    stem = singular(word)
    return stem[:-1] if len(stem) > _STEM_FROM and stem[-1] in "aoe" else stem


_PLURALS = (
    ("oes", "ao"), ("aes", "ao"), ("ais", "al"), ("eis", "el"), ("ois", "ol"), ("uis", "ul"),
    ("ens", "em"), ("ins", "im"), ("uns", "um"), ("ies", "y"), ("res", "r"), ("zes", "z"),
    ("ses", "s"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"),
)  # fmt: skip


@lru_cache(maxsize=65536)
def singular(word: str) -> str:
    """A folded word without its plural ending, in either language."""
    if len(word) < _STEM_FROM or not word.endswith("s"):
        return word
    for ending, replacement in _PLURALS:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[: -len(ending)] + replacement
    return word if word.endswith(("ss", "us", "is")) else word[:-1]


@lru_cache(maxsize=65536)
def snowball_keys(word: str) -> tuple[str, ...]:
    """Stems by both Snowball algorithms, marked by language; a number or a short word has none."""
    if len(word) < _STEM_FROM + 1 or word[0].isdigit():
        return ()
    english, portuguese = _english.stemWord(word), fold(_portuguese.stemWord(word))
    return tuple(
        f"{mark}:{stem}"
        for mark, stem, least in (("e", english, _STEM_FROM), ("p", portuguese, _STEM_FROM + 1))
        if len(stem) >= least
    )


_EXACT = frozenset([*MONTHS, *(part for name in WEEKDAYS for part in name.split("-"))])


def near(left: str, right: str) -> bool:
    """One slip of the finger apart (letter added, lost, changed, or two swapped); two in words of nine letters.

    A code, a month or a weekday is never a slip of another one: "julho" where only "junho" is known is no "junho".
    """
    if left in _EXACT or right in _EXACT or any(char.isdigit() for char in left + right):
        return left == right
    longest = max(len(left), len(right))
    if min(len(left), len(right)) < 5 or left[0] != right[0]:
        return False
    allowed = 2 if longest >= 9 else 1
    return abs(len(left) - len(right)) <= allowed and slips(left, right) <= allowed


def slips(left: str, right: str) -> int:
    """Optimal string alignment distance (Damerau-Levenshtein without repeated edits)."""
    before: list[int] = []
    previous = list(range(len(right) + 1))
    for i, a in enumerate(left, start=1):
        current = [i]
        for j, b in enumerate(right, start=1):
            cost = min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            current.append(cost)
        before, previous = previous, current
    return previous[-1]


def deletions(word: str) -> frozenset[str]:
    """The word and all words with one letter less: two words one slip apart share one of these."""
    return frozenset([word, *(word[:i] + word[i + 1 :] for i in range(len(word)))])


_DONE = re.compile(r"(.{3,}?)(?:ou|ei|eu|iu|aram|eram|iram|ava|avam|amos|emos|imos)")
_DEED = re.compile(
    r"(.{3,})(?:ac(?:ao|oes)|ic(?:ao|oes)|[ai]mentos?|agem|agens|[ai]d[ao]s?|eitas?|[ea]ncias?)"
)
_SHORT_DEED = re.compile(r"(.{4,})[aeo]s?")  # "venda", "custo"


def done_root(word: str) -> str:
    """The root of a Portuguese verb in the past: "gerou" and "geraram" have "ger"; "" for another word."""
    found = _DONE.fullmatch(word)
    return found[1] if found else ""


def deed_roots(word: str) -> tuple[str, ...]:
    """Roots that a noun of doing may have: "geração" has "ger", "vendas" has "vend", "paradas" has "par" and "parad"."""
    found = [pattern.fullmatch(word) for pattern in (_DEED, _SHORT_DEED)]
    return tuple(dict.fromkeys(match[1] for match in found if match))
