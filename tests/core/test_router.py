"""Routing by arithmetic: stages that can be read, evidence that is shown, results that never depend on chance."""

import time
from dataclasses import replace

import numpy as np
import pytest

from core.errors import BadVector
from core.router import NO_HEADINGS, Anchors, HeadingIndex, features_of, route_chunk, route_clause, seed_route
from core.router.decide import CLOSE, SECOND, choose, contributions
from core.router.stages import delimiter_density, digit_density
from core.router.weights import DEFAULT
from core.settings import RouterSettings, Thresholds
from core.types import FloatArray, Found, Heading, Passage, RouteScore
from core.vectors import row_dots, top_rows, unit_rows
from tests.fakes import a_chunk, a_query, hashed_vector

ROUTES = {
    "graph": ("quem responde ao gerente da área", "which supplier serves the machine"),
    "relational": ("qual o total de vendas por região", "how many orders in March"),
    "text": ("o que diz a política de férias", "how do I request a refund"),
}
THRESHOLDS = Thresholds(route_high=0.6, route_low=0.2, route_margin=0.1)


def vectors_of(texts: list[str]) -> FloatArray:
    return np.stack([hashed_vector(text) for text in texts])


def the_anchors() -> Anchors:
    return Anchors.build(ROUTES, vectors_of([phrase for route in sorted(ROUTES) for phrase in ROUTES[route]]))


def index_of(*headings: Heading) -> HeadingIndex:
    return HeadingIndex.build(headings, vectors_of([h.text for h in headings]))


def found(**signals: float) -> Found:
    return Found((Passage("s", "L", "c", "d", "", "…", 1.0, 1),), tuple(sorted(signals.items())))


TABLE = found(
    plan=0.9, link=0.9, aggregate=1.0, values=1.0, columns=2.0, numeric_column=1.0, plan_margin=0.4, rows=3.0
)
NOTHING = found(plan=0.0, link=0.0)
PROSE = found(coverage=0.9, covered=0.9, dense_top=0.9, fused_top=4.0)


# --- anchors and headings ----------------------------------------------------------------------------------


def test_each_route_scores_by_its_nearest_phrase() -> None:
    best = the_anchors().best(hashed_vector("qual o total de vendas por região"))

    assert (best[0].route, best[0].best) == ("relational", "qual o total de vendas por região")
    assert best[0].score == pytest.approx(1.0)
    assert {score.route for score in best} == set(ROUTES)


def test_a_wrong_number_of_vectors_is_refused() -> None:
    with pytest.raises(BadVector):
        Anchors.build(ROUTES, vectors_of(["one"]))
    with pytest.raises(BadVector):
        HeadingIndex.build((Heading("section", "a"),), vectors_of(["a", "b"]))


def test_headings_speak_for_the_store_that_holds_them_in_any_order() -> None:
    headings = (Heading("entity", "Ana"), Heading("column", "receita"), Heading("section", "Reembolso"))
    index = index_of(*headings)

    assert {s.route: s.best for s in index.best(hashed_vector("x"))} == {
        "graph": "Ana",
        "relational": "receita",
        "text": "Reembolso",
    }
    assert index.fingerprint == index_of(*reversed(headings)).fingerprint


def test_the_fingerprint_changes_with_a_phrase_or_a_vector() -> None:
    phrases = [phrase for route in sorted(ROUTES) for phrase in ROUTES[route]]
    other = Anchors.build(ROUTES, vectors_of([*phrases[:-1], "other"]))

    assert the_anchors().fingerprint == the_anchors().fingerprint
    assert the_anchors().fingerprint != other.fingerprint


def test_narrowing_by_a_rough_product_never_changes_the_exact_result() -> None:
    rng = np.random.default_rng(3)
    base = unit_rows(rng.normal(size=(400, 48)))
    matrix = np.concatenate([base, base[:50]])  # exact ties
    for vector in unit_rows(rng.normal(size=(20, 48))):
        exact = row_dots(matrix, vector)
        wanted = sorted(range(len(matrix)), key=lambda row: (-exact[row], row))[:7]
        assert [row for row, _ in top_rows(matrix, vector, 7)] == wanted
    assert top_rows(np.zeros((0, 48), np.float32), base[0], 3) == ()
    assert len(top_rows(matrix[:2], base[0], 5)) == 2


# --- passages: stages 1 and 2 --------------------------------------------------------------------------------


def test_a_table_goes_to_the_relational_store_by_its_kind() -> None:
    decision = route_chunk(
        a_chunk("produto: queijo", kind="table"),
        hashed_vector("x"),
        the_anchors(),
        RouterSettings(),
        THRESHOLDS,
    )

    assert (decision.routes, decision.stage) == (("relational",), "heuristic")


def test_prose_as_dense_in_delimiters_and_digits_as_a_table_is_one() -> None:
    text = "1,20,300;4,50,600;7,80,900\n2,30,400;5,60,700;8,90,100"
    decision = route_chunk(a_chunk(text), hashed_vector(text), the_anchors(), RouterSettings(), THRESHOLDS)

    assert decision.stage == "heuristic"
    assert dict(decision.signals)["delimiter_density"] == pytest.approx(delimiter_density(text), abs=1e-6)
    assert (delimiter_density(""), digit_density("")) == (0.0, 0.0)


def test_a_passage_near_one_example_is_placed_by_it() -> None:
    text = "o que diz a política de férias"
    decision = route_chunk(a_chunk(text), hashed_vector(text), the_anchors(), RouterSettings(), THRESHOLDS)

    assert (decision.routes, decision.stage) == (("text",), "cosine")
    assert decision.margin >= THRESHOLDS.route_margin


def test_a_passage_in_the_grey_zone_is_kept_in_text_and_graph() -> None:
    tie = Thresholds(route_high=0.99, route_low=-1.0, route_margin=1.0)
    decision = route_chunk(a_chunk("algo"), hashed_vector("algo"), the_anchors(), RouterSettings(), tie)

    assert decision.routes == ("graph", "text")


def test_a_passage_near_nothing_is_narrative_text() -> None:
    far = Thresholds(route_high=0.99, route_low=0.98, route_margin=0.5)
    decision = route_chunk(a_chunk("zzz"), hashed_vector("zzz"), the_anchors(), RouterSettings(), far)

    assert (decision.routes, decision.stage) == (("text",), "fallback")


# --- the seed's three stages ----------------------------------------------------------------------------------


def test_the_seed_takes_a_clear_example() -> None:
    decision = seed_route(a_query("how many orders in March"), the_anchors(), NO_HEADINGS, THRESHOLDS)

    assert (decision.routes, decision.stage) == (("relational",), "cosine")


def test_the_seed_falls_back_to_text_below_its_floor() -> None:
    high = replace_thresholds(route_high=1.0, route_low=0.99)
    decision = seed_route(a_query("zzz yyy"), the_anchors(), NO_HEADINGS, high)

    assert (decision.routes, decision.stage) == (("text",), "fallback")


def test_the_seed_asks_what_the_stores_hold_where_examples_do_not_decide() -> None:
    unsure = replace_thresholds(route_high=1.0, route_low=-1.0, route_margin=0.3)
    decision = seed_route(
        a_query("valor do aluguel"), the_anchors(), index_of(Heading("column", "valor do aluguel")), unsure
    )

    assert (decision.routes, decision.stage) == (("relational",), "evidence")
    assert decision.scores[0].best == "valor do aluguel"


def test_the_seed_asks_both_stores_on_a_tie() -> None:
    tie = replace_thresholds(route_high=1.0, route_low=-1.0, route_margin=1.9)
    decision = seed_route(a_query("valor do aluguel"), the_anchors(), NO_HEADINGS, tie)

    assert len(decision.routes) == 2
    assert decision.stage == "evidence"


def replace_thresholds(**changes: float) -> Thresholds:
    return THRESHOLDS.model_copy(update=changes)


# --- questions by evidence ------------------------------------------------------------------------------------


def test_a_sure_plan_over_a_table_sends_a_figure_there() -> None:
    stores = {"relational": TABLE, "text": found(coverage=0.3), "graph": found(fact_top=0.8)}
    decision = route_clause(
        a_query("qual o total de vendas do sul em março"), the_anchors(), stores, NO_HEADINGS
    )

    assert decision.routes[0] == "relational"
    assert decision.stage == "evidence"


def test_a_procedure_goes_to_text_where_no_table_answers() -> None:
    stores = {"relational": NOTHING, "text": PROSE, "graph": found(fact_top=0.8)}
    decision = route_clause(a_query("como devo pedir o reembolso?"), the_anchors(), stores, NO_HEADINGS)

    assert "text" in decision.routes
    assert "relational" not in decision.routes


def test_a_store_without_anything_in_view_is_not_asked() -> None:
    stores = {"relational": Found(note="no tables"), "text": PROSE, "graph": Found()}
    decision = route_clause(a_query("qual o total de vendas?"), the_anchors(), stores, NO_HEADINGS)

    assert decision.routes == ("text",)


def test_a_failed_store_may_still_be_the_right_one() -> None:
    stores = {"relational": Found(failed=True), "text": PROSE, "graph": Found(failed=True)}
    decision = route_clause(a_query("qual o total de vendas?"), the_anchors(), stores, NO_HEADINGS)

    assert {score.route for score in decision.scores} == {"relational", "text", "graph"}


def test_every_decision_shows_what_each_feature_added() -> None:
    stores = {"relational": TABLE, "text": PROSE, "graph": found(fact_top=0.8)}
    query = a_query("quantos pedidos em março?")
    decision = route_clause(query, the_anchors(), stores, NO_HEADINGS)
    shown = dict(decision.signals)
    features = features_of(query, the_anchors(), stores, NO_HEADINGS)

    for score in decision.scores:
        total = sum(value for name, value in shown.items() if name.startswith(f"{score.route}<"))
        assert score.score == pytest.approx(1 / (1 + np.exp(-total)), abs=1e-5)
    assert {name: shown[name] for name in features} == dict(features)


def test_a_decision_is_the_same_bit_for_bit_and_needs_no_other_route() -> None:
    stores = {"relational": TABLE, "text": PROSE, "graph": found(fact_top=0.8)}
    query = a_query("quantos pedidos em março?")
    first = route_clause(query, the_anchors(), stores, NO_HEADINGS)
    second = route_clause(query, the_anchors(), dict(reversed(stores.items())), NO_HEADINGS)

    assert first == second
    assert first.fingerprint.startswith(the_anchors().fingerprint)


def test_a_plugin_route_is_scored_by_its_examples() -> None:
    routes = {**ROUTES, "wiki": ("artigo da wiki sobre o projeto",)}
    anchors = Anchors.build(routes, vectors_of([p for r in sorted(routes) for p in routes[r]]))
    decision = route_clause(a_query("artigo da wiki sobre o projeto"), anchors, {}, NO_HEADINGS)

    assert "wiki" in {score.route for score in decision.scores}
    assert contributions({"anchor.wiki": 2.0}, "wiki", DEFAULT)["anchor.wiki"] == 2.0


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        (0.9, 0.9, True),
        (0.9, SECOND - 0.01, False),
        (0.9, 0.9 - CLOSE - 0.01, False),
        (0.4, 0.35, True),
        (0.2, 0.1, False),
    ],
)
def test_a_second_store_is_asked_only_where_it_is_likely_and_close(
    first: float, second: float, both: bool
) -> None:
    chosen, margin = choose(
        [RouteScore("text", first), RouteScore("graph", second), RouteScore("relational", 0.01)]
    )

    assert (len(chosen) == 2) == both
    assert margin == pytest.approx(first - second)


def test_weights_can_be_replaced_by_configuration() -> None:
    stores = {"relational": TABLE, "text": PROSE, "graph": found(fact_top=0.8)}
    only_graph = {"graph": {"bias": 5.0}, "text": {"bias": -5.0}, "relational": {"bias": -5.0}}
    decision = route_clause(
        a_query("quantos pedidos?"), the_anchors(), stores, NO_HEADINGS, weights=only_graph
    )

    assert decision.routes == ("graph",)


@pytest.mark.slow
def test_a_decision_over_many_anchors_and_headings_takes_half_a_millisecond() -> None:
    rng = np.random.default_rng(5)
    phrases = {route: tuple(f"{route} {i}" for i in range(167)) for route in ROUTES}
    anchors = Anchors.build(phrases, unit_rows(rng.normal(size=(501, 384))))
    kinds = ("section", "column", "entity")
    headings = tuple(Heading(kinds[i % 3], f"heading {i}") for i in range(5_000))  # type: ignore[arg-type]
    index = HeadingIndex.build(headings, unit_rows(rng.normal(size=(5_000, 384))))
    query = replace(a_query("quantos pedidos em março?"), vector=unit_rows(rng.normal(size=(1, 384)))[0])
    stores = {"relational": TABLE, "text": PROSE, "graph": found(fact_top=0.8)}
    taken = []
    for _ in range(60):
        start = time.process_time()
        route_clause(query, anchors, stores, index)
        taken.append(time.process_time() - start)

    assert min(taken) < 0.001  # the best of sixty; the goal is 0.5 ms, `polyrag bench` measures it
