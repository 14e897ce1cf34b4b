"""`polyrag bench`: how long the arithmetic takes, without models. Synthetic inputs from fixed seeds; medians of many runs."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from core.cache import AnswerCache, CacheKey, ClauseEvidence
from core.router import Anchors, HeadingIndex, route_clause
from core.types import Answer, FloatArray, Found, Heading, Query
from core.vectors import unit_rows
from core.vocabulary import NO_VOCABULARY
from eval.ingest_bench import ingest_figures
from eval.metrics import percentiles

DIMENSION = 384
ROUTES = ("graph", "relational", "text")
ANCHORS, HEADINGS, ENTRIES, RUNS = 500, 5_000, 10_000, 200


def bench(groups: Sequence[str], tell: Callable[[str, int, int], None]) -> dict[str, Any]:
    """The figures of the named groups: "core" (milliseconds) and "ingest" (rates and memory)."""
    makers: dict[str, Callable[[], dict[str, Any]]] = {
        "route_decision_ms": route_decision,
        "cache_lookup_ms": cache_lookup,
    }
    report: dict[str, Any] = {}
    for number, (name, make) in enumerate(makers.items() if "core" in groups else (), start=1):
        tell(name, number, len(makers))
        report[name] = make()
    if "ingest" in groups:
        report |= ingest_figures(tell)
    return report


def _vectors(count: int, seed: int) -> FloatArray:
    return unit_rows(np.random.default_rng(seed).normal(size=(count, DIMENSION)))


def _timed(work: Callable[[int], object], runs: int = RUNS) -> dict[str, float]:
    """Milliseconds a run after a tenth of warm-up runs."""
    for number in range(max(1, runs // 10)):
        work(number)
    laps = []
    for number in range(runs):
        start = perf_counter()
        work(number)
        laps.append((perf_counter() - start) * 1000)
    return percentiles(laps)


def route_decision() -> dict[str, Any]:
    """One clause against all anchors and headings, with the signals of three stores; no embedding time."""
    share = ANCHORS // len(ROUTES) + 1
    routes = {name: tuple(f"{name} phrase {n}" for n in range(share)) for name in ROUTES}
    anchors = Anchors.build(routes, _vectors(share * len(ROUTES), 1))
    kinds = ("section", "column", "entity")
    headings = tuple(Heading(kinds[n % 3], f"heading {n}") for n in range(HEADINGS))  # type: ignore[arg-type]
    index = HeadingIndex.build(headings, _vectors(HEADINGS, 2))
    found = {name: Found(signals=(("plan", 0.4), ("coverage", 0.5), ("fact_top", 0.6))) for name in ROUTES}
    questions = _vectors(RUNS, 3)
    text = "quem aprova as despesas da oficina que mantém a caldeira C-2?"

    def decide(number: int) -> object:
        query = Query(text, questions[number % RUNS], "pt")
        return route_clause(query, anchors, found, index, vocabulary=NO_VOCABULARY)

    return _timed(decide) | {"anchors": share * len(ROUTES), "headings": HEADINGS}


def cache_lookup() -> dict[str, Any]:
    """A paraphrase look-up among entries of one scope, and an exact one."""
    cache = AnswerCache(DIMENSION, capacity=ENTRIES)
    vectors = _vectors(ENTRIES, 4)
    answer = Answer("a", "pt", False, (), "miss", "", (), (), (), "", "t", ())
    evidence = (ClauseEvidence(("text",), "", "", ("c1",)),)
    keys = [CacheKey("scope", f"pergunta {n}?", "pt", vectors[n], evidence) for n in range(ENTRIES)]
    for number, key in enumerate(keys):
        cache.put(key, replace(answer, trace_id=str(number)))
    asked = [replace(keys[n * 7 % ENTRIES], question=f"outra pergunta {n}?") for n in range(RUNS)]
    paraphrase = _timed(lambda n: cache.paraphrase(asked[n % RUNS], NO_VOCABULARY, threshold=0.9))
    exact = _timed(lambda n: cache.exact("scope", f"pergunta {n}?", "pt"))
    return paraphrase | {"entries": ENTRIES, "exact": exact}
