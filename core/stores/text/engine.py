"""The port that both vector engines stand behind, the arithmetic they can only do right, and the cut of ties.

An engine adds up float32 products in an order of its own: by index layout, processor, thread or cluster node. The
last bits of a score then depend on what else is stored, and so may a comparison. Here every number that reaches an
engine is first rounded to a multiple of a power of two, coarse enough that all products and all their partial sums
are exact in float32 (24 bits). An exact sum is the same in every order, so every engine returns the same score.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import ceil, log2
from typing import NamedTuple, Protocol
from uuid import UUID

import numpy as np

from core.types import FloatArray

DENSE, LEXICAL = "dense", "lexical"  # names of the two vectors of a point
_EXACT_BITS = 24  # of a float32
_STORED_BITS, _ASKED_BITS = 12, 11  # of dense components: products are multiples of 2**-23, sums stay below 2
_WEIGHT_BITS = 8  # of stored lexical weights
_SLACK = 32  # asked for beyond the limit, so that a tie at the cut rarely needs a second query
_MARGIN = 2e-6  # comparisons are made on six decimals


@dataclass(frozen=True, slots=True)
class Sparse:
    """A lexical vector: term keys (ascending, distinct, 32 bits) and weights that sum exactly."""

    keys: tuple[int, ...] = ()
    weights: tuple[float, ...] = ()


def place(document: str, language: str) -> str:
    """What a query filters by: one document's passages in one language.

    One condition instead of two: a shard answers it five times faster than a filter on both.
    """
    return f"{document} {language}"


@dataclass(frozen=True, slots=True)
class Point:
    """One passage as an engine keeps it."""

    chunk_id: str
    document: str
    language: str
    dense: FloatArray  # shape (d,), from `stored_vector`
    lexical: Sparse
    payload: Mapping[str, str]  # text, title, headings, locator, kind, date

    def stored(self) -> dict[str, str]:
        """The payload that an engine keeps: what is shown and what is filtered by."""
        own = {"chunk": self.chunk_id, "document": self.document, "language": self.language}
        return {**self.payload, **own, "place": place(self.document, self.language)}


@dataclass(frozen=True, slots=True)
class Mark:
    """Written after all points of a document: without it the document counts as not held."""

    document: str
    stamp: str  # changes whenever the document's points do
    record: str  # what the store needs to know of the document as a whole


class Hit(NamedTuple):
    """A candidate (a tuple, as thousands are made a question). The score depends on the question and this passage alone, never on what else is stored."""

    chunk_id: str
    score: float  # six decimals


class VectorEngine(Protocol):
    """Exact search over points, filtered inside the query. Vectors and weights come rounded, see above."""

    def write(self, points: Sequence[Point], mark: Mark) -> None:
        """Replace a document: its old mark and points go, the points come, the mark comes last."""
        ...

    def remove(self, document: str) -> int:
        """Remove mark and points of a document; returns the number of points."""
        ...

    def stamps(self, *, refresh: bool = False) -> Mapping[str, str]:
        """Document -> stamp of every mark; `refresh` looks for what other processes did."""
        ...

    def records(self, documents: Sequence[str]) -> dict[str, str]:
        """Document -> record, of the marked ones among `documents`."""
        ...

    def near(self, vector: FloatArray, places: Sequence[str], limit: int) -> tuple[Hit, ...]:
        """Best passages by dot product, best first, ties by chunk id; all that tie with the last are there.

        Only points in one of the `places` take part: the filter is inside the query.
        """
        ...

    def matching(self, terms: Sparse, places: Sequence[str], limit: int) -> tuple[Hit, ...]:
        """Best passages by sparse dot product, above 0, in the same order and places."""
        ...

    def fetch(self, chunk_ids: Sequence[str]) -> dict[str, Point]:
        """The points themselves; unknown ids are left out."""
        ...

    def close(self) -> None: ...


def stored_vector(vector: FloatArray) -> FloatArray:
    """A unit vector as it is stored: components rounded to 2**-12 (moves a cosine by about 0.0001)."""
    return _rounded_to(vector, _STORED_BITS)


def asked_vector(vector: FloatArray) -> FloatArray:
    """A unit vector as it is searched with: components rounded to 2**-11."""
    return _rounded_to(vector, _ASKED_BITS)


def stored_weight(weight: float) -> float:
    """A document's lexical weight as it is stored: a multiple of 2**-8."""
    return round(weight * 2.0**_WEIGHT_BITS) / 2.0**_WEIGHT_BITS


def asked_weights(weights: Sequence[float], *, largest_stored: float) -> tuple[float, ...]:
    """A question's lexical weights, as fine as leaves every possible sum exact; the more terms, the coarser.

    Args:
        weights: positive.
        largest_stored: no stored weight is larger.
    """
    most = sum(weights) * largest_stored * 2.0**_WEIGHT_BITS
    bits = _EXACT_BITS - 1 - ceil(log2(most)) if most > 0 else 0
    return tuple(round(weight * 2.0**bits) / 2.0**bits for weight in weights)


def _rounded_to(vector: FloatArray, bits: int) -> FloatArray:
    return np.asarray(np.round(vector.astype(np.float64) * 2.0**bits) / 2.0**bits, np.float32)


def point_id(kind: str, name: str) -> str:
    """A UUID made from the content's own id, so that the same point lands on itself everywhere."""
    return str(UUID(bytes=sha256(f"{kind}\n{name}".encode()).digest()[:16]))


def untied(ask: Callable[[int], Sequence[Hit]], limit: int) -> tuple[Hit, ...]:
    """The best `limit` hits and whatever ties with the last of them.

    An engine cuts equal scores by its own order, which depends on what else it stores. So more is asked for until
    the scores have clearly dropped below the limit's, and the cut is made here.

    Args:
        ask: the engine's best n hits for a given n.
        limit: at least 1.
    """
    wanted = limit + _SLACK
    while True:
        hits = sorted(ask(wanted), key=_best_first)
        if len(hits) < wanted or hits[-1].score < hits[limit - 1].score - _MARGIN:
            break
        wanted *= 4
    if len(hits) < limit:
        return tuple(hits)
    floor, end = hits[limit - 1].score, limit
    while end < len(hits) and hits[end].score >= floor:
        end += 1
    return tuple(hits[:end])


def _best_first(hit: Hit) -> tuple[float, str]:
    return -hit[1], hit[0]
