"""Tidying of what a chat model wrote, before the guard sees it: fences, and values spelled almost right."""

import re

from sqlglot import exp, parse
from sqlglot.errors import SqlglotError

from core.normalize import fold
from core.stores.relational.catalog import Catalog

_FENCE = re.compile(r"```(?:sql)?\s*(.*?)```", re.DOTALL | re.IGNORECASE)


def tidy_sql(text: str, catalog: Catalog) -> str:
    """The statement in a model's answer, with text values in the spelling of the data.

    A literal that equals a stored value but for case and accents is replaced by it. Text that does not parse is
    returned as it is: the guard refuses it with its reason.
    """
    fenced = _FENCE.search(text)
    sql = (fenced.group(1) if fenced else text).strip()
    start = re.search(r"\b(?:SELECT|WITH)\b", sql, re.IGNORECASE)
    sql = sql[start.start() :].rstrip("; \n") if start else sql
    try:
        trees = parse(sql, dialect="sqlite")
    except (SqlglotError, RecursionError):
        return sql
    if len(trees) != 1 or trees[0] is None:
        return sql
    tree = trees[0]
    spellings = _spellings(tree, catalog)
    for literal in list(tree.find_all(exp.Literal)):
        stored = spellings.get((_compared_column(literal), fold(literal.name)))
        if literal.is_string and stored is not None and stored != literal.name:
            literal.replace(exp.Literal.string(stored))
    return tree.sql(dialect="sqlite")


def _spellings(tree: exp.Expr, catalog: Catalog) -> dict[tuple[str, str], str]:
    """(column key, folded value) -> the value as stored, for the tables that the statement names; ambiguous ones out."""
    named = {table.name.lower() for table in tree.find_all(exp.Table)}
    found: dict[tuple[str, str], set[str]] = {}
    for table in catalog.tables:
        if table.name in named:
            for column in table.profile.columns:
                for value, _ in column.values:
                    found.setdefault((column.key.lower(), fold(value)), set()).add(value)
    return {key: next(iter(values)) for key, values in found.items() if len(values) == 1}


def _compared_column(literal: exp.Literal) -> str:
    """The column that a literal is compared with, or nothing."""
    parent = literal.parent
    if isinstance(parent, exp.In):
        other: exp.Expr | None = parent.this
    elif isinstance(parent, exp.EQ | exp.NEQ):
        other = parent.right if parent.left is literal else parent.left
    else:
        return ""
    return other.name.lower() if isinstance(other, exp.Column) else ""
