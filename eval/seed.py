"""The seed baseline: the simpler method that every gain is measured against, on the same corpus and embeddings.

Three routing stages by cosine thresholds; dense search alone for text; Personalized PageRank from the entity names
nearest to the question, fused with dense search by reciprocal ranks; clauses cut at conjunctions; a cache guarded by
names, numbers and counts; an empty store hands over to text. Nothing abstains while a passage was found.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.answer.write import Pen, write_answer
from core.ask import AskPorts, Question, Stopwatch, source_of
from core.cache import CacheKey, evidence_of
from core.clauses import seed_clauses
from core.evidence import Evidence, Verdict, has_rows
from core.explain import explain
from core.fuse import rrf
from core.language import detect_language
from core.normalize import words
from core.router import seed_route
from core.stores.graph import GraphStore
from core.stores.graph.walk import cosines, pagerank
from core.types import Answer, Clause, FloatArray, Found, Heading, Language, Passage, Query, View

SEEDS = 5  # entity names a walk starts from
DAMPING = 0.85
SHORT_LIST = 20


async def seed_ask(question: Question, ports: AskPorts) -> Answer:
    """Answer one message as the seed would, extractively."""
    watch = Stopwatch(ports.ticker)
    detected = detect_language(question.text)
    language: Language = detected if detected != "und" else ports.settings.language
    view = await asyncio.to_thread(ports.ledger.view, question.scope)
    texts = seed_clauses(question.text)
    vectors = await ports.embedder.embed_queries(list(texts))
    queries = [Query(t, v, language, question.today) for t, v in zip(texts, vectors, strict=True)]
    watch.lap("embed")
    scope = view.fingerprint
    if not question.fresh:
        kept = ports.cache.exact(scope, question.text, language) or ports.cache.seed_paraphrase(
            scope, question.text, vectors[0], threshold=ports.thresholds.cache_cosine
        )
        if kept is not None:
            return replace(kept.answer, cache=kept.verdict, trace_id=question.trace_id)
    evidence = [await asyncio.to_thread(_evidence, q, n, view, ports) for n, q in enumerate(queries)]
    watch.lap("route")
    written = await write_answer(evidence, Pen(language, ports.settings.answer, None))
    retrieved = [passage for one in evidence for passage in one.passages]
    answer = Answer(
        text=written.draft.text,
        language=language,
        abstained=written.abstained,
        degraded=(),
        cache="bypass" if question.fresh else "miss",
        understood_as="",
        clauses=tuple(one.clause for one in evidence),
        sources=tuple(source_of(p, view, rank) for rank, p in enumerate(written.draft.used, start=1)),
        retrieved=tuple(source_of(p, view, rank) for rank, p in enumerate(retrieved, start=1)),
        explanation="",
        trace_id=question.trace_id,
        timings_ms=watch.laps(),
    )
    answer = replace(answer, explanation=explain(answer, evidence, language=language))
    if not question.fresh:
        clauses = [one.clause for one in evidence]
        key = CacheKey(scope, question.text, language, vectors[0], evidence_of(clauses))
        ports.cache.put(key, answer)
    return answer


def _evidence(query: Query, number: int, view: View, ports: AskPorts) -> Evidence:
    """Route one clause, ask its stores, fuse by rank; whatever was found is answered from."""
    headings, heading_vectors = ports.ledger.headings(view)
    lore = ports.lore.of(view)
    decision = seed_route(query, ports.anchors, lore.headings, ports.thresholds)
    found = {
        route: _search(route, query, view, headings, heading_vectors, ports) for route in decision.routes
    }
    if not any(f.passages for f in found.values()) and "text" not in found:
        decision = replace(decision, routes=tuple(sorted({*decision.routes, "text"})))
        found["text"] = ports.stores["text"].search(query, view, SHORT_LIST)
    passages = tuple(replace(p, clause=number) for p in _fused(list(found.values())))
    rows = any(has_rows(p) for p in passages)
    verdict = Verdict(not passages, "rows" if rows else "enough" if passages else "nothing", 1.0, 0.0)
    return Evidence(Clause(query.text, decision, found), number, passages, verdict)


def _search(
    route: str,
    query: Query,
    view: View,
    headings: Sequence[Heading],
    vectors: FloatArray,
    ports: AskPorts,
) -> Found:
    store = ports.stores[route]
    if isinstance(store, GraphStore):
        return _walk(store, query, view, headings, vectors, ports)
    return store.search(query, view, SHORT_LIST)


def _walk(
    store: GraphStore,
    query: Query,
    view: View,
    headings: Sequence[Heading],
    vectors: FloatArray,
    ports: AskPorts,
) -> Found:
    """PageRank from the nearest entity names, fused with dense search over the same passages."""
    graph = store.graph_of(view)
    rows = [row for row, heading in enumerate(headings) if heading.kind == "entity"]
    near = cosines(vectors[rows], query.vector) if rows else np.zeros(0)
    order = sorted(range(len(rows)), key=lambda at: (-near[at], headings[rows[at]].text))[:SEEDS]
    start = np.zeros(graph.transition.shape[0], np.float64)
    for at in order:
        node = graph.names.get(" ".join(words(headings[rows[at]].text)))
        if node is not None and near[at] >= ports.thresholds.entity_seed:
            start[node] += float(near[at])
    if not start.any():
        return Found()
    mass = pagerank(graph.transition, start, damping=DAMPING)[graph.entities :]
    dense = cosines(graph.chunk_vectors, query.vector)
    ids = [chunk.id for chunk in graph.chunks]
    walked = sorted((i for i in range(len(ids)) if mass[i] > 0), key=lambda i: (-mass[i], ids[i]))
    nearest = sorted(range(len(ids)), key=lambda i: (-dense[i], ids[i]))
    ranked = rrf([[ids[i] for i in walked], [ids[i] for i in nearest]], (0.5, 0.5))
    position = {name: row for row, name in enumerate(ids)}
    return Found(
        tuple(
            store.passage_of(graph, position[name], score, rank)
            for rank, (name, score) in enumerate(ranked[:SHORT_LIST], start=1)
        )
    )


def _fused(found: Sequence[Found]) -> tuple[Passage, ...]:
    """Query results first; passages of several stores by reciprocal ranks."""
    rows = [p for f in found for p in f.passages if p.result is not None]
    prose_of = [[p for p in f.passages if p.result is None] for f in found]
    lists = [passages for passages in prose_of if passages]
    by_id = {p.chunk_id: p for passages in lists for p in passages}
    ranked = rrf([[p.chunk_id for p in passages] for passages in lists], (1.0,) * len(lists))
    prose = [replace(by_id[name], score=score) for name, score in ranked]
    return tuple(replace(p, rank=rank) for rank, p in enumerate([*rows, *prose][:SHORT_LIST], start=1))
