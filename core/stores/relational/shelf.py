"""Profiles to and from the registry."""

import json
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import sqlalchemy as sa

from core.stores.relational import registry
from core.stores.relational.profile import LOADED_VALUES, ColumnProfile, TableProfile
from core.stores.relational.roles import described
from core.stores.relational.wording.words import cell_words
from core.types import FloatArray, Parcel


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
