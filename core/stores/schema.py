"""The ledger's tables."""

import sqlalchemy as sa

metadata = sa.MetaData()


def _documents(name: str) -> sa.Table:
    return sa.Table(
        name,
        metadata,
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("state", sa.String(16), nullable=False),  # received | prepared | indexed | staged
        sa.Column("index_key", sa.String(64), nullable=False, default=""),
        sa.Column(
            "loaded", sa.LargeBinary
        ),  # compressed JSON: raw text and cells, so that re-indexing is a job
        sa.Column("table_texts", sa.Text, nullable=False, default="[]"),
        sa.Column("table_vectors", sa.LargeBinary),
        sa.Column("triples", sa.Text, nullable=False, default="[]"),
        sa.Column("triple_vectors", sa.LargeBinary),
        sa.Column("entities", sa.Text, nullable=False, default="[]"),
        sa.Column("entity_vectors", sa.LargeBinary),
        sa.Column("headings", sa.Text, nullable=False, default="[]"),
        sa.Column("heading_vectors", sa.LargeBinary),
        sa.Column("dimension", sa.Integer, nullable=False, default=0),
    )


def _chunks(name: str) -> sa.Table:
    return sa.Table(
        name,
        metadata,
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("document", sa.String(64), nullable=False, index=True),
        sa.Column("ordinal", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("decision", sa.Text, nullable=False),
        sa.Column("vector", sa.LargeBinary, nullable=False),
    )


def _tables(name: str) -> sa.Table:
    return sa.Table(
        name,
        metadata,
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("document", sa.String(64), nullable=False, index=True),
        sa.Column("ordinal", sa.Integer, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )


documents, chunks, tables = _documents("documents"), _chunks("chunks"), _tables("tables")
# The same under the index key that comes next: nobody reads it before `promote`.
next_documents, next_chunks, next_tables = (
    _documents("next_documents"),
    _chunks("next_chunks"),
    _tables("next_tables"),
)
placements = sa.Table(
    "placements",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("tag", sa.String(255), nullable=False, index=True),
    sa.Column("name", sa.String(1024), nullable=False),
    sa.Column("document", sa.String(64), nullable=False, index=True),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("uploader", sa.String(255), nullable=False),
    sa.Column("received", sa.String(40), nullable=False),
    sa.Column("link", sa.String(2048), nullable=False, default=""),
    sa.Column("state", sa.String(16), nullable=False),  # pending | published
    sa.UniqueConstraint("tag", "name", "version"),
)
moves = sa.Table(  # passages that were cut anew: which one says now what an old one said
    "chunk_moves",
    metadata,
    sa.Column("old", sa.String(64), primary_key=True),
    sa.Column("new", sa.String(64), nullable=False, index=True),
    sa.Column("document", sa.String(64), nullable=False, index=True),
)
counters = sa.Table(
    "counters",
    metadata,
    sa.Column("name", sa.String(32), primary_key=True),
    sa.Column("value", sa.Integer, nullable=False),
)
