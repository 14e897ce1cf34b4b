"""Where the router's weights come from: ridge logistic regression, one route at a time, by Newton steps.

Deterministic: no random start, no sampling; the same examples in any order within rounding give the same weights.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.router.features import Features
from core.types import Route

Floats = npt.NDArray[np.float64]

STEPS = 60
DECIMALS = 3


@dataclass(frozen=True, slots=True)
class Example:
    """One clause: its features, the stores that had to be consulted, and the corpus it was asked over."""

    features: Features
    wanted: frozenset[Route]
    corpus: str = ""


def fit_weights(
    examples: Sequence[Example], routes: Sequence[Route], names: Sequence[str], *, ridge: float
) -> dict[Route, dict[str, float]]:
    """Weights of each route over the named features, and its "bias".

    Args:
        examples: every corpus counts alike, however many questions it brings.
        names: the features that may speak for any route.
        ridge: penalty on squared weights; the bias is free.
    """
    ordered = sorted(names)
    matrix = np.array([[1.0, *(e.features.get(name, 0.0) for name in ordered)] for e in examples], np.float64)
    sizes = {corpus: sum(e.corpus == corpus for e in examples) for corpus in {e.corpus for e in examples}}
    shares = np.array([len(examples) / (len(sizes) * sizes[e.corpus]) for e in examples], np.float64)
    fitted = {}
    for route in sorted(routes):
        wanted = np.array([route in e.wanted for e in examples], np.float64)
        solved = newton(matrix, wanted, shares, ridge)
        fitted[route] = dict(zip(("bias", *ordered), np.round(solved, DECIMALS).tolist(), strict=True))
    return {route: {name: value for name, value in own.items() if value} for route, own in fitted.items()}


def newton(matrix: Floats, wanted: Floats, shares: Floats, ridge: float) -> Floats:
    """Minimise the weighted logistic loss plus ridge times squared weights (first column, the bias, is free).

    Args:
        matrix: shape (n, k), first column 1.
        wanted: shape (n,), 0 or 1.
        shares: shape (n,), weight of each row.
    Returns: shape (k,).
    """
    weights = np.zeros(matrix.shape[1], np.float64)
    penalty = np.full(matrix.shape[1], 2.0 * ridge)
    penalty[0] = 1e-6
    for _ in range(STEPS):
        guess = 1.0 / (1.0 + np.exp(-np.clip(matrix @ weights, -30.0, 30.0)))
        slope = matrix.T @ (shares * (guess - wanted)) + penalty * weights
        curve = (matrix * (shares * guess * (1.0 - guess))[:, None]).T @ matrix + np.diag(penalty)
        step = np.linalg.solve(curve, slope)
        weights = weights - step
        if float(np.abs(step).max()) < 1e-9:
            break
    return weights


def agreement(examples: Sequence[Example], chosen: Sequence[Sequence[Route]]) -> Mapping[str, float]:
    """Share of examples whose every wanted store was asked, share with none besides, and stores asked a clause."""
    pairs = list(zip(examples, chosen, strict=True))
    n = max(len(pairs), 1)
    return {
        "routing": sum(e.wanted <= set(c) for e, c in pairs) / n,
        "routing_exact": sum(e.wanted == set(c) for e, c in pairs) / n,
        "stores_per_clause": sum(len(c) for _, c in pairs) / n,
    }
