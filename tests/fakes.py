"""Stand-ins shared by all tests: written by us, deterministic, no network."""

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from core.normalize import words
from core.types import (
    Chunk,
    FloatArray,
    Locator,
    Parcel,
    PlacedChunk,
    Placement,
    Query,
    RouteDecision,
    RouteScore,
    Scope,
    View,
)
from core.vectors import unit_rows


def hashed_vector(text: str, dimension: int = 256) -> FloatArray:
    """A bag of hashed word stems (first five letters): texts that share words are near. Unit length."""
    vector = np.zeros(dimension, np.float64)
    vector[0] = 0.1  # never a zero row
    for word in words(text):
        digest = int.from_bytes(blake2b(word[:5].encode(), digest_size=8).digest(), "big")
        vector[1 + digest % (dimension - 1)] += 1.0 if digest >> 63 else -1.0
    return unit_rows(vector[None, :])[0]


class HashEmbedder:
    """A deterministic embedder for tests: no model, no server."""

    name = "hashed"

    def __init__(self, dimension: int = 256) -> None:
        self.dimension = dimension
        self.fingerprint = f"hashed-{dimension}"
        self.calls = 0

    async def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        self.calls += 1
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        return np.stack([hashed_vector(text, self.dimension) for text in texts])

    async def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        return await self.embed_passages(texts)


def a_query(text: str, language: str = "pt", today: str = "2025-06-15") -> Query:
    """A clause with its stand-in vector."""
    return Query(text, hashed_vector(text), language, today)  # type: ignore[arg-type]


def a_chunk(text: str, document: str = "d1", ordinal: int = 0, **more: object) -> Chunk:
    """A passage with a readable id."""
    fields: dict[str, object] = {
        "id": f"{document}-{ordinal:03d}",
        "document": document,
        "locator": Locator(ordinal=ordinal),
        "text": text,
        "title": "",
        "headings": (),
        "language": "pt",
    }
    return Chunk(**(fields | more))  # type: ignore[arg-type]


def a_decision(*routes: str, text: str = "") -> RouteDecision:
    """A decision that sends a chunk to the given routes."""
    return RouteDecision(text, routes, "cosine", tuple(RouteScore(r, 1.0) for r in routes), 1.0, "test")


def a_parcel(document: str, *chunks: Chunk, routes: tuple[str, ...] = ("text",), **more: object) -> Parcel:
    """A parcel of prose chunks with stand-in vectors."""
    vectors = (
        np.stack([hashed_vector(chunk.indexed) for chunk in chunks])
        if chunks
        else np.zeros((0, 256), np.float32)
    )
    placed = tuple(PlacedChunk(chunk, a_decision(*routes, text=chunk.text)) for chunk in chunks)
    return Parcel(document, placed, vectors, **more)  # type: ignore[arg-type]


def a_view(*documents: str, tag: str = "console:demo/geral") -> View:
    """A view of documents that all live in one channel, named after themselves."""
    placements = tuple(Placement(tag, f"{d}.md", d, 1, "ana", "2025-01-01T00:00:00Z") for d in documents)
    return View.of(Scope(frozenset({tag})), placements)
