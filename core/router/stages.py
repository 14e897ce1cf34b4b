"""The seed's three stages: shape of the text, nearest example phrase, nearest heading. Pure thresholds.

Stages 1 and 2 place passages when a file comes in; all three route a question in mode seed.
"""

import re

from core.router.anchors import Anchors, HeadingIndex
from core.settings import RouterSettings, Thresholds
from core.types import Chunk, FloatArray, Query, Route, RouteDecision, RouteScore
from core.vectors import rounded

TABULAR: Route = "relational"
NARRATIVE: Route = "text"
UNSURE: tuple[Route, ...] = ("graph", "text")  # a passage in the grey zone is kept in both

_DELIMITERS = re.compile(r"[,;|\t]")


def delimiter_density(text: str) -> float:
    """Delimiters per character, in [0, 1]."""
    return len(_DELIMITERS.findall(text)) / len(text) if text else 0.0


def digit_density(text: str) -> float:
    """Digits per character that is no space, in [0, 1]."""
    bare = "".join(text.split())
    return sum(char.isdigit() for char in bare) / len(bare) if bare else 0.0


def route_chunk(
    chunk: Chunk, vector: FloatArray, anchors: Anchors, settings: RouterSettings, thresholds: Thresholds
) -> RouteDecision:
    """Where a passage goes, from the passage alone: placement never depends on other documents.

    Args:
        vector: shape (d,), unit length, the passage embedding of `chunk.indexed`.
    """
    delimiters, digits = delimiter_density(chunk.text), digit_density(chunk.text)
    signals = (("delimiter_density", rounded(delimiters)), ("digit_density", rounded(digits)))
    dense = delimiters >= settings.delimiter_density and digits >= settings.digit_density
    if chunk.kind == "table" or dense:
        why = "a table" if chunk.kind == "table" else "delimiters and digits as dense as in a table"
        scores = (RouteScore(TABULAR, 1.0, why),)
        return RouteDecision(chunk.text, (TABULAR,), "heuristic", scores, 1.0, why, signals=signals)
    return _by_cosine(chunk.text, anchors.best(vector), thresholds, UNSURE, anchors.fingerprint, signals)


def seed_route(
    query: Query, anchors: Anchors, headings: HeadingIndex, thresholds: Thresholds
) -> RouteDecision:
    """The seed's routing of a question: stage 2, and stage 3 where stage 2 is not sure; a tie asks both."""
    scores = anchors.best(query.vector)
    fingerprint = f"{anchors.fingerprint}:{headings.fingerprint}"
    if _is_clear(scores, thresholds) or scores[0].score < thresholds.route_low:
        return _by_cosine(query.text, scores, thresholds, UNSURE, fingerprint)
    held = {score.route: score for score in headings.best(query.vector)} if len(headings.matrix) else {}
    merged = [max(s, held.get(s.route, s), key=lambda score: score.score) for s in scores]
    ranked = tuple(sorted(merged, key=lambda score: (-score.score, score.route)))
    margin = _margin(ranked)
    clear = margin >= thresholds.route_margin
    routes = (ranked[0].route,) if clear else tuple(sorted(score.route for score in ranked[:2]))
    reason = (
        f"nearest to “{ranked[0].best}”"
        if clear
        else "a tie after the evidence of the stores: both are asked"
    )
    return RouteDecision(
        query.text, routes, "evidence", ranked, margin, reason, _limits(thresholds), fingerprint=fingerprint
    )


def _by_cosine(
    text: str,
    scores: tuple[RouteScore, ...],
    thresholds: Thresholds,
    unsure: tuple[Route, ...],
    fingerprint: str,
    signals: tuple[tuple[str, float], ...] = (),
) -> RouteDecision:
    margin, limits = _margin(scores), _limits(thresholds)
    if _is_clear(scores, thresholds):
        best = scores[0]
        reason = f"nearest to “{best.best}”"
        return RouteDecision(
            text, (best.route,), "cosine", scores, margin, reason, limits, signals, fingerprint
        )
    if scores[0].score < thresholds.route_low:
        reason = "near to no example: narrative text"
        return RouteDecision(
            text, (NARRATIVE,), "fallback", scores, margin, reason, limits, signals, fingerprint
        )
    known = tuple(route for route in unsure if any(score.route == route for score in scores)) or (NARRATIVE,)
    reason = f"undecided between {scores[0].route} and {scores[min(1, len(scores) - 1)].route}"
    return RouteDecision(text, known, "cosine", scores, margin, reason, limits, signals, fingerprint)


def _is_clear(scores: tuple[RouteScore, ...], thresholds: Thresholds) -> bool:
    return scores[0].score >= thresholds.route_high and _margin(scores) >= thresholds.route_margin


def _margin(scores: tuple[RouteScore, ...]) -> float:
    """Best minus second; 2, the widest a cosine lead can be, where there is no second."""
    return rounded(scores[0].score - scores[1].score) if len(scores) > 1 else 2.0


def _limits(thresholds: Thresholds) -> tuple[tuple[str, float], ...]:
    return (
        ("route_high", thresholds.route_high),
        ("route_low", thresholds.route_low),
        ("route_margin", thresholds.route_margin),
    )
