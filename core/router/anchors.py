"""Example phrases and headings with their vectors: what a text is compared with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from core.errors import BadVector
from core.types import FloatArray, Heading, Route, RouteScore
from core.vectors import DECIMALS, best_rows, row_dots

# Which route a heading speaks for: the store that really holds it.
ROUTE_OF_KIND: Mapping[str, Route] = {
    "section": "text",
    "table": "relational",
    "column": "relational",
    "value": "relational",
    "entity": "graph",
}


@dataclass(frozen=True, slots=True)
class _Phrases:
    """Phrases of several routes, those of one route side by side, and their vectors."""

    spans: tuple[tuple[Route, int, int], ...]  # route, first row, row after the last; sorted by route
    texts: tuple[str, ...]
    matrix: FloatArray  # shape (n, d), unit rows
    fingerprint: str

    def best(self, vector: FloatArray) -> tuple[RouteScore, ...]:
        """The nearest phrase of each route that has any; best route first, ties by name."""
        nearest = best_rows(self.matrix, vector, [(first, last) for _, first, last in self.spans])
        found = [
            RouteScore(route, score, self.texts[row])
            for (route, _, _), (row, score) in zip(self.spans, nearest, strict=True)
        ]
        return tuple(sorted(found, key=lambda score: (-score.score, score.route)))


@dataclass(frozen=True, slots=True)
class Anchors(_Phrases):
    """The routes' example phrases from the configuration.

    `scale` is the standard deviation of the cosines among the phrases: what one embedder calls a difference. Leads
    are measured in it, so that the router's weights hold for embedders whose cosines live in another band.
    """

    routes: tuple[Route, ...] = ()
    scale: float = 1.0

    @classmethod
    def build(cls, routes: Mapping[Route, Sequence[str]], vectors: FloatArray) -> "Anchors":
        """Args: vectors: shape (n, d), of the phrases route by route in order of the route names.

        Raises: BadVector if there are not as many vectors as phrases.
        """
        phrases = tuple((route, phrase) for route in sorted(routes) for phrase in routes[route])
        if len(phrases) != len(vectors):
            raise BadVector(f"{len(vectors)} vectors for {len(phrases)} anchors")
        spans, texts = _spans(phrases)
        matrix = np.ascontiguousarray(vectors, np.float32)
        return cls(spans, texts, matrix, _digest(phrases, matrix), tuple(sorted(routes)), _scale(matrix))


@dataclass(frozen=True, slots=True)
class HeadingIndex(_Phrases):
    """What the stores really hold in one view: section headings, table and column names, values, entity names."""

    @classmethod
    def build(cls, headings: Sequence[Heading], vectors: FloatArray) -> "HeadingIndex":
        """Args: vectors: shape (len(headings), d). Raises: BadVector if the numbers differ."""
        if len(headings) != len(vectors):
            raise BadVector(f"{len(vectors)} vectors for {len(headings)} headings")
        rows = sorted(
            (ROUTE_OF_KIND[h.kind], h.text, row) for row, h in enumerate(headings) if h.kind in ROUTE_OF_KIND
        )
        phrases = tuple((route, text) for route, text, _ in rows)
        matrix = (
            np.ascontiguousarray(vectors[[row for _, _, row in rows]], np.float32)
            if rows
            else np.zeros((0, 0), np.float32)
        )
        spans, texts = _spans(phrases)
        return cls(spans, texts, matrix, _digest(phrases, matrix))


def _scale(matrix: FloatArray) -> float:
    """Standard deviation of the cosines between different rows, at least 0.001; 1 for a single row."""
    n = len(matrix)
    cosines = (
        np.concatenate([row_dots(matrix[at + 1 :], matrix[at]) for at in range(n - 1)])
        if n > 1
        else np.ones(0)
    )
    return max(round(float(cosines.std()), DECIMALS), 0.001) if len(cosines) else 1.0


def _spans(
    phrases: Sequence[tuple[Route, str]],
) -> tuple[tuple[tuple[Route, int, int], ...], tuple[str, ...]]:
    """Where each route's phrases stand, and the phrases alone; `phrases` are sorted by route."""
    routes = [route for route, _ in phrases]
    spans = tuple(
        (route, routes.index(route), routes.index(route) + routes.count(route))
        for route in dict.fromkeys(routes)
    )
    return spans, tuple(text for _, text in phrases)


def _digest(phrases: Sequence[tuple[Route, str]], vectors: FloatArray) -> str:
    """Identity of what a decision was compared with: the phrases and their vectors."""
    digest = sha256("\n".join(f"{route}\t{text}" for route, text in phrases).encode())
    digest.update(np.ascontiguousarray(vectors, np.float32).tobytes())
    return digest.hexdigest()[:16]


NO_HEADINGS = HeadingIndex.build((), np.zeros((0, 0), np.float32))
