"""The embedded engine: one Qdrant Edge shard per process, exact search only.

Its optimiser is never run: a graph index loses results under a filter without an error, exact search does not.
A shard has one opener, so each process takes the first free slot directory and catches it up from the ledger;
a shard holds nothing that the ledger does not.
"""

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import RLock
from typing import Any, ParamSpec, TypeVar
from uuid import UUID

import numpy as np
import portalocker
import qdrant_edge as edge

from core.errors import StoreFailed
from core.stores.text.engine import DENSE, LEXICAL, Hit, Mark, Point, Sparse, point_id, untied
from core.types import FloatArray
from core.vectors import rounded_all

_BATCH = 256
_SLOTS = 64
_KEPT_POINTS = 2_000
_KEPT_NAMES = 50_000
_FLUSH_POINTS = 2_000  # a killed process replays at most about this many from the log when it is opened again
_EXACT = edge.SearchParams(exact=True)
_P = ParamSpec("_P")
_R = TypeVar("_R")


class Slot:
    """A directory that this process alone may use while it holds the lock beside it."""

    def __init__(self, root: Path) -> None:
        root.mkdir(parents=True, exist_ok=True)
        for number in range(_SLOTS):
            lock = portalocker.Lock(
                root / f"slot{number}.lock",
                mode="a",
                timeout=0,
                flags=portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING,
            )
            try:
                lock.acquire()
            except portalocker.LockException:
                continue
            self.path, self._lock = root / f"slot{number}", lock
            return
        raise StoreFailed(f"all {_SLOTS} slots under {root} are in use")

    def release(self) -> None:
        self._lock.release()


class EdgeEngine:
    """`VectorEngine` over a shard under `root`."""

    def __init__(self, root: Path, dimension: int) -> None:
        self._slot = Slot(root)
        self._writing = RLock()
        self._unflushed = 0
        self._kept: dict[str, Point] = {}  # fetched lately; the same passages are found again and again
        self._names: dict[Any, str] = {}  # point -> chunk id
        self._shard: edge.EdgeShard | None = None
        try:
            self._shard = _open_shard(self._slot.path / f"d{dimension}", dimension)
            self._stamps = _read_stamps(self._shard)
            _purge_unmarked(self._shard, self._stamps)
        except Exception as err:
            self.close()
            raise StoreFailed(f"the shard under {root} does not open: {err}") from err

    def write(self, points: Sequence[Point], mark: Mark) -> None:
        with self._writing:
            if self._stamps.get(mark.document) == mark.stamp:
                return
            self._unmark(mark.document)
            rows = [_row(point) for point in points]
            for first in range(0, len(rows), _BATCH):
                self._update(edge.UpdateOperation.upsert_points(rows[first : first + _BATCH]))
            left_over = edge.Filter(
                must=[_match("document", [mark.document])],
                must_not=[edge.HasIdCondition({UUID(str(row.id)) for row in rows})],
            )
            self._update(edge.UpdateOperation.delete_points_by_filter(left_over))
            self._update(edge.UpdateOperation.upsert_points([_mark_row(mark)]))
            self._stamps = {**self._stamps, mark.document: mark.stamp}
            self._flush_after(len(rows) + 1)

    def remove(self, document: str) -> int:
        with self._writing:
            owned = edge.Filter(must=[_match("document", [document])])
            count: int = _told(self._open().count, edge.CountRequest(exact=True, filter=owned))
            marks = int(document in self._stamps)
            self._forget(document)
            self._update(
                edge.UpdateOperation.delete_points_by_filter(owned)
            )  # points and mark in one operation
            return count - marks

    def stamps(self, *, refresh: bool = False) -> Mapping[str, str]:
        return self._stamps

    def records(self, documents: Sequence[str]) -> dict[str, str]:
        ids: list[Any] = [point_id("mark", document) for document in documents]
        found = _told(self._open().retrieve, ids, ["mark", "record"], False) if ids else []
        return {r.payload["mark"]: r.payload["record"] for r in found if r.payload}

    def near(self, vector: FloatArray, places: Sequence[str], limit: int) -> tuple[Hit, ...]:
        return self._best(edge.Query.Nearest(vector.tolist(), using=DENSE), places, limit)

    def matching(self, terms: Sparse, places: Sequence[str], limit: int) -> tuple[Hit, ...]:
        if not terms.keys:
            return ()
        query = edge.Query.Nearest(edge.SparseVector(list(terms.keys), list(terms.weights)), using=LEXICAL)
        return tuple(hit for hit in self._best(query, places, limit) if hit.score > 0)

    def fetch(self, chunk_ids: Sequence[str]) -> dict[str, Point]:
        kept = self._kept  # a change of the shard puts another one in its place
        new = [chunk_id for chunk_id in chunk_ids if chunk_id not in kept]
        ids: list[Any] = [point_id("chunk", chunk_id) for chunk_id in new]
        found = _told(self._open().retrieve, ids, True, True) if ids else []
        points = {point.chunk_id: point for point in map(_point, found)}
        for chunk_id in chunk_ids:
            if chunk_id in kept:
                points[chunk_id] = kept[chunk_id]
        if len(kept) > _KEPT_POINTS:
            self._kept = kept = {}
        kept.update(points)
        return points

    def close(self) -> None:
        if self._shard is not None:
            self._shard.close()
            self._shard = None
        self._slot.release()

    def _unmark(self, document: str) -> None:
        self._forget(document)
        self._update(edge.UpdateOperation.delete_points([point_id("mark", document)]))

    def _forget(self, document: str) -> None:
        self._stamps = {name: stamp for name, stamp in self._stamps.items() if name != document}

    def _open(self) -> edge.EdgeShard:
        if self._shard is None:
            raise StoreFailed("the text store is closed")
        return self._shard

    def _update(self, operation: edge.UpdateOperation) -> None:
        _told(self._open().update, operation)
        self._kept = {}  # what is being fetched now goes into the old one

    def _flush_after(self, points: int) -> None:
        self._unflushed += points
        if self._unflushed >= _FLUSH_POINTS:
            _told(self._open().flush)
            self._unflushed = 0

    def _best(self, query: edge.Query, places: Sequence[str], limit: int) -> tuple[Hit, ...]:
        if not places:
            return ()
        within = edge.Filter(must=[_match("place", places)])

        def ask(wanted: int) -> list[Hit]:
            request = edge.QueryRequest(limit=wanted, query=query, filter=within, params=_EXACT)
            found = [(p.id, p.score) for p in _told(self._open().query, request)]
            names = self._names_of([point for point, _ in found])
            known = [(names[point], score) for point, score in found if point in names]
            scores = rounded_all(score for _, score in known)
            return [Hit(name, score) for (name, _), score in zip(known, scores, strict=True)]

        return untied(ask, limit)

    def _names_of(self, points: Sequence[Any]) -> Mapping[Any, str]:
        """Point -> chunk id, of those that are there. A point is a hash of its chunk's id, so what was read once stays true.

        To have the shard read names along with every search costs more than the search.
        """
        names = self._names
        new = [point for point in points if point not in names]
        if new:
            if len(names) > _KEPT_NAMES:
                self._names = names = {}
                new = list(points)
            found = _told(self._open().retrieve, new, ["chunk"], False)
            names.update({r.id: r.payload["chunk"] for r in found if r.payload})
        return names


def _told(call: Callable[_P, _R], *args: _P.args, **more: _P.kwargs) -> _R:
    """Call the shard; its errors become ours."""
    try:
        return call(*args, **more)
    except Exception as err:  # the bindings raise nothing narrower
        raise StoreFailed(f"Qdrant Edge: {err}") from err


def _open_shard(path: Path, dimension: int) -> edge.EdgeShard:
    """Load the shard, or start an empty one where there is none or it is damaged: the ledger refills it."""
    if path.exists():
        try:
            return edge.EdgeShard.load(str(path))
        except Exception:  # the bindings raise nothing narrower
            shutil.rmtree(path)
    for other in path.parent.glob("d*"):
        shutil.rmtree(other)  # another embedding model's shard
    path.mkdir(parents=True)
    config = edge.EdgeConfig(
        vectors={DENSE: edge.EdgeVectorParams(size=dimension, distance=edge.Distance.Dot)},
        sparse_vectors={LEXICAL: edge.EdgeSparseVectorParams()},
    )
    shard = edge.EdgeShard.create(str(path), config)
    for field in ("document", "place", "mark"):
        shard.update(edge.UpdateOperation.create_field_index(field, edge.KeywordIndexParams()))
    return shard


def _read_stamps(shard: edge.EdgeShard) -> dict[str, str]:
    marked = edge.Filter(must_not=[edge.IsEmptyCondition("mark")])
    stamps: dict[str, str] = {}
    offset: Any = None
    while True:
        request = edge.ScrollRequest(offset=offset, limit=1000, filter=marked, with_payload=["mark", "stamp"])
        found, offset = shard.scroll(request)
        stamps.update({r.payload["mark"]: r.payload["stamp"] for r in found if r.payload})
        if offset is None:
            return stamps


def _purge_unmarked(shard: edge.EdgeShard, stamps: Mapping[str, str]) -> None:
    """Remove what a killed process left of documents it had not finished."""
    every = shard.facet(edge.FacetRequest("document", limit=2**31, exact=True)).hits
    orphans = sorted(str(hit.value) for hit in every if hit.value not in stamps)
    if orphans:
        owned = edge.Filter(must=[_match("document", orphans)])
        shard.update(edge.UpdateOperation.delete_points_by_filter(owned))


def _match(field: str, values: Sequence[str]) -> edge.FieldCondition:
    return edge.FieldCondition(field, match=edge.MatchAny(list(values)))


def _row(point: Point) -> edge.Point:
    vectors: dict[str, Any] = {DENSE: point.dense.tolist()}
    if point.lexical.keys:
        vectors[LEXICAL] = edge.SparseVector(list(point.lexical.keys), list(point.lexical.weights))
    return edge.Point(point_id("chunk", point.chunk_id), vectors, point.stored())


def _mark_row(mark: Mark) -> edge.Point:
    payload = {"document": mark.document, "mark": mark.document, "stamp": mark.stamp, "record": mark.record}
    return edge.Point(point_id("mark", mark.document), {}, payload)


def _point(record: edge.Record) -> Point:
    payload: dict[str, str] = dict(record.payload or {})
    vectors: Any = record.vector
    sparse = vectors.get(LEXICAL)
    return Point(
        chunk_id=payload["chunk"],
        document=payload["document"],
        language=payload["language"],
        dense=np.asarray(vectors[DENSE], np.float32),
        lexical=Sparse(tuple(sparse.indices), tuple(sparse.values)) if sparse else Sparse(),
        payload=payload,
    )
