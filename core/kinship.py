"""Which words of the passages mean what a word of the question means: "pet" and "animals", "férias" and "holiday".

Vectors of single words all point much the same way, so the mean of some common words is taken off before they are
compared. What is left tells synonyms, word families and translations from words that merely occur together.
"""

import re
import unicodedata
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from rapidfuzz.distance import Indel

from core.analyze import Token, word_token
from core.asked import Asked, asked
from core.dictionary import share_a_language
from core.errors import ModelUnavailable, TooSlow
from core.lexicon import FUNCTION_WORDS, INTERROGATIVES, LIGHT_VERBS, PRONOUNS
from core.normalize import fold
from core.ports import Embedder
from core.sentences import sentences
from core.topic import NO_KIN, Kin, Relative, holds_token, passage_text, terms_of
from core.types import FloatArray, Language, Passage
from core.vectors import rounded, row_dots

PASSAGES = 3  # whose words are compared
WORDS = 64  # words compared at most: a vector each, the first time
REMEMBERED = 10_000  # words whose vectors are kept: those of a team's documents, more or less
KEPT = 3  # kin of one word at most
SPELLING = 0.2  # words that are spelt alike seem nearer than they are
ROOT, ALIKE = (
    4,
    0.65,
)  # letters that words of one family begin with; share of letters from which words look alike
_LETTERS = re.compile(r"[^\W\d_]{3,}")
# Common things of any trade; only their mean counts.
CENTRE = (
    "água", "ano", "caminho", "campo", "carta", "cidade", "cor", "dia", "ferro", "forma", "gente", "grupo", "livro", "lugar",
    "luz", "mão", "mesa", "mundo", "parte", "pedra", "porta", "rio", "rua", "sol", "terra", "trabalho", "vento", "voz",
    "air", "bridge", "circle", "corner", "dust", "field", "fire", "garden", "glass", "hand", "horse", "leaf", "line", "mountain",
    "music", "night", "paper", "river", "sea", "shape", "silver", "stone", "story", "summer", "tree", "village", "wood", "world",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Lookup:
    """Words to compare: those of the question, and those of the passages, as they are written but in lower case."""

    asked: tuple[str, ...] = ()
    told: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        return (*self.asked, *self.told)


def lookup(question: Asked, passages: Sequence[Passage], language: Language) -> Lookup:
    """What has to be compared for a question: its words that no good passage holds, but not its names."""
    prose = [passage for passage in passages if passage.result is None][:PASSAGES]
    if (
        question.kind == "definition"
    ):  # what another word means is no answer, unless it is the same in another language
        prose = [passage for passage in prose if passage.language not in (language, "und")]
    texts = [passage_text(passage) for passage in prose]
    sought = [token for token in question.tokens if _may_have_kin(token, question, texts)]
    typed = {fold(word): word for word in _LETTERS.findall(_lowered(question.text))}
    asked = tuple(typed[token.surface] for token in sought if token.surface in typed)
    own = frozenset(term for token in question.tokens for term in token.sure)
    return Lookup(asked, _told(question, texts, own)) if asked else Lookup()


def _may_have_kin(token: Token, question: Asked, texts: Sequence[str]) -> bool:
    if token.kind != "word" or len(token.surface) < 3 or token.surface in question.frames:
        return False
    named = any(token.surface in name.split() for name in question.names)
    return not named and not any(holds_token(token, terms_of(text)) for text in texts)


def _lowered(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()


def _told(question: Asked, texts: Sequence[str], own: frozenset[str]) -> tuple[str, ...]:
    """Words of the sentences that share most with the question, best first; its own words need no comparison."""
    pieces = [(place, piece) for place, text in enumerate(texts) for piece in sentences(text)]
    ranked = sorted(
        enumerate(pieces),
        key=lambda item: (
            -sum(holds_token(t, terms_of(item[1][1])) for t in question.tokens),
            item[1][0],
            item[0],
        ),
    )
    found: dict[str, str] = {}
    for _, (_, piece) in ranked:
        for word in _LETTERS.findall(_lowered(piece)):
            folded = fold(word)
            if folded not in found and folded not in _SMALL and own.isdisjoint(word_token(word).sure):
                found[folded] = word
    return tuple(found.values())[:WORDS]


_SMALL = FUNCTION_WORDS | INTERROGATIVES | LIGHT_VERBS | PRONOUNS


def kin_of(
    search: Lookup, vectors: Mapping[str, FloatArray], centre: FloatArray, *, low: float, high: float
) -> Kin:
    """Degrees of kinship: 0 at the cosine `low`, 1 at `high`, after the centre is taken off.

    Args:
        vectors: of every word of the lookup, shape (d,), unit length.
        centre: shape (d,), the mean of the vectors of CENTRE.
        low, high: marks of the embedder.
    """
    if not search.asked or not search.told or high <= low:
        return Kin()
    told = _centred(np.stack([vectors[word] for word in search.told]), centre)
    relatives = {}
    for word, row in zip(
        search.asked, _centred(np.stack([vectors[w] for w in search.asked]), centre), strict=True
    ):
        cosines = row_dots(told, row)
        near = (
            (float(cosine) - SPELLING * Indel.normalized_similarity(fold(word), fold(other)), fold(other))
            for other, cosine in zip(search.told, cosines, strict=True)
            if not _looks_alike(fold(word), fold(other))
        )
        found = [(rounded(min(1.0, (value - low) / (high - low))), other) for value, other in near]
        best = sorted((pair for pair in found if pair[0] > 0), key=lambda pair: (-pair[0], pair[1]))[:KEPT]
        if best:
            relatives[fold(word)] = tuple(
                Relative(other, frozenset(word_token(other).sure), degree) for degree, other in best
            )
    return Kin(MappingProxyType(relatives))


def _looks_alike(word: str, other: str) -> bool:
    """Whether two words of one language share most letters and yet no beginning: the vectors of "ferias" and "feira" are
    near for their letters alone. Families ("aprovar", "aprovação") and plurals begin alike.
    """
    root = min(ROOT, len(word), len(other))
    if word[:root] == other[:root]:
        return False
    return Indel.normalized_similarity(word, other) >= ALIKE and share_a_language(word, other)


def _centred(rows: FloatArray, centre: FloatArray) -> FloatArray:
    moved = rows - centre
    lengths = np.linalg.norm(moved, axis=1, keepdims=True)
    return np.asarray(moved / np.maximum(lengths, 1e-6), np.float32)


class WordKeeper:
    """Compares words by their vectors. A word's vector depends on the word alone, so it is kept across questions."""

    def __init__(self, embedder: Embedder, *, low: float, high: float) -> None:
        """
        Args:
            low, high: marks of the embedder: no kinship up to the first, the same meaning from the second on.
        """
        self._embedder = embedder
        self._low, self._high = low, high
        self._kept: OrderedDict[str, FloatArray] = OrderedDict()
        self._centre: FloatArray | None = None

    async def kin(self, question: str, passages: Sequence[Passage], language: Language) -> Kin:
        """What words of the passages mean words of the question; none where the embedder does not answer.

        Args:
            passages: what was found, best first.
            language: of the question.
        """
        search = lookup(asked(question), passages, language)
        if self._high <= self._low or not search.asked or not search.told:
            return NO_KIN
        try:
            centre = await self._middle()
            vectors = await self._vectors(search.words)
        except (ModelUnavailable, TooSlow):  # costs precision, not the answer
            return NO_KIN
        return kin_of(search, vectors, centre, low=self._low, high=self._high)

    async def _middle(self) -> FloatArray:
        if self._centre is None:
            rows = await self._embedder.embed_queries(CENTRE)
            self._centre = np.asarray(rows.mean(axis=0), np.float32)
        return self._centre

    async def _vectors(self, words: Sequence[str]) -> Mapping[str, FloatArray]:
        new = tuple(word for word in dict.fromkeys(words) if word not in self._kept)
        if new:
            self._kept.update(zip(new, await self._embedder.embed_queries(new), strict=True))
        found = {word: self._kept[word] for word in words}
        for word in found:
            self._kept.move_to_end(word)
        while len(self._kept) > REMEMBERED:
            self._kept.popitem(last=False)
        return found
