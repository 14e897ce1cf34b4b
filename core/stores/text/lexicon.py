"""Lexical statistics: per document when it is stored, over a view when it is asked."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from math import log

from core.analyze import Token, nearest_word, passage_terms, question_tokens, word_token
from core.normalize import fold
from core.settings import RetrievalSettings
from core.stores.text.engine import Sparse, asked_weights, stored_weight
from core.types import Chunk

ANALYSIS = 1  # raise it when the analysis or the weights change: stored lexical vectors are then rebuilt
GUESS_VALUE = 0.7  # a corrected word counts less than one that was typed right


@lru_cache(maxsize=262144)
def term_key(term: str) -> int:
    """The 32-bit key of a term: a hash, so that it never depends on which other terms exist."""
    return int.from_bytes(blake2b(term.encode(), digest_size=4).digest(), "big")


def passage_weights(counts: Mapping[str, int], length: int, settings: RetrievalSettings) -> Sparse:
    """The document half of BM25: saturated term frequency, with a constant average length.

    The other half, IDF, is multiplied in by the question, over the passages of its view. So a passage's stored
    weights never depend on what else is stored.
    Source: Robertson, Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009.
    """
    k1, b = settings.bm25_k1, settings.bm25_b
    norm = k1 * (1 - b + b * length / settings.bm25_average_length)
    weights: dict[int, float] = {}
    for term, count in counts.items():
        key = term_key(term)
        weights[key] = weights.get(key, 0.0) + count * (k1 + 1) / (count + norm)
    keys = tuple(sorted(weights))
    return Sparse(keys, tuple(stored_weight(min(weights[key], k1 + 1)) for key in keys))


@dataclass(frozen=True, slots=True)
class Record:
    """What the store must know of a document to ask a view questions: counts and names, no text."""

    passages: int
    terms: Mapping[str, int]  # term -> number of passages that hold it
    words: Mapping[str, int]  # folded word -> number of passages, for mistyped words
    headings: tuple[str, ...]
    languages: tuple[str, ...]

    @classmethod
    def of(
        cls, chunks: Sequence[Chunk], analysed: Iterable[tuple[Mapping[str, int], Sequence[str]]]
    ) -> "Record":
        terms: Counter[str] = Counter()
        words: Counter[str] = Counter()
        for counts, own_words in analysed:
            terms.update(counts.keys())
            words.update(word for word in own_words if len(word) >= 5)
        headings = {h for chunk in chunks for h in chunk.headings if h and fold(h) != fold(chunk.title)}
        return cls(
            len(chunks), terms, words, tuple(sorted(headings)), tuple(sorted({c.language for c in chunks}))
        )

    def dump(self) -> str:
        values = [self.passages, dict(self.terms), dict(self.words), self.headings, self.languages]
        return json.dumps(values, ensure_ascii=False, sort_keys=True, separators=(",", ":"))

    @classmethod
    def load(cls, text: str) -> "Record":
        passages, terms, words, headings, languages = json.loads(text)
        return cls(passages, terms, words, tuple(headings), tuple(languages))


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as this view can read it."""

    tokens: tuple[Token, ...]
    weights: tuple[float, ...]  # IDF of each token: its share in coverage
    known: tuple[bool, ...]  # whether the view holds the token (after correction)
    terms: Sparse  # IDF-weighted terms to search with
    corrections: tuple[tuple[str, str], ...]  # (as typed, as read)

    def covered(self, keys: Iterable[int]) -> float:
        """Share of the question's IDF mass whose words stand in passages with these term keys, in [0, 1]."""
        held = frozenset(keys)
        hits = [not held.isdisjoint(map(term_key, token.sure)) for token in self.tokens]
        return _share(self.weights, hits)

    @property
    def known_share(self) -> float:
        return _share(self.weights, self.known)

    def codes(self) -> tuple[Token, ...]:
        return tuple(token for token in self.tokens if token.kind == "code")


class Lexicon:
    """The vocabulary of the documents in one view, and nothing else."""

    def __init__(self, records: Iterable[Record], settings: RetrievalSettings) -> None:
        self._largest_stored = settings.bm25_k1 + 1
        self._terms: Counter[str] = Counter()
        self._words: Counter[str] = Counter()
        self.passages = 0
        headings: set[str] = set()
        languages: set[str] = set()
        for record in records:
            self.passages += record.passages
            self._terms.update(record.terms)
            self._words.update(record.words)
            headings.update(record.headings)
            languages.update(record.languages)
        self.headings = tuple(sorted(headings, key=lambda text: (fold(text), text)))
        self.languages = tuple(sorted(languages))

    def idf(self, count: int) -> float:
        """Rarity of a term that `count` passages of the view hold; highest at 0."""
        return log(1 + (self.passages - count + 0.5) / (count + 0.5))

    def read(self, text: str) -> Asked:
        """Analyse a question; words that the view does not hold are read as the nearest that it does."""
        guessed = [self._corrected(token) for token in question_tokens(text)]
        read = list({token.surface: (token, typed) for token, typed in reversed(guessed)}.values())[::-1]
        tokens = tuple(token for token, _ in read)
        counts = [max((self._terms[term] for term in token.sure), default=0) for token in tokens]
        weights: dict[int, float] = {}
        for token, typed in read:
            value = 1.0 if typed is None else GUESS_VALUE
            for term, part in token.terms:
                if self._terms[term]:
                    key = term_key(term)
                    weights[key] = weights.get(key, 0.0) + value * part * self.idf(self._terms[term])
        keys = tuple(sorted(weights))
        return Asked(
            tokens=tokens,
            weights=tuple(self.idf(count) for count in counts),
            known=tuple(count > 0 for count in counts),
            terms=Sparse(
                keys, asked_weights([weights[k] for k in keys], largest_stored=self._largest_stored)
            ),
            corrections=tuple((typed, token.surface) for token, typed in read if typed is not None),
        )

    def _corrected(self, token: Token) -> tuple[Token, str | None]:
        if token.kind != "word" or any(self._terms[term] for term in token.sure):
            return token, None
        meant = nearest_word(token.surface, self._vocabulary)
        return (token, None) if meant is None else (word_token(meant), token.surface)

    @cached_property
    def _vocabulary(self) -> tuple[str, ...]:
        return tuple(sorted(self._words))


def analysed(chunk: Chunk) -> tuple[Counter[str], tuple[str, ...], int]:
    """Terms, words and length of what a chunk is searched by: its title and trail, and its text."""
    return passage_terms(chunk.indexed)


def _share(weights: Sequence[float], held: Sequence[bool]) -> float:
    total = sum(weights)
    return sum(w for w, h in zip(weights, held, strict=True) if h) / total if total > 0 else 0.0
