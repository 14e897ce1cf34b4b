"""Where a question enters the graph: at the names it says, at the facts it is nearest to, and lightly everywhere."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.analyze import question_tokens
from core.normalize import words
from core.stores.graph.scoped import ScopedGraph
from core.stores.graph.walk import Floats, best_first, standardised
from core.vectors import DECIMALS

COMMON_NAME = 0.5  # weight of a name of common nouns ("arquivo morto") beside 1.0 for a proper name or code
PARTIAL_NAME = 0.5  # ... and of a proper name of which the question says one telling word
RARE = 3  # proper names a word may stand in to be telling
FACT_SHARE = 0.3  # of the start, for facts, where the question also says names
REACH = 2.0  # how much being reachable from those names counts beside a fact's cosine
PASSAGE_SHARE = 0.05  # of the start, for the passages, by similarity (HippoRAG 2)
_LONGEST = 7  # words of a name in a question


@dataclass(frozen=True, slots=True)
class Named:
    """A thing of the view that a question names. `start` and `end` count its words, end excluded."""

    key: str
    node: int
    weight: float
    start: int = 0
    end: int = 0


def names_in(question: str, graph: ScopedGraph) -> tuple[Named, ...]:
    """Related names that literally occur, folded, longest first, never overlapping; lower case counts too.

    A single common noun ("prazo") is no name, whatever relations it stands in.
    """
    said = words(question)
    found: list[Named] = []
    at = 0
    while at < len(said):
        for length in range(min(_LONGEST, len(said) - at), 0, -1):
            key = " ".join(said[at : at + length])
            node = graph.names.get(key)
            weight = 0.0 if node is None else _weight(key, node, graph)
            if node is not None and weight:
                found.append(Named(key, node, weight, at, at + length))
                at += length - 1
                break
        at += 1
    return tuple(found)


def _weight(key: str, node: int, graph: ScopedGraph) -> float:
    if node not in graph.related:
        return 0.0
    if node in graph.proper or any(char.isdigit() for char in key):
        return 1.0
    return COMMON_NAME if " " in key else 0.0


def partly_named(question: str, graph: ScopedGraph) -> tuple[Named, ...]:
    """Proper names of which the question says a word that few of them have: "a linha da manteiga"."""
    weights: dict[int, Named] = {}
    for token in question_tokens(question):
        nodes = sorted({node for term in token.sure for node in graph.words.get(term, ())})
        if 0 < len(nodes) <= RARE:
            for node in nodes:
                share = PARTIAL_NAME / len(nodes) / max(len(graph.labels[node].split()), 1)
                before = weights[node].weight if node in weights else 0.0
                weights[node] = Named(token.surface, node, before + share)
    return tuple(weights[node] for node in sorted(weights))


def nearest_facts(cosines: Floats, *, count: int, floor: float) -> tuple[int, ...]:
    """Rows of the facts nearest to the question, best first, ties in the order of their words; none below the floor."""
    return tuple(row for row in best_first(cosines)[:count] if cosines[row] >= floor)


def reached_facts(cosines: Floats, rank: Floats, graph: ScopedGraph, *, count: int) -> tuple[int, ...]:
    """Rows of the facts that are near the question and that a walk from its names arrives at.

    Args:
        cosines: shape (facts,).
        rank: shape (nodes,), the mass of the walk from the names alone.
    """
    if not graph.facts:
        return ()
    mass: Floats = np.maximum(rank[graph.ends[:, 0]] * rank[graph.ends[:, 1]], 1e-18)
    reach: Floats = np.asarray(np.round(np.log(mass), DECIMALS), np.float64)
    scores = np.round(standardised(cosines) + REACH * standardised(reach), DECIMALS)
    return tuple(best_first(scores)[:count])


def name_start(named: Sequence[Named], graph: ScopedGraph) -> Floats:
    """Where a walk from names begins, shape (nodes,): the more passages say a name, the less it tells."""
    start = np.zeros(graph.transition.shape[0], np.float64)
    for name in named:
        start[name.node] += name.weight / max(graph.spread[name.node], 1)
    return start


def fact_start(rows: Sequence[int], cosines: Floats, graph: ScopedGraph) -> Floats:
    """Where a walk from facts begins, shape (nodes,): at both ends of each, by its cosine."""
    start = np.zeros(graph.transition.shape[0], np.float64)
    for row in rows:
        for node in sorted(set(graph.ends[row].tolist())):
            start[node] += max(float(cosines[row]), 0.0)
    return start


def with_passages(start: Floats, similar: Floats, graph: ScopedGraph) -> Floats:
    """A start of total 1 with a small share on the passages, most on those most similar to the question.

    Args:
        start: shape (nodes,), any total; all zero leaves everything to the passages.
        similar: shape (passages,), cosines.
    """
    near = np.zeros_like(start)
    if similar.size:
        low, high = float(similar.min()), float(similar.max())
        near[graph.entities :] = ((similar - low) / (high - low)) ** 2 if high > low else 1.0
    if not start.any():
        return near
    total = near.sum()
    return np.asarray(start / start.sum() + (PASSAGE_SHARE * near / total if total > 0 else 0.0), np.float64)
