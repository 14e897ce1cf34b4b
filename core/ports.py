"""What the engine needs from outside: stores, models, readers. Everything with a clock, a process or a network."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from core.types import FloatArray, Found, Heading, Loaded, Parcel, Query, View

Ticker = Callable[[], float]  # monotonic seconds, for timings only
Progress = Callable[[str, int, int], None]  # step name, done, total


def silent(step: str, done: int, total: int) -> None:
    """Progress that nobody watches."""


@runtime_checkable
class Store(Protocol):
    """A searchable store. Sync: simple to write, simple to test; the walk moves it off the loop.

    Documents are immutable (content-addressed), so a store is caught up by set difference: the walk applies
    the parcels that `held()` lacks and drops what the ledger no longer has.
    Everything that reads takes a View, and nothing outside the view may influence a result.
    """

    name: str  # "relational"
    label: str  # "SQL": how its sources are marked in a reply

    def apply(self, parcel: Parcel) -> None:
        """Index one document. Idempotent: the same parcel twice leaves one copy."""
        ...

    def drop(self, document: str) -> int:
        """Remove every trace of a document; returns how many rows, points or edges went."""
        ...

    def held(self) -> frozenset[str]:
        """Documents whose parcel is completely applied."""
        ...

    def search(self, query: Query, view: View, limit: int) -> Found:
        """Best first, ranks from 1. The view filters inside the query, before top-k."""
        ...

    def headings(self, view: View) -> Sequence[Heading]:
        """What this store really holds in the view: the router's stage-3 evidence and the entity vocabulary."""
        ...

    def close(self) -> None: ...


@runtime_checkable
class ModelQueryable(Protocol):
    """A relational store that a chat model may write a query for, where arithmetic makes no sure plan."""

    def schema_prompt(self, view: View, query: Query) -> tuple[tuple["Message", ...], str]:
        """Messages, and a GBNF grammar that can only name what is in view. Raises: NothingReadable."""
        ...

    def search_model_sql(self, sql: str, query: Query, view: View) -> Found:
        """Guard and run it. Raises: SqlRefused, StoreFailed."""
        ...


class Embedder(Protocol):
    """A text embedder. Unit rows out. One text's vector never depends on its neighbours in a batch."""

    name: str
    dimension: int
    fingerprint: str  # model identity + prefixes; vectors of different fingerprints never mix

    async def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        """Shape (n, dimension), unit rows. Raises: ModelUnavailable."""
        ...

    async def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        """Shape (n, dimension), unit rows. Raises: ModelUnavailable."""
        ...


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message for a generator."""

    role: str  # "system" | "user" | "assistant"
    content: str


class Generator(Protocol):
    """A chat model."""

    name: str

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        grammar: str | None = None,
        schema: Mapping[str, Any] | None = None,
    ) -> str:
        """Temperature 0. `grammar` is GBNF, `schema` a JSON schema. Raises: ModelUnavailable, TooSlow."""
        ...

    def stream(self, messages: Sequence[Message], *, max_tokens: int) -> AsyncIterator[str]:
        """Text pieces as they come. Raises: ModelUnavailable, TooSlow."""
        ...


@dataclass(frozen=True, slots=True)
class OcrLine:
    """One line of recognised text."""

    text: str
    confidence: float  # [0, 1]
    box: tuple[float, float, float, float]  # left, top, right, bottom in pixels


class Ocr(Protocol):
    """Reads a picture. Sync: the ingest walk runs readers off the loop."""

    name: str

    def read(self, image: bytes) -> tuple[OcrLine, ...]: ...


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """Bounds that keep one file from hurting the bot."""

    max_bytes: int = 50_000_000
    max_pages: int = 2_000
    max_cells: int = 20_000_000
    max_seconds: float = 300.0
    tell: Progress = silent  # a reader of many pages says ("read", page, pages)


class Parser(Protocol):
    """Turns bytes of one kind into blocks and grids. Registered through the plugin door."""

    name: str  # "csv"
    kinds: tuple[str, ...]  # shown to users: ("csv", "tsv")

    def accepts(self, data: bytes, name: str) -> float:
        """How sure this parser is, 0 (not mine) to 1, from the content first and the name second."""
        ...

    def read(self, data: bytes, name: str, limits: ReadLimits, ocr: Ocr | None = None) -> Loaded:
        """Raises: FileRejected and its kin. Never returns a document without text or cells."""
        ...
