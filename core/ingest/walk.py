"""The write walk: from uploaded bytes to published evidence, in the order in which things happen.

A crash at any point leaves nothing half visible: rows are pending until the last step, and `catch_up` finishes or
removes what an interrupted run left behind.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TypeVar

import numpy as np

from core.errors import FileRejected, NotFound, OversizedFile, PolyragError
from core.ingest.extract import model_triples
from core.ingest.make import Made, ReadOrder, make
from core.ports import Embedder, Generator, Ocr, Parser, Progress, ReadLimits, Store, silent
from core.router import Anchors, route_chunk
from core.settings import Settings, Thresholds
from core.stores.ledger import Ledger, Prepared
from core.types import (
    Chunk,
    FloatArray,
    Heading,
    IngestReport,
    Parcel,
    PlacedChunk,
    Placement,
    Rejected,
    RouteDecision,
    Table,
    TableReport,
    Triple,
)

INDEX_VERSION = "3"  # grows when chunking, extraction or placement changes what a document becomes
_T = TypeVar("_T")
Reader = Callable[[ReadOrder, Progress], Awaitable[Made]]
SAMPLE_VALUES = 5  # categorical values that stand beside a column's name when it is embedded


@dataclass(frozen=True, slots=True)
class Upload:
    """One file on its way into one channel."""

    name: str  # base name
    data: bytes
    tag: str
    uploader: str
    received: str  # ISO 8601; core has no clock
    link: str = ""
    language: str = ""  # of the uploader, for the reason of a refusal; empty: the bot's own


@dataclass(frozen=True, slots=True)
class IngestPorts:
    """What the write walk works with."""

    ledger: Ledger
    stores: Mapping[str, Store]
    parsers: tuple[Parser, ...]
    embedder: Embedder
    anchors: Anchors
    settings: Settings
    thresholds: Thresholds
    ocr: Ocr | None = None
    reader: Reader | None = None  # makes documents elsewhere (a child process); None: here, in a thread
    generator: Generator | None = None  # finds relations where ingest.relations says so

    @property
    def index_key(self) -> str:
        """Vectors and chunks made under another key never mix with these."""
        return index_key(self.embedder.fingerprint, self.settings)


def index_key(fingerprint: str, settings: Settings) -> str:
    """Identity of everything that decides what a document becomes: embedder, chunking, placement.

    Args: fingerprint: of the embedder.
    """
    parts: tuple[str, ...] = (
        INDEX_VERSION,
        fingerprint,
        str(settings.ingest.chunk_characters),
        settings.mode,
    )
    if settings.ingest.relations != "rules":
        parts += (settings.ingest.relations, settings.servers.chat.model)
    return sha256("\n".join(parts).encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class ForgetReceipt:
    """Proof of a deletion: what left the channel and, with the last tag, what left each store."""

    name: str
    documents: tuple[str, ...]
    erased: tuple[tuple[str, int], ...]  # (store, rows, points or edges removed)
    kept_elsewhere: bool


async def ingest(upload: Upload, ports: IngestPorts, progress: Progress | None = None) -> IngestReport:
    """Take one file in. A file that cannot be read gives a report with status "rejected", and nothing is stored.

    Raises: ModelUnavailable when the embedder does not answer; nothing of the upload stays behind, nor does it when
    the task is cancelled.
    """
    tell = progress or silent
    document = sha256(upload.data).hexdigest()
    try:
        _check_size(upload, ports)
        known = _already_here(upload, document, ports)
        if known is not None:
            return _report(known, "same", upload.name, ports)
        tell("read", 0, 1)
        fresh = ports.ledger.state(document)
        ready = fresh[0] in ("prepared", "indexed") and fresh[1] == ports.index_key
        made = None if ready else await _make(_order(upload, document, ports), ports, tell)
    except FileRejected as refusal:
        reason = refusal.say(upload.language or ports.settings.language)
        return IngestReport(upload.name, document, "rejected", reason)
    received = ports.ledger.receive(
        Placement(upload.tag, upload.name, document, 0, upload.uploader, upload.received, upload.link)
    )
    try:
        if made is not None:
            prepared = await prepare(made, document, ports, tell)
            await _unbroken(ports.ledger.prepare, prepared)
        await _publish(received, ports, tell)
    except (PolyragError, asyncio.CancelledError):
        ports.ledger.abandon(received)
        await _drop_if_unplaced(document, ports)
        raise
    status = "new" if received.version == 1 else "version"
    return _report(received, status, upload.name, ports)


async def prepare(made: Made, document: str, ports: IngestPorts, tell: Progress) -> Prepared:
    """Everything between the passages and the stores: vectors, decisions, what of the relations is kept."""
    tables, pieces = made.tables, made.pieces
    relations, notes = await _relations(made, ports, tell)
    found = tuple(sorted({triple for some in relations for triple in some}))
    names = tuple(sorted({name for t in found for name in (t.subject, t.object)}))
    table_texts = tuple(text for table in tables for text in _table_texts(table))
    headings = _headings(pieces, tables, names)
    wanted = [
        *(piece.indexed for piece in pieces),
        *(text for _, text in table_texts),
        *(triple.text for triple in found),
        *names,
        *(heading.text for heading in headings),
    ]
    vector = await _embed(wanted, ports, tell)
    dimension = ports.embedder.dimension

    def rows(texts: Iterable[str]) -> FloatArray:
        picked = [vector[text] for text in texts]
        return np.stack(picked) if picked else np.zeros((0, dimension), np.float32)

    placed = tuple(
        PlacedChunk(piece, _place(piece, vector[piece.indexed], bool(related), ports))
        for piece, related in zip(pieces, relations, strict=True)
    )
    in_graph = {item.chunk.id for item in placed if "graph" in item.decision.routes}
    triples = tuple(triple for triple in found if triple.chunk in in_graph)
    entities = tuple(sorted({name for t in triples for name in (t.subject, t.object)}))
    parcel = Parcel(
        document,
        placed,
        rows(piece.indexed for piece in pieces),
        tables,
        table_texts,
        rows(text for _, text in table_texts),
        triples,
        rows(triple.text for triple in triples),
        entities,
        rows(entities),
    )
    kept = tuple(h for h in headings if h.kind != "entity" or h.text in entities)
    loaded = replace(made.loaded, assumptions=(*made.loaded.assumptions, *notes)) if notes else made.loaded
    return Prepared(parcel, loaded, ports.index_key, kept, rows(heading.text for heading in kept))


async def forget(tag: str, name: str, ports: IngestPorts) -> ForgetReceipt:
    """Take a file away from a channel; its data goes with the last tag.

    Raises: NotFound when the channel has no such file.
    """
    receipt = await forget_all([(tag, name)], ports)
    if not receipt.documents:
        raise NotFound(f"{name!r} is not in {tag}")
    return replace(receipt, name=name)


async def forget_all(names: Sequence[tuple[str, str]], ports: IngestPorts) -> ForgetReceipt:
    """Take files away from channels in one visible switch; their data goes with the last tag.

    Args: names: (tag, name) pairs; those that are not there are nothing.
    """
    gone = await asyncio.to_thread(ports.ledger.withdraw, names)
    documents = tuple(sorted({placement.document for placement in gone}))
    erased: dict[str, int] = dict.fromkeys(sorted(ports.stores), 0)
    kept = False
    for document in documents:
        removed = await _drop_if_unplaced(document, ports)
        kept = kept or removed is None
        for store, count in (removed or {}).items():
            erased[store] += count
    return ForgetReceipt("", documents, tuple(erased.items()), kept)


async def catch_up(ports: IngestPorts) -> None:
    """Bring the stores to the ledger's state and repair what a crash left: called at start and after changes."""
    for document in ports.ledger.unplaced():
        await _drop_if_unplaced(document, ports)
    staged = ports.ledger.staged(ports.index_key)
    for document in ports.ledger.outdated(ports.index_key):
        if document in staged:
            await asyncio.to_thread(ports.ledger.promote, document)
            continue
        order = replace(_order_of("", document, ports), loaded=ports.ledger.loaded(document))
        prepared = await prepare(await _make(order, ports, silent), document, ports, silent)
        await asyncio.to_thread(ports.ledger.prepare, prepared)
    complete = ports.ledger.complete(ports.index_key)
    await asyncio.to_thread(_sync_stores, complete, ports)
    for placement in ports.ledger.unfinished():
        if placement.document in complete:
            await _publish(placement, ports, silent)


async def stage_all(ports: IngestPorts, tell: Progress) -> int:
    """Make every document anew under this index key, beside the index that serves; `catch_up` then only switches.

    May be interrupted and called again: what is ready stays ready. Returns how many are ready.
    Raises: ModelUnavailable; what is ready stays.
    """
    while True:  # documents that came in meanwhile too
        ready = ports.ledger.staged(ports.index_key)
        outdated = ports.ledger.outdated(ports.index_key)
        missing = [document for document in outdated if document not in ready]
        if not missing:
            return len(set(outdated) & ready)
        for document in missing:
            tell("reindex", len(set(outdated) & ready), len(outdated))
            ready |= {document}
            try:
                order = replace(_order_of("", document, ports), loaded=ports.ledger.loaded(document))
            except KeyError:  # forgotten meanwhile
                continue
            prepared = await prepare(await _make(order, ports, silent), document, ports, silent)
            await asyncio.to_thread(ports.ledger.stage, prepared)
        tell("reindex", len(outdated), len(outdated))


# --- steps ---------------------------------------------------------------------------------------


def _check_size(upload: Upload, ports: IngestPorts) -> None:
    limit = ports.settings.ingest.max_bytes
    if len(upload.data) > limit:
        size = f"{len(upload.data) / 1e6:.1f} MB"
        raise OversizedFile(f"{len(upload.data)} bytes", size=size, limit=f"{limit / 1e6:.1f} MB")


def _already_here(upload: Upload, document: str, ports: IngestPorts) -> Placement | None:
    """The placement that makes this upload a no-op: the same bytes are in this channel, and no other bytes of this name."""
    here = ports.ledger.placements([upload.tag])
    same_name = [p for p in here if p.name == upload.name]
    if same_name:
        return same_name[0] if same_name[0].document == document else None
    return next((p for p in here if p.document == document), None)


def _order(upload: Upload, document: str, ports: IngestPorts) -> ReadOrder:
    return replace(_order_of(upload.name, document, ports), data=upload.data)


def _order_of(name: str, document: str, ports: IngestPorts) -> ReadOrder:
    chosen = ports.settings.ingest
    limits = ReadLimits(chosen.max_bytes, chosen.max_pages, chosen.max_cells, chosen.max_seconds)
    return ReadOrder(name, document, chosen.chunk_characters, limits)


async def _make(order: ReadOrder, ports: IngestPorts, tell: Progress) -> Made:
    """By the reader where there is one. Raises: FileRejected and its kin; what the OCR raises."""
    loop = asyncio.get_running_loop()

    def from_thread(step: str, done: int, total: int) -> None:
        loop.call_soon_threadsafe(tell, step, done, total)  # whoever listens lives on the loop

    if ports.reader is not None:
        return await ports.reader(order, from_thread)
    told = replace(order, limits=replace(order.limits, tell=from_thread))
    return await asyncio.to_thread(make, told, ports.parsers, ports.ocr)


async def _unbroken(call: Callable[[_T], object], value: _T) -> None:
    """Run a write off the loop; who is cancelled meanwhile waits for its end, so that undoing comes after it."""
    writing = asyncio.ensure_future(asyncio.to_thread(call, value))
    try:
        await asyncio.shield(writing)
    except asyncio.CancelledError:
        await asyncio.wait([writing])
        raise


async def _relations(
    made: Made, ports: IngestPorts, tell: Progress
) -> tuple[tuple[tuple[Triple, ...], ...], tuple[str, ...]]:
    """Relations by piece, and what the uploader is told about them.

    Prose is the chat model's where it is configured; rows of tables and passages that it failed on are the rules'.
    """
    chosen = ports.settings.ingest.relations
    prose = [piece for piece in made.pieces if piece.kind == "prose"]
    if chosen == "rules" or ports.generator is None or not prose:
        return made.relations, ()
    at_once = ports.settings.servers.chat.parallel
    asked = await model_triples(prose, ports.generator, at_once=at_once, tell=tell)
    failed = set(asked.unanswered)
    by_rule = {
        piece.id for piece in made.pieces if chosen == "both" or piece.kind != "prose" or piece.id in failed
    }
    found = {
        piece.id: set(triples) if piece.id in by_rule else set()
        for piece, triples in zip(made.pieces, made.relations, strict=True)
    }
    for triple in asked.triples:
        found[triple.chunk].add(triple)
    notes = (_failed_note(len(failed), ports),) if failed else ()
    return tuple(tuple(sorted(found[piece.id])) for piece in made.pieces), notes


def _failed_note(passages: int, ports: IngestPorts) -> str:
    if ports.settings.language == "pt":
        return f"relações de {passages} trecho(s) só por regras: o modelo não respondeu"
    return f"relations of {passages} passage(s) by rules only: the model did not answer"


async def _embed(texts: Sequence[str], ports: IngestPorts, tell: Progress) -> dict[str, FloatArray]:
    """Text -> unit vector, in batches; repeated texts are embedded once."""
    unique = list(dict.fromkeys(texts))
    size = ports.settings.ingest.embed_batch
    vectors: dict[str, FloatArray] = {}
    for start in range(0, len(unique), size):
        tell("embed", start, len(unique))
        batch = unique[start : start + size]
        vectors.update(zip(batch, await ports.embedder.embed_passages(batch), strict=True))
    tell("embed", len(unique), len(unique))
    return vectors


def _place(chunk: Chunk, vector: FloatArray, related: bool, ports: IngestPorts) -> RouteDecision:
    """Stages 1 and 2 on the chunk alone, then what its content proves: no relation, no graph.

    In mode full a passage with relations is kept in text and graph alike: an anchor edit must never make it
    unreachable, and the walk may need any passage that names two things.
    """
    decision = route_chunk(chunk, vector, ports.anchors, ports.settings.router, ports.thresholds)
    routes = set(decision.routes)
    if ports.settings.mode == "full":
        routes |= {"text"} | ({"graph"} if related else set())
    if not related:
        routes -= {"graph"}
    if not routes or (chunk.kind != "table" and routes == {"relational"}):
        routes |= {"text"}
    return replace(decision, routes=tuple(sorted(routes)))


def _table_texts(table: Table) -> tuple[tuple[str, str], ...]:
    """What is embedded of a table: itself, and each column with a few of its values. Never the file's name."""
    trail = " > ".join(
        dict.fromkeys(part for part in (*table.headings, table.locator.sheet, table.caption) if part)
    )
    names = ", ".join(column.name for column in table.columns)
    texts = [(f"{table.id}\t", f"{trail}: {names}" if trail else names)]
    for position, column in enumerate(table.columns):
        values: list[str] = []
        if column.type == "text":
            seen = dict.fromkeys(str(row[position]) for row in table.rows if row[position] not in (None, ""))
            values = sorted(seen)[:SAMPLE_VALUES] if len(seen) <= max(30, len(table.rows) // 4) else []
        text = f"{column.name} ({', '.join(values)})" if values else column.name
        texts.append((f"{table.id}\t{column.key}", text))
    return tuple(texts)


def _headings(
    pieces: Sequence[Chunk], tables: Sequence[Table], entities: Sequence[str]
) -> tuple[Heading, ...]:
    """What the document really holds, for the router's third stage; never the document's own title."""
    found = {Heading("section", h) for piece in pieces for h in piece.headings if h and h != piece.title}
    found |= {Heading("entity", name) for name in entities}
    for table in tables:
        found |= {Heading("table", part) for part in (table.caption, table.locator.sheet) if part}
        found |= {Heading("column", column.name) for column in table.columns}
    return tuple(sorted(found, key=lambda heading: (heading.kind, heading.text)))


async def _publish(placement: Placement, ports: IngestPorts, tell: Progress) -> None:
    """Stores first, then the switch, then what the switch made superfluous."""
    tell("index", 0, len(ports.stores))
    parcel = await asyncio.to_thread(ports.ledger.parcel, placement.document)
    for done, name in enumerate(sorted(ports.stores), start=1):
        await _unbroken(ports.stores[name].apply, parcel)
        tell("index", done, len(ports.stores))
    ports.ledger.indexed(placement.document)
    await asyncio.sleep(0)  # the last moment to be called off: after the switch it is too late
    for replaced in ports.ledger.publish(placement):
        await _drop_if_unplaced(replaced, ports)


async def _drop_if_unplaced(document: str, ports: IngestPorts) -> dict[str, int] | None:
    """Remove a document that no channel holds from every store; None when one does."""
    if ports.ledger.tags_of(document):
        return None
    counts = {
        name: await asyncio.to_thread(ports.stores[name].drop, document) for name in sorted(ports.stores)
    }
    return counts if ports.ledger.erase(document) else None


def _sync_stores(complete: Sequence[str], ports: IngestPorts) -> None:
    wanted = frozenset(complete)
    for name in sorted(ports.stores):
        store = ports.stores[name]
        for document in sorted(store.held() - wanted):
            store.drop(document)
        for document in sorted(wanted - store.held()):
            store.apply(ports.ledger.parcel(document))


# --- the report ------------------------------------------------------------------------------------


def _report(placement: Placement, status: str, name: str, ports: IngestPorts) -> IngestReport:
    """The receipt, read back from the ledger: the same for new bytes and for bytes another channel already had."""
    parcel = ports.ledger.parcel(placement.document)
    loaded = ports.ledger.loaded(placement.document)
    counts = dict.fromkeys(("text", "graph", "relational"), 0)
    for item in parcel.chunks:
        for route in item.decision.routes:
            counts[route] = counts.get(route, 0) + 1
    counts["relational"] = max(counts["relational"], len(parcel.tables))
    assumptions = dict.fromkeys((*loaded.assumptions, *(a for t in parcel.tables for a in t.assumptions)))
    return IngestReport(
        name,
        placement.document,
        status,  # type: ignore[arg-type]
        "" if placement.name == name else _same_as(placement.name, ports),
        tuple(counts.items()),
        tuple(_table_report(table, name) for table in parcel.tables),
        tuple(assumptions),
        loaded.rejected,
    )


def _same_as(name: str, ports: IngestPorts) -> str:
    portuguese = ports.settings.language == "pt"
    return (
        f"o mesmo conteúdo já está aqui como {name}" if portuguese else f"the same content is here as {name}"
    )


def _table_report(table: Table, name: str) -> TableReport:
    stem = name.rsplit(".", 1)[0]
    parts = (stem, table.locator.part, table.locator.sheet, table.caption)
    label = " · ".join(dict.fromkeys(part for part in parts if part))
    rejected: tuple[Rejected, ...] = table.rejected
    return TableReport(label, len(table.rows) - len(table.totals), rejected)
