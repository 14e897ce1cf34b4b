"""The router's weights: how much each feature speaks for each route.

Fitted by `core.router.fit`, kept as numbers that anyone can read; `router.weights` of the configuration is laid over.
"""

from collections.abc import Mapping

Weights = Mapping[str, Mapping[str, float]]  # route -> feature -> weight; "bias" is the constant

DEFAULT: Weights = {
    "graph": {
        "anchor.graph": 1.82, "anchor.relational": -0.54, "anchor.text": -1.28, "asks.average": -0.05,
        "asks.group": -0.15, "asks.growth": -0.05, "asks.max": -0.14, "asks.min": -0.09,
        "asks.share": -0.12, "asks.sum": -0.17, "bias": -1.91, "form.chain": 0.83, "form.codes": -0.13,
        "form.columns": 0.12, "form.entities": 0.43, "form.genitives": 0.17, "form.length": 0.36,
        "form.names": 0.89, "form.period": -0.14, "form.relations": 1.01, "form.relatives": 0.74,
        "form.rules": -0.5, "form.threshold": 0.15, "graph.entities": 0.13, "graph.entity_cover": -0.22,
        "graph.hops": -0.07, "graph.relation_top": 0.06, "graph.walk_top": 0.1, "heading.graph": 0.63,
        "heading.relational": -0.18, "heading.text": -0.47, "kind.count": -0.31, "kind.how": -0.1,
        "kind.how_long": -0.11, "kind.how_to": -0.09, "kind.list": -0.15, "kind.when": 0.18,
        "kind.where": 0.23, "kind.who": 0.89, "kind.why": -0.05, "kind.yes_no": -0.27,
        "relational.aggregate": -0.52, "relational.columns": -0.1, "relational.found": -0.76,
        "relational.link": -0.61, "relational.numeric_column": -0.17, "relational.plan": -0.55,
        "relational.plan_margin": -0.47, "relational.rows": -0.09, "text.codes": 0.05,
        "text.coverage": -0.49, "text.covered": -0.52, "text.covered_three": 0.32, "text.exact": 0.14,
        "text.fused_gap": -0.09, "text.fused_gap10": 0.13, "text.known": 0.48, "text.lexical_norm": -0.9,
        "text.lexical_top": -0.05, "text.names": 0.58, "text.second": 0.09,
    },
    "relational": {
        "anchor.graph": -0.5, "anchor.relational": 1.13, "anchor.text": -0.63, "asks.average": -0.13,
        "asks.group": 0.73, "asks.max": 0.55, "asks.sum": 0.45, "bias": -1.29, "form.bare": 0.48,
        "form.chain": -0.36, "form.codes": 0.11, "form.columns": 0.23, "form.entities": -0.29,
        "form.length": 0.06, "form.period": 0.58, "form.relations": -0.5, "form.relatives": -0.13,
        "form.rules": -0.33, "form.threshold": 0.15, "form.values": 0.32, "graph.entities": -0.21,
        "graph.entity_cover": -0.13, "graph.fact_lead": 0.58, "graph.hops": 0.12,
        "graph.relation_top": -0.11, "graph.walk_top": 0.17, "heading.graph": -0.5,
        "heading.relational": 0.75, "heading.text": -0.25, "kind.count": 0.42, "kind.how": -0.07,
        "kind.how_long": -0.34, "kind.how_to": -0.41, "kind.list": 0.3, "kind.when": -0.22,
        "kind.where": -0.1, "kind.who": -0.42, "kind.why": -0.05, "kind.yes_no": -0.14,
        "relational.aggregate": 0.09, "relational.columns": 0.9, "relational.found": 0.96,
        "relational.link": 1.87, "relational.numeric_column": 0.25, "relational.plan": 0.96,
        "relational.plan_margin": 0.41, "relational.values": 0.48, "text.agree": -0.46, "text.codes": 0.11,
        "text.coverage": -0.14, "text.covered": -0.24, "text.covered_three": -0.37, "text.exact": 0.2,
        "text.fused_gap": -0.23, "text.known": -0.16, "text.lexical_gap": -0.46, "text.lexical_norm": -0.35,
        "text.lexical_top": -0.06, "text.names": -0.21, "text.second": -0.11,
    },
    "text": {
        "anchor.graph": -1.29, "anchor.relational": -0.38, "anchor.text": 1.67, "asks.average": 0.08,
        "asks.group": -0.56, "asks.growth": 0.17, "asks.max": -0.36, "asks.min": 0.07, "asks.share": 0.16,
        "asks.sum": -0.27, "bias": -0.15, "form.bare": -0.39, "form.chain": -0.73, "form.columns": -0.29,
        "form.entities": -0.35, "form.length": -0.33, "form.names": -0.78, "form.period": -0.6,
        "form.relations": -0.81, "form.relatives": -0.69, "form.rules": 0.73, "form.threshold": -0.28,
        "form.values": -0.2, "graph.entity_cover": 0.16, "graph.fact_lead": -0.41,
        "graph.relation_top": -0.18, "graph.walk_top": -0.35, "heading.graph": -0.1,
        "heading.relational": -0.47, "heading.text": 0.58, "kind.count": -0.21, "kind.how": 0.23,
        "kind.how_long": 0.41, "kind.how_much": 0.14, "kind.how_to": 0.4, "kind.list": -0.26,
        "kind.when": 0.11, "kind.where": -0.07, "kind.who": -0.83, "kind.why": 0.1, "kind.yes_no": 0.44,
        "relational.columns": -0.62, "relational.found": -0.95, "relational.link": -1.36,
        "relational.numeric_column": -0.2, "relational.plan": -0.67, "relational.plan_margin": -0.34,
        "relational.rows": -0.2, "relational.values": -0.25, "text.agree": 0.26, "text.codes": -0.06,
        "text.coverage": 0.51, "text.covered": 0.62, "text.exact": -0.08, "text.fused_gap": 0.35,
        "text.fused_gap10": -0.09, "text.known": -0.4, "text.lexical_gap": 0.41, "text.lexical_norm": 0.87,
        "text.names": -0.38,
    },
}  # fmt: skip


def weights_of(overrides: Weights) -> Weights:
    """The built-in weights with the configured ones laid over, feature by feature."""
    return {
        route: {**DEFAULT.get(route, {}), **overrides.get(route, {})}
        for route in sorted({*DEFAULT, *overrides})
    }
