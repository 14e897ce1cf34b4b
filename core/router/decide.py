"""Which stores a clause is sent to: a linear score a route over named features, and a second store where it pays."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from heapq import nsmallest

from core.router.anchors import Anchors, HeadingIndex
from core.router.features import Features, features_of
from core.router.weights import DEFAULT, Weights
from core.types import Found, Query, Route, RouteDecision, RouteScore
from core.vectors import rounded
from core.vocabulary import NO_VOCABULARY, Vocabulary

# Chosen on corpora left out of the fit: asking a second store costs milliseconds, missing the right one an answer.
SECOND = 0.20  # a second store is asked when it is at least so likely to be needed
CLOSE = 0.50  # … and no farther behind the first
ADDS = "<"  # "text<kind.why" among the signals: what a feature added to a route's score


def route_clause(
    query: Query,
    anchors: Anchors,
    found: Mapping[str, Found],
    headings: HeadingIndex,
    *,
    weights: Weights = DEFAULT,
    vocabulary: Vocabulary = NO_VOCABULARY,
) -> RouteDecision:
    """Route one clause by all the evidence there is; no model takes part.

    Args:
        found: the trial retrieval of every store in view, by route.
        weights: route -> feature -> weight; a route without weights is scored by its anchors alone.
    Returns: scores are probabilities; signals are the features and, as "route<feature", what each added to a route.
    """
    features = features_of(query, anchors, found, headings, vocabulary)
    routes = [route for route in anchors.routes if _can_answer(route, found)] or list(anchors.routes)
    return decide(query.text, features, routes, weights, f"{anchors.fingerprint}:{headings.fingerprint}")


def decide(
    text: str, features: Features, routes: Sequence[Route], weights: Weights, fingerprint: str = ""
) -> RouteDecision:
    """The decision over named features: nothing else goes into it, so that it can be made again from its record.

    Args:
        routes: those that can answer, at least one.
        fingerprint: of the phrases and headings that the features were measured with.
    """
    added = {route: contributions(features, route, weights) for route in routes}
    ranked = sorted(
        (
            RouteScore(route, rounded(_probability(sum(added[route].values()))), _strongest(added[route]))
            for route in routes
        ),
        key=lambda score: (-score.score, score.route),
    )
    chosen, margin = choose(ranked)
    signals = [
        *features.items(),
        *((f"{r}{ADDS}{name}", rounded(v)) for r in sorted(added) for name, v in added[r].items()),
    ]
    return RouteDecision(
        text=text,
        routes=chosen,
        stage="evidence",
        scores=tuple(ranked),
        margin=margin,
        reason=_reason(ranked, chosen),
        thresholds=(("second", SECOND), ("close", CLOSE)),
        signals=tuple(signals),
        fingerprint=fingerprint,
    )


def hand_over(decision: RouteDecision, stores: Collection[str], rows_found: bool) -> RouteDecision:
    """A question that was sent to the tables alone and finds no rows there is asked of the text as well.

    Args:
        stores: those that the chosen routes ask.
    """
    if set(stores) != {"relational"} or rows_found:
        return decision
    reason = f"{decision.reason}; the tables have no answer, so the text is asked"
    return replace(decision, routes=tuple(sorted({*decision.routes, "text"})), reason=reason)


def contributions(features: Features, route: Route, weights: Weights) -> dict[str, float]:
    """What each feature adds to a route's score, in the order of the weights; what adds nothing is left out."""
    own = weights.get(route) or {"bias": -1.0, f"anchor.{route}": 1.0, f"heading.{route}": 0.5}
    terms = {"bias": own.get("bias", 0.0)}
    terms |= {name: weight * features[name] for name, weight in own.items() if name in features}
    return {name: value for name, value in terms.items() if value}


def choose(ranked: list[RouteScore]) -> tuple[tuple[Route, ...], float]:
    """The best route, and the second where it is likely enough to be needed as well."""
    if len(ranked) < 2:
        return (ranked[0].route,), 1.0
    first, second = ranked[0], ranked[1]
    margin = rounded(first.score - second.score)
    both = second.score >= SECOND and margin <= CLOSE
    return tuple(sorted({first.route, second.route} if both else {first.route})), margin


def _can_answer(route: Route, found: Mapping[str, Found]) -> bool:
    """A store that holds nothing in the view is not asked; one that failed is, and says so."""
    return route not in found or bool(found[route].passages or found[route].signals or found[route].failed)


def _probability(score: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, score))))


def _strongest(added: Mapping[str, float]) -> str:
    """The features that spoke loudest for or against a route."""
    named = nsmallest(3, ((-abs(value), name) for name, value in added.items() if name != "bias"))
    return ", ".join(f"{name} {added[name]:+.2f}" for _, name in named)


def _reason(ranked: list[RouteScore], chosen: tuple[Route, ...]) -> str:
    if len(chosen) > 1:
        return f"{ranked[0].route} and {ranked[1].route} are close: both are asked"
    return f"{ranked[0].route} leads: {ranked[0].best}"
