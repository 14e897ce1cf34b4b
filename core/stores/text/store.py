"""The text store: passages found by meaning and by words, fused per question."""

import json
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from threading import RLock
from typing import Literal

from core.fuse import Candidates, Ranking, diversified, freshness, fuse, ranking, rrf, squash
from core.settings import RetrievalSettings, TextStoreSettings
from core.stores.text.edge import EdgeEngine
from core.stores.text.engine import Hit, Mark, Point, Sparse, VectorEngine, asked_vector, stored_vector
from core.stores.text.evidence import Search, near_duplicates, signals
from core.stores.text.lexicon import ANALYSIS, Asked, Lexicon, Record, analysed, passage_weights, term_key
from core.stores.text.server import connect
from core.types import Chunk, FloatArray, Found, Heading, Language, Parcel, Passage, Query, View

Fusion = Literal["adaptive", "rrf", "dense"]
_SEED_WEIGHTS = (0.7, 0.3)  # dense, lexical: the plain fusion to compare with
_TWINS = 10  # passages beyond the served ones that are looked at for near duplicates
_LEXICONS = 16  # views whose vocabulary is kept
_LANGUAGES: dict[str, Language] = {"pt": "pt", "en": "en"}


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
        self._lexicons: OrderedDict[frozenset[tuple[str, str]], Lexicon] = OrderedDict()
        self._lock = RLock()
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
        return tuple(Heading("section", text) for text in self._lexicon(self._stamps_of(view)).headings)

    def search(self, query: Query, view: View, limit: int) -> Found:
        stamps = self._stamps_of(view)
        lexicon = self._lexicon(stamps)
        if not lexicon.passages:
            return Found(signals=signals(None, query.text), note="nothing here is indexed as text")
        search = self._candidates(query, lexicon, sorted(stamps))
        served = self._served(search, query.today)[:limit]
        points = dict(search.points)
        points.update(self._engine.fetch([name for name, _ in served if name not in points]))
        passages = tuple(
            _passage(points[name], score, rank)
            for rank, (name, score) in enumerate((pair for pair in served if pair[0] in points), start=1)
        )
        read_as = [f"{typed} = {meant}" for typed, meant in search.asked.corrections]
        return Found(
            passages, signals(search, query.text), "read as: " + ", ".join(read_as) if read_as else ""
        )

    def _stamps_of(self, view: View) -> dict[str, str]:
        """The documents of the view that are completely held, with their stamps."""
        stamps = self._engine.stamps()
        found = ((name, stamps.get(name, "")) for name in view.documents)
        return {name: stamp for name, stamp in found if stamp.startswith(self._signature)}

    def _lexicon(self, stamps: Mapping[str, str]) -> Lexicon:
        key = frozenset(stamps.items())
        with self._lock:
            if key in self._lexicons:
                self._lexicons.move_to_end(key)
                return self._lexicons[key]
        records = self._engine.records(sorted(stamps))
        lexicon = Lexicon((Record.load(records[name]) for name in sorted(records)), self._settings)
        with self._lock:
            self._lexicons[key] = lexicon
            while len(self._lexicons) > _LEXICONS:
                self._lexicons.popitem(last=False)
        return lexicon

    def _candidates(self, query: Query, lexicon: Lexicon, documents: Sequence[str]) -> Search:
        asked, vector, most = lexicon.read(query.text), asked_vector(query.vector), self._settings.candidates
        lists = []
        for languages in _groups(lexicon.languages, query.language):
            dense = self._engine.near(vector, documents, languages, most)
            lexical = self._engine.matching(asked.terms, documents, languages, most)
            lists.append((dense, lexical))
        heads = [lexical[0].chunk_id for _, lexical in lists if lexical]
        points = self._engine.fetch(heads)
        ranked = self._fused(lists, asked, points)
        dated = self._settings.freshness_half_life_days > 0
        head = [name for name, _ in ranked[: None if dated else self._settings.served + _TWINS]]
        points = {**points, **self._engine.fetch([name for name in head if name not in points])}
        gone = {*heads, *head} - points.keys()  # dropped by another thread since the search
        ranked = tuple(pair for pair in ranked if pair[0] not in gone)
        every = [[h for pair in lists for h in pair[side] if h.chunk_id not in gone] for side in (0, 1)]
        dense, lexical = (tuple(sorted(hits, key=lambda h: (-h.score, h.chunk_id))) for hits in every)
        return Search(asked, dense, lexical, ranked, points)

    def _fused(
        self,
        lists: Sequence[tuple[tuple[Hit, ...], tuple[Hit, ...]]],
        asked: Asked,
        points: Mapping[str, Point],
    ) -> Ranking:
        if self._fusion == "dense":
            return ranking({hit.chunk_id: hit.score for dense, _ in lists for hit in dense})
        if self._fusion == "rrf":
            return rrf([_names(dense for dense, _ in lists), _names(lex for _, lex in lists)], _SEED_WEIGHTS)
        groups = []
        for dense, lexical in lists:
            best = points.get(lexical[0].chunk_id) if lexical else None
            keys = best.lexical.keys if best else ()
            groups.append(
                Candidates(
                    {hit.chunk_id: hit.score for hit in dense},
                    {hit.chunk_id: hit.score for hit in lexical},
                    asked.covered(keys),
                    exact=_holds_a_code(asked, keys),
                    full=self._settings.candidates,
                )
            )
        return fuse(groups)

    def _served(self, search: Search, today: str) -> Ranking:
        """Scores that people read, near duplicates behind what they repeat, newer documents before if asked for."""
        if self._fusion != "adaptive":
            return search.ranked
        half_life = self._settings.freshness_half_life_days
        scores = {name: squash(score) for name, score in search.ranked}
        for name, point in search.points.items():
            written = point.payload["date"]
            scores[name] = freshness(scores[name], written, today, half_life_days=half_life)
        order = ranking(scores)
        head = [search.points[name] for name, _ in order if name in search.points]
        twins = near_duplicates(head, cosine=self._settings.near_duplicate)
        return diversified(order, twins, balance=self._settings.mmr_lambda)


def _groups(languages: Sequence[str], asked_in: str) -> list[tuple[str, ...]]:
    """The languages of a view, each its own group; undecided passages go with the question's language."""
    own = tuple(sorted({asked_in, "und"} & set(languages)))
    return [group for group in (own, *((other,) for other in languages if other not in own)) if group]


def _names(lists: Iterable[Sequence[Hit]]) -> list[str]:
    return [name for name, _ in ranking({hit.chunk_id: hit.score for hits in lists for hit in hits})]


def _holds_a_code(asked: Asked, keys: Sequence[int]) -> bool:
    return any(term_key(code.terms[0][0]) in keys for code in asked.codes())


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
