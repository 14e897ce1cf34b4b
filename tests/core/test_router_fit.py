"""The router's weights come from a fit that anyone can repeat."""

import numpy as np

from core.router.fit import Example, agreement, fit_weights, newton
from core.router.weights import DEFAULT, weights_of

ROUTES = ("graph", "relational", "text")


def examples(seed: int = 1, count: int = 240) -> list[Example]:
    """Questions whose route is the loudest of three noisy features."""
    rng = np.random.default_rng(seed)
    found = []
    for at in range(count):
        values = dict(zip(ROUTES, rng.random(3), strict=True))
        wanted = max(sorted(values), key=lambda route: values[route])
        features = {f"signal.{route}": round(float(value), 6) for route, value in values.items()}
        found.append(
            Example({**features, "noise": round(float(rng.random()), 6)}, frozenset({wanted}), f"c{at % 2}")
        )
    return found


NAMES = ("signal.graph", "signal.relational", "signal.text", "noise")


def test_each_route_learns_its_own_signal() -> None:
    weights = fit_weights(examples(), ROUTES, NAMES, ridge=0.1)

    for route in ROUTES:
        assert max(weights[route], key=lambda name: weights[route][name]) == f"signal.{route}"
        assert abs(weights[route].get("noise", 0.0)) < 0.3 * weights[route][f"signal.{route}"]


def test_the_order_of_examples_does_not_matter() -> None:
    found = examples()

    assert fit_weights(found, ROUTES, NAMES, ridge=1.0) == fit_weights(
        found[::-1], ROUTES, NAMES[::-1], ridge=1.0
    )


def test_a_corpus_counts_alike_however_many_questions_it_brings() -> None:
    few, many = examples(1, 40), examples(2, 40)
    one = [Example(e.features, e.wanted, "a") for e in few] + [
        Example(e.features, e.wanted, "b") for e in many
    ]
    more = one + [Example(e.features, e.wanted, "b") for e in many]

    once = fit_weights(one, ROUTES, NAMES, ridge=1.0)
    twice = fit_weights(more, ROUTES, NAMES, ridge=1.0 * len(more) / len(one))

    assert twice == once


def test_more_ridge_means_smaller_weights() -> None:
    loose, tight = (
        fit_weights(examples(), ROUTES, NAMES, ridge=ridge)["text"]["signal.text"] for ridge in (0.1, 50.0)
    )

    assert 0 < tight < loose


def test_newton_finds_the_minimum_of_the_penalised_loss() -> None:
    rng = np.random.default_rng(4)
    matrix = np.column_stack([np.ones(80), rng.normal(size=(80, 2))])
    wanted = (matrix[:, 1] + rng.normal(size=80) > 0).astype(np.float64)

    def loss(weights: np.ndarray) -> float:
        score = matrix @ weights
        return float(np.logaddexp(0.0, score).sum() - score @ wanted + (weights[1:] ** 2).sum())

    best = newton(matrix, wanted, np.ones(80), 1.0)

    for step in (*np.eye(3) * 1e-3, *-np.eye(3) * 1e-3):
        assert loss(best) <= loss(best + step) + 1e-9


def test_agreement_counts_missing_and_superfluous_stores() -> None:
    found = [Example({}, frozenset({"text"})), Example({}, frozenset({"graph", "text"}))]

    assert agreement(found, [("graph", "text"), ("text",)]) == {
        "routing": 0.5, "routing_exact": 0.0, "stores_per_clause": 1.5,
    }  # fmt: skip


def test_configured_weights_are_laid_over_the_built_in_ones() -> None:
    laid = weights_of({"text": {"bias": 9.0}, "wiki": {"bias": 1.0}})

    assert laid["text"]["bias"] == 9.0
    assert laid["text"]["anchor.text"] == DEFAULT["text"]["anchor.text"]
    assert laid["graph"] == DEFAULT["graph"]
    assert laid["wiki"] == {"bias": 1.0}
