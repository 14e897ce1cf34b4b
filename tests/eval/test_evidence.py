"""What `polyrag eval evidence` prints of points and fits."""

import numpy as np
import pytest

from eval.evidence import Weighed, evidence_report, fit, separation


def examples(name: str, seed: int, count: int = 60) -> list[Weighed]:
    """Questions with an answer have more cover; `noise` says nothing."""
    rng = np.random.default_rng(seed)
    found = []
    for at in range(count):
        answerable = at % 3 > 0
        values = {"cover": float(rng.random() * 0.5 + 0.5 * answerable), "noise": float(rng.random())}
        found.append(Weighed(name, f"{name}{at}", values, values["cover"] - 0.5, answerable))
    return found


def test_a_fit_finds_the_signal_that_tells_and_leaves_the_other() -> None:
    weights = fit([*examples("a", 1), *examples("b", 2)], ["cover", "noise"])

    assert weights[1] > 5 * abs(weights[2])


def test_what_speaks_for_an_answer_adds_up_to_one() -> None:
    fitted = evidence_report([*examples("a", 1), *examples("b", 2)])["fit"]

    assert sum(value for name, value in fitted.items() if name != "threshold" and value > 0) == pytest.approx(
        1, abs=0.02
    )


def test_each_set_is_told_by_a_fit_on_the_others() -> None:
    upside_down = [
        Weighed("c", e.id, {"cover": 1 - e.values["cover"]}, -e.over, e.answerable) for e in examples("c", 3)
    ]
    held_out = evidence_report([*examples("a", 1), *examples("b", 2), *upside_down])["fit_held_out"]

    assert held_out["a"] > 0.7
    assert held_out["c"] < 0.3  # what the other sets teach is wrong there, and it shows


def test_refused_and_caught_are_counted_below_the_bar() -> None:
    found = [Weighed("a", str(at), {"near": 1.0}, over, yes) for at, (over, yes) in enumerate(
        [(0.1, True), (-0.1, True), (-0.2, False), (0.0, False)]
    )]  # fmt: skip
    figures = evidence_report([*found, *examples("b", 2)])["points"]["a"]

    assert (figures["answerable"], figures["refused"], figures["unanswerable"], figures["caught"]) == (
        2,
        1,
        2,
        1,
    )


def test_separation_is_half_by_chance_one_when_perfect_and_unknown_for_one_kind_alone() -> None:
    both = [Weighed("a", "1", {}, 0.0, True), Weighed("a", "2", {}, 0.0, False)]

    assert separation(both, np.array([1.0, 0.0])) == 1.0
    assert separation(both, np.array([1.0, 1.0])) == 0.5
    assert separation(both[:1], np.array([1.0])) is None
