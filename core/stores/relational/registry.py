"""The registry of tables: what is loaded, with its columns, units, vocabulary and vectors. Portable DDL only.

One physical table a lifted table, named after a hash of its id; columns are called by position, so that no header
can become SQL. Dates are ISO 8601 text, booleans 0 and 1: the same on SQLite and PostgreSQL.
"""

from hashlib import sha256

import sqlalchemy as sa

from core.types import Column, Table, Value

ROW = "row_no"  # reading order, also the primary key
TOTAL = "is_total"  # 1 for total and subtotal rows: kept, never summed

metadata = sa.MetaData()

documents = sa.Table("rel_documents", metadata, sa.Column("document", sa.String(128), primary_key=True))
tables = sa.Table(
    "rel_tables",
    metadata,
    sa.Column("id", sa.String(128), primary_key=True),
    sa.Column("document", sa.String(128), nullable=False, index=True),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("physical", sa.String(40), nullable=False),
    sa.Column("caption", sa.Text, nullable=False),
    sa.Column("sheet", sa.Text, nullable=False),
    sa.Column("locator", sa.Text, nullable=False),
    sa.Column("headings", sa.Text, nullable=False),  # JSON list
    sa.Column("row_count", sa.Integer, nullable=False),  # without totals
)
columns = sa.Table(
    "rel_columns",
    metadata,
    sa.Column("table_id", sa.String(128), primary_key=True),
    sa.Column("position", sa.Integer, primary_key=True),
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("type", sa.String(16), nullable=False),
    sa.Column("unit", sa.Text, nullable=False),
    sa.Column("filled", sa.Integer, nullable=False),  # cells that are not empty
    sa.Column("different", sa.Integer, nullable=False),  # different values
    sa.Column("minimum", sa.Text),  # JSON value
    sa.Column("maximum", sa.Text),
    sa.Column("vector", sa.LargeBinary),  # float32, of the column's text; empty when not embedded
)
vocabulary = sa.Table(
    "rel_vocabulary",
    metadata,
    sa.Column("table_id", sa.String(128), primary_key=True),
    sa.Column("position", sa.Integer, primary_key=True),
    sa.Column("rank", sa.Integer, primary_key=True),  # most frequent first, then by value
    sa.Column("folded", sa.Text, nullable=False, index=True),  # as core words, single spaces
    sa.Column("value", sa.Text, nullable=False),
    sa.Column("count", sa.Integer, nullable=False),
)

_LARGEST_INTEGER = 2**63 - 1


def physical_name(table_id: str) -> str:
    """The SQL name of a table: letters and digits only, whatever the id holds."""
    return f"t_{sha256(table_id.encode()).hexdigest()[:24]}"


def physical_table(table: Table) -> sa.Table:
    """The SQLAlchemy table that holds the cells; columns are `c0`, `c1`, ... in the file's order."""
    cells = [
        sa.Column(f"c{position}", _sql_type(column, position, table), nullable=True)
        for position, column in enumerate(table.columns)
    ]
    return sa.Table(
        physical_name(table.id),
        sa.MetaData(),
        sa.Column(ROW, sa.Integer, primary_key=True, autoincrement=False),
        sa.Column(TOTAL, sa.Integer, nullable=False),
        *cells,
    )


def cell(value: Value, column: Column) -> str | int | float | None:
    """A typed value as it is stored: booleans as 0 and 1, numbers beyond 64 bits as floats."""
    if value is None:
        return None
    if column.type in ("text", "date", "datetime"):
        return value if isinstance(value, str) else str(value)
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int) and abs(value) > _LARGEST_INTEGER:
        return float(value)
    return value


def _sql_type(
    column: Column, position: int, table: Table
) -> sa.Text | sa.Integer | sa.BigInteger | sa.Double[float]:
    if column.type in ("text", "date", "datetime"):
        return sa.Text()
    if column.type == "boolean":
        return sa.Integer()
    if column.type == "integer" and not any(
        isinstance(row[position], int) and abs(int(row[position] or 0)) > _LARGEST_INTEGER
        for row in table.rows
    ):
        return sa.BigInteger()
    return sa.Double()
