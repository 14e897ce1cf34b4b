import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

from core.stores.graph.rows import DocumentGraph
from core.stores.graph.scoped import build_graph
from core.stores.graph.walk import cosines, fused, pagerank, standardised
from core.vectors import row_dots, unit_rows
from tests.core.stores.graph.corpora import parcels_of


def transition_of(graph: "nx.Graph[int]") -> csr_array:
    weights = nx.to_scipy_sparse_array(graph, nodelist=range(graph.number_of_nodes()), dtype=float).tocsc()
    totals = np.asarray(weights.sum(axis=0)).ravel()
    return csr_array(weights @ np.diag(1 / np.where(totals > 0, totals, 1)))


@pytest.mark.parametrize("damping", [0.3, 0.5, 0.85])
def test_the_walk_agrees_with_networkx(damping: float) -> None:
    graph = nx.gnm_random_graph(60, 140, seed=5)
    teleport = np.zeros(60)
    teleport[[3, 17, 40]] = [1.0, 2.0, 0.5]

    mine = pagerank(transition_of(graph), teleport, damping=damping)
    theirs = nx.pagerank(
        graph,
        alpha=damping,
        personalization=dict(enumerate(teleport)),
        dangling=dict(enumerate(teleport)),
        tol=1e-12,
    )

    assert mine.sum() == pytest.approx(1.0)
    assert mine == pytest.approx(np.array([theirs[node] for node in range(60)]), abs=1e-8)


def test_a_lonely_start_keeps_its_mass() -> None:
    graph = nx.Graph()
    graph.add_nodes_from(range(3))
    graph.add_edge(1, 2)

    assert pagerank(transition_of(graph), np.array([1.0, 0.0, 0.0]), damping=0.5).tolist() == [1.0, 0.0, 0.0]


def test_a_graph_of_nothing_has_no_nodes() -> None:
    graph = build_graph([])

    assert (graph.entities, graph.chunks, graph.facts) == (0, (), ())
    assert graph.transition.shape == (0, 0)


def test_cosines_do_not_depend_on_how_many_rows_are_multiplied_at_once() -> None:
    rows = unit_rows(np.random.default_rng(3).normal(size=(9_001, 32)))

    assert cosines(rows, rows[5]).tolist() == row_dots(rows, rows[5]).tolist()


def test_scores_that_do_not_differ_stand_nowhere() -> None:
    assert standardised(np.full(4, 0.3)).tolist() == [0.0] * 4
    assert standardised(np.zeros(0)).tolist() == []


def test_fusion_weighs_the_walk_by_its_logarithm() -> None:
    walked, dense = np.array([1e-1, 1e-2, 1e-3]), np.array([0.5, 0.5, 0.5])

    scores = fused(walked, dense, meaning=0.5)

    assert scores[0] - scores[1] == pytest.approx(scores[1] - scores[2], abs=1e-5)


def test_fusion_leans_to_the_side_it_is_told_to() -> None:
    walked, dense = np.array([1e-1, 1e-3]), np.array([0.2, 0.9])

    assert fused(walked, dense, meaning=0.2).argmax() == 0
    assert fused(walked, dense, meaning=0.8).argmax() == 1


def test_a_workshop_with_many_machines_still_leads_to_its_manager() -> None:
    machines = [f"A bomba BB-{n} é mantida pela Oficina Leste." for n in range(10, 30)]
    (part,) = (
        DocumentGraph.of(p, "graph")
        for p in parcels_of({"a": [*machines, "A Oficina Leste responde a Ana Prado."]})
    )
    graph = build_graph([part])
    start = np.zeros(graph.transition.shape[0])
    start[graph.names["bomba bb-10"]] = 1.0

    mass = pagerank(graph.transition, start, damping=0.85)

    sibling, manager = graph.names["bomba bb-20"], graph.names["ana prado"]
    assert mass[manager] > 5 * mass[sibling]
