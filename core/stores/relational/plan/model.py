"""A query plan: slots that a question fills, before any SQL. Also the context it is made in: one table or two."""

from dataclasses import dataclass
from typing import Literal

from core.stores.relational.catalog import NamedTable
from core.stores.relational.profile import ColumnProfile
from core.types import Value

Aggregate = Literal["", "sum", "avg", "min", "max", "count", "distinct", "median"]
Comparison = Literal[
    "=",
    "!=",
    ">",
    ">=",
    "<",
    "<=",
    "between",
    "not between",
    "in",
    "not in",
    "like",
    "not like",
    "null",
    "not null",
]
Grain = Literal["", "day", "month", "year"]


@dataclass(frozen=True, slots=True, order=True)
class Ref:
    """A column of the context: position of its table and its own position."""

    table: int
    column: int


@dataclass(frozen=True, slots=True)
class Join:
    """Rows of table 0 belong to one row of table 1: `many` of table 0 equals the key `one` of table 1."""

    many: int
    one: int


@dataclass(frozen=True, slots=True)
class Hop:
    """Table 2 of a context: the column of an earlier table that refers to its key."""

    many: Ref
    one: int


@dataclass(frozen=True, slots=True)
class Context:
    """The tables a plan may use, as the planner sees them."""

    tables: tuple[NamedTable, ...]
    join: Join | None = None
    hop: Hop | None = None  # to a third table

    def column(self, ref: Ref) -> ColumnProfile:
        return self.tables[ref.table].profile.columns[ref.column]

    def refs(self) -> tuple[Ref, ...]:
        return tuple(
            Ref(number, column.position)
            for number, table in enumerate(self.tables)
            for column in table.profile.columns
        )

    def key(self, table: int = 1) -> Ref | None:
        """The key of a table that others refer to; None for the first one, which refers."""
        if table == 2:
            return Ref(2, self.hop.one) if self.hop else None
        return Ref(1, self.join.one) if self.join and table == 1 else None

    def referring(self) -> tuple[Ref, ...]:
        """The columns that tie the tables together, on their "many" sides."""
        near = (Ref(0, self.join.many),) if self.join else ()
        return (*near, self.hop.many) if self.hop else near


@dataclass(frozen=True, slots=True)
class Output:
    """A column, an aggregate of one, or a count of rows (`ref` None). `grain` cuts a date."""

    aggregate: Aggregate = ""
    ref: Ref | None = None
    grain: Grain = ""


@dataclass(frozen=True, slots=True)
class Condition:
    """A filter. `average` compares with the column's average instead of `values`; `other` with another column."""

    ref: Ref
    op: Comparison
    values: tuple[Value, ...] = ()
    average: bool = False
    other: Ref | None = None
    every: bool = False  # one thing must have all the values: "both English and French"
    top: tuple[Ref, bool, int] | None = None  # `ref` belongs to the first rows of table 1 in this order
    words: str = ""  # how to say it, when the values do not say it well ("abril de 2026")


@dataclass(frozen=True, slots=True)
class Having:
    """A filter on groups."""

    output: Output
    op: Comparison
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to compute. `where` is an AND of ORs."""

    outputs: tuple[Output, ...]
    where: tuple[tuple[Condition, ...], ...] = ()
    group: tuple[Output, ...] = ()
    having: tuple[Having, ...] = ()
    order: tuple[tuple[Output, bool], ...] = ()  # (what, descending)
    limit: int | None = None
    distinct: bool = False
    without: tuple[tuple[Condition, ...], ...] | None = (
        None  # rows of table 1 that no such row of table 0 refers to
    )
    special: Literal["", "share", "difference", "growth"] = ""
    within: tuple[Output, ...] = ()  # the order and the limit hold inside each of these groups
    per: Output | None = None  # the average is one of the sums of these
    joined: bool = False  # table 1 (or 0) takes part
    only: int = 0  # the table, when not joined

    @property
    def aggregated(self) -> bool:
        return any(output.aggregate for output in self.outputs) or bool(self.special)
