"""The ledger: which documents exist, where they are placed, what was made of them, and what is visible.

Visibility is one thing only: a `published` placement. Everything else (chunks, vectors, tables, triples) is keyed
by the document's hash and can be rebuilt or dropped at leisure, because no store looks beyond a View.
"""

import zlib
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

import numpy as np
import sqlalchemy as sa

from core.codec import dumps, loads, loads_all
from core.stores.moves import passage_moves
from core.stores.schema import (
    chunks,
    counters,
    documents,
    metadata,
    moves,
    next_chunks,
    next_documents,
    next_tables,
    placements,
    tables,
)
from core.types import (
    Chunk,
    FloatArray,
    Heading,
    Loaded,
    Parcel,
    PlacedChunk,
    Placement,
    RouteDecision,
    Scope,
    Table,
    Triple,
    View,
)

_R = TypeVar("_R")
_PLACEMENT = ("tag", "name", "document", "version", "uploader", "received", "link")
# As a text: it is asked several times a question, and making a statement takes longer than running it.
_GENERATION = "SELECT value FROM counters WHERE name = 'generation'"
KEPT_VIEWS = 64  # a scope is usually asked again


@dataclass(frozen=True, slots=True)
class Prepared:
    """Everything made of one document, ready to be written in one transaction."""

    parcel: Parcel
    loaded: Loaded
    index_key: str  # embedder fingerprint and chunker version: vectors of another key never mix
    headings: tuple[Heading, ...]
    heading_vectors: FloatArray


class Ledger:
    """SQL home of documents and placements. Every state change goes through `_step`, so that it can be counted."""

    def __init__(self, url: str) -> None:
        self.engine = sa.create_engine(url, connect_args={"timeout": 30} if url.startswith("sqlite") else {})
        if self.engine.dialect.name == "sqlite":
            sa.event.listen(self.engine, "connect", _sqlite_pragmas)
            sa.event.listen(self.engine, "begin", _sqlite_begin)
        metadata.create_all(self.engine)
        self._views: OrderedDict[frozenset[str], tuple[int, View]] = OrderedDict()
        self._looking = Lock()

    def close(self) -> None:
        self.engine.dispose()

    def compact(self) -> None:
        """Give up the space of deleted rows, so that no file holds what was erased. PostgreSQL does so by itself."""
        if self.engine.dialect.name != "sqlite":
            return
        raw = self.engine.raw_connection()
        try:
            for statement in ("PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                raw.cursor().execute(statement).fetchall()
        finally:
            raw.close()

    # --- reading ---

    def view(self, scope: Scope) -> View:
        """The published documents of a scope, as of now. An empty scope sees nothing.

        A view is kept as long as no process has changed what is visible, which the generation tells. It is read first:
        what changes between the two reads makes the kept view count for one question less, never for one more.
        """
        generation = self.generation()
        known = self._known(scope, generation)
        if known is not None:
            return known
        view = View.of(scope, self.placements(scope.tags))
        with self._looking:
            self._views[scope.tags] = generation, view
            self._views.move_to_end(scope.tags)
            while len(self._views) > KEPT_VIEWS:
                self._views.popitem(last=False)
        return view

    def kept_view(self, scope: Scope) -> View | None:
        """The view as of now, if it was read before and nothing has changed since: a quick look."""
        return self._known(scope, self.generation())

    def _known(self, scope: Scope, generation: int) -> View | None:
        with self._looking:
            known = self._views.get(scope.tags)
            if known is None or known[0] != generation:
                return None
            self._views.move_to_end(scope.tags)
            return known[1]

    def placements(self, tags: Iterable[str]) -> tuple[Placement, ...]:
        """Published placements in these tags, sorted."""
        wanted = sorted(tags)
        if not wanted:
            return ()
        columns = [placements.c[name] for name in _PLACEMENT]
        query = sa.select(*columns).where(placements.c.state == "published", placements.c.tag.in_(wanted))
        with self.engine.connect() as connection:
            return tuple(sorted(Placement(**row._mapping) for row in connection.execute(query)))

    def everything(self, prefix: str) -> tuple[Placement, ...]:
        """Published and pending placements whose tag begins like this, sorted: for those who delete, not who read."""
        columns = [placements.c[name] for name in _PLACEMENT]
        query = sa.select(*columns).where(placements.c.tag.startswith(prefix, autoescape=True))
        with self.engine.connect() as connection:
            return tuple(sorted(Placement(**row._mapping) for row in connection.execute(query)))

    def tags_of(self, document: str) -> frozenset[str]:
        """Every tag where a document is published or pending."""
        query = sa.select(placements.c.tag).where(placements.c.document == document)
        with self.engine.connect() as connection:
            return frozenset(connection.scalars(query))

    def state(self, document: str) -> tuple[str, str]:
        """(state, index key) of a document; ("", "") when unknown."""
        query = sa.select(documents.c.state, documents.c.index_key).where(documents.c.id == document)
        with self.engine.connect() as connection:
            row = connection.execute(query).first()
        return (row[0], row[1]) if row else ("", "")

    def generation(self) -> int:
        """Grows with every change of what is visible or held; a cheap question before a costly catch-up."""
        with self.engine.connect() as connection:
            cursor = connection.connection.cursor()
            cursor.execute(_GENERATION)
            found = cursor.fetchall()
            cursor.close()
        return int(found[0][0] or 0) if found else 0

    def complete(self, index_key: str) -> tuple[str, ...]:
        """Documents whose parcel can be read under this index key, sorted."""
        query = sa.select(documents.c.id).where(
            documents.c.state.in_(["prepared", "indexed"]), documents.c.index_key == index_key
        )
        with self.engine.connect() as connection:
            return tuple(sorted(connection.scalars(query)))

    def outdated(self, index_key: str) -> tuple[str, ...]:
        """Documents that were prepared under another index key: they need embedding again."""
        query = sa.select(documents.c.id).where(
            documents.c.state.in_(["prepared", "indexed"]), documents.c.index_key != index_key
        )
        with self.engine.connect() as connection:
            return tuple(sorted(connection.scalars(query)))

    def unplaced(self) -> tuple[str, ...]:
        """Documents that no channel holds any more, sorted."""
        placed = sa.select(placements.c.document)
        query = sa.select(documents.c.id).where(documents.c.id.not_in(placed))
        with self.engine.connect() as connection:
            return tuple(sorted(connection.scalars(query)))

    def unfinished(self) -> tuple[Placement, ...]:
        """Uploads that were interrupted before they became visible."""
        columns = [placements.c[name] for name in _PLACEMENT]
        query = sa.select(*columns).where(placements.c.state == "pending")
        with self.engine.connect() as connection:
            return tuple(sorted(Placement(**row._mapping) for row in connection.execute(query)))

    def parcel(self, document: str) -> Parcel:
        """The parcel of a prepared document. Raises: KeyError when the ledger has none."""
        with self.engine.connect() as connection:
            row = connection.execute(sa.select(documents).where(documents.c.id == document)).first()
            if row is None or row.state not in ("prepared", "indexed"):
                raise KeyError(document)
            chunk_rows = connection.execute(
                sa.select(chunks).where(chunks.c.document == document).order_by(chunks.c.ordinal)
            ).all()
            table_rows = connection.execute(
                sa.select(tables.c.body).where(tables.c.document == document).order_by(tables.c.ordinal)
            ).all()
        placed = tuple(
            PlacedChunk(loads(Chunk, r.body), loads(RouteDecision, r.decision)) for r in chunk_rows
        )
        texts = tuple((first, second) for first, second in loads_all(list, row.table_texts))
        return Parcel(
            document,
            placed,
            _matrix(b"".join(r.vector for r in chunk_rows), row.dimension),
            tuple(loads(Table, zlib.decompress(r.body).decode()) for r in table_rows),
            texts,
            _matrix(row.table_vectors, row.dimension),
            loads_all(Triple, row.triples),
            _matrix(row.triple_vectors, row.dimension),
            loads_all(str, row.entities),
            _matrix(row.entity_vectors, row.dimension),
        )

    def loaded(self, document: str) -> Loaded:
        """The raw text and cells as they were read. Raises: KeyError."""
        with self.engine.connect() as connection:
            blob = connection.scalar(sa.select(documents.c.loaded).where(documents.c.id == document))
        if blob is None:
            raise KeyError(document)
        return loads(Loaded, zlib.decompress(blob).decode())

    def headings(self, view: View) -> tuple[tuple[Heading, ...], FloatArray]:
        """What the documents of a view really hold, with passage vectors; sorted by kind and text, no repeats."""
        found: dict[tuple[str, str], tuple[Heading, FloatArray]] = {}
        for document in sorted(view.documents):
            query = sa.select(documents.c.headings, documents.c.heading_vectors, documents.c.dimension)
            with self.engine.connect() as connection:
                row = connection.execute(query.where(documents.c.id == document)).first()
            if row is None:
                continue
            vectors = _matrix(row.heading_vectors, row.dimension)
            for heading, vector in zip(loads_all(Heading, row.headings), vectors, strict=True):
                found.setdefault((heading.kind, heading.text), (heading, vector))
        ordered = [found[key] for key in sorted(found)]
        if not ordered:
            return (), np.zeros((0, 0), np.float32)
        return tuple(h for h, _ in ordered), np.stack([v for _, v in ordered])

    # --- writing: each method is one transaction ---

    def receive(self, placement: Placement) -> Placement:
        """Note an upload that is not visible yet; an interrupted one of the same name is replaced.

        Returns: the placement with the version that it will have.
        """

        def work(connection: sa.Connection) -> Placement:
            same_name = (placements.c.tag == placement.tag) & (placements.c.name == placement.name)
            connection.execute(placements.delete().where(same_name, placements.c.state == "pending"))
            newest = connection.scalar(sa.select(sa.func.max(placements.c.version)).where(same_name))
            known = connection.scalar(
                sa.select(documents.c.state).where(documents.c.id == placement.document)
            )
            if known is None:
                connection.execute(documents.insert().values(id=placement.document, state="received"))
            values = {name: getattr(placement, name) for name in _PLACEMENT} | {"version": (newest or 0) + 1}
            connection.execute(placements.insert().values(**values, state="pending"))
            return Placement(**values)

        return self._step("received", work)

    def prepare(self, prepared: Prepared) -> None:
        """Write all that was made of a document; what an interrupted run left is replaced."""
        parcel = prepared.parcel

        def work(connection: sa.Connection) -> None:
            before = _texts(connection, chunks, parcel.document)
            for table in (chunks, tables):
                connection.execute(table.delete().where(table.c.document == parcel.document))
            if parcel.chunks:
                connection.execute(chunks.insert(), _chunk_rows(parcel))
            if parcel.tables:
                connection.execute(tables.insert(), _table_rows(parcel))
            connection.execute(
                documents.update().where(documents.c.id == parcel.document).values(**_document_row(prepared))
            )
            _note_moves(connection, parcel.document, before)
            _grow(connection)

        self._step("prepared", work)

    def stage(self, prepared: Prepared) -> bool:
        """Keep what a document will be under the next index key; nobody sees it yet. False when it is gone."""
        parcel = prepared.parcel

        def work(connection: sa.Connection) -> bool:
            known = sa.select(documents.c.id).where(documents.c.id == parcel.document)
            if connection.scalar(known) is None:
                return False
            _unstage(connection, parcel.document)
            if parcel.chunks:
                connection.execute(next_chunks.insert(), _chunk_rows(parcel))
            if parcel.tables:
                connection.execute(next_tables.insert(), _table_rows(parcel))
            row = _document_row(prepared) | {"id": parcel.document, "state": "staged"}
            connection.execute(next_documents.insert().values(**row))
            return True

        return self._step("staged", work)

    def staged(self, index_key: str) -> frozenset[str]:
        """Documents that are ready under this index key."""
        query = sa.select(next_documents.c.id).where(next_documents.c.index_key == index_key)
        with self.engine.connect() as connection:
            return frozenset(connection.scalars(query))

    def promote(self, document: str) -> None:
        """Put what was staged in the place of what is; one switch."""

        def work(connection: sa.Connection) -> None:
            before = _texts(connection, chunks, document)
            for table, new in ((chunks, next_chunks), (tables, next_tables)):
                connection.execute(table.delete().where(table.c.document == document))
                names = [column.name for column in table.columns]
                rows = sa.select(*(new.c[name] for name in names)).where(new.c.document == document)
                connection.execute(table.insert().from_select(names, rows))
            row = connection.execute(sa.select(next_documents).where(next_documents.c.id == document)).one()
            values = dict(row._mapping) | {"state": "prepared"}
            connection.execute(documents.update().where(documents.c.id == document).values(**values))
            _unstage(connection, document)
            _note_moves(connection, document, before)
            _grow(connection)

        self._step("promoted", work)

    def moved(self, ids: Collection[str]) -> dict[str, str]:
        """Old passage id -> id of the passage that says it now; ids that did not change are left out."""
        query = sa.select(moves.c.old, moves.c.new).where(moves.c.old.in_(sorted(ids)))
        with self.engine.connect() as connection:
            return {row.old: row.new for row in connection.execute(query)}

    def indexed(self, document: str) -> None:
        """All stores hold the document."""

        def work(connection: sa.Connection) -> None:
            connection.execute(documents.update().where(documents.c.id == document).values(state="indexed"))

        self._step("indexed", work)

    def publish(self, placement: Placement) -> tuple[str, ...]:
        """Make a placement visible and take its older versions away, in one switch.

        Returns: documents that left this (tag, name), sorted.
        """

        def work(connection: sa.Connection) -> tuple[str, ...]:
            same_name = (placements.c.tag == placement.tag) & (placements.c.name == placement.name)
            older = same_name & (placements.c.version < placement.version)
            gone = connection.scalars(sa.select(placements.c.document).where(older)).all()
            connection.execute(placements.delete().where(older))
            connection.execute(
                placements.update()
                .where(same_name, placements.c.version == placement.version)
                .values(state="published")
            )
            _grow(connection)
            return tuple(sorted(set(gone) - {placement.document}))

        return self._step("published", work)

    def withdraw(self, names: Collection[tuple[str, str]]) -> tuple[Placement, ...]:
        """Take names away from channels, every version of them; invisible from here on, all in one switch.

        Args: names: (tag, name) pairs.
        """

        def work(connection: sa.Connection) -> tuple[Placement, ...]:
            columns = [placements.c[column] for column in _PLACEMENT]
            gone: list[Placement] = []
            for tag, name in sorted(names):
                same_name = (placements.c.tag == tag) & (placements.c.name == name)
                rows = connection.execute(sa.select(*columns).where(same_name)).all()
                gone += [Placement(**row._mapping) for row in rows]
                connection.execute(placements.delete().where(same_name))
            _grow(connection)
            return tuple(sorted(gone))

        return self._step("withdrawn", work)

    def abandon(self, placement: Placement) -> None:
        """Forget a pending upload that turned out to be unreadable."""

        def work(connection: sa.Connection) -> None:
            pending = (placements.c.tag == placement.tag) & (placements.c.name == placement.name)
            connection.execute(placements.delete().where(pending, placements.c.state == "pending"))

        self._step("abandoned", work)

    def erase(self, document: str) -> bool:
        """Delete all rows of a document that no channel holds; False when a channel took it meanwhile."""

        def work(connection: sa.Connection) -> bool:
            held = sa.select(placements.c.id).where(placements.c.document == document).limit(1)
            if connection.scalar(held) is not None:
                return False
            for table in (chunks, tables, moves):
                connection.execute(table.delete().where(table.c.document == document))
            connection.execute(documents.delete().where(documents.c.id == document))
            _unstage(connection, document)
            _grow(connection)
            return True

        return self._step("erased", work)

    def _step(self, state: str, work: Callable[[sa.Connection], _R]) -> _R:
        """One counted state transition: all of `work`, or none of it."""
        with self.engine.connect().execution_options(writes=True) as connection, connection.begin():
            return work(connection)


def _unstage(connection: sa.Connection, document: str) -> None:
    for table in (next_chunks, next_tables):
        connection.execute(table.delete().where(table.c.document == document))
    connection.execute(next_documents.delete().where(next_documents.c.id == document))


def _texts(connection: sa.Connection, table: sa.Table, document: str) -> dict[str, str]:
    """Passage id -> its text, in reading order."""
    query = sa.select(table.c.id, table.c.body).where(table.c.document == document).order_by(table.c.ordinal)
    return {row.id: loads(Chunk, row.body).text for row in connection.execute(query)}


def _note_moves(connection: sa.Connection, document: str, before: Mapping[str, str]) -> None:
    """Where each old passage's text went; earlier moves are led on to the same place."""
    if not before:
        return
    after = _texts(connection, chunks, document)
    for old, new in passage_moves(before, after).items():
        connection.execute(moves.update().where(moves.c.new == old).values(new=new))
        connection.execute(moves.delete().where(moves.c.old.in_([old, new])))
        connection.execute(moves.insert().values(old=old, new=new, document=document))


def _sqlite_begin(connection: sa.Connection) -> None:
    """A writer takes the lock at once: upgrading a reader's snapshot would fail instead of waiting."""
    writes = connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _sqlite_pragmas(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # transactions are begun by _sqlite_begin, not by the driver
    cursor = connection.cursor()
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        "busy_timeout=30000",
        "secure_delete=ON",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _grow(connection: sa.Connection) -> None:
    grown = connection.execute(
        counters.update().where(counters.c.name == "generation").values(value=counters.c.value + 1)
    )
    if grown.rowcount == 0:
        connection.execute(counters.insert().values(name="generation", value=1))


def _matrix(blob: bytes | None, dimension: int) -> FloatArray:
    if not blob or not dimension:
        return np.zeros((0, dimension), np.float32)
    return np.frombuffer(blob, np.float32).reshape(-1, dimension)


def _bytes(vectors: FloatArray) -> bytes:
    return np.ascontiguousarray(vectors, np.float32).tobytes()


def _chunk_rows(parcel: Parcel) -> Sequence[dict[str, object]]:
    return [
        {
            "id": placed.chunk.id,
            "document": parcel.document,
            "ordinal": ordinal,
            "body": dumps(placed.chunk),
            "decision": dumps(placed.decision),
            "vector": _bytes(parcel.chunk_vectors[ordinal]),
        }
        for ordinal, placed in enumerate(parcel.chunks)
    ]


def _table_rows(parcel: Parcel) -> Sequence[dict[str, object]]:
    return [
        {
            "id": table.id,
            "document": parcel.document,
            "ordinal": ordinal,
            "body": zlib.compress(dumps(table).encode()),
        }
        for ordinal, table in enumerate(parcel.tables)
    ]


def _document_row(prepared: Prepared) -> dict[str, object]:
    parcel = prepared.parcel
    matrices = (
        parcel.chunk_vectors,
        parcel.table_vectors,
        parcel.triple_vectors,
        parcel.entity_vectors,
        prepared.heading_vectors,
    )
    return {
        "state": "prepared",
        "index_key": prepared.index_key,
        "loaded": zlib.compress(dumps(prepared.loaded).encode()),
        "table_texts": dumps(parcel.table_texts),
        "table_vectors": _bytes(parcel.table_vectors),
        "triples": dumps(parcel.triples),
        "triple_vectors": _bytes(parcel.triple_vectors),
        "entities": dumps(parcel.entities),
        "entity_vectors": _bytes(parcel.entity_vectors),
        "headings": dumps(prepared.headings),
        "heading_vectors": _bytes(prepared.heading_vectors),
        "dimension": max((m.shape[1] for m in matrices if m.size), default=0),
    }
