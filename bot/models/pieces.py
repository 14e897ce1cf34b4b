"""Cut a text that is longer than an embedding model reads, and join the vectors of its pieces again."""

from collections.abc import Awaitable, Callable, Sequence

import numpy as np

from core.errors import BadVector
from core.types import FloatArray
from core.vectors import unit_rows

Count = Callable[[str], Awaitable[int]]
_SPECIAL_TOKENS = 4  # start and end marks a tokenizer may add


def surely_fits(text: str, limit: int) -> bool:
    """No tokenizer makes more tokens than bytes, so short texts need no counting."""
    return len(text.encode()) + _SPECIAL_TOKENS <= limit


def halves(text: str) -> tuple[str, str]:
    """Cut at the space nearest to the middle, or in the middle of a text without one. Both parts are non-empty.

    Raises: BadVector for a single character, which no cut makes shorter.
    """
    if len(text) < 2:
        raise BadVector("one character is longer than the model reads")
    middle = len(text) // 2
    before, after = text.rfind(" ", 1, middle), text.find(" ", middle, len(text) - 1)
    cuts = [cut for cut in (before, after) if cut > 0]
    cut = min(cuts, key=lambda place: (abs(place - middle), place)) if cuts else middle
    return text[:cut].rstrip() or text[:cut], text[cut:].lstrip() or text[cut:]


async def split(text: str, limit: int, count: Count) -> tuple[tuple[str, int], ...]:
    """The pieces of a text, each at most `limit` tokens by the model's own count, with that count.

    Args:
        count: tokens of a piece as it will be sent, prefix and marks included.
    """
    tokens = await count(text)
    if tokens <= limit:
        return ((text, tokens),)
    left, right = halves(text)
    return (*await split(left, limit, count), *await split(right, limit, count))


def join(vectors: FloatArray, weights: Sequence[int]) -> FloatArray:
    """The vector of a cut text: its pieces' unit vectors, averaged by their tokens, scaled to length 1.

    Args:
        vectors: shape (n, d), unit rows, n >= 1.
        weights: n token counts.
    Returns: shape (d,), unit length; a text of one piece keeps that piece's vector bit for bit.
    """
    if len(weights) == 1:
        return np.asarray(vectors[0], np.float32)
    total = (vectors.astype(np.float64) * np.asarray(weights, np.float64)[:, None]).sum(axis=0)
    return np.asarray(unit_rows(total[None, :])[0], np.float32)
