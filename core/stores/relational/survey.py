"""Counting what the planner needs to know of a table when it is loaded."""

from collections import Counter
from collections.abc import Mapping, Sequence

from core.stores.relational import registry
from core.stores.relational.profile import ColumnProfile, TableProfile
from core.stores.relational.roles import described
from core.types import Column, Table, Value

STORED_VALUES = 20_000  # a column with more different values keeps no vocabulary
LONGEST_VALUE = 120  # characters; longer cells are prose, not names


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
