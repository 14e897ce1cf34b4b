"""The graph store: a walk over relations finds the passages at the end of a chain, across files."""

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from threading import RLock

import numpy as np

from core.settings import RetrievalSettings, Thresholds
from core.stores.graph.evidence import signals
from core.stores.graph.rows import DocumentGraph, GraphRows
from core.stores.graph.scoped import ScopedGraph, build_graph
from core.stores.graph.seeds import (
    FACT_SHARE,
    Named,
    fact_start,
    name_start,
    names_in,
    nearest_facts,
    partly_named,
    reached_facts,
    with_passages,
)
from core.stores.graph.walk import Floats, best_first, cosines, fused, pagerank
from core.types import Found, Heading, Parcel, Passage, Query, View
from core.vectors import rounded

MEANING = 0.5  # weight of a passage's cosine beside the walk
NAMED_MEANING = 0.25  # ... for a question that says names: the end of a chain need not resemble the question
_GRAPHS = 8  # views whose graph is kept


class GraphStore:
    """`core.ports.Store` over relations, after HippoRAG 2 (Gutiérrez et al., arXiv 2502.14802)."""

    name = "graph"
    label = "GRAPH"

    def __init__(self, path: Path, retrieval: RetrievalSettings, thresholds: Thresholds) -> None:
        """Args: path: the SQLite file; read to memory at once. Raises: StoreFailed if it does not open."""
        self._settings = retrieval
        self._thresholds = thresholds
        self._rows = GraphRows(path)
        self._lock = RLock()
        self._documents: dict[str, DocumentGraph] = {part.document: part for part in self._rows.load()}
        self._graphs: OrderedDict[frozenset[str], ScopedGraph] = OrderedDict()

    # --- writing -------------------------------------------------------------------------------------

    def apply(self, parcel: Parcel) -> None:
        part = DocumentGraph.of(parcel, self.name)
        with self._lock:
            self._rows.replace(part)
            self._documents[part.document] = part
            self._forget_graphs(part.document)

    def drop(self, document: str) -> int:
        with self._lock:
            removed = self._rows.delete(document)
            self._documents.pop(document, None)
            self._forget_graphs(document)
        return removed

    def _forget_graphs(self, document: str) -> None:
        for documents in [kept for kept in self._graphs if document in kept]:
            del self._graphs[documents]

    def held(self) -> frozenset[str]:
        with self._lock:
            return frozenset(self._documents)

    def close(self) -> None:
        self._rows.close()

    # --- reading -------------------------------------------------------------------------------------

    def search(self, query: Query, view: View, limit: int) -> Found:
        graph = self.graph_of(view)
        dense = cosines(graph.chunk_vectors, query.vector)
        near = cosines(graph.fact_vectors, query.vector)
        named = names_in(query.text, graph)
        walked = self._walk(graph, dense, near, named or partly_named(query.text, graph))
        scores = fused(walked, dense, meaning=NAMED_MEANING if named else MEANING)
        order = best_first(scores)
        passages = tuple(
            self.passage_of(graph, row, float(scores[row]), rank)
            for rank, row in enumerate(order[: max(limit, 0)], start=1)
        )
        note = " · ".join(dict.fromkeys(graph.labels[name.node] for name in named))
        return Found(passages, signals(query.text, graph, near, named, walked, order), note)

    def _walk(self, graph: ScopedGraph, dense: Floats, near: Floats, named: Sequence[Named]) -> Floats:
        """The walk's mass on every passage, shape (passages,).

        A question that says names is walked from them; the facts that join in are near it and within reach of the
        names. One without names is walked from the facts nearest to it.
        """
        count, damping = self._settings.walk_facts, self._settings.walk_damping
        if named:
            start = name_start(named, graph)
            reach = pagerank(graph.transition, with_passages(start, dense, graph), damping=damping)
            facts = fact_start(reached_facts(near, reach, graph, count=count), near, graph)
            if facts.any():
                start = (1.0 - FACT_SHARE) * start / start.sum() + FACT_SHARE * facts / facts.sum()
        else:
            start = fact_start(
                nearest_facts(near, count=count, floor=self._thresholds.fact_seed), near, graph
            )
        start = with_passages(start, dense, graph)
        if not start.any():
            return np.zeros(len(graph.chunks), np.float64)
        rank = pagerank(graph.transition, start, damping=damping)
        return np.asarray(rank[graph.entities :], np.float64)

    def passage_of(self, graph: ScopedGraph, row: int, score: float, rank: int) -> Passage:
        """One served passage: the original quote with its place."""
        chunk = graph.chunks[row]
        return Passage(
            store=self.name,
            label=self.label,
            chunk_id=chunk.id,
            document=chunk.document,
            locator=str(chunk.locator),
            text=chunk.text,
            score=rounded(score),
            rank=rank,
            headings=chunk.headings,
            title=chunk.title,
            language=chunk.language,
        )

    def headings(self, view: View) -> Sequence[Heading]:
        """The names that relations in the view hold, each spelled as a passage relates it."""
        graph = self.graph_of(view)
        names = sorted({name for fact in graph.facts for name in (fact.subject, fact.object)})
        return tuple(Heading("entity", name) for name in names)

    def graph_of(self, view: View) -> ScopedGraph:
        """The graph of the view's documents, from the cache or built now, from nothing but their rows."""
        with self._lock:
            documents = view.documents.intersection(self._documents)
            cached = self._graphs.get(documents)
            if cached is not None:
                self._graphs.move_to_end(documents)
                return cached
            parts = [self._documents[document] for document in sorted(documents)]
        graph = build_graph(parts)
        with self._lock:
            if all(self._documents.get(part.document) is part for part in parts):
                self._graphs[documents] = graph
                while len(self._graphs) > _GRAPHS:
                    self._graphs.popitem(last=False)
        return graph
