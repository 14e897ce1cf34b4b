"""One ranking out of several: what is standardised, what breaks ties, what comes first."""

from dataclasses import replace

import numpy as np
import pytest

from core.fuse import (
    Candidates,
    diversified,
    freshness,
    fuse,
    lexical_weight,
    merge,
    rrf,
    squash,
    standardised,
    stitch,
)
from core.types import Found, Passage, SqlResult


def a_passage(name: str, score: float = 0.5, store: str = "text", rank: int = 1, **more: object) -> Passage:
    fields: dict[str, object] = {"document": "d", "locator": "", "text": f"text of {name}"}
    return Passage(store, store.upper(), name, score=score, rank=rank, **(fields | more))  # type: ignore[arg-type]


def names(ranked: tuple[tuple[str, float], ...]) -> list[str]:
    return [name for name, _ in ranked]


def test_words_decide_when_they_cover_the_question_and_meaning_when_they_do_not() -> None:
    dense = {"near": 0.9, "other": 0.8, "worded": 0.85, "far": 0.7}
    lexical = {"worded": 9.0, "other": 2.0, "near": 1.0}

    assert names(fuse([Candidates(dense, lexical, coverage=1.0)]))[0] == "worded"
    assert names(fuse([Candidates(dense, lexical, coverage=0.0)]))[0] == "near"


def test_a_passage_that_holds_the_exact_code_comes_before_one_that_resembles_the_question() -> None:
    dense = {f"c{n}": 0.7 + n / 1000 for n in range(30)} | {"like": 0.74, "code": 0.72}
    lexical = {"like": 7.0, "code": 6.0}

    assert names(fuse([Candidates(dense, lexical, coverage=0.5)]))[0] == "like"
    assert names(fuse([Candidates(dense, lexical, coverage=0.5, exact={"code": 1.0})]))[0] == "code"


def test_words_count_little_in_a_language_whose_passages_cover_less_of_the_question() -> None:
    assert lexical_weight(0.8, best=0.8) == pytest.approx(0.6)
    assert lexical_weight(0.2, best=0.8) < lexical_weight(0.2, best=0.2)
    assert lexical_weight(0.0, best=0.0) == pytest.approx(0.2)


def test_a_passage_of_another_language_is_not_drowned_by_the_questions_own() -> None:
    own = Candidates({f"p{i:02d}": 0.86 + i * 0.0005 for i in range(40)}, {"p00": 2.0}, coverage=0.2)
    other = Candidates(
        {f"e{i:02d}": 0.78 + i * 0.0001 for i in range(39)} | {"right": 0.84}, {}, coverage=0.0
    )

    assert names(fuse([own, other]))[0] == "right"
    assert max(own.dense.values()) > max(other.dense.values())


def test_a_tiny_group_does_not_make_its_best_passage_outstanding() -> None:
    own = Candidates({f"p{i:02d}": 0.80 + i * 0.001 for i in range(40)} | {"right": 0.9}, {}, coverage=0.5)
    tiny = Candidates({"e0": 0.70, "e1": 0.69}, {}, coverage=0.0)

    assert names(fuse([own, tiny]))[0] == "right"


def test_fusion_of_nothing_is_nothing_and_ties_go_by_id() -> None:
    assert fuse([]) == ()
    assert fuse([Candidates({}, {}, 0.0)]) == ()
    assert fuse([Candidates({"b": 0.5, "a": 0.5}, {}, 0.0)]) == (("a", 0.0), ("b", 0.0))


def test_order_of_the_input_does_not_change_a_digit() -> None:
    dense = {f"c{i}": float(np.sin(i)) for i in range(150)}
    lexical = {f"c{i}": 3 + float(np.cos(i)) for i in range(0, 150, 2)}
    shuffled = {name: dense[name] for name in sorted(dense, reverse=True)}

    assert fuse([Candidates(dense, lexical, 0.4)]) == fuse([Candidates(shuffled, lexical, 0.4)])


def test_standard_scores_have_no_mean_and_unit_spread_and_a_flat_list_is_zero() -> None:
    (scores,) = standardised([np.array([1.0, 2.0, 3.0, 6.0])], own_spread=True)

    assert scores.mean() == pytest.approx(0)
    assert scores.std() == pytest.approx(1)
    assert standardised([np.array([2.0, 2.0])], own_spread=True)[0].tolist() == [0.0, 0.0]
    assert standardised([], own_spread=False) == []


def test_reciprocal_ranks_prefer_what_two_rankings_agree_on() -> None:
    fused = rrf([["a", "b"], ["b", "c"]], [0.7, 0.3])

    assert names(fused) == ["b", "a", "c"]
    assert fused[0][1] == pytest.approx(0.7 / 62 + 0.3 / 61, abs=1e-6)


def test_squashed_scores_keep_the_order_within_0_and_1() -> None:
    values = [squash(x) for x in (-900.0, -1.0, 0.0, 2.0, 900.0)]

    assert values == sorted(values)
    assert values[2] == 0.5
    assert 0.0 <= values[0] < values[-1] <= 1.0


def test_a_near_duplicate_stands_behind_what_else_answers() -> None:
    ranked = (("a", 0.95), ("copy", 0.94), ("other", 0.90))

    assert names(diversified(ranked, frozenset({("a", "copy")}), balance=0.85)) == ["a", "other", "copy"]
    assert diversified(ranked, frozenset({("a", "copy")}), balance=1.0) == ranked
    assert diversified(ranked, frozenset(), balance=0.5) == ranked


def test_freshness_prefers_the_newer_of_equals_and_is_off_by_default() -> None:
    new = freshness(0.8, "2026-05-01", "2026-06-01", half_life_days=180)
    old = freshness(0.8, "2020-05-01", "2026-06-01", half_life_days=180)
    undated = freshness(0.8, "", "2026-06-01", half_life_days=180)

    assert new > undated > old >= 0.8 * 0.7
    assert freshness(0.8, "2020-05-01", "2026-06-01", half_life_days=0) == 0.8
    assert freshness(0.8, "2020-05-01", "", half_life_days=180) == 0.8


def test_one_store_keeps_its_scores_and_gets_ranks() -> None:
    found = Found((a_passage("a", 0.9), a_passage("b", 0.8), a_passage("c", 0.7)))

    merged = merge([("text", found)], 2)

    assert [(p.chunk_id, p.score, p.rank) for p in merged] == [("a", 0.9, 1), ("b", 0.8, 2)]


def test_a_chunk_that_two_stores_found_rises_and_comes_once_under_the_store_that_ranks_it_best() -> None:
    text = Found(
        tuple(a_passage(n, s, rank=r) for r, (n, s) in enumerate((("a", 0.9), ("b", 0.89), ("c", 0.4)), 1))
    )
    graph = Found(
        tuple(
            a_passage(n, s, "graph", r) for r, (n, s) in enumerate((("b", 3.0), ("d", 1.0), ("a", -2.0)), 1)
        )
    )

    merged = merge([("text", text), ("graph", graph)], 10)

    assert merged[0].chunk_id == "b"
    assert sorted(p.chunk_id for p in merged) == ["a", "b", "c", "d"]
    assert {p.chunk_id: p.store for p in merged} == {"a": "text", "b": "graph", "c": "text", "d": "graph"}
    assert merged == merge([("graph", graph), ("text", text)], 10)


def test_a_lone_find_of_another_store_does_not_push_aside_what_stands_out_in_the_text() -> None:
    text = Found(tuple(a_passage(f"t{n}", s, rank=n) for n, s in enumerate((0.98, 0.6, 0.5, 0.45, 0.4), 1)))
    graph = Found(tuple(a_passage(f"g{n}", s, "graph", n) for n, s in enumerate((9.0, 1.0, 0.9, 0.8), 1)))

    assert merge([("text", text), ("graph", graph)], 3)[0].chunk_id == "t1"


def test_rows_come_first_with_a_confident_plan_and_last_with_a_doubtful_one() -> None:
    rows = a_passage("sql", 1.0, "relational", result=SqlResult("SELECT 1", ("n",), ((1,),)))
    text = Found((a_passage("a", 0.9),))

    sure = merge([("text", text), ("relational", Found((rows,), (("plan", 0.9),)))], 5)
    doubtful = merge([("text", text), ("relational", Found((rows,), (("plan", 0.2),)))], 5)

    assert [p.chunk_id for p in sure] == ["sql", "a"]
    assert [p.chunk_id for p in doubtful] == ["a", "sql"]


def test_neighbours_are_read_as_one_passage_in_reading_order_at_the_better_place() -> None:
    passages = [a_passage("c2", rank=1), a_passage("x", rank=2), a_passage("c1", rank=3)]

    stitched = stitch(passages, {"c1": "c2", "c2": "c3"}, characters=100)

    assert [p.chunk_id for p in stitched] == ["c2", "x"]
    assert stitched[0].text == "text of c1\ntext of c2"


def test_stitching_never_makes_a_text_longer_than_allowed_and_loses_none() -> None:
    passages = [a_passage(f"c{i}", rank=i) for i in range(1, 6)]
    following = {f"c{i}": f"c{i + 1}" for i in range(1, 6)}

    stitched = stitch(passages, following, characters=25)

    assert [p.text for p in stitched] == [
        "text of c1\ntext of c2", "text of c3\ntext of c4", "text of c5",
    ]  # fmt: skip


def test_rows_are_never_stitched() -> None:
    rows = replace(a_passage("sql"), result=SqlResult("SELECT 1", ("n",), ((1,),)))

    assert stitch([rows, a_passage("c1", rank=2)], {"sql": "c1"}, characters=100)[0] == rows
