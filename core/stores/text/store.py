"""The text store: passages found by meaning and by words, fused per question."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from core.fuse import Candidates, Ranking, diversified, freshness, fuse, ranking, rrf, squash
from core.settings import RetrievalSettings, TextStoreSettings
from core.stores.text.edge import EdgeEngine
from core.stores.text.engine import Hit, Mark, Point, Sparse, VectorEngine, asked_vector, stored_vector
from core.stores.text.evidence import Search, near_duplicates, signals
from core.stores.text.lexicon import (
    ANALYSIS,
    Asked,
    Lexicon,
    Lexicons,
    Record,
    analysed,
    passage_weights,
)
from core.types import Chunk, FloatArray, Found, Heading, Language, Parcel, Passage, Query, View

Fusion = Literal["adaptive", "rrf", "dense"]
_SEED_WEIGHTS = (0.7, 0.3)  # dense, lexical: the plain fusion to compare with
_TWINS = 10  # passages beyond the served ones that are looked at for near duplicates
_LANGUAGES: dict[str, Language] = {"pt": "pt", "en": "en"}


@dataclass(frozen=True, slots=True)
class _Found:
    """What the engine found among the passages of one language."""

    dense: tuple[Hit, ...]
    lexical: tuple[Hit, ...]
    exact: Mapping[str, float]


class TextStore:
    """`core.ports.Store` over a vector engine."""

    name = "text"
    label = "TEXT"

    def __init__(
        self,
        engine: VectorEngine,
        retrieval: RetrievalSettings,
        *,
        fingerprint: str = "",
        fusion: Fusion = "adaptive",
    ) -> None:
        """Args: fingerprint: identity of the embedding model; documents embedded by another are not held."""
        self._engine = engine
        self._settings = retrieval
        self._fusion = fusion
        self._lexicons = Lexicons(engine.records, retrieval)
        made_by = (ANALYSIS, retrieval.bm25_k1, retrieval.bm25_b, retrieval.bm25_average_length, fingerprint)
        self._signature = sha256(repr(made_by).encode()).hexdigest()[:16]

    @classmethod
    def open(
        cls,
        path: Path,
        settings: TextStoreSettings,
        retrieval: RetrievalSettings,
        dimension: int,
        api_key: str = "",
        *,
        fingerprint: str = "",
        fusion: Fusion = "adaptive",
    ) -> "TextStore":
        """The configured engine: a shard under `path`, or the server at `settings.url`.

        Raises: StoreFailed if it does not open.
        """
        engine: VectorEngine
        if settings.engine == "server":
            from core.stores.text.server import connect  # the client takes over a second to import

            engine = connect(settings.url, api_key, settings.collection, dimension, retrieval.store_seconds)
        else:
            engine = EdgeEngine(path, dimension)
        return cls(engine, retrieval, fingerprint=fingerprint, fusion=fusion)

    # --- writing -------------------------------------------------------------------------------------

    def apply(self, parcel: Parcel) -> None:
        rows = [i for i, placed in enumerate(parcel.chunks) if self.name in placed.decision.routes]
        chunks = [parcel.chunks[i].chunk for i in rows]
        read = [analysed(chunk) for chunk in chunks]
        points = [
            _point(chunk, parcel.chunk_vectors[i], passage_weights(counts, length, self._settings))
            for chunk, i, (counts, _, length) in zip(chunks, rows, read, strict=True)
        ]
        record = Record.of(chunks, [(counts, words) for counts, words, _ in read]).dump()
        digest = sha256(record.encode())
        for point in points:
            digest.update(f"\n{point.chunk_id}\n".encode() + point.dense.tobytes())
        stamp = f"{self._signature}:{digest.hexdigest()[:32]}"
        self._engine.write(points, Mark(parcel.document, stamp, record))

    def drop(self, document: str) -> int:
        return self._engine.remove(document)

    def held(self) -> frozenset[str]:
        stamps = self._engine.stamps(refresh=True)
        return frozenset(name for name, stamp in stamps.items() if stamp.startswith(self._signature))

    def close(self) -> None:
        self._engine.close()

    # --- reading -------------------------------------------------------------------------------------

    def headings(self, view: View) -> Sequence[Heading]:
        return tuple(Heading("section", text) for text in self._lexicon(view).headings)

    def search(self, query: Query, view: View, limit: int) -> Found:
        lexicon = self._lexicon(view)
        if not lexicon.passages:
            return Found(signals=signals(None, query.text), note="nothing here is indexed as text")
        search = self._candidates(query, lexicon)
        served = self._served(search, query.today, limit)
        points = self._with_points(search.points, (name for name, _ in served))
        kept = [(name, score) for name, score in served if name in points]
        passages = tuple(
            _passage(points[name], score, rank) for rank, (name, score) in enumerate(kept, start=1)
        )
        read_as = ", ".join(f"{typed} = {meant}" for typed, meant in search.asked.corrections)
        return Found(passages, signals(search, query.text), f"read as: {read_as}" if read_as else "")

    def _lexicon(self, view: View) -> Lexicon:
        """The vocabulary of the documents of the view that are completely held."""
        return self._lexicons.of(view.documents, self._engine.stamps(), self._signature)

    def _candidates(self, query: Query, lexicon: Lexicon) -> Search:
        asked, vector, most = lexicon.read(query.text), asked_vector(query.vector), self._settings.candidates
        lists = []
        for places in _groups(lexicon.places, query.language):
            dense = self._engine.near(vector, places, most)
            lexical = self._engine.matching(asked.terms, places, most)
            lists.append(_Found(dense, lexical, self._holders(asked, places)))
        best_by_words = [found.lexical[0].chunk_id for found in lists if found.lexical]
        points = self._with_points({}, best_by_words)
        ranked = self._fused(lists, asked, points)
        head = [name for name, _ in ranked[: None if self._dated else self._settings.served + _TWINS]]
        points = self._with_points(points, head)
        gone = {*best_by_words, *head} - points.keys()  # dropped by another thread since the search
        dense, lexical = (
            tuple(_best_first(side)) for side in ((f.dense for f in lists), (f.lexical for f in lists))
        )
        if gone:
            dense, lexical = (
                tuple(hit for hit in side if hit.chunk_id not in gone) for side in (dense, lexical)
            )
            ranked = tuple(pair for pair in ranked if pair[0] not in gone)
        return Search(asked, dense, lexical, ranked, points)

    @property
    def _dated(self) -> bool:
        return self._settings.freshness_half_life_days > 0

    def _with_points(self, points: Mapping[str, Point], names: Iterable[str]) -> dict[str, Point]:
        return {**points, **self._engine.fetch([name for name in names if name not in points])}

    def _holders(self, asked: Asked, places: Sequence[str]) -> dict[str, float]:
        """Which passages hold the question's exact codes: each holder's share of the codes' weight."""
        shares: dict[str, float] = {}
        for key, share in asked.codes():
            for hit in self._engine.matching(Sparse((key,), (1.0,)), places, self._settings.candidates):
                shares[hit.chunk_id] = shares.get(hit.chunk_id, 0.0) + share
        return shares

    def _fused(self, lists: Sequence["_Found"], asked: Asked, points: Mapping[str, Point]) -> Ranking:
        if self._fusion == "dense":
            return tuple((hit.chunk_id, hit.score) for hit in _best_first(found.dense for found in lists))
        if self._fusion == "rrf":
            sides = _best_first(f.dense for f in lists), _best_first(f.lexical for f in lists)
            return rrf([[hit.chunk_id for hit in side] for side in sides], _SEED_WEIGHTS)
        return fuse(
            [
                Candidates(
                    {hit.chunk_id: hit.score for hit in found.dense},
                    {hit.chunk_id: hit.score for hit in found.lexical},
                    max(
                        (
                            asked.covered(points[h.chunk_id].lexical.keys)
                            for h in found.lexical[:1]
                            if h.chunk_id in points
                        ),
                        default=0.0,
                    ),
                    exact=found.exact,
                )
                for found in lists
            ]
        )

    def _served(self, search: Search, today: str, limit: int) -> Ranking:
        """Scores that people read, near duplicates behind what they repeat, newer documents before if asked for."""
        if self._fusion != "adaptive":
            return search.ranked[:limit]
        head = self._settings.served + _TWINS  # only passages of the head can be found to repeat another
        scores = {
            name: squash(score) for name, score in search.ranked[: None if self._dated else limit + head]
        }
        if self._dated:
            half_life = self._settings.freshness_half_life_days
            for name, score in scores.items():
                written = search.points[name].payload["date"]
                scores[name] = freshness(score, written, today, half_life_days=half_life)
        order = ranking(scores)
        looked_at = [search.points[name] for name, _ in order[:head] if name in search.points]
        twins = near_duplicates(looked_at, cosine=self._settings.near_duplicate)
        return diversified(order, twins, balance=self._settings.mmr_lambda)[:limit]


def _groups(places: Mapping[str, tuple[str, ...]], asked_in: str) -> list[tuple[str, ...]]:
    """The places of each language; undecided passages go with those in the question's language."""
    own = tuple(sorted({*places.get(asked_in, ()), *places.get("und", ())}))
    others = [places[language] for language in sorted(places) if language not in (asked_in, "und")]
    return [group for group in (own, *others) if group]


def _best_first(lists: Iterable[Sequence[Hit]]) -> Sequence[Hit]:
    """Of lists that are best first, ties by chunk id, each by itself."""
    lists = tuple(lists)
    if len(lists) == 1:
        return lists[0]
    return sorted((hit for hits in lists for hit in hits), key=lambda hit: (-hit.score, hit.chunk_id))


def _point(chunk: Chunk, vector: FloatArray, lexical: Sparse) -> Point:
    payload = {
        "text": chunk.text,
        "title": chunk.title,
        "headings": json.dumps(chunk.headings, ensure_ascii=False),
        "locator": str(chunk.locator),
        "kind": chunk.kind,
        "date": chunk.date,
    }
    return Point(chunk.id, chunk.document, chunk.language, stored_vector(vector), lexical, payload)


def _passage(point: Point, score: float, rank: int) -> Passage:
    return Passage(
        store=TextStore.name,
        label=TextStore.label,
        chunk_id=point.chunk_id,
        document=point.document,
        locator=point.payload["locator"],
        text=point.payload["text"],
        score=score,
        rank=rank,
        headings=tuple(json.loads(point.payload["headings"])),
        title=point.payload["title"],
        language=_LANGUAGES.get(point.language, "und"),
    )
