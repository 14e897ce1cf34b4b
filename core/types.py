"""The vocabulary of the engine: frozen values that cross room walls. Tuples, not lists; ids come from content."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from hashlib import sha256
from typing import Literal

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float32]

Language = Literal["pt", "en", "und"]  # "und": undecided; never treated as English
Route = str  # a configured route name: "relational", "text", "graph" or a plugin's
Value = str | int | float | bool | None  # a typed table cell; dates are ISO 8601 strings
RawCell = str | int | float | bool | date | datetime | None  # a cell as a reader found it
ColumnType = Literal["text", "integer", "real", "date", "datetime", "boolean"]


# --- who may read what -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scope:
    """The tags that every reader of a reply may read. Empty means nothing, never everything."""

    tags: frozenset[str]

    @property
    def fingerprint(self) -> str:
        return sha256("\n".join(sorted(self.tags)).encode()).hexdigest()


@dataclass(frozen=True, slots=True, order=True)
class Placement:
    """One document in one channel: what the (document, tag) pair knows, and the bytes do not."""

    tag: str
    name: str  # the uploaded base name in this channel
    document: str  # SHA-256 of the bytes, hex
    version: int  # 1, 2, ... for the same name in the same channel
    uploader: str
    received: str  # ISO 8601 time of the upload
    link: str = ""  # permalink to the original message or file, if the platform has one


@dataclass(frozen=True, slots=True)
class View:
    """The published documents of one scope: the only thing a store may ever look at."""

    scope: Scope
    placements: tuple[Placement, ...]  # sorted
    documents: frozenset[str]
    fingerprint: str  # over tags and (tag, name, document, version)

    @classmethod
    def of(cls, scope: Scope, placements: tuple[Placement, ...]) -> "View":
        """Build a view; placements outside the scope are dropped here, whoever passes them."""
        kept = tuple(sorted(p for p in placements if p.tag in scope.tags))
        lines = [*sorted(scope.tags), *(f"{p.tag}\t{p.name}\t{p.document}\t{p.version}" for p in kept)]
        digest = sha256("\n".join(lines).encode()).hexdigest()
        return cls(scope, kept, frozenset(p.document for p in kept), digest)

    def placement(self, document: str) -> Placement:
        """The first in-scope placement of a document (by tag, then name). Raises: KeyError outside the view."""
        for candidate in self.placements:
            if candidate.document == document:
                return candidate
        raise KeyError(document)


# --- what a file holds -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Locator:
    """Where in a document something stands. `ordinal` is the reading order, unique in the document."""

    page: int | None = None
    section: str = ""
    sheet: str = ""
    row: int | None = None
    part: str = ""  # "header", "footnote", "comment", "notes", ... ; empty for the body
    ordinal: int = 0

    def __str__(self) -> str:
        parts = [f"p. {self.page}" if self.page is not None else "", self.section, self.sheet, self.part]
        if self.row is not None:
            parts.append(f"#{self.row}")
        return " · ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of prose in reading order."""

    kind: Literal["title", "heading", "paragraph", "list", "code", "note", "caption"]
    text: str
    locator: Locator
    level: int = 0  # heading level, 1 is outermost; 0 for anything else


@dataclass(frozen=True, slots=True)
class Grid:
    """A raw rectangle of cells as a reader found it; what is header, total or title is decided later."""

    rows: tuple[tuple[RawCell, ...], ...]
    locator: Locator
    caption: str = ""
    headings: tuple[str, ...] = ()  # heading trail in force where the table stands
    merges: tuple[tuple[int, int, int, int], ...] = ()  # (first row, first col, last row, last col), 0-based
    hidden: bool = False
    header_rows: int | None = None  # when the format itself marks them
    decimal: Literal["", ",", "."] = ""  # the decimal mark that the file's format implies
    units: tuple[str, ...] = ()  # one a column, from number formats ("%", "R$"); empty when unknown


@dataclass(frozen=True, slots=True)
class Rejected:
    """Something that could not be kept, with the reason the uploader reads."""

    where: str
    reason: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a reader makes of bytes."""

    media: str  # "csv", "xlsx", "pdf", ...
    items: tuple[Block | Grid, ...]  # reading order
    title: str = ""  # from the content or its metadata, never from the file name
    date: str = ""  # ISO date from the content's metadata, if any
    pages: int | None = None
    assumptions: tuple[str, ...] = ()
    rejected: tuple[Rejected, ...] = ()


@dataclass(frozen=True, slots=True)
class Column:
    """A typed column. `key` is the SQL identifier, `name` the header as written."""

    name: str
    key: str
    type: ColumnType
    unit: str = ""  # "R$", "%", "kg", ...


@dataclass(frozen=True, slots=True)
class Table:
    """A typed table lifted out of a document. Totals are kept but marked, so that SUM is right."""

    id: str  # hash of (document, locator, columns)
    document: str
    locator: Locator
    caption: str
    headings: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    totals: frozenset[int] = frozenset()  # indices into `rows` of total and subtotal rows
    rejected: tuple[Rejected, ...] = ()
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage: `text` is quoted as it stands, `indexed` is what is embedded and searched."""

    id: str  # hash of (document, locator, text)
    document: str
    locator: Locator
    text: str  # at most 1,500 characters
    title: str
    headings: tuple[str, ...]
    language: Language
    kind: Literal["prose", "table", "code"] = "prose"
    date: str = ""

    @property
    def indexed(self) -> str:
        """Heading trail and title in front of the text: contextual retrieval without a model."""
        trail = [part for part in (self.title, *self.headings) if part]
        return "\n".join([" > ".join(dict.fromkeys(trail)), self.text]) if trail else self.text


@dataclass(frozen=True, slots=True, order=True)
class Triple:
    """One relation a chunk states. Names are canonical (core.normalize.canonical_name)."""

    subject: str
    relation: str
    object: str
    chunk: str  # chunk id that supports it

    @property
    def text(self) -> str:
        return f"{self.subject} {self.relation} {self.object}"


# --- routing -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RouteScore:
    """One route's score and the anchor, heading or signal that gave it."""

    route: Route
    score: float
    best: str = ""


@dataclass(frozen=True, slots=True)
class RouteDecision:
    """Everything a route decision was made from; replayable."""

    text: str
    routes: tuple[Route, ...]
    stage: Literal["heuristic", "cosine", "evidence", "fallback"]
    scores: tuple[RouteScore, ...]  # one per route, best first
    margin: float
    reason: str  # one plain sentence fragment, for people
    thresholds: tuple[tuple[str, float], ...] = ()
    signals: tuple[tuple[str, float], ...] = ()  # named evidence values used by stage 3
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class PlacedChunk:
    """A chunk, the stores it goes to, and why."""

    chunk: Chunk
    decision: RouteDecision


@dataclass(frozen=True, slots=True)
class Parcel:
    """All that the stores get of one document. Vectors are unit rows, aligned with their tuples."""

    document: str
    chunks: tuple[PlacedChunk, ...]
    chunk_vectors: FloatArray  # shape (len(chunks), d), passage embeddings of chunk.indexed
    tables: tuple[Table, ...] = ()
    table_texts: tuple[
        tuple[str, str], ...
    ] = ()  # (table id + "\t" + column key or "", text that was embedded)
    table_vectors: FloatArray = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    triples: tuple[Triple, ...] = ()
    triple_vectors: FloatArray = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    entities: tuple[str, ...] = ()  # sorted canonical names
    entity_vectors: FloatArray = field(default_factory=lambda: np.zeros((0, 0), np.float32))


# --- asking ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Query:
    """One clause, ready for the stores."""

    text: str
    vector: FloatArray  # shape (d,), unit length, the query embedding
    language: Language
    today: str = ""  # ISO date, for "last month"; comes from the caller, never from a clock in core


@dataclass(frozen=True, slots=True)
class SqlResult:
    """A guarded SELECT and its rows."""

    sql: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    truncated: bool = False
    sentence: str = (
        ""  # the plan in words, in the question's language: "soma de receita onde região = Sudeste"
    )
    by_model: bool = False
    units: tuple[str, ...] = ()  # aligned with columns; "" where none


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of evidence: a chunk, or the rows of a query."""

    store: str
    label: str  # "SQL", "TEXT", "GRAPH"
    chunk_id: str  # for SQL: hash of the table ids and the SQL text
    document: str
    locator: str
    text: str  # the original quote; for SQL: the rows as text
    score: float
    rank: int = 0  # 1 is best
    clause: int = 0
    headings: tuple[str, ...] = ()
    title: str = ""
    language: Language = "und"
    result: SqlResult | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What a store found, best first, and how strongly: the named signals of its trial retrieval."""

    passages: tuple[Passage, ...] = ()
    signals: tuple[tuple[str, float], ...] = ()
    note: str = ""  # why it is empty or what was assumed, for the explanation
    failed: bool = False

    def signal(self, name: str, default: float = 0.0) -> float:
        return dict(self.signals).get(name, default)


@dataclass(frozen=True, slots=True)
class Heading:
    """Something a store really holds: a section heading, a table or column name, a value, an entity."""

    kind: Literal["section", "table", "column", "value", "entity"]
    text: str
    group: str = ""  # of a value: the name of its column; values of one column can stand for one another


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier exchange of a thread."""

    question: str  # as understood (follow-ups already resolved)
    answer: str


CacheVerdict = Literal["exact", "paraphrase", "miss", "bypass"]


@dataclass(frozen=True, slots=True)
class Clause:
    """One question of a message, its decision and what its stores found."""

    text: str
    decision: RouteDecision
    found: Mapping[str, Found]  # by store name, only the routed ones
    vector: str = (
        ""  # of the question as it was routed: float32, little-endian, hex; so that routing can be replayed
    )


@dataclass(frozen=True, slots=True)
class Source:
    """A passage as shown to the reader."""

    label: str
    document: str  # the name in scope
    document_id: str
    locator: str
    channel: str
    link: str
    text: str
    chunk_id: str
    score: float
    rank: int
    clause: int
    sql: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Value, ...], ...] = ()
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What the read walk returns; the bot makes a Reply of it."""

    text: str
    language: Language
    abstained: bool
    degraded: tuple[str, ...]  # reasons, empty when all is well
    cache: CacheVerdict
    understood_as: str
    clauses: tuple[Clause, ...]
    sources: tuple[Source, ...]
    retrieved: tuple[Source, ...]
    explanation: str
    trace_id: str
    timings_ms: tuple[tuple[str, float], ...]
    by_model: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableReport:
    name: str
    rows: int
    rejected: tuple[Rejected, ...] = ()


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What the uploader is told about one file."""

    file: str
    document: str
    status: Literal["new", "version", "same", "rejected"]
    reason: str = ""
    chunks: tuple[tuple[str, int], ...] = ()  # per store name
    tables: tuple[TableReport, ...] = ()
    assumptions: tuple[str, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    replaced: str = ""  # whose version this one took the place of, where that is another person's
    uploader: str = ""  # who sent it, where somebody else's was replaced
