"""What the chat model gets when arithmetic abstains: the view's schema, and a GBNF grammar made from it.

The grammar lets the model write one SELECT that names only tables, columns and (where a column has few) values
that exist in the view. What it writes still passes the guard.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.ports import Message
from core.stores.relational.catalog import Catalog, NamedTable
from core.stores.relational.joins import Link
from core.stores.relational.profile import NUMERIC, ColumnProfile

TABLES = 4  # shown to the model
COLUMNS = 30  # of each table
SAMPLES = 6  # values shown in a comment
CHOICES = 40  # a text column with at most this many values may only be compared with them
_LONGEST_CHOICE = 60  # characters

_SYSTEM = (
    "You write one SQLite SELECT that answers the question from the tables below. Use only these tables and columns. "
    "Write text values exactly as in the comments, in the language of the data. Questions may be in Portuguese or "
    "English. Dates are text, YYYY-MM-DD. First write a comment line with the table or the two tables you need "
    "(for two: the first as T1, the second as T2), then the SELECT, and nothing else."
)
_COMMON = r"""
cmp ::= " = " | " != " | " > " | " >= " | " < " | " <= "
number ::= "-"? [0-9]{1,12} ("." [0-9]{1,6})?
free ::= "'" [^'\n]{1,60} "'"
pattern ::= "'%" [^'%_\n]{1,40} "%'"
day ::= "'" [0-9]{4} "-" [0-9]{2} "-" [0-9]{2} "'"
direction ::= " ASC" | " DESC"
joint ::= " AND " | " OR "
fn ::= "SUM" | "AVG" | "MIN" | "MAX"
limit ::= " LIMIT " [1-9] [0-9]{0,2}
""".strip()


@dataclass(frozen=True, slots=True)
class _Source:
    """One FROM clause and the columns it offers, as SQL names."""

    label: str  # written first, as a comment: with the tables chosen the rest of the grammar is unambiguous and fast
    clause: str
    columns: tuple[tuple[str, ColumnProfile], ...]


def schema_messages(
    tables: Sequence[NamedTable],
    links: Sequence[tuple[NamedTable, str, NamedTable, str]],
    question: str,
    today: str,
) -> tuple[Message, ...]:
    """System and user message: CREATE statements with sample values, how tables join, the question."""
    parts = [_create(table) for table in tables]
    parts += [f"-- {many.name}.{column} = {one.name}.{key}" for many, column, one, key in links]
    dated = f"\n-- today is {today}" if today else ""
    schema = "\n".join(parts)
    return (
        Message("system", f"{_SYSTEM}\n\n{schema}{dated}"),
        Message("user", f"{question}\n\nSQL:"),
    )


def _create(table: NamedTable) -> str:
    lines = [f"CREATE TABLE {table.name} ("]
    for column in table.profile.columns[:COLUMNS]:
        kind = {"integer": "INTEGER", "real": "REAL", "boolean": "INTEGER"}.get(column.type, "TEXT")
        lines.append(f"  {column.key} {kind}, -- {_about(column)}")
    return "\n".join([*lines, ");"])


def _about(column: ColumnProfile) -> str:
    said = column.name + (f", {column.unit}" if column.unit and column.unit not in column.name else "")
    if column.values:
        samples = ", ".join(repr(value)[:40] for value, _ in column.values[:SAMPLES])
        return f"{said}: {samples}"
    if column.minimum is not None:
        return f"{said}: {column.minimum} to {column.maximum}"
    return said


def pick_tables(
    catalog: Catalog, strength: Sequence[float], links: Sequence[Link]
) -> tuple[tuple[NamedTable, ...], tuple[Link, ...]]:
    """The tables that the question links to best, best first, and the links between them."""
    chosen = sorted(range(len(catalog.tables)), key=lambda i: (-strength[i], i))[:TABLES]
    kept = tuple(link for link in links if link.many in chosen and link.one in chosen)
    return tuple(catalog.tables[i] for i in chosen), kept


def build_grammar(
    tables: Sequence[NamedTable], links: Sequence[tuple[NamedTable, str, NamedTable, str]]
) -> str:
    """A GBNF grammar of SELECTs over the tables and the pairs of linked ones."""
    sources = [_single(table) for table in tables]
    sources += [_joined(many, column, one, key) for many, column, one, key in links]
    starts = [f"{_text(f'-- {source.label}' + chr(10))} s{number}" for number, source in enumerate(sources)]
    rules = [f"root ::= {' | '.join(starts)}", _COMMON]
    for number, source in enumerate(sources):
        rules += _select_rules(number, source)
    return "\n".join(rules) + "\n"


def _single(table: NamedTable) -> _Source:
    columns = tuple((column.key, column) for column in table.profile.columns[:COLUMNS])
    return _Source(table.name, table.name, columns)


def _joined(many: NamedTable, column: str, one: NamedTable, key: str) -> _Source:
    clause = f"{many.name} AS T1 JOIN {one.name} AS T2 ON T1.{column} = T2.{key}"
    columns = [(f"T1.{c.key}", c) for c in many.profile.columns[:COLUMNS]]
    columns += [(f"T2.{c.key}", c) for c in one.profile.columns[:COLUMNS]]
    return _Source(f"{many.name}, {one.name}", clause, tuple(columns))


def _select_rules(number: int, source: _Source) -> list[str]:
    s = f"s{number}"
    numeric = [(name, column) for name, column in source.columns if column.type in NUMERIC]
    aggregate = f'"COUNT(*)" | "COUNT(DISTINCT " {s}-col ")" | ("MIN" | "MAX") "(" {s}-col ")"'
    if numeric:
        aggregate += f' | fn "(" {s}-num ")"'
    source_text = _text(f" FROM {source.clause}")
    rules = [
        f'{s} ::= "SELECT " "DISTINCT "? {s}-out (", " {s}-out){{0,7}} {source_text} {s}-where? '
        f"({s}-group {s}-having?)? {s}-order? limit?",
        f"{s}-out ::= {s}-col | {s}-agg",
        f"{s}-agg ::= {aggregate}",
        f"{s}-col ::= {_choice(name for name, _ in source.columns)}",
        f'{s}-where ::= " WHERE " {s}-pred (joint {s}-pred){{0,4}}',
        f'{s}-group ::= " GROUP BY " {s}-col (", " {s}-col){{0,3}}',
        f'{s}-having ::= " HAVING " {s}-agg cmp number',
        f'{s}-order ::= " ORDER BY " {s}-key (", " {s}-key)?',
        f"{s}-key ::= ({s}-agg | {s}-col) direction",
        f"{s}-pred ::= {' | '.join(_predicates(s, source, numeric))}",
    ]
    if numeric:
        rules.append(f"{s}-num ::= {_choice(name for name, _ in numeric)}")
    return rules


def _predicates(s: str, source: _Source, numeric: Sequence[tuple[str, ColumnProfile]]) -> Iterable[str]:
    yield f'{s}-col " IS " "NOT "? "NULL"'
    if numeric:
        yield f'{s}-num cmp number | {s}-num " BETWEEN " number " AND " number'
        if " JOIN " not in source.clause:
            inner = _text(f" FROM {source.clause})")
            yield f'{s}-num cmp "(SELECT " fn "(" {s}-num ")" {inner}'
    for name, column in source.columns:
        if column.type in ("date", "datetime"):
            yield f'{_text(name)} (cmp day | " BETWEEN " day " AND " day)'
        elif column.type == "boolean":
            yield f'{_text(name + " = ")} ("0" | "1")'
        elif column.type == "text":
            yield _text_predicate(name, column)


def _text_predicate(name: str, column: ColumnProfile) -> str:
    """Columns with few values may only be compared with them: the model cannot misspell or translate one."""
    known = [value for value, _ in column.values]
    few = 0 < column.different <= CHOICES and len(known) == column.different
    if few and all(len(value) <= _LONGEST_CHOICE and "\n" not in value for value in known):
        values = "(" + " | ".join(_text("'" + value.replace("'", "''") + "'") for value in known) + ")"
        return f'{_text(name)} ((" = " | " != ") {values} | " "  "NOT "? "IN (" {values} (", " {values}){{0,5}} ")")'
    return f'{_text(name)} ((" = " | " != ") free | " LIKE " pattern)'


def _choice(names: Iterable[str]) -> str:
    return " | ".join(_text(name) for name in names)


def _text(literal: str) -> str:
    """A quoted GBNF terminal."""
    escaped = literal.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{escaped}"'
