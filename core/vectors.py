"""Vector arithmetic whose result for one row never depends on the other rows."""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from core.errors import BadVector
from core.types import FloatArray

DECIMALS = 6  # every score is rounded to this before it is compared or shown


def unit_rows(vectors: npt.ArrayLike) -> FloatArray:
    """Scale every row to length 1.

    Args:
        vectors: shape (n, d).
    Returns: shape (n, d), float32; rows have Euclidean length 1.
    Raises: BadVector if a row is zero or not finite; a zero row has no direction to compare.
    """
    rows = np.asarray(vectors, np.float64)
    if rows.ndim != 2:
        raise BadVector(f"expected a matrix, got shape {rows.shape}")
    lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    if not np.isfinite(lengths).all() or (lengths == 0).any():
        raise BadVector(f"bad rows in {rows.shape} array")
    return np.ascontiguousarray(rows / lengths, dtype=np.float32)


def row_dots(
    rows: FloatArray | npt.NDArray[np.float64], vector: FloatArray | npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Dot product of every row with one vector, rounded to six decimals.

    A matrix product may sum in another order when the matrix is sliced, and differ in the last bits; here each
    row is multiplied and summed on its own in float64, so a row scores the same in every corpus.

    Args:
        rows: shape (n, d).
        vector: shape (d,).
    Returns: shape (n,), float64.
    """
    if rows.shape[0] == 0:
        return np.zeros(0, np.float64)
    products = rows.astype(np.float64, copy=False) * vector.astype(np.float64, copy=False)
    return np.asarray(np.round(products.sum(axis=1), DECIMALS))


def top_rows(matrix: FloatArray, vector: FloatArray, k: int) -> tuple[tuple[int, float], ...]:
    """The k rows nearest to a vector, exactly: (row, score), best first, ties by row number.

    A single-precision product only narrows the field: every row that its error bound leaves in the race is scored
    again by `row_dots`, so the result is that of scoring all rows one by one.

    Args:
        matrix: shape (n, d), unit rows.
        vector: shape (d,), unit length.
        k: at least 1; fewer rows come back when the matrix has fewer.
    """
    n = matrix.shape[0]
    if n == 0:
        return ()
    rough = matrix @ vector
    lowest = np.partition(rough, n - k)[n - k] if k < n else rough.min()
    rows = np.flatnonzero(rough >= lowest - _slack(vector))
    scores = row_dots(matrix[rows], vector)
    ranked = sorted(zip(rows.tolist(), scores.tolist(), strict=True), key=lambda pair: (-pair[1], pair[0]))
    return tuple(ranked[:k])


def best_rows(
    matrix: FloatArray, vector: FloatArray, spans: Sequence[tuple[int, int]]
) -> tuple[tuple[int, float], ...]:
    """The nearest row of each span of rows, exactly as `top_rows` finds it, with one product for all.

    Args:
        spans: (first row, row after the last), none empty.
    Returns: (row, score) of each span.
    """
    rough, slack = matrix @ vector, _slack(vector)
    found = []
    for first, last in spans:
        part = rough[first:last]
        rows = np.flatnonzero(part >= part.max() - slack) + first
        scores = row_dots(matrix[rows], vector)
        at = int(scores.argmax())  # the first of equals
        found.append((int(rows[at]), float(scores[at])))
    return tuple(found)


def _slack(vector: FloatArray) -> float:
    """Twice the largest error of a single-precision product of unit vectors: d * eps for each of two rows."""
    return float(2 * vector.shape[0] * np.finfo(np.float32).eps)


def rounded_all(scores: Iterable[float]) -> list[float]:
    """As `rounded`, each by itself; a list of hundreds is rounded with every question."""
    return [round(score, DECIMALS) + 0.0 for score in map(float, scores)]


def rounded(score: float) -> float:
    """Six decimals, and never the negative zero that would print differently."""
    return round(float(score), DECIMALS) + 0.0
