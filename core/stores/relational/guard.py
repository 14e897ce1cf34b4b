"""The guard: what a SELECT may be before it reaches the engine, whoever wrote it.

Only the parser can stop an answer that was never stored ("SELECT 'revenue was 9 billion'"); the engine's own
authorizer and limits stand behind it for the rest. A statement is parsed, every node is checked against a list of
what is allowed, names are resolved against the tables of the view, and the tables are then replaced by
SELECTs over the stored ones, without their total rows. Each refusal names its rule.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from sqlglot import exp, parse
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.schema import MappingSchema

from core.errors import SqlRefused
from core.stores.relational import registry
from core.stores.relational.catalog import Catalog, NamedTable
from core.stores.relational.outputs import check_outputs

LONGEST_SQL = 6_000  # characters
MOST_NODES = 1_200
MOST_TABLES = 6
MOST_SELECTS = 8
LONGEST_ALIAS = 40
MOST_WILDCARDS = 3

_ALIAS = re.compile(r"[^\W\d]\w{0,39}$")
_ALLOWED: tuple[type[exp.Expr], ...] = (
    exp.Select, exp.Union, exp.Intersect, exp.Except, exp.Subquery, exp.With, exp.CTE, exp.TableAlias,
    exp.From, exp.Join, exp.Table, exp.Column, exp.Identifier, exp.Alias, exp.Star, exp.Distinct,
    exp.Where, exp.Group, exp.Having, exp.Order, exp.Ordered, exp.Limit, exp.Offset, exp.Paren, exp.Tuple,
    exp.Literal, exp.Null, exp.Boolean, exp.And, exp.Or, exp.Not, exp.Is, exp.EQ, exp.NEQ, exp.GT, exp.GTE,
    exp.LT, exp.LTE, exp.Between, exp.In, exp.Like, exp.Exists, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg,
    exp.Case, exp.If, exp.Cast, exp.DataType, exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Abs,
    exp.Round, exp.Lower, exp.Upper, exp.Length, exp.Substring, exp.Trim, exp.Coalesce, exp.Nullif,
    exp.TimeToStr, exp.TsOrDsToTimestamp, exp.Window, exp.Rank, exp.RowNumber,
)  # fmt: skip
_TYPES = frozenset(["INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL", "TEXT", "VARCHAR", "TIMESTAMP"])


@dataclass(frozen=True, slots=True)
class Guarded:
    """A statement that passed: as shown, as run, and what it reads."""

    shown: str  # over display names
    physical: str  # over stored tables, in the engine's dialect
    tables: tuple[NamedTable, ...]
    outputs: tuple[exp.Expr, ...]  # resolved output expressions, for labels and units
    limit: int


def guard(sql: str, catalog: Catalog, *, rows: int, dialect: str = "sqlite") -> Guarded:
    """Check a SELECT against the tables of a view.

    Args:
        sql: one statement in the SQLite dialect, over display names.
        catalog: the view's tables; no other name exists.
        rows: the largest number of rows to return; the statement's own limit may only be lower.
        dialect: of the engine that will run it.
    Raises: SqlRefused, whose text names the rule.
    """
    tree = _parsed(sql)
    _check_nodes(tree)
    _check_tables(tree, catalog)
    _check_stars(tree)
    resolved = _resolved(tree, catalog)
    _check_joins(resolved)
    check_outputs(resolved)
    limit = _cap_limit(resolved, rows)
    shown = _cap_shown(tree, rows)
    used = _used(resolved, catalog)
    outputs = tuple(projection.unalias() for projection in _first_select(resolved).selects)
    return Guarded(shown, _physical(resolved, used, dialect), used, outputs, limit)


def _refuse(rule: str, what: object = "") -> SqlRefused:
    return SqlRefused(f"{rule}: {what}" if what else rule)


def _parsed(sql: str) -> exp.Query:
    if len(sql) > LONGEST_SQL:
        raise _refuse("too-long", f"{len(sql)} characters")
    if "\x00" in sql:
        raise _refuse("parse", "zero byte")
    try:
        statements = [tree for tree in parse(sql, dialect="sqlite") if tree is not None]
    except (SqlglotError, RecursionError) as err:
        raise _refuse("parse", type(err).__name__) from err
    if len(statements) != 1:
        raise _refuse("one-statement", f"{len(statements)} statements")
    tree = statements[0]
    if not isinstance(tree, exp.Select | exp.SetOperation):
        raise _refuse("select-only", type(tree).__name__)
    return tree


def _check_nodes(tree: exp.Query) -> None:
    nodes = list(tree.walk())
    if len(nodes) > MOST_NODES:
        raise _refuse("too-complex", f"{len(nodes)} nodes")
    for node in nodes:
        if type(node) not in _ALLOWED:
            raise _refuse("not-allowed", type(node).__name__)
        _check_node(node)
    if sum(isinstance(node, exp.Select) for node in nodes) > MOST_SELECTS:
        raise _refuse("too-complex", "nested selects")


def _check_node(node: exp.Expr) -> None:
    if isinstance(node, exp.With) and node.args.get("recursive"):
        raise _refuse("recursive")
    if isinstance(node, exp.Select):
        _check_select(node)
    if isinstance(node, exp.Cast) and node.to.this.name not in _TYPES:
        raise _refuse("cast-type", node.to.this.name)
    if isinstance(node, exp.Limit | exp.Offset) and not _whole(node.expression):
        raise _refuse("limit", "not a number")
    if isinstance(node, exp.Like):
        pattern = node.expression
        if not (isinstance(pattern, exp.Literal) and pattern.is_string):
            raise _refuse("like", "pattern is not a text")
        if sum(pattern.name.count(mark) for mark in "%_") > MOST_WILDCARDS or len(pattern.name) > 100:
            raise _refuse("like", "too many wildcards")
    if isinstance(node, exp.Window):
        _check_window(node)
    if isinstance(node, exp.Rank | exp.RowNumber) and not isinstance(node.parent, exp.Window):
        raise _refuse("not-allowed", type(node).__name__)
    alias = _alias_of(node)
    if alias and not _ALIAS.match(alias):
        raise _refuse("alias", "not a plain name")


def _check_window(node: exp.Window) -> None:
    """Places and sizes within groups, for a SELECT around this one to cut by; never shown (`check_outputs`)."""
    numbers = isinstance(node.this, exp.Rank | exp.RowNumber) and not node.this.expressions
    counts = isinstance(node.this, exp.Count) and isinstance(node.this.this, exp.Star)
    extras = {name for name, value in node.args.items() if value} - {"this", "partition_by", "order", "over"}
    if extras or not (numbers or counts):
        raise _refuse("not-allowed", "window")


def _check_select(node: exp.Select) -> None:
    extras = [
        name
        for name, value in node.args.items()
        if value and name not in ("kind", "hint", "distinct", "expressions", "from", "from_", "joins", "where",
                                  "group", "having", "order", "limit", "offset", "with", "with_")
    ]  # fmt: skip
    if extras or node.args.get("kind") or node.args.get("hint"):
        raise _refuse("not-allowed", ", ".join(sorted(extras)) or "select kind")
    distinct = node.args.get("distinct")
    if distinct is not None and distinct.args.get("on"):
        raise _refuse("not-allowed", "DISTINCT ON")


def _alias_of(node: exp.Expr) -> str:
    if isinstance(node, exp.Alias):
        return node.alias
    if isinstance(node, exp.TableAlias):
        return str(node.this.name) if node.this is not None else ""
    return ""


def _whole(node: exp.Expr | None) -> bool:
    if isinstance(node, exp.Neg):
        node = node.this
    return isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit()


def _check_tables(tree: exp.Query, catalog: Catalog) -> None:
    known = {table.name for table in catalog.tables}
    ctes = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    if ctes & known:
        raise _refuse("shadow", "a WITH name hides a table")
    found = list(tree.find_all(exp.Table))
    if not found:
        raise _refuse("no-table")
    if len(found) > MOST_TABLES:
        raise _refuse("too-complex", f"{len(found)} tables")
    for table in found:
        if table.args.get("db") or table.args.get("catalog") or not isinstance(table.this, exp.Identifier):
            raise _refuse("table", "qualified or computed table")
        if {name for name, value in table.args.items() if value} - {"this", "alias", "joins"}:
            raise _refuse("table", "table options")
        if table.name.lower() not in known | ctes:
            raise _refuse("table", "unknown table")


def _check_stars(tree: exp.Query) -> None:
    """`SELECT *` only where a condition reads a column: it must answer something."""
    for select in tree.find_all(exp.Select):
        starred = any(
            isinstance(p, exp.Star) or (isinstance(p, exp.Column) and p.is_star) for p in select.expressions
        )
        if starred and not _filtered(select):
            raise _refuse("select-star", "no condition")
    for star in tree.find_all(exp.Star):
        if not isinstance(star.parent, exp.Select | exp.Count | exp.Column):
            raise _refuse("not-allowed", "star")


def _filtered(select: exp.Select) -> bool:
    where = select.args.get("where")
    return (
        where is not None
        and any(
            comparison.find(exp.Column) is not None and comparison.left.sql() != comparison.right.sql()
            for comparison in where.find_all(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Like)
        )
    ) or (where is not None and where.find(exp.In, exp.Between, exp.Is) is not None)


def _resolved(tree: exp.Query, catalog: Catalog) -> exp.Query:
    named = {table.name.lower() for table in tree.find_all(exp.Table)}
    schema = MappingSchema(
        {
            t.name: {c.key.lower(): _sql_type(c.type) for c in t.profile.columns}
            for t in catalog.tables
            if t.name in named
        },
        dialect="sqlite",
    )
    try:
        resolved = qualify(
            tree.copy(), dialect="sqlite", schema=schema, quote_identifiers=True, isolate_tables=False
        )
    except (SqlglotError, RecursionError) as err:
        raise _refuse("column", str(err).splitlines()[0][:120] if str(err) else type(err).__name__) from err
    if not isinstance(resolved, exp.Select | exp.SetOperation):
        raise _refuse("select-only", type(resolved).__name__)
    for column in resolved.find_all(exp.Column):
        if not column.table and not _orders_by_alias(column):
            raise _refuse("column", "unresolved column")
    return resolved


def _orders_by_alias(column: exp.Column) -> bool:
    """ORDER BY, GROUP BY and HAVING may name an output of the same SELECT."""
    clause = column.find_ancestor(exp.Order, exp.Group, exp.Having, exp.Select)
    select = column.find_ancestor(exp.Select, exp.SetOperation)
    if isinstance(clause, exp.Select) or select is None:
        return False
    names = {p.alias_or_name for p in (select.selects if isinstance(select, exp.Query) else ())}
    return column.name in names


def _sql_type(kind: str) -> str:
    return {"integer": "BIGINT", "real": "DOUBLE", "boolean": "INT"}.get(kind, "TEXT")


def _check_joins(tree: exp.Query) -> None:
    for join in tree.find_all(exp.Join):
        if (join.kind or "INNER") != "INNER" or (join.side or "LEFT") != "LEFT" or join.method:
            raise _refuse("join", f"{join.method or join.side or join.kind} join")
        condition = join.args.get("on")
        if condition is None or not any(_links_tables(part) for part in _conjuncts(condition)):
            raise _refuse("join", "no shared key")


def _conjuncts(condition: exp.Expr) -> Iterable[exp.Expr]:
    bare = condition.unnest()
    if isinstance(bare, exp.And):
        yield from _conjuncts(bare.left)
        yield from _conjuncts(bare.right)
    else:
        yield bare


def _links_tables(condition: exp.Expr) -> bool:
    if not isinstance(condition, exp.EQ):
        return False
    left, right = condition.left.unnest(), condition.right.unnest()
    return isinstance(left, exp.Column) and isinstance(right, exp.Column) and left.table != right.table


def _cap_limit(tree: exp.Query, rows: int) -> int:
    """Set the statement's limit to at most rows + 1: one more tells that there were more."""
    limit = tree.args.get("limit")
    wanted = limit.expression if limit is not None else None
    asked = int(wanted.name) if isinstance(wanted, exp.Literal) else rows + 1
    capped = min(asked, rows + 1)
    tree.set("limit", exp.Limit(expression=exp.Literal.number(capped)))
    return capped


def _cap_shown(tree: exp.Query, rows: int) -> str:
    """The statement as it was written, to be shown; the tree is used up."""
    limit = tree.args.get("limit")
    if limit is not None and not (
        isinstance(limit.expression, exp.Literal) and int(limit.expression.name) <= rows
    ):
        tree.set("limit", exp.Limit(expression=exp.Literal.number(rows)))
    for node in tree.walk():
        node.comments = None
    return tree.sql(dialect="sqlite", copy=False)


def _first_select(tree: exp.Query) -> exp.Select:
    while isinstance(tree, exp.SetOperation | exp.Subquery):
        tree = tree.this
    if not isinstance(tree, exp.Select):
        raise _refuse("select-only", type(tree).__name__)
    return tree


def _used(tree: exp.Query, catalog: Catalog) -> tuple[NamedTable, ...]:
    names = {table.name for table in tree.find_all(exp.Table)}
    return tuple(table for table in catalog.tables if table.name in names)


def _physical(tree: exp.Query, used: tuple[NamedTable, ...], dialect: str) -> str:
    """Put SELECTs over the stored tables in the place of the names; total rows never reach a query."""
    tree = tree.copy()  # labels are read from the resolved tree
    by_name = {table.name: table for table in used}
    for table in list(tree.find_all(exp.Table)):
        named = by_name.get(table.name)
        if named is not None:
            table.replace(_stored(named, table.alias_or_name))
    for node in tree.walk():
        node.comments = None
    return tree.sql(dialect=dialect, copy=False)


def _stored(table: NamedTable, alias: str) -> exp.Subquery:
    """The nodes are made for this statement alone, so none is copied on the way."""
    profile = table.profile
    cells = [
        exp.alias_(
            exp.column(c.physical or f"c{c.position}", quoted=True), c.key.lower(), quoted=True, copy=False
        )
        for c in profile.columns
    ]
    source = (
        exp.Subquery(
            this=_source(profile.source).copy(), alias=exp.TableAlias(this=exp.to_identifier("stored"))
        )
        if profile.source
        else exp.Table(this=exp.to_identifier(profile.physical, quoted=True))
    )
    select = exp.select(*cells, copy=False).from_(source, copy=False)
    counted = exp.EQ(this=exp.column(registry.TOTAL), expression=exp.Literal.number(0))
    rows = select.where(counted, copy=False)
    return exp.Subquery(this=rows, alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))


@lru_cache(maxsize=256)
def _source(sql: str) -> exp.Expr:
    """A SELECT of our own over a stored table; depends on nothing but its text."""
    parsed = parse(sql, dialect="sqlite")[0]
    if parsed is None:
        raise _refuse("parse", "empty source")
    return parsed
