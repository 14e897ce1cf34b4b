"""What a column is for: an amount, a key, a category, a date; read off its header, type and values."""

from dataclasses import replace

from core.normalize import fold
from core.stores.relational.profile import LOADED_VALUES, ColumnProfile, Role
from core.stores.relational.wording.calendar import Moment, is_year, moment_of
from core.stores.relational.wording.lexicon import concepts_of
from core.stores.relational.wording.words import name_words, word_set
from core.types import Value


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
    return not column.marks.strip("@~") and low >= 0 and high - low + 1 <= 2 * column.filled


_YES = word_set("t true y yes s sim x v verdadeiro 1")
_NO = word_set("f false n no nao 0 falso -")


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
