"""The walk: Personalized PageRank over a view's graph, and the arithmetic that turns it into scores."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from core.types import FloatArray
from core.vectors import DECIMALS, row_dots

if TYPE_CHECKING:  # scipy has its home in `scoped`; here its matrix is only multiplied with
    from scipy.sparse import csr_array

Floats = npt.NDArray[np.float64]
TOLERANCE = 1e-9  # L1 change at which the walk stands still
STEPS = 200
_BLOCK = 4_096  # rows that are multiplied at a time, to bound memory


def cosines(rows: FloatArray, vector: FloatArray) -> Floats:
    """Cosine of every unit row with a unit vector, shape (n,), six decimals; a row's never depends on the others."""
    if rows.shape[0] == 0:
        return np.zeros(0, np.float64)
    return np.concatenate([row_dots(rows[i : i + _BLOCK], vector) for i in range(0, rows.shape[0], _BLOCK)])


def pagerank(transition: "csr_array", teleport: Floats, *, damping: float) -> Floats:
    """Personalized PageRank by power iteration.

    Args:
        transition: shape (n, n), columns sum to at most 1.
        teleport: shape (n,), where the walk starts and returns to; any non-negative weights, not all 0.
        damping: the chance to follow an edge rather than to return, in [0, 1].
    Returns: shape (n,), sums to 1. What a node does not pass on goes back to the teleport.
    Source: Haveliwala, "Topic-Sensitive PageRank", WWW 2002.
    """
    start = teleport / teleport.sum()
    rank = start.copy()
    for _ in range(STEPS):
        moved = damping * (transition @ rank)
        moved += (1.0 - moved.sum()) * start
        change = float(np.abs(moved - rank).sum())
        rank = moved
        if change < TOLERANCE:
            break
    return np.asarray(rank, np.float64)


def best_first(scores: Floats) -> list[int]:
    """Row numbers by falling score; of equal scores the earlier row, and rows stand in the order of their names."""
    order: list[int] = np.argsort(-scores, kind="stable").tolist()
    return order


def standardised(scores: Floats) -> Floats:
    """Scores minus their mean, over their deviation; all zero when they do not differ."""
    if scores.size == 0:
        return scores
    spread = float(scores.std())
    if spread < 1e-12:
        return np.zeros_like(scores)
    return np.asarray((scores - scores.mean()) / spread, np.float64)


def fused(walked: Floats, dense: Floats, *, meaning: float) -> Floats:
    """The standardised logarithm of the walk, and by weight `meaning` the standardised cosine; six decimals.

    Ranks throw away how much nearer one passage is than the next; the logarithm makes the walk's masses, which fall
    by a factor with every step, comparable to cosines.
    """
    logs: Floats = np.asarray(np.round(np.log(np.maximum(walked, 1e-12)), DECIMALS), np.float64)
    both: Floats = (1.0 - meaning) * standardised(logs) + meaning * standardised(dense)
    return np.asarray(np.round(both, DECIMALS) + 0.0, np.float64)  # + 0.0: no negative zero
