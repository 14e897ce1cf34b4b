"""What the store knows of a table without reading its rows: columns, roles, vocabulary, vectors."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import sqlalchemy as sa

from core.normalize import fold
from core.stores.relational import registry
from core.stores.relational.calendar import Moment, is_year, moment_of
from core.stores.relational.lexicon import concepts_of, marks_of
from core.stores.relational.words import cell_words, name_words
from core.types import Column, ColumnType, FloatArray, Parcel, Table, Value

STORED_VALUES = 20_000  # a column with more different values keeps no vocabulary
LOADED_VALUES = 3_000  # the most frequent ones are kept in memory, the rest is looked up
LONGEST_VALUE = 120  # characters; longer cells are prose, not names
MONEY = ("R$", "$", "US$", "€", "£")
NUMERIC = ("integer", "real")

Role = Literal["date", "year", "month", "moment", "measure", "key", "category", "text", "flag"]


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """One column as the planner sees it."""

    position: int
    key: str  # SQL identifier shown to people and models
    name: str  # header as written
    type: ColumnType
    unit: str
    filled: int
    different: int
    minimum: Value
    maximum: Value
    values: tuple[tuple[str, int], ...] = ()  # the loaded vocabulary, most frequent first
    known: int = 0  # values in the stored vocabulary
    words: tuple[str, ...] = ()
    role: Role = "text"
    physical: str = ""  # an expression over the base table; empty means c<position>

    @property
    def numeric(self) -> bool:
        return self.type in NUMERIC

    @property
    def unique(self) -> bool:
        """Every filled cell differs: the column tells rows apart."""
        return self.filled > 0 and self.different == self.filled

    @property
    def marks(self) -> str:
        """The lexicon's marks of the header; a percentage never adds up."""
        return marks_of(self.words) + ("=" if self.unit == "%" else "")


@dataclass(frozen=True, slots=True)
class TableProfile:
    """One table as the planner sees it; `rows` are those that are no totals."""

    id: str
    document: str
    position: int
    physical: str
    caption: str
    sheet: str
    locator: str
    headings: tuple[str, ...]
    rows: int
    columns: tuple[ColumnProfile, ...]
    vectors: FloatArray = field(
        default_factory=lambda: np.zeros((0, 0), np.float32)
    )  # row 0 the table, then columns
    source: str = ""  # the FROM expression over physical tables, for a table made of another

    @property
    def amount(self) -> ColumnProfile | None:
        """The one amount of the table: the only measure that adds up, or the only one in money."""
        measures = [c for c in self.columns if c.role == "measure" and ("+" in c.marks or "=" not in c.marks)]
        money = [column for column in measures if column.unit in MONEY]
        adding = [column for column in measures if "+" in column.marks and "=" not in column.marks]
        return next((group[0] for group in (measures, money, adding) if len(group) == 1), None)

    def column(self, key: str) -> ColumnProfile:
        """Raises: KeyError."""
        for candidate in self.columns:
            if candidate.key == key:
                return candidate
        raise KeyError(key)


def profile_table(table: Table, position: int) -> TableProfile:
    """Count what the planner needs; total rows do not count."""
    rows = [row for index, row in enumerate(table.rows) if index not in table.totals]
    columns = tuple(
        _profile_column(column, i, [row[i] for row in rows]) for i, column in enumerate(table.columns)
    )
    return TableProfile(
        table.id, table.document, position, registry.physical_name(table.id), table.caption, table.locator.sheet,
        str(table.locator), table.headings, len(rows), columns,
    )  # fmt: skip


def _profile_column(column: Column, position: int, cells: Sequence[Value]) -> ColumnProfile:
    filled = [registry.cell(value, column) for value in cells if value not in (None, "")]
    present = [value for value in filled if value is not None]
    counts = Counter(present)
    values = _vocabulary(column, counts)
    ordered = sorted(counts, key=lambda value: (isinstance(value, str), value))
    base = ColumnProfile(
        position, column.key, column.name, column.type, column.unit, len(present), len(counts),
        ordered[0] if ordered else None, ordered[-1] if ordered else None, values, len(values),
    )  # fmt: skip
    return described(base)


def _vocabulary(column: Column, counts: Mapping[str | int | float, int]) -> tuple[tuple[str, int], ...]:
    if column.type != "text" or not 0 < len(counts) <= STORED_VALUES:
        return ()
    named = [(str(value), count) for value, count in counts.items() if len(str(value)) <= LONGEST_VALUE]
    if 2 * len(named) < len(counts):  # mostly prose
        return ()
    return tuple(sorted(named, key=lambda pair: (-pair[1], pair[0])))


def described(column: ColumnProfile) -> ColumnProfile:
    """The column with its words and role, which follow from the rest."""
    named = replace(column, words=name_words(column.name))
    return replace(named, role=_role(named))


def _role(column: ColumnProfile) -> Role:
    if column.type in ("date", "datetime"):
        return "date"
    if column.type == "boolean" or yes_values(column):
        return "flag"
    if _is_year(column):
        return "year"
    if _is_month(column):
        return "month"
    if column.type == "text" and moments(column):
        return "moment"
    if "#" in column.marks or (column.words and column.words[-1] in ("id", "code", "codigo")):
        return "key"
    if _numbers_rows(column):
        return "key"
    if column.numeric:
        return "measure"
    return "category" if column.values and not column.unique else "text"


def _numbers_rows(column: ColumnProfile) -> bool:
    """Whole numbers that differ in every row and lie close together, under a header that is no amount: order numbers."""
    low, high = _number(column.minimum), _number(column.maximum)
    if (
        column.type != "integer"
        or column.unit
        or not column.unique
        or column.filled < 5
        or low is None
        or high is None
    ):
        return False
    return not column.marks.strip("@~") and 0 <= low and high - low + 1 <= 2 * column.filled


_YES = frozenset("t true y yes s sim x v verdadeiro 1".split())
_NO = frozenset("f false n no nao 0 falso -".split())


def yes_values(column: ColumnProfile) -> tuple[str, ...]:
    """The cells that mean yes in a text column of yes and no; empty for any other column."""
    if not 0 < column.known <= 3 or column.different != column.known:
        return ()
    folded = {value: fold(value).strip(". ") for value, _ in column.values}
    if not set(folded.values()) <= _YES | _NO or not set(folded.values()) & _YES:
        return ()
    return tuple(value for value, bare in folded.items() if bare in _YES)


def _is_year(column: ColumnProfile) -> bool:
    low, high = _number(column.minimum), _number(column.maximum)
    if column.type == "text" and column.values and all(value.isdigit() for value, _ in column.values):
        numbers = [int(value) for value, _ in column.values]
        low, high = min(numbers), max(numbers)
    if low is None or high is None or not (is_year(low) and is_year(high)):
        return False
    return any(word in ("year", "ano", "exercicio", "yr") for word in column.words) or (
        column.type == "integer" and low >= 1950 and high <= 2100 and column.different <= 30 and not column.unit
        and any(c.key in _year_concepts() for word in column.words for c in concepts_of((word,)))
    )  # fmt: skip


def _is_month(column: ColumnProfile) -> bool:
    low, high = _number(column.minimum), _number(column.maximum)
    named = any(word in ("mes", "month") for word in column.words)
    return (
        column.type == "integer"
        and named
        and low is not None
        and high is not None
        and low >= 1
        and high <= 12
    )


def _year_concepts() -> frozenset[str]:
    return frozenset(concept.key for concept in concepts_of(("year",)))


def _number(value: Value) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def moments(column: ColumnProfile) -> dict[str, Moment]:
    """Cell -> month or quarter, when every cell of a text column names one; else empty."""
    if not column.values or column.known > LOADED_VALUES or column.different != column.known:
        return {}
    found = {value: moment_of(value) for value, _ in column.values}
    return {value: moment for value, moment in found.items() if moment} if all(found.values()) else {}


# --- to and from the registry ------------------------------------------------------------------


def save(connection: sa.Connection, profile: TableProfile, parcel: Parcel) -> None:
    """Write one table's registry rows."""
    connection.execute(
        sa.insert(registry.tables),
        {
            "id": profile.id, "document": profile.document, "position": profile.position,
            "physical": profile.physical, "caption": profile.caption, "sheet": profile.sheet,
            "locator": profile.locator, "headings": json.dumps(list(profile.headings)), "row_count": profile.rows,
        },
    )  # fmt: skip
    vectors = {key: row for (key, _), row in zip(parcel.table_texts, parcel.table_vectors, strict=True)}
    rows = [_column_row(profile, column, vectors) for column in profile.columns]
    rows.append(_table_vector_row(profile, vectors))
    connection.execute(sa.insert(registry.columns), rows)
    words = [
        {
            "table_id": profile.id, "position": column.position, "rank": rank,
            "folded": " ".join(cell_words(value)), "value": value, "count": count,
        }
        for column in profile.columns
        for rank, (value, count) in enumerate(column.values)
    ]  # fmt: skip
    if words:
        connection.execute(sa.insert(registry.vocabulary), words)


def _column_row(
    profile: TableProfile, column: ColumnProfile, vectors: Mapping[str, FloatArray]
) -> dict[str, object]:
    vector = vectors.get(f"{profile.id}\t{column.key}")
    return {
        "table_id": profile.id, "position": column.position, "key": column.key, "name": column.name,
        "type": column.type, "unit": column.unit, "filled": column.filled, "different": column.different,
        "minimum": json.dumps(column.minimum), "maximum": json.dumps(column.maximum),
        "vector": b"" if vector is None else np.asarray(vector, "<f4").tobytes(),
    }  # fmt: skip


_TABLE_VECTOR = -1  # position of the row that holds the table's own vector


def _table_vector_row(profile: TableProfile, vectors: Mapping[str, FloatArray]) -> dict[str, object]:
    vector = vectors.get(f"{profile.id}\t")
    return {
        "table_id": profile.id, "position": _TABLE_VECTOR, "key": "", "name": "", "type": "text", "unit": "",
        "filled": 0, "different": 0, "minimum": "null", "maximum": "null",
        "vector": b"" if vector is None else np.asarray(vector, "<f4").tobytes(),
    }  # fmt: skip


def load(connection: sa.Connection, documents: Iterable[str]) -> tuple[TableProfile, ...]:
    """Profiles of all tables of the documents, by document and position."""
    wanted = sorted(documents)
    query = sa.select(registry.tables).where(registry.tables.c.document.in_(wanted))
    found = connection.execute(query.order_by(registry.tables.c.document, registry.tables.c.position)).all()
    return tuple(_load_table(connection, row) for row in found)


def _load_table(connection: sa.Connection, row: sa.Row[tuple[object, ...]]) -> TableProfile:
    facts = row._mapping
    columns = registry.columns
    query = sa.select(columns).where(columns.c.table_id == facts["id"]).order_by(columns.c.position)
    described_rows = [dict(found._mapping) for found in connection.execute(query)]
    values = _load_values(connection, str(facts["id"]))
    blobs = [bytes(found["vector"] or b"") for found in described_rows]
    return TableProfile(
        id=facts["id"], document=facts["document"], position=facts["position"], physical=facts["physical"],
        caption=facts["caption"], sheet=facts["sheet"], locator=facts["locator"],
        headings=tuple(json.loads(facts["headings"])), rows=facts["row_count"],
        columns=tuple(
            _load_column(found, values.get(found["position"], []))
            for found in described_rows
            if found["position"] != _TABLE_VECTOR
        ),
        vectors=_stack(blobs),
    )  # fmt: skip


def _load_values(connection: sa.Connection, table_id: str) -> dict[int, list[tuple[str, int, int]]]:
    words = registry.vocabulary
    query = (
        sa.select(words.c.position, words.c.value, words.c.count, words.c.rank)
        .where(words.c.table_id == table_id)
        .order_by(words.c.position, words.c.rank)
    )
    found: dict[int, list[tuple[str, int, int]]] = {}
    for position, value, count, rank in connection.execute(query):
        found.setdefault(position, []).append((value, count, rank))
    return found


def _load_column(facts: Mapping[str, object], values: Sequence[tuple[str, int, int]]) -> ColumnProfile:
    loaded = tuple((value, count) for value, count, rank in values if rank < LOADED_VALUES)
    column = ColumnProfile(
        position=int(str(facts["position"])), key=str(facts["key"]), name=str(facts["name"]),
        type=facts["type"], unit=str(facts["unit"]), filled=int(str(facts["filled"])),  # type: ignore[arg-type]
        different=int(str(facts["different"])), minimum=json.loads(str(facts["minimum"])),
        maximum=json.loads(str(facts["maximum"])), values=loaded, known=len(values),
    )  # fmt: skip
    return described(column)


def _stack(blobs: Sequence[bytes]) -> FloatArray:
    """Shape (1 + columns, d); rows of a table that was not embedded are zero."""
    dimension = max((len(blob) // 4 for blob in blobs), default=0)
    rows = [np.frombuffer(blob, "<f4") if blob else np.zeros(dimension, np.float32) for blob in blobs]
    return np.stack(rows).astype(np.float32) if rows else np.zeros((0, 0), np.float32)
