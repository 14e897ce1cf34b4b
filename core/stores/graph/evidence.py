"""What the trial walk proves about a question: the router's stage-3 evidence."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from core.analyze import Token, question_tokens
from core.stores.graph.scoped import ScopedGraph
from core.stores.graph.seeds import Named, nearest_facts
from core.stores.graph.walk import Floats
from core.vectors import rounded

_NEAR = 5  # facts whose relations count where the question says no name
_SHOWN = 5  # best passages whose documents count as reached

Signals = tuple[tuple[str, float], ...]


def signals(
    question: str,
    graph: ScopedGraph,
    near: Floats,
    named: Sequence[Named],
    walked: Floats,
    order: Sequence[int],
) -> Signals:
    """Named evidence, each in [0, 1] but for the two counts.

    Returns:
        fact_top: cosine of the nearest fact.
        entity_cover: share of the question's content words that belong to names standing in relations.
        entities: how many such names (count).
        relation_top: how much of the rest of the question the relations at those names say, best relation.
        walk_top: how much of the walk's mass on the served passages lies on the best of them.
        hops: how many documents the best passages come from (count).
    """
    inside = frozenset(word for name in named for word in name.key.split())
    tokens = question_tokens(question)
    rest = [token for token in tokens if token.surface not in inside]
    covered = len(tokens) - len(rest)
    top = list(order[:_SHOWN])
    mass = float(sum(walked[row] for row in top))
    return (
        ("fact_top", rounded(max(float(near.max()), 0.0)) if near.size else 0.0),
        ("entity_cover", rounded(covered / len(tokens)) if tokens else 0.0),
        ("entities", float(len({name.node for name in named}))),
        ("relation_top", rounded(_relation_top(rest, graph, near, named))),
        (
            "walk_top",
            rounded(max((float(walked[row]) for row in top), default=0.0) / mass) if mass > 0 else 0.0,
        ),
        ("hops", float(len({graph.chunks[row].document for row in top}))),
    )


def _relation_top(rest: Sequence[Token], graph: ScopedGraph, near: Floats, named: Sequence[Named]) -> float:
    """The best share of the question's other words that one relation says: at the named things, else at the near facts."""
    if not rest:
        return 0.0
    nodes = sorted({name.node for name in named})
    if nodes:
        rows = np.flatnonzero(np.isin(graph.ends, nodes).any(axis=1)).tolist()
    else:
        rows = list(nearest_facts(near, count=_NEAR, floor=-1.0))
    return max((_said(rest, graph.facts[row].relation) for row in rows), default=0.0)


def _said(rest: Sequence[Token], relation: str) -> float:
    """Share of words whose stem the relation has."""
    terms = _terms(relation)
    return sum(bool(terms.intersection(token.sure)) for token in rest) / len(rest)


@lru_cache(maxsize=65536)
def _terms(relation: str) -> frozenset[str]:
    return frozenset(term for token in question_tokens(relation) for term in token.sure)
