"""The router's weights: how much each feature speaks for each route.

Fitted by `core.router.fit`, kept as numbers that anyone can read; `router.weights` of the configuration is laid over.
"""

from collections.abc import Mapping

Weights = Mapping[str, Mapping[str, float]]  # route -> feature -> weight; "bias" is the constant

DEFAULT: Weights = {
    "graph": {
        "anchor.graph": 1.89, "anchor.relational": -0.62, "anchor.text": -1.27, "asks.average": 0.2,
        "asks.group": -0.22, "asks.growth": -0.15, "asks.max": -0.15, "asks.min": 0.16, "asks.share": -0.17,
        "asks.sum": -0.24, "bias": -2.33, "form.bare": 0.2, "form.chain": 0.79, "form.codes": -0.1,
        "form.columns": 0.12, "form.entities": 0.45, "form.genitives": 0.05, "form.length": 0.51,
        "form.names": 1.1, "form.period": -0.16, "form.relations": 1.2, "form.relatives": 0.87,
        "form.rules": -0.54, "form.threshold": 0.1, "form.values": -0.22, "graph.entities": 0.16,
        "graph.entity_cover": -0.21, "graph.fact_lead": -0.13, "graph.hops": -0.06,
        "graph.relation_top": 0.08, "graph.walk_top": 0.42, "heading.graph": 0.58,
        "heading.relational": 0.11, "heading.text": -0.71, "kind.count": -0.38, "kind.how": -0.1,
        "kind.how_long": -0.12, "kind.how_to": -0.09, "kind.list": -0.18, "kind.when": 0.7,
        "kind.where": 0.23, "kind.who": 1.27, "kind.why": -0.2, "kind.yes_no": -0.51,
        "relational.aggregate": -0.18, "relational.columns": 0.06, "relational.found": -0.84,
        "relational.link": -0.77, "relational.numeric_column": -0.4, "relational.plan": -0.7,
        "relational.plan_margin": -0.56, "relational.rows": -0.14, "relational.values": -0.07,
        "text.agree": -0.09, "text.codes": 0.11, "text.coverage": -0.86, "text.covered": -0.84,
        "text.covered_three": 0.63, "text.exact": 0.28, "text.fused_gap": 0.07, "text.fused_gap10": 0.35,
        "text.known": 0.68, "text.lexical_norm": -1.14, "text.lexical_top": -0.09, "text.names": 0.72,
        "text.second": -0.07,
    },
    "relational": {
        "anchor.graph": -0.55, "anchor.relational": 1.18, "anchor.text": -0.63, "asks.average": -0.12,
        "asks.group": 0.78, "asks.growth": -0.09, "asks.max": 0.58, "asks.share": 0.09, "asks.sum": 0.53,
        "bias": -1.18, "form.bare": 0.3, "form.chain": -0.27, "form.codes": 0.12, "form.columns": 0.2,
        "form.entities": -0.43, "form.period": 0.68, "form.relations": -0.55, "form.rules": -0.36,
        "form.threshold": 0.19, "form.values": 0.49, "graph.entities": -0.23, "graph.entity_cover": -0.12,
        "graph.fact_lead": 0.53, "graph.hops": 0.21, "graph.relation_top": -0.17, "graph.walk_top": -0.06,
        "heading.graph": -0.63, "heading.relational": 0.89, "heading.text": -0.27, "kind.count": 0.37,
        "kind.how": -0.1, "kind.how_long": -0.37, "kind.how_much": -0.05, "kind.how_to": -0.37,
        "kind.list": 0.41, "kind.when": -0.34, "kind.where": -0.13, "kind.who": -0.47, "kind.why": -0.07,
        "relational.columns": 1.02, "relational.found": 1.06, "relational.link": 2.13,
        "relational.numeric_column": 0.28, "relational.plan": 1.13, "relational.plan_margin": 0.47,
        "relational.rows": 0.12, "relational.values": 0.46, "text.agree": -0.4, "text.codes": 0.1,
        "text.coverage": -0.12, "text.covered": -0.28, "text.covered_three": -0.58, "text.exact": 0.19,
        "text.fused_gap": -0.24, "text.fused_gap10": -0.08, "text.known": -0.11, "text.lexical_gap": -0.44,
        "text.lexical_norm": -0.41, "text.lexical_top": -0.07, "text.names": -0.17, "text.second": -0.13,
    },
    "text": {
        "anchor.graph": -1.38, "anchor.relational": -0.33, "anchor.text": 1.71, "asks.average": -0.07,
        "asks.group": -0.52, "asks.growth": 0.39, "asks.max": -0.35, "asks.share": 0.17, "asks.sum": -0.29,
        "bias": 0.18, "form.bare": -0.43, "form.chain": -0.78, "form.columns": -0.31,
        "form.entities": -0.34, "form.length": -0.48, "form.names": -1.04, "form.period": -0.71,
        "form.relations": -0.97, "form.relatives": -0.95, "form.rules": 0.79, "form.threshold": -0.3,
        "form.values": -0.18, "graph.entities": -0.06, "graph.entity_cover": 0.13, "graph.fact_lead": -0.28,
        "graph.hops": -0.23, "graph.relation_top": -0.21, "graph.walk_top": -0.45,
        "heading.relational": -0.7, "heading.text": 0.7, "kind.count": -0.18, "kind.define": 0.05,
        "kind.how": 0.24, "kind.how_long": 0.42, "kind.how_much": 0.14, "kind.how_to": 0.36,
        "kind.list": -0.29, "kind.when": -0.3, "kind.who": -1.11, "kind.why": 0.25, "kind.yes_no": 0.51,
        "relational.columns": -0.88, "relational.found": -1.08, "relational.link": -1.55,
        "relational.numeric_column": -0.05, "relational.plan": -0.7, "relational.plan_margin": -0.23,
        "relational.rows": -0.26, "relational.values": -0.12, "text.agree": 0.28, "text.codes": -0.08,
        "text.coverage": 0.85, "text.covered": 0.99, "text.exact": -0.17, "text.fused_gap": 0.2,
        "text.fused_gap10": -0.18, "text.fused_top": -0.05, "text.known": -0.76, "text.lexical_gap": 0.37,
        "text.lexical_norm": 1.08, "text.lexical_top": 0.13, "text.names": -0.57, "text.second": 0.16,
    },
}  # fmt: skip


def weights_of(overrides: Weights) -> Weights:
    """The built-in weights with the configured ones laid over, feature by feature."""
    return {
        route: dict(sorted({**DEFAULT.get(route, {}), **overrides.get(route, {})}.items()))
        for route in sorted({*DEFAULT, *overrides})
    }
