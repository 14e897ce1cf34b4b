"""The router: one engine, both directions. No language model takes part, ever."""

from core.router.anchors import NO_HEADINGS, Anchors, HeadingIndex
from core.router.decide import decide, hand_over, route_clause
from core.router.features import features_of
from core.router.replay import differences, replay, with_vector
from core.router.stages import route_chunk, seed_route
from core.router.weights import weights_of

__all__ = [
    "NO_HEADINGS",
    "Anchors",
    "HeadingIndex",
    "decide",
    "differences",
    "features_of",
    "hand_over",
    "replay",
    "route_chunk",
    "route_clause",
    "seed_route",
    "weights_of",
    "with_vector",
]
