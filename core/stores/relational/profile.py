"""What the store knows of a table without reading its rows: columns, vocabulary, vectors."""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from core.stores.relational.wording.lexicon import FUNCTION_WORDS, marks_of
from core.stores.relational.wording.words import word_set
from core.types import ColumnType, FloatArray, Value

LOADED_VALUES = 3_000  # the most frequent ones are kept in memory, the rest is looked up
MONEY = ("R$", "$", "US$", "€", "£")
NUMERIC = ("integer", "real")
Role = Literal["date", "year", "month", "moment", "measure", "key", "category", "text", "flag"]


_FEES = word_set("taxa taxas")  # a rate or a fee: its size tells
_LARGEST_RATE = 100.0


def _beyond_rates(value: Value) -> bool:
    return isinstance(value, int | float) and float(value) > _LARGEST_RATE


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
        """The lexicon's marks of the header; a percentage never adds up, a fee beyond any rate does."""
        if self.unit != "%" and _FEES & set(self.words) and _beyond_rates(self.maximum):
            return "+"
        return marks_of(self.words) + ("=" if self.unit == "%" else "")


_PLAIN = word_set(
    "valor valores total montante quantia value amount sum r reais usd bruto liquido gross net "
    "invoice fatura pedido order contratado contrato contract negocio deal"
)


def is_plain(column: ColumnProfile) -> bool:
    """Whether a header says no more than that it is an amount."""
    return all(part in _PLAIN or part in FUNCTION_WORDS for part in column.words)


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
        """The one amount of the table: the only measure that adds up, the only one in money, or that is called no more than value."""
        measures = [c for c in self.columns if c.role == "measure" and ("+" in c.marks or "=" not in c.marks)]
        money = [column for column in measures if column.unit in MONEY]
        adding = [column for column in measures if "+" in column.marks and "=" not in column.marks]
        plain = [
            column for column in money if column in adding and is_plain(column)
        ]  # "Valor" beside "Frete"
        return next((group[0] for group in (measures, money, adding, plain) if len(group) == 1), None)

    def column(self, key: str) -> ColumnProfile:
        """Raises: KeyError."""
        for candidate in self.columns:
            if candidate.key == key:
                return candidate
        raise KeyError(key)
