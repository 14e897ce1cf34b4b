"""The router's weights: how much each feature speaks for each route.

Fitted by `core.router.fit`, kept as numbers that anyone can read; `router.weights` of the configuration is laid over.
"""

from collections.abc import Mapping

Weights = Mapping[str, Mapping[str, float]]  # route -> feature -> weight; "bias" is the constant

DEFAULT: Weights = {
    "relational": {
        "bias": -1.5, "anchor.relational": 0.6, "relational.plan": 2.5, "relational.link": 1.0, "relational.aggregate": 0.8,
        "kind.count": 0.5, "kind.why": -1.5, "kind.how_to": -1.5, "kind.who": -0.5, "form.rules": -0.8,
    },
    "text": {
        "bias": -0.5, "anchor.text": 0.6, "text.coverage": 1.0, "kind.why": 0.8, "kind.how_to": 1.0, "form.rules": 0.8,
        "relational.plan": -1.0, "form.chain": -0.8,
    },
    "graph": {
        "bias": -1.5, "anchor.graph": 0.6, "kind.who": 1.2, "form.chain": 1.2, "graph.entity_cover": 0.8,
        "graph.relation_top": 0.8,
    },
}  # fmt: skip


def weights_of(overrides: Weights) -> Weights:
    """The built-in weights with the configured ones laid over, feature by feature."""
    return {
        route: {**DEFAULT.get(route, {}), **overrides.get(route, {})}
        for route in sorted({*DEFAULT, *overrides})
    }
