"""How much of a question's topic a text speaks about. Weights come from the passages that were found, nothing else."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType

from core.analyze import Token, nearest_word, passage_terms, word_token
from core.asked import Asked
from core.types import Passage
from core.vectors import rounded

VERB_WEIGHT = 0.4  # verbs are paraphrased freely ("mandar", "enviar"), nouns less
FRAME_WEIGHT = 0.25  # "a definição de", "name of the person who": a frame that is there helps a little, one that is not costs nothing
CODE_WEIGHT = 2.0  # a code says exactly what is meant
FOUND = 20  # passages a search serves; with fewer, a word of all of them is still worth something
HALF = 0.5  # a word this near in meaning is there
NUMBER_WEIGHT = 0.3  # a bare number of the question is usually its own parameter


@lru_cache(maxsize=8192)
def terms_of(text: str) -> frozenset[str]:
    """The terms a text is indexed under (words, stems, codes)."""
    return frozenset(passage_terms(text)[0])


@lru_cache(maxsize=8192)
def words_of(text: str) -> tuple[str, ...]:
    """The folded words of a text, sorted."""
    return passage_terms(text)[1]


def passage_text(passage: Passage) -> str:
    """What a passage speaks about: its title, its heading trail and its own text."""
    return "\n".join([passage.title, *passage.headings, passage.text])


@dataclass(frozen=True, slots=True)
class Relative:
    """A word of the passages that means, more or less, what a word of the question means."""

    word: str  # folded
    terms: frozenset[str]
    degree: float  # in (0, 1]


@dataclass(frozen=True, slots=True)
class Kin:
    """The relatives of a question's words, nearest first."""

    of: Mapping[str, tuple[Relative, ...]] = field(default_factory=lambda: MappingProxyType({}))

    def degree(self, token: Token, terms: frozenset[str]) -> float:
        """How nearly the terms hold the meaning of a word: 1 for the word itself."""
        if holds_token(token, terms):
            return 1.0
        near = self.of.get(token.surface, ())
        return max(
            (relative.degree for relative in near if not relative.terms.isdisjoint(terms)), default=0.0
        )


NO_KIN = Kin()


@dataclass(frozen=True, slots=True)
class Topic:
    """The topic words of a question with their weights (> 0), in the question's order."""

    words: tuple[tuple[Token, float], ...]
    kin: Kin = NO_KIN

    def share(self, terms: frozenset[str]) -> float:
        """The share of the topic's weight that `terms` hold, in [0, 1]; 0 for a question without topic words."""
        total = math.fsum(weight for _, weight in self.words)
        held = math.fsum(weight * self.kin.degree(token, terms) for token, weight in self.words)
        return rounded(held / total) if total else 0.0

    def holds(self, token: Token, terms: frozenset[str]) -> bool:
        """Whether the terms hold a word or code, or a word that is at least half of its meaning."""
        return self.kin.degree(token, terms) >= HALF

    def missing(self, terms: frozenset[str]) -> tuple[str, ...]:
        """Topic words that `terms` lack, heaviest first, as folded words; verbs only where no noun is lacking."""
        lacking = [(token, weight) for token, weight in self.words if not self.holds(token, terms)]
        least = 0.5 * max((weight for _, weight in lacking), default=0.0)
        ordered = sorted(lacking, key=lambda pair: (-pair[1], pair[0].surface))
        return tuple(token.surface for token, weight in ordered if weight >= least)


def holds_token(token: Token, terms: frozenset[str]) -> bool:
    """Whether the terms hold a word or code; an item such as 14.3(b) stands under its section 14.3."""
    if any(term in terms for term in token.sure):
        return True
    if token.kind == "word":  # "DVD", "DVDs": no stem joins what has no vowel
        return f"{token.surface}s" in terms or (token.surface[-1:] == "s" and token.surface[:-1] in terms)
    section, mark, _ = token.surface.partition("(")
    return token.kind == "code" and bool(mark) and section in terms


def topic_of(asked: Asked, texts: Sequence[str], kin: Kin = NO_KIN) -> Topic:
    """Weigh the question's words by how few of the found texts hold them (BM25's inverse document frequency).

    The best of thousands of passages are found by these very words, so a word that none of them holds is one that
    the visible documents lack or hardly know.
    """
    held = [terms_of(text) for text in texts]
    everything = frozenset[str]().union(*held)
    words = tuple(sorted({word for text in texts for word in words_of(text)}))
    meant = (_meant(token, everything, words, kin) for token in asked.tokens)
    pairs = zip(asked.tokens, meant, strict=True)
    weighed = [
        (token, _weight(token, held, _free(typed, asked), kin))
        for typed, token in pairs
        if typed.surface not in asked.frames or holds_token(token, everything)
    ]
    return Topic(tuple(weighed), kin)


def _free(token: Token, asked: Asked) -> float:
    """What a word counts: one that is paraphrased freely, or that only frames the question, less than another."""
    if token.surface in asked.frames:
        return FRAME_WEIGHT
    return VERB_WEIGHT if token.surface in asked.verbs else 1.0


def _meant(token: Token, terms: frozenset[str], words: Sequence[str], kin: Kin) -> Token:
    """A word that no text holds is read as the word of the texts that it is a slip of, as in the search."""
    if token.kind != "word" or kin.degree(token, terms) >= HALF:
        return token
    near = nearest_word(token.surface, words)
    return word_token(near) if near else token


def _weight(token: Token, held: Sequence[frozenset[str]], freedom: float, kin: Kin) -> float:
    count = sum(kin.degree(token, terms) >= HALF for terms in held)
    rarity = math.log(1 + (max(len(held), FOUND) - count + 0.5) / (count + 0.5))
    if token.kind != "word":
        return rounded(rarity * (CODE_WEIGHT if token.kind == "code" else NUMBER_WEIGHT))
    return rounded(rarity * freedom)
