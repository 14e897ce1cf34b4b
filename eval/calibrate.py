"""`polyrag eval calibrate`: cut-offs for the configured embedding model, from a golden set, by counting.

Marks of the seed's second stage are the ones under which most golden questions reach a store they need while the
fewest stores are asked. The evidence bar is the highest at which at most two in a hundred answerable questions abstain.
The cache cosine is just under the lowest of the pairs that are the same question.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from bot.app import App
from core.ask import weigh
from core.evidence import Verdict
from core.router import seed_route
from core.settings import Thresholds
from core.types import Query
from core.vectors import rounded, row_dots
from eval.run import Runner, Tell
from eval.sets import EvalSet

FALSE_SILENCE = 0.02
STORE_COST = 0.1  # a further store asked costs as much as a tenth of a question routed right


async def calibrate(app: App, sets: Sequence[EvalSet], runner: Runner, tell: Tell) -> dict[str, Any]:
    """The marks found and what they achieve on the sets they were taken from."""
    cases: list[tuple[Query, Any, frozenset[str]]] = []
    bars: list[tuple[bool, float]] = []
    base = app.ask_ports.thresholds.abstain_score
    total = sum(len(found.questions) for found in sets)
    for found in sets:
        for question in found.questions:
            tell("calibrate", len(bars) + 1, total)
            asked = await runner.question(
                question.text, question.channel, question.user, identity=question.id
            )
            evidence = await weigh(asked, app.ask_ports)
            bars.append((question.answerable, _strength([one.verdict for one in evidence], base)))
            if question.routes and len(evidence) == 1:
                vector = (await app.ask_ports.embedder.embed_queries([question.text]))[0]
                lore = app.ask_ports.lore.of(app.ask_ports.ledger.view(asked.scope))
                cases.append((Query(question.text, vector, "und"), lore.headings, question.routes))
    pairs = [pair for found in sets for pair in found.cache_pairs]
    routing = _route_marks(app, cases)
    return {
        "model": app.settings.servers.embed.model,
        "thresholds": {**routing["marks"], **_evidence_bar(bars), **await _cache_mark(app, pairs)},
        "routing_of_the_seed": routing["achieved"],
        "questions": len(bars),
    }


def _strength(verdicts: Sequence[Verdict], base: float) -> float:
    """The points of the best clause beyond what was asked of it over the base bar; rows are certain."""
    points = [1.0 if v.reason == "rows" else v.score - (v.threshold - base) for v in verdicts]
    return max(points, default=0.0)


def _route_marks(app: App, cases: Sequence[tuple[Query, Any, frozenset[str]]]) -> dict[str, Any]:
    """The grid's best marks, ties to the smaller ones."""
    anchors = app.ask_ports.anchors
    tops = sorted(anchors.best(query.vector)[0].score for query, _, _ in cases) or [0.0]
    grid = [rounded(value) for value in np.quantile(tops, [0.0, 0.1, 0.25, 0.5, 0.75])]
    best: tuple[float, Thresholds, float, float] | None = None
    for low, high, margin in product(grid, grid, (0.0, 0.005, 0.01, 0.02, 0.04, 0.08)):
        if low > high:
            continue
        marks = Thresholds(route_low=low, route_high=high, route_margin=margin)
        routed = [(seed_route(query, anchors, held, marks).routes, gold) for query, held, gold in cases]
        right = sum(gold <= set(routes) for routes, gold in routed) / max(1, len(routed))
        stores = sum(len(routes) for routes, _ in routed) / max(1, len(routed))
        value = right - STORE_COST * (stores - 1)
        if best is None or value > best[0] + 1e-9:
            best = (value, marks, right, stores)
    assert best is not None
    marks = best[1]
    return {
        "marks": {name: getattr(marks, name) for name in ("route_high", "route_low", "route_margin")},
        "achieved": {"routing": round(best[2], 4), "stores_per_clause": round(best[3], 4)},
    }


def _evidence_bar(bars: Sequence[tuple[bool, float]]) -> dict[str, float]:
    """The highest bar that silences at most FALSE_SILENCE of the answerable questions."""
    strengths = sorted(strength for answerable, strength in bars if answerable)
    if not strengths:
        return {}
    at = int(FALSE_SILENCE * len(strengths))
    return {"abstain_score": max(0.0, round(strengths[at] - 0.005, 2))}


async def _cache_mark(app: App, pairs: Sequence[Any]) -> dict[str, float]:
    """Just under the lowest cosine of two wordings of one question; the guards do the rest."""
    same = [pair for pair in pairs if pair.same]
    if not same:
        return {}
    left = await app.ask_ports.embedder.embed_queries([pair.a for pair in same])
    right = await app.ask_ports.embedder.embed_queries([pair.b for pair in same])
    cosines = [float(row_dots(left[n : n + 1], right[n])[0]) for n in range(len(same))]
    return {"cache_cosine": round(min(cosines) - 0.005, 2)}
