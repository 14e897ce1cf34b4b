"""A recorded decision made again from what was recorded of it, bit for bit."""

from collections.abc import Callable
from dataclasses import fields, replace

from core.router.anchors import Anchors
from core.router.decide import ADDS, decide, hand_over
from core.router.features import anchor_features
from core.router.weights import Weights
from core.types import FloatArray, RouteDecision


def replay(recorded: RouteDecision, weights: Weights, store_of: Callable[[str], str]) -> RouteDecision:
    """The decision that these weights make of the recorded features.

    Args:
        recorded: a decision of `route_clause`, handed over to the text or not.
        store_of: route -> the store it asks.
    """
    features = {name: value for name, value in recorded.signals if ADDS not in name}
    routes = sorted(score.route for score in recorded.scores)
    made = decide(recorded.text, features, routes, weights, recorded.fingerprint)
    stores = {store_of(route) for route in made.routes}
    rows_found = any(features.get(f"{route}.found", 0.0) for route in made.routes)
    return hand_over(made, stores, rows_found)


def with_vector(recorded: RouteDecision, vector: FloatArray, anchors: Anchors) -> RouteDecision | None:
    """The record with its nearness to the example phrases measured again from the question's vector.

    Returns: None where the phrases are not those that it was compared with, or their vectors are not.
    """
    if recorded.fingerprint.partition(":")[0] != anchors.fingerprint:
        return None
    again = anchor_features(vector, anchors)
    return replace(recorded, signals=tuple((name, again.get(name, v)) for name, v in recorded.signals))


def differences(recorded: RouteDecision, made: RouteDecision) -> tuple[str, ...]:
    """The fields in which two decisions differ."""
    names = (field.name for field in fields(RouteDecision))
    return tuple(name for name in names if getattr(recorded, name) != getattr(made, name))
