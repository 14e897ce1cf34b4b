"""What the graph store keeps on disk: one row a passage, one row a relation and passage. Never a summed edge.

A row belongs to one document, so that a document can be dropped, or left out of a view, without arithmetic: a
relation is gone when the last row that states it is gone.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa

from core.codec import dumps, loads
from core.errors import StoreFailed
from core.ingest.extract import chunk_mentions
from core.types import Chunk, FloatArray, Parcel, Triple

metadata = sa.MetaData()
held_table = sa.Table(
    "graph_held",
    metadata,
    sa.Column("document", sa.String(64), primary_key=True),
    sa.Column("dimension", sa.Integer, nullable=False),
)
passage_table = sa.Table(
    "graph_passages",
    metadata,
    sa.Column("chunk", sa.String(64), primary_key=True),
    sa.Column("document", sa.String(64), nullable=False, index=True),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("mentions", sa.Text, nullable=False),
    sa.Column("vector", sa.LargeBinary, nullable=False),
)
fact_table = sa.Table(
    "graph_facts",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("document", sa.String(64), nullable=False, index=True),
    sa.Column("chunk", sa.String(64), nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("relation", sa.Text, nullable=False),
    sa.Column("object", sa.Text, nullable=False),
    sa.Column("vector", sa.LargeBinary, nullable=False),
)


@dataclass(frozen=True, slots=True)
class DocumentGraph:
    """One document's part of the graph. Vectors are unit rows, aligned with their tuples."""

    document: str
    chunks: tuple[Chunk, ...]  # by id
    chunk_vectors: FloatArray
    mentions: tuple[tuple[str, ...], ...]  # canonical names and codes, one tuple a chunk
    facts: tuple[Triple, ...]  # sorted
    fact_vectors: FloatArray

    @classmethod
    def of(cls, parcel: Parcel, store: str) -> "DocumentGraph":
        """The chunks of a parcel that go to the graph, and the relations those chunks state."""
        rows = [i for i, placed in enumerate(parcel.chunks) if store in placed.decision.routes]
        rows.sort(key=lambda i: parcel.chunks[i].chunk.id)
        chunks = tuple(parcel.chunks[i].chunk for i in rows)
        known = {chunk.id for chunk in chunks}
        kept = {fact: i for i, fact in reversed(list(enumerate(parcel.triples))) if fact.chunk in known}
        facts = tuple(sorted(kept))
        return cls(
            parcel.document,
            chunks,
            parcel.chunk_vectors[rows],
            tuple(chunk_mentions(chunk) for chunk in chunks),
            facts,
            parcel.triple_vectors[[kept[fact] for fact in facts]],
        )

    @property
    def rows(self) -> int:
        return len(self.chunks) + len(self.facts)


class GraphRows:
    """The SQLite file. Raises StoreFailed when it cannot be opened or written."""

    def __init__(self, path: Path) -> None:
        self.engine = sa.create_engine(f"sqlite:///{path}", connect_args={"timeout": 30})
        sa.event.listen(self.engine, "connect", _pragmas)
        sa.event.listen(self.engine, "begin", _begin)
        try:
            metadata.create_all(self.engine)
        except sa.exc.SQLAlchemyError as err:
            raise StoreFailed("the graph file cannot be opened") from err

    def load(self) -> tuple[DocumentGraph, ...]:
        """Everything on disk, document by document in the order of their ids."""
        with self.engine.connect() as connection:
            held = connection.execute(sa.select(held_table).order_by(held_table.c.document)).all()
            passages = _grouped(connection.execute(sa.select(passage_table).order_by(passage_table.c.chunk)))
            order = (fact_table.c.subject, fact_table.c.relation, fact_table.c.object, fact_table.c.chunk)
            facts = _grouped(connection.execute(sa.select(fact_table).order_by(*order)))
        return tuple(
            _document(
                row.document, row.dimension, passages.get(row.document, []), facts.get(row.document, [])
            )
            for row in held
        )

    def replace(self, graph: DocumentGraph) -> None:
        """Write one document in one transaction; what it had before is gone."""
        try:
            with self.engine.begin() as connection:
                _delete(connection, graph.document)
                dimension = int(graph.chunk_vectors.shape[1])
                connection.execute(held_table.insert(), {"document": graph.document, "dimension": dimension})
                if graph.chunks:
                    connection.execute(passage_table.insert(), _passage_rows(graph))
                if graph.facts:
                    connection.execute(fact_table.insert(), _fact_rows(graph))
        except sa.exc.SQLAlchemyError as err:
            raise StoreFailed("the graph file cannot be written") from err

    def delete(self, document: str) -> int:
        """Remove one document; returns how many passages and relations went."""
        with self.engine.begin() as connection:
            return _delete(connection, document)

    def close(self) -> None:
        self.engine.dispose()


def _delete(connection: sa.Connection, document: str) -> int:
    removed = [
        connection.execute(table.delete().where(table.c.document == document)).rowcount
        for table in (passage_table, fact_table, held_table)
    ]
    return removed[0] + removed[1]


def _passage_rows(graph: DocumentGraph) -> list[dict[str, Any]]:
    return [
        {
            "chunk": chunk.id,
            "document": graph.document,
            "body": dumps(chunk),
            "mentions": "\n".join(names),
            "vector": np.ascontiguousarray(vector, np.float32).tobytes(),
        }
        for chunk, names, vector in zip(graph.chunks, graph.mentions, graph.chunk_vectors, strict=True)
    ]


def _fact_rows(graph: DocumentGraph) -> list[dict[str, Any]]:
    return [
        {
            "document": graph.document,
            "chunk": fact.chunk,
            "subject": fact.subject,
            "relation": fact.relation,
            "object": fact.object,
            "vector": np.ascontiguousarray(vector, np.float32).tobytes(),
        }
        for fact, vector in zip(graph.facts, graph.fact_vectors, strict=True)
    ]


def _grouped(rows: Iterable[Any]) -> dict[str, list[Any]]:
    groups: dict[str, list[Any]] = {}
    for row in rows:
        groups.setdefault(row.document, []).append(row)
    return groups


def _document(document: str, dimension: int, passages: list[Any], facts: list[Any]) -> DocumentGraph:
    return DocumentGraph(
        document,
        tuple(loads(Chunk, row.body) for row in passages),
        _matrix([row.vector for row in passages], dimension),
        tuple(tuple(row.mentions.split("\n")) if row.mentions else () for row in passages),
        tuple(Triple(row.subject, row.relation, row.object, row.chunk) for row in facts),
        _matrix([row.vector for row in facts], dimension),
    )


def _matrix(blobs: list[bytes], dimension: int) -> FloatArray:
    return np.frombuffer(b"".join(blobs), np.float32).reshape(len(blobs), dimension)


def _begin(connection: sa.Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _pragmas(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # transactions are begun by _begin, not by the driver
    cursor = connection.cursor()
    # NORMAL: a power cut may lose the last transactions, never half of one; the ledger applies those again.
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=30000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
