"""Lexical statistics: per document when it is stored, over a view when it is asked."""

import json
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from hashlib import blake2b
from math import log
from threading import RLock

from core.analyze import Token, exact_token, nearest_word, passage_terms, question_tokens, word_token
from core.normalize import fold
from core.settings import RetrievalSettings
from core.stores.text.engine import Sparse, asked_weights, place, stored_weight
from core.types import Chunk

ANALYSIS = 2  # raise it when the analysis or the weights change: stored lexical vectors are then rebuilt
_KEPT = 8  # views whose vocabulary is kept
CODE_VALUE = 2.0  # an exact code says more of what is asked than its rarity does
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
    terms: tuple[tuple[int, tuple[str, ...]], ...]  # (number of passages, the terms that so many hold)
    words: tuple[str, ...]  # folded words of five letters and more, for mistyped ones
    headings: tuple[str, ...]
    languages: tuple[str, ...]

    @classmethod
    def of(
        cls, chunks: Sequence[Chunk], analysed: Iterable[tuple[Mapping[str, int], Iterable[str]]]
    ) -> "Record":
        counts: Counter[str] = Counter()
        words: set[str] = set()
        for own_terms, own_words in analysed:
            counts.update(own_terms.keys())  # once a passage, however often it stands there
            words.update(word for word in own_words if len(word) >= 5)
        by_count: dict[int, list[str]] = {}
        for term, count in sorted(counts.items()):
            by_count.setdefault(count, []).append(term)
        return cls(
            passages=len(chunks),
            terms=tuple((count, tuple(terms)) for count, terms in sorted(by_count.items())),
            words=tuple(sorted(words)),
            headings=tuple(sorted({h for c in chunks for h in c.headings if h and fold(h) != fold(c.title)})),
            languages=tuple(sorted({c.language for c in chunks})),
        )

    def dump(self) -> str:
        terms = [[count, " ".join(names)] for count, names in self.terms]
        values = [self.passages, terms, " ".join(self.words), self.headings, self.languages]
        return json.dumps(values, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def load(cls, text: str) -> "Record":
        passages, terms, words, headings, languages = json.loads(text)
        counted = tuple((count, tuple(names.split(" "))) for count, names in terms)
        return cls(passages, counted, tuple(words.split()), tuple(headings), tuple(languages))


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

    def codes(self) -> tuple[tuple[int, float], ...]:
        """Term keys of the exact codes of the question that the view holds, each with its share of all codes."""
        codes = [
            (t, w, k)
            for t, w, k in zip(self.tokens, self.weights, self.known, strict=True)
            if t.kind == "code"
        ]
        total = sum(weight for _, weight, _ in codes)
        return tuple((term_key(token.sure[0]), weight / total) for token, weight, known in codes if known)


class Lexicon:
    """The vocabulary of the documents in one view, and nothing else."""

    def __init__(
        self, records: Mapping[str, Record], settings: RetrievalSettings, base: "Lexicon | None" = None
    ) -> None:
        """Count the records of some documents, on top of those that `base` already counted."""
        self._settings = settings
        self._terms: Counter[str] = base._terms.copy() if base else Counter()
        self._words: set[str] = set(base._words) if base else set()
        self._headings: set[str] = set(base._headings) if base else set()
        self.passages: int = base.passages if base else 0
        places = dict(base.places) if base else {}
        for document, record in records.items():
            self._add(record)
            for language in record.languages:
                places[language] = (*places.get(language, ()), place(document, language))
        self.places: Mapping[str, tuple[str, ...]] = {k: tuple(sorted(places[k])) for k in sorted(places)}

    def _add(self, record: Record) -> None:
        self.passages += record.passages
        self._words.update(record.words)
        self._headings.update(record.headings)
        for count, terms in record.terms:
            if count <= 3:  # counting a tuple is done in C, adding a number to each is not
                for _ in range(count):
                    self._terms.update(terms)
            else:
                self._terms.update(dict.fromkeys(terms, count))

    @cached_property
    def headings(self) -> tuple[str, ...]:
        return tuple(sorted(self._headings, key=lambda text: (fold(text), text)))

    @cached_property
    def _vocabulary(self) -> tuple[str, ...]:
        return tuple(sorted(self._words))

    def idf(self, count: int) -> float:
        """Rarity of a term that `count` passages of the view hold; highest at 0."""
        return log(1 + (self.passages - count + 0.5) / (count + 0.5))

    def read(self, text: str) -> Asked:
        """Analyse a question; words that the view does not hold are read as the nearest that it does."""
        guessed = [self._corrected(token) for token in question_tokens(text)]
        read = list({token.surface: (token, typed) for token, typed in reversed(guessed)}.values())[::-1]
        tokens = tuple(token for token, _ in read)
        merits = [CODE_VALUE if token.kind == "code" else 1.0 for token in tokens]
        counts = [max((self._terms[term] for term in token.sure), default=0) for token in tokens]
        weights: dict[int, float] = {}
        for (token, typed), merit in zip(read, merits, strict=True):
            value = merit if typed is None else merit * GUESS_VALUE
            for term, part in token.terms:
                if self._terms[term]:
                    key = term_key(term)
                    weights[key] = weights.get(key, 0.0) + value * part * self.idf(self._terms[term])
        keys = tuple(sorted(weights))
        return Asked(
            tokens=tokens,
            weights=tuple(self.idf(count) * merit for count, merit in zip(counts, merits, strict=True)),
            known=tuple(count > 0 for count in counts),
            terms=Sparse(
                keys, asked_weights([weights[k] for k in keys], largest_stored=self._settings.bm25_k1 + 1)
            ),
            corrections=tuple((typed, token.surface) for token, typed in read if typed is not None),
        )

    def _corrected(self, token: Token) -> tuple[Token, str | None]:
        """The token, or the one it must mean and how it was typed; clause 14.3(c) may stand under 14.3 as (c)."""
        if any(self._terms[term] for term in token.sure):
            return token, None
        if token.kind == "code":
            above = next((term for term, _ in token.terms if "." in term and self._terms[term]), None)
            return (
                (token, None) if above is None else (replace(exact_token(above), kind="code"), token.surface)
            )
        meant = nearest_word(token.surface, self._vocabulary) if token.kind == "word" else None
        return (token, None) if meant is None else (word_token(meant), token.surface)


def analysed(chunk: Chunk) -> tuple[Counter[str], tuple[str, ...], int]:
    """Terms, words and length of what a chunk is searched by: its title and trail, and its text."""
    return passage_terms(chunk.indexed)


def _share(weights: Sequence[float], held: Sequence[bool]) -> float:
    total = sum(weights)
    return sum(w for w, h in zip(weights, held, strict=True) if h) / total if total > 0 else 0.0


class Lexicons:
    """The vocabularies of the views that asked last. A view that only gained documents grows out of an older one."""

    def __init__(
        self, read: Callable[[Sequence[str]], Mapping[str, str]], settings: RetrievalSettings
    ) -> None:
        """Args: read: document -> dumped record, for the documents asked for."""
        self._read, self._settings = read, settings
        self._kept: OrderedDict[frozenset[tuple[str, str]], Lexicon] = OrderedDict()
        self._latest: dict[frozenset[str], tuple[Mapping[str, str], Lexicon]] = {}
        self._lock = RLock()

    def of(self, documents: frozenset[str], stamps: Mapping[str, str], signature: str) -> Lexicon:
        """The vocabulary of those `documents` that are held with this signature.

        Args: stamps: of all documents; the same object as long as nothing changed.
        """
        with self._lock:
            known = self._latest.get(documents)
            if known and known[0] is stamps:
                return known[1]
            pairs = ((name, stamps.get(name, "")) for name in documents)
            lexicon = self._lexicon(frozenset(pair for pair in pairs if pair[1].startswith(signature)))
            self._latest[documents] = (stamps, lexicon)
            while len(self._latest) > _KEPT:
                del self._latest[next(iter(self._latest))]
            return lexicon

    def _lexicon(self, held: frozenset[tuple[str, str]]) -> Lexicon:
        if held in self._kept:
            self._kept.move_to_end(held)
            return self._kept[held]
        base = max((key for key in self._kept if key < held), key=len, default=frozenset())
        added = sorted(name for name, _ in held - base)
        dumped = self._read(added)
        records = {name: Record.load(dumped[name]) for name in added if name in dumped}
        lexicon = Lexicon(records, self._settings, self._kept.get(base))
        if len(records) == len(added):
            self._kept[held] = lexicon
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return lexicon
