"""The router's weights: how much each feature speaks for each route.

Fitted by `core.router.fit`, kept as numbers that anyone can read; `router.weights` of the configuration is laid over.
"""

from collections.abc import Mapping

Weights = Mapping[str, Mapping[str, float]]  # route -> feature -> weight; "bias" is the constant

DEFAULT: Weights = {
    "graph": {
        "anchor.graph": 1.32, "anchor.relational": -0.43, "anchor.text": -0.89, "asks.group": -0.08,
        "asks.max": -0.09, "asks.min": -0.06, "asks.sum": -0.09, "bias": -2, "form.bare": -0.16,
        "form.chain": 0.48, "form.codes": -0.05, "form.columns": -0.14, "form.entities": 0.19,
        "form.genitives": 0.19, "form.length": 0.18, "form.names": 0.17, "form.period": -0.07,
        "form.relations": 0.71, "form.relatives": 0.42, "form.rules": -0.3, "form.threshold": 0.05,
        "graph.entities": 0.13, "graph.entity_cover": 0.07, "graph.fact_lead": 0.19,
        "graph.relation_top": -0.05, "heading.graph": 0.63, "heading.relational": -0.37,
        "heading.text": -0.27, "kind.count": -0.14, "kind.define": -0.08, "kind.how_long": -0.07,
        "kind.how_much": -0.09, "kind.when": -0.16, "kind.where": 0.07, "kind.who": 0.88, "kind.why": -0.05,
        "kind.yes_no": -0.19, "relational.aggregate": -0.3, "relational.columns": -0.18,
        "relational.found": -0.42, "relational.link": -0.46, "relational.numeric_column": -0.21,
        "relational.plan": -0.38, "relational.plan_margin": -0.34, "text.agree": 0.12,
        "text.covered_three": 0.06, "text.known": 0.08, "text.lexical_norm": -0.22,
        "text.lexical_top": 0.07, "text.names": 0.1, "text.second": -0.05,
    },
    "relational": {
        "anchor.graph": -0.35, "anchor.relational": 0.88, "anchor.text": -0.53, "asks.group": 0.4,
        "asks.max": 0.4, "asks.sum": 0.25, "bias": -1.07, "form.bare": 0.58, "form.chain": -0.42,
        "form.codes": 0.06, "form.columns": 0.28, "form.entities": -0.11, "form.genitives": -0.05,
        "form.length": -0.07, "form.names": 0.13, "form.period": 0.4, "form.relations": -0.37,
        "form.relatives": -0.14, "form.rules": -0.3, "form.threshold": 0.06, "form.values": 0.2,
        "graph.entities": -0.07, "graph.fact_lead": 0.08, "graph.walk_top": -0.07, "heading.graph": -0.18,
        "heading.relational": 0.5, "heading.text": -0.31, "kind.count": 0.29, "kind.how_long": -0.21,
        "kind.how_to": -0.18, "kind.list": 0.14, "kind.when": -0.09, "kind.where": -0.06, "kind.who": -0.36,
        "kind.yes_no": -0.14, "relational.aggregate": 0.3, "relational.columns": 0.35,
        "relational.found": 0.79, "relational.link": 1.07, "relational.numeric_column": 0.27,
        "relational.plan": 0.7, "relational.plan_margin": 0.45, "relational.values": 0.31,
        "text.agree": -0.4, "text.codes": 0.07, "text.coverage": -0.1, "text.covered": -0.16,
        "text.covered_three": -0.14, "text.exact": 0.05, "text.fused_gap": -0.35, "text.fused_gap10": -0.08,
        "text.fused_top": -0.12, "text.known": -0.14, "text.lexical_gap": -0.29, "text.lexical_norm": -0.19,
        "text.lexical_top": -0.11,
    },
    "text": {
        "anchor.graph": -0.87, "anchor.relational": -0.43, "anchor.text": 1.3, "asks.group": -0.31,
        "asks.growth": 0.05, "asks.max": -0.28, "asks.min": 0.12, "asks.sum": -0.14, "bias": -0.55,
        "form.bare": -0.41, "form.chain": -0.22, "form.columns": -0.16, "form.entities": -0.09,
        "form.genitives": -0.1, "form.length": -0.11, "form.names": -0.31, "form.period": -0.46,
        "form.relations": -0.54, "form.relatives": -0.33, "form.rules": 0.53, "form.threshold": -0.13,
        "form.values": -0.19, "graph.entities": -0.1, "graph.entity_cover": -0.07, "graph.fact_lead": -0.3,
        "heading.graph": -0.21, "heading.relational": -0.32, "heading.text": 0.54, "kind.count": -0.2,
        "kind.define": 0.07, "kind.how": 0.1, "kind.how_long": 0.27, "kind.how_much": 0.14,
        "kind.how_to": 0.18, "kind.list": -0.11, "kind.when": 0.31, "kind.where": 0.05, "kind.who": -0.73,
        "kind.why": 0.07, "kind.yes_no": 0.38, "relational.aggregate": -0.17, "relational.columns": -0.17,
        "relational.found": -0.65, "relational.link": -0.73, "relational.numeric_column": -0.14,
        "relational.plan": -0.46, "relational.plan_margin": -0.32, "relational.rows": -0.13,
        "relational.values": -0.25, "text.agree": 0.21, "text.coverage": 0.14, "text.covered": 0.17,
        "text.covered_three": 0.06, "text.fused_gap": 0.35, "text.fused_gap10": 0.08, "text.fused_top": 0.1,
        "text.lexical_gap": 0.27, "text.lexical_norm": 0.36, "text.names": -0.13,
    },
}  # fmt: skip


def weights_of(overrides: Weights) -> Weights:
    """The built-in weights with the configured ones laid over, feature by feature."""
    return {
        route: {**DEFAULT.get(route, {}), **overrides.get(route, {})}
        for route in sorted({*DEFAULT, *overrides})
    }
