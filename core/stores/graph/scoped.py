"""The graph of one view: built from the rows of its documents alone, in name order, so that nothing else can show."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import networkx as nx
import numpy as np
import numpy.typing as npt
from networkx.utils import UnionFind
from scipy.sparse import csr_array

from core.analyze import question_tokens
from core.ingest.extract import ALSO_CALLED
from core.normalize import words
from core.stores.graph.rows import DocumentGraph
from core.types import Chunk, FloatArray, Triple

_CODE = re.compile(r"(?=.*\d)(?=.*[a-z])[a-z0-9][\w./-]*")
_LONG_CODE = 4  # letters and digits from which on a code identifies a thing by itself
PASS_ON = 0.3  # of what reaches a passage, to go on to all it names: standing together relates weakly
_LONGEST_HEAD = 4  # words before a code: "câmara de maturação CM-2"


@dataclass(frozen=True, slots=True)
class ScopedGraph:
    """Passages, relations and the matrix to walk on. Nodes: entities by name, then passages by id."""

    chunks: tuple[Chunk, ...]  # by id
    chunk_vectors: FloatArray
    facts: tuple[Triple, ...]  # distinct statements, sorted; `chunk` is the first passage that makes it
    fact_vectors: FloatArray
    ends: npt.NDArray[np.intp]  # shape (facts, 2): subject and object node
    names: Mapping[str, int]  # words of a canonical name, joined -> entity node
    words: Mapping[str, tuple[int, ...]]  # term -> related entity nodes whose proper name has it
    related: frozenset[int]  # entity nodes that stand in a relation
    proper: frozenset[int]  # entity nodes that passages write as a proper name or code
    labels: tuple[str, ...]  # the first name of each entity node
    spread: tuple[int, ...]  # in how many passages each entity is named
    transition: (
        csr_array  # shape (nodes, nodes); columns sum to 1, of passages to PASS_ON, without edges to 0
    )

    @property
    def entities(self) -> int:
        return len(self.labels)


def name_key(name: str) -> str:
    """How a name is looked up in a question: its folded words, whatever marks stand between them."""
    return " ".join(words(name))


def build_graph(parts: Iterable[DocumentGraph]) -> ScopedGraph:
    """Join the parts of a view's documents.

    Edges: subject-object and passage-entity, from the rows that state them. Names of one thing ("also called",
    a code with and without the noun before it) share a node. A name that no relation holds but several passages
    mention is a node too: it may be the only bridge between two files.
    """
    passages: list[tuple[Chunk, FloatArray, tuple[str, ...]]] = []
    rows: list[tuple[Triple, FloatArray]] = []
    for part in parts:
        passages += zip(part.chunks, part.chunk_vectors, part.mentions, strict=True)
        rows += zip(part.facts, part.fact_vectors, strict=True)
    passages.sort(key=lambda item: item[0].id)
    rows.sort(key=lambda item: item[0])
    related = sorted({name for fact, _ in rows for name in (fact.subject, fact.object)})
    mentions = _bridges([names for _, _, names in passages], frozenset(related))
    nodes = _nodes(related, mentions, [fact for fact, _ in rows])
    labels = _labels(nodes)
    statements = [fact for fact, _ in rows]
    graph = _joined(statements, [chunk.id for chunk, _, _ in passages], mentions, nodes, len(labels))
    facts = _distinct(rows)
    proper = frozenset(nodes[name] for names in mentions for name in names)
    return ScopedGraph(
        chunks=tuple(chunk for chunk, _, _ in passages),
        chunk_vectors=_stacked([vector for _, vector, _ in passages]),
        facts=tuple(facts),
        fact_vectors=_stacked(list(facts.values())),
        ends=np.array([(nodes[f.subject], nodes[f.object]) for f in facts], np.intp).reshape(len(facts), 2),
        names=_lookup(nodes),
        words=_words(related, nodes, proper),
        related=frozenset(nodes[name] for name in related),
        proper=proper,
        labels=labels,
        spread=_spread(graph, len(labels)),
        transition=_transition(graph, len(labels)),
    )


# --- which names are one thing ---------------------------------------------------------------------


def _bridges(mentions: Sequence[tuple[str, ...]], related: frozenset[str]) -> list[tuple[str, ...]]:
    """Of the names each passage mentions, those that lead somewhere: in a relation, or in another passage too."""
    counts = Counter(name for names in mentions for name in set(names))
    codes = frozenset(code for name in related if (code := _code_of(name)))
    return [
        tuple(sorted({n for n in names if n in related or counts[n] > 1 or n in codes})) for names in mentions
    ]


def _code_of(name: str) -> str:
    """The code that a name ends in, if everything before it is a short common noun: "pasteurizador pz-200"."""
    *head, last = name.split()
    plain = len(head) <= _LONGEST_HEAD and all(word.isalpha() for word in head)
    return last if plain and _CODE.fullmatch(last) else ""


def _nodes(
    related: Sequence[str], mentions: Iterable[tuple[str, ...]], facts: Iterable[Triple]
) -> dict[str, int]:
    """A node number for every name, in the order of each thing's first name."""
    names = sorted({*related, *(name for group in mentions for name in group)})
    joined: UnionFind[str] = UnionFind(names)
    for fact in facts:
        if fact.relation == ALSO_CALLED:
            joined.union(fact.subject, fact.object)
    for same in _same_codes(names):
        joined.union(*same)
    first: dict[str, str] = {}
    for name in names:  # sorted, so the first one seen of a group is its least
        first.setdefault(joined[name], name)
    order = {name: number for number, name in enumerate(sorted(first.values()))}
    return {name: order[first[joined[name]]] for name in names}


def _same_codes(names: Sequence[str]) -> Iterable[tuple[str, ...]]:
    """Names that end in one code and mean one thing: always for a long code, for "L1" only beside a single noun."""
    groups: dict[str, list[str]] = {}
    for name in names:
        code = _code_of(name)
        if code:
            groups.setdefault(code, []).append(name)
    for code, members in sorted(groups.items()):
        nouns = [name for name in members if name != code]
        if sum(char.isalnum() for char in code) >= _LONG_CODE or len(nouns) <= 1:
            yield tuple(members)


def _labels(nodes: Mapping[str, int]) -> tuple[str, ...]:
    first: dict[int, str] = {}
    for name in sorted(nodes):
        first.setdefault(nodes[name], name)
    return tuple(first[node] for node in range(len(first)))


def _lookup(nodes: Mapping[str, int]) -> dict[str, int]:
    """Names and the codes they end in, as a question may write them; of two things with one key the first is meant."""
    found: dict[str, int] = {}
    for name in sorted(nodes):
        for spelling in (name, _code_of(name)):
            if spelling:
                found.setdefault(name_key(spelling), nodes[name])
    return {key: node for key, node in found.items() if key}


def _words(
    related: Sequence[str], nodes: Mapping[str, int], proper: frozenset[int]
) -> dict[str, tuple[int, ...]]:
    """The terms of proper names and coded things, so that a question may say a part of one."""
    found: dict[str, set[int]] = {}
    for name in related:
        if nodes[name] in proper or any(char.isdigit() for char in name):
            for token in question_tokens(name):
                for term in token.sure:
                    found.setdefault(term, set()).add(nodes[name])
    return {term: tuple(sorted(group)) for term, group in sorted(found.items())}


# --- edges -----------------------------------------------------------------------------------------


def _ports(facts: Sequence[Triple], nodes: Mapping[str, int]) -> Counter[tuple[int, str, int]]:
    """How many rows leave each (entity, kind of relation, side)."""
    ports: Counter[tuple[int, str, int]] = Counter()
    for fact in facts:
        kind = relation_kind(fact.relation)
        ports[nodes[fact.subject], kind, 0] += 1
        ports[nodes[fact.object], kind, 1] += 1
    return ports


@lru_cache(maxsize=65536)
def relation_kind(relation: str) -> str:
    """A relation whatever its gender, number and small words: "é mantida pela" and "são mantidos pelo" are one kind."""
    stems = sorted(
        {token.sure[min(1, len(token.sure) - 1)] for token in question_tokens(relation) if token.sure}
    )
    return " ".join(stems) or relation


def _joined(
    facts: Sequence[Triple],
    chunks: Sequence[str],
    mentions: Sequence[tuple[str, ...]],
    nodes: Mapping[str, int],
    entities: int,
) -> "nx.DiGraph[int]":
    """The weighted graph. An entity passes on the same to each kind of relation it stands in, however many rows have it.

    So a workshop that maintains forty machines and reports to one manager leads to the manager as readily as to all
    the machines together; without that, a chain drowns in its own siblings.
    """
    place = {chunk: entities + position for position, chunk in enumerate(chunks)}
    ports = _ports(facts, nodes)
    weights: dict[tuple[int, int], float] = {}

    def add(start: int, end: int, weight: float) -> None:
        weights[start, end] = weights.get((start, end), 0.0) + weight

    for fact in facts:
        passage, kind = place[fact.chunk], relation_kind(fact.relation)
        one, two = nodes[fact.subject], nodes[fact.object]
        for side, (start, end) in enumerate(((one, two), (two, one))):
            share = 1.0 / ports[start, kind, side]
            if one != two:
                add(start, end, share)
            add(start, passage, share)
            weights[passage, start] = 1.0
    mentioned = [
        (nodes[name], entities + position)
        for position, names in enumerate(mentions)
        for name in names
        if (entities + position, nodes[name]) not in weights
    ]
    counts = Counter(node for node, _ in mentioned)
    for node, passage in mentioned:
        add(node, passage, 1.0 / counts[node])
        weights[passage, node] = 1.0
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(entities + len(chunks)))
    graph.add_weighted_edges_from((start, end, weight) for (start, end), weight in sorted(weights.items()))
    return graph


def _spread(graph: "nx.DiGraph[int]", entities: int) -> tuple[int, ...]:
    """In how many passages each entity is named."""
    return tuple(sum(node >= entities for node in graph.successors(entity)) for entity in range(entities))


def _transition(graph: "nx.DiGraph[int]", entities: int) -> csr_array:
    """The column-normalised adjacency: entry (i, j) is the chance to go from j to i; a passage keeps some to itself."""
    size = graph.number_of_nodes()
    if size == 0:
        return csr_array((0, 0), dtype=np.float64)
    weights = nx.to_scipy_sparse_array(graph, nodelist=range(size), dtype=np.dtype(np.float64), format="csr")
    moves = csr_array(weights.T)
    moves.sort_indices()
    totals = np.asarray(moves.sum(axis=0), np.float64).ravel()
    moves.data = moves.data / totals[moves.indices] * np.where(moves.indices >= entities, PASS_ON, 1.0)
    return moves


def _distinct(rows: Iterable[tuple[Triple, FloatArray]]) -> dict[Triple, FloatArray]:
    """One entry a statement, however many passages make it; they share its text and so its vector."""
    kept: dict[tuple[str, str, str], tuple[Triple, FloatArray]] = {}
    for fact, vector in rows:
        kept.setdefault((fact.subject, fact.relation, fact.object), (fact, vector))
    return dict(kept.values())


def _stacked(vectors: Sequence[FloatArray]) -> FloatArray:
    return np.stack(vectors) if len(vectors) else np.zeros((0, 0), np.float32)
