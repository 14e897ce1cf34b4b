"""The server engine: a Qdrant server or cluster by URL, shared by every process of a bot.

Always exact: no graph index is built.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar

import numpy as np
from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import ApiException

from core.errors import StoreFailed
from core.stores.text.engine import DENSE, LEXICAL, Hit, Mark, Point, Sparse, point_id, untied
from core.types import FloatArray
from core.vectors import rounded

_BATCH = 128
_EXACT = models.SearchParams(exact=True)
_P = ParamSpec("_P")
_R = TypeVar("_R")


def connect(url: str, api_key: str, collection: str, dimension: int, seconds: float) -> "ServerEngine":
    """Raises: StoreFailed if the server does not answer within `seconds`."""
    client = _told(
        QdrantClient,
        location=url,
        api_key=api_key or None,
        timeout=max(1, round(seconds)),
        check_compatibility=False,  # it would ask the server before the first call, and only warn
    )
    return ServerEngine(client, collection, dimension)


class ServerEngine:
    """`VectorEngine` over a collection; vectors of another length have a collection of their own."""

    def __init__(self, client: QdrantClient, collection: str, dimension: int) -> None:
        self._client = client
        self._collection = f"{collection}_{dimension}"
        if not _told(client.collection_exists, self._collection):
            self._create(dimension)
        self._stamps: Mapping[str, str] = {}
        self.stamps(refresh=True)

    def write(self, points: Sequence[Point], mark: Mark) -> None:
        if self.stamps(refresh=True).get(mark.document) == mark.stamp:
            return
        mark_id = point_id("mark", mark.document)
        self._delete(models.Filter(must=[models.HasIdCondition(has_id=[mark_id])]))
        rows = [_row(point) for point in points]
        for first in range(0, len(rows), _BATCH):
            self._upsert(rows[first : first + _BATCH])
        left_over = models.Filter(
            must=[_match("document", [mark.document])],
            must_not=[models.HasIdCondition(has_id=[row.id for row in rows])],
        )
        self._delete(left_over)
        payload = {
            "document": mark.document,
            "mark": mark.document,
            "stamp": mark.stamp,
            "record": mark.record,
        }
        self._upsert([models.PointStruct(id=mark_id, vector={}, payload=payload)])
        self._stamps = {**self._stamps, mark.document: mark.stamp}

    def remove(self, document: str) -> int:
        owned = models.Filter(must=[_match("document", [document])])
        passages = models.Filter(must=[_match("document", [document])], must_not=[_match("mark", [document])])
        count = _told(self._client.count, self._collection, count_filter=passages, exact=True).count
        self._delete(owned)
        self._stamps = {name: stamp for name, stamp in self._stamps.items() if name != document}
        return int(count)

    def stamps(self, *, refresh: bool = False) -> Mapping[str, str]:
        if refresh:
            self._stamps = {row["mark"]: row["stamp"] for row in self._marks(["mark", "stamp"])}
        return self._stamps

    def records(self, documents: Sequence[str]) -> dict[str, str]:
        ids: list[Any] = [point_id("mark", document) for document in documents]
        found = (
            _told(self._client.retrieve, self._collection, ids, with_payload=["mark", "record"])
            if ids
            else []
        )
        return {r.payload["mark"]: r.payload["record"] for r in found if r.payload}

    def near(self, vector: FloatArray, places: Sequence[str], limit: int) -> tuple[Hit, ...]:
        return self._best(vector.tolist(), DENSE, places, limit)

    def matching(self, terms: Sparse, places: Sequence[str], limit: int) -> tuple[Hit, ...]:
        if not terms.keys:
            return ()
        query = models.SparseVector(indices=list(terms.keys), values=list(terms.weights))
        return tuple(hit for hit in self._best(query, LEXICAL, places, limit) if hit.score > 0)

    def fetch(self, chunk_ids: Sequence[str]) -> dict[str, Point]:
        ids: list[Any] = [point_id("chunk", chunk_id) for chunk_id in chunk_ids]
        found = _told(self._client.retrieve, self._collection, ids, with_vectors=True) if ids else []
        points = [_point(record.payload, record.vector) for record in found]
        return {point.chunk_id: point for point in points}

    def close(self) -> None:
        self._client.close()

    def _best(
        self, query: list[float] | models.SparseVector, using: str, places: Sequence[str], limit: int
    ) -> tuple[Hit, ...]:
        if not places:
            return ()
        within = models.Filter(must=[_match("place", places)])

        def ask(wanted: int) -> list[Hit]:
            found = _told(
                self._client.query_points,
                self._collection,
                query=query,
                using=using,
                query_filter=within,
                search_params=_EXACT,
                limit=wanted,
                with_payload=["chunk"],
            ).points
            return [Hit(p.payload["chunk"], rounded(p.score)) for p in found if p.payload]

        return untied(ask, limit)

    def _create(self, dimension: int) -> None:
        try:
            self._client.create_collection(
                self._collection,
                vectors_config={DENSE: models.VectorParams(size=dimension, distance=models.Distance.DOT)},
                sparse_vectors_config={LEXICAL: models.SparseVectorParams()},
                hnsw_config=models.HnswConfigDiff(m=0),
            )
        except (ApiException, ValueError) as err:
            if not _told(self._client.collection_exists, self._collection):  # else another process was faster
                raise StoreFailed(f"collection {self._collection} cannot be created: {err}") from err
        for field in ("document", "place", "mark"):
            _told(
                self._client.create_payload_index,
                self._collection,
                field_name=field,
                field_schema=models.PayloadSchemaType.KEYWORD,
            )

    def _marks(self, fields: list[str]) -> Iterable[Mapping[str, str]]:
        marked = models.Filter(must_not=[models.IsEmptyCondition(is_empty=models.PayloadField(key="mark"))])
        offset: Any = None
        while True:
            found, offset = _told(
                self._client.scroll,
                self._collection,
                scroll_filter=marked,
                limit=1000,
                offset=offset,
                with_payload=fields,
            )
            yield from (record.payload for record in found if record.payload)
            if offset is None:
                return

    def _upsert(self, rows: list[models.PointStruct]) -> None:
        _told(self._client.upsert, self._collection, rows, wait=True)

    def _delete(self, within: models.Filter) -> None:
        _told(self._client.delete, self._collection, models.FilterSelector(filter=within), wait=True)


def _told(call: Callable[_P, _R], *args: _P.args, **more: _P.kwargs) -> _R:
    """Call the client; its errors become ours."""
    try:
        return call(*args, **more)
    except (ApiException, OSError, RuntimeError) as err:
        raise StoreFailed(f"Qdrant: {err}") from err


def _match(field: str, values: Sequence[str]) -> models.FieldCondition:
    return models.FieldCondition(key=field, match=models.MatchAny(any=list(values)))


def _row(point: Point) -> models.PointStruct:
    vectors: dict[str, Any] = {DENSE: point.dense.tolist()}
    if point.lexical.keys:
        vectors[LEXICAL] = models.SparseVector(
            indices=list(point.lexical.keys), values=list(point.lexical.weights)
        )
    return models.PointStruct(id=point_id("chunk", point.chunk_id), vector=vectors, payload=point.stored())


def _point(payload: Any, vectors: Any) -> Point:
    sparse = vectors.get(LEXICAL)
    return Point(
        chunk_id=payload["chunk"],
        document=payload["document"],
        language=payload["language"],
        dense=np.asarray(vectors.get(DENSE, ()), np.float32),
        lexical=Sparse(tuple(sparse.indices), tuple(sparse.values)) if sparse else Sparse(),
        payload=payload,
    )
