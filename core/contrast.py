"""Siblings of what is asked about: the documents name a Falcon and a Heron sorter, the question a Condor sorter.

A word of the question that no passage holds may be a paraphrase. It is a name of something else where the passages
keep putting other words into its very place: before the same noun, or behind it.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from core.analyze import word_token
from core.asked import Asked
from core.lexicon import FUNCTION_WORDS, INTERROGATIVES, LIGHT_VERBS
from core.normalize import fold
from core.tokens import tokenize
from core.types import Language

ENOUGH = 2  # different words in the place of the missing one
_WORD = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*|[.;:!?|()]")
_REACH = 3  # small words between a noun and its complement
_JOINTS = frozenset(
    [
        "de",
        "do",
        "da",
        "dos",
        "das",
        "para",
        "pra",
        "pro",
        "no",
        "na",
        "nos",
        "nas",
        "em",
        "of",
        "for",
        "in",
        "on",
        "at",
        "by",
        "com",
        "with",
        "a",
        "o",
        "as",
        "os",
        "um",
        "uma",
        "the",
        "an",
        "per",
        "por",
    ]
)
_GOES_ON = frozenset(
    ["de", "do", "da", "dos", "das", "of", "que", "that", "which", "who"]
)  # a word that is explained is no name
_COUNTING = frozenset(["quantos", "quantas", "many", "much"])
_ARTICLES = frozenset(["o", "a", "os", "as", "um", "uma", "the", "an"])
_BEFORE_VERBS = frozenset(["to", "nao", "not", "eu", "i", "we", "you", "voce", "se"])
_QUALITY = re.compile(r".{2,}(?:[ai]d|iv|ic|os)[oa]s?|.{2,}(?:al|ais|vel|veis|ente|entes)")


def displaced(
    question: Asked, missing: frozenset[str], texts: Sequence[str], language: Language
) -> tuple[str, ...]:
    """The missing words of a question in whose place the texts have at least two others.

    Args:
        missing: topic words (folded) that the texts lack.
        texts: of the passages, best first.
        language: in Portuguese a noun stands before what describes it.
    """
    asked = [token.word for token in tokenize(question.text)]
    found = []
    for at, word in enumerate(asked):
        if word not in missing or word in question.verbs or _acts(asked, at):
            continue
        places = [_ahead(asked, at, missing, language), _behind(asked, at, missing, language)]
        fillers = frozenset[str]()
        for head, ahead in (place for place in places if place):
            if head not in question.verbs or _QUALITY.fullmatch(head):
                fillers |= _fillers(head, texts, asked, ahead=ahead)
        if len(fillers) >= ENOUGH:
            found.append(word)
    return tuple(dict.fromkeys(found))


def _acts(asked: Sequence[str], at: int) -> bool:
    """A verb by its place: "posto recebe o leite", "who services the sorter", "to send"."""
    before, after = asked[at - 1] if at else "", asked[at + 1] if at + 1 < len(asked) else ""
    return before in _BEFORE_VERBS or after in _ARTICLES


def _ahead(
    asked: Sequence[str], at: int, missing: frozenset[str], language: Language
) -> tuple[str, bool] | None:
    """The word behind: "condor sorter", "feijão cozido"."""
    head = asked[at + 1] if at + 1 < len(asked) else ""
    if not _names(head) or head in missing:
        return None
    return (head, True) if language != "pt" or _QUALITY.fullmatch(head) else None


def _behind(
    asked: Sequence[str], at: int, missing: frozenset[str], language: Language
) -> tuple[str, bool] | None:
    """The noun that the word completes: "contrato do tomógrafo", "loja de Betim"."""
    after = asked[at + 1] if at + 1 < len(asked) else ""
    governs = language == "pt" and _names(after) and not _QUALITY.fullmatch(after)  # "peço férias": a verb
    if after in _GOES_ON or governs:
        return None
    back = at - 1
    while back >= 0 and at - back <= _REACH and asked[back] in _JOINTS:
        back -= 1
    head = asked[back] if back >= 0 else ""
    counted = back > 0 and asked[back - 1] in _COUNTING
    return (head, False) if _names(head) and head not in missing and not counted else None


def _names(word: str) -> bool:
    small = FUNCTION_WORDS | INTERROGATIVES | LIGHT_VERBS
    return bool(word) and word[0].isalpha() and word not in small


def _fillers(head: str, texts: Sequence[str], asked: Sequence[str], *, ahead: bool) -> frozenset[str]:
    """Different words that stand where the missing one would, beside the same noun."""
    own = [_stems(word) for word in asked]
    found = set()
    for text in texts:
        words = _words(text)
        for at, word in enumerate(words):
            if word[0].isalnum() and not _stems(word).isdisjoint(_stems(head)):
                other = _neighbour(words, at, ahead=ahead)
                if other and all(_stems(other).isdisjoint(stems) for stems in own):
                    found.add(other)
    return frozenset(found)


def _neighbour(words: Sequence[str], at: int, *, ahead: bool) -> str:
    place = at - 1 if ahead else at + 1
    while not ahead and place < len(words) and place - at <= _REACH and words[place] in _JOINTS:
        place += 1
    word = words[place] if 0 <= place < len(words) else ""
    return word if word and word[0].isalnum() and not word.isdigit() and word not in FUNCTION_WORDS else ""


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, ...]:
    """Folded words in order; the end of a sentence or line is a word of its own, so that nothing reaches over it."""
    return tuple(_WORD.findall(fold(text.replace("\n", " | "))))


@lru_cache(maxsize=32768)
def _stems(word: str) -> frozenset[str]:
    return frozenset(word_token(word).sure)
