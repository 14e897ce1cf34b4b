"""From a plan to SQL over display names, built with SQLAlchemy expressions; literals are rendered, never pasted."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from core.stores.relational.plan.model import Condition, Context, Grain, Having, Output, Plan, Ref
from core.types import Value

_GRAIN_LENGTH: dict[Grain, int] = {"year": 4, "month": 7, "day": 10}
_Expression = sa.ColumnElement[Any]


def build_sql(plan: Plan, context: Context) -> str:
    """One SELECT in the SQLite dialect, ready for the guard."""
    tables = [
        sa.table(named.name, *(sa.column(column.key) for column in named.profile.columns)).alias(
            f"t{number + 1}"
        )
        if plan.joined
        else sa.table(named.name, *(sa.column(column.key) for column in named.profile.columns))
        for number, named in enumerate(context.tables)
    ]
    scope = _Scope(tables, context)
    statement = _difference(plan, scope) if plan.special == "difference" else _select(plan, scope)
    compiled = statement.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True})
    return str(compiled).replace("\n", " ").replace("  ", " ")


class _Scope:
    """The FROM entries of one statement."""

    def __init__(self, tables: Sequence[sa.FromClause], context: Context) -> None:
        self.tables = tables
        self.context = context

    def cell(self, ref: Ref) -> _Expression:
        key = self.context.column(ref).key
        found: _Expression = self.tables[ref.table].c[key]
        return found

    def source(self, plan: Plan) -> sa.FromClause:
        if not plan.joined or self.context.join is None:
            return self.tables[plan.only]
        many, one = Ref(0, self.context.join.many), Ref(1, self.context.join.one)
        return self.tables[0].join(self.tables[1], self.cell(many) == self.cell(one))

    def output(self, output: Output) -> _Expression:
        if output.ref is None:
            return sa.func.count()
        cell = self.cell(output.ref)
        if output.grain:
            cell = sa.func.substr(cell, 1, _GRAIN_LENGTH[output.grain])
        if output.aggregate == "distinct":
            return sa.func.count(sa.distinct(cell))
        return getattr(sa.func, output.aggregate)(cell) if output.aggregate else cell


def _select(plan: Plan, scope: _Scope) -> sa.Select[*tuple[Any, ...]]:
    outputs = [scope.output(output) for output in plan.outputs]
    if plan.special == "share":
        outputs = _share_outputs(plan, scope)
    statement = sa.select(*outputs).select_from(scope.source(plan))
    if plan.special != "share" or plan.group:
        statement = statement.where(*(_any(clause, scope) for clause in plan.where))
    statement = _excluded(plan, scope, statement)
    statement = statement.group_by(*(scope.output(o) for o in plan.group))
    statement = statement.having(*(_having(having, scope) for having in plan.having))
    statement = _not_empty(plan, scope, statement)
    if plan.distinct:
        statement = statement.distinct()
    for output, descending in plan.order:
        expression = scope.output(output)
        statement = statement.order_by(expression.desc() if descending else expression.asc())
    if plan.order and plan.limit is not None:  # equal ones in a fixed order
        statement = statement.order_by(
            *(
                scope.output(o)
                for o in plan.outputs[:1]
                if (o, True) not in plan.order and (o, False) not in plan.order
            )
        )
    return statement.limit(plan.limit) if plan.limit is not None else statement


def _not_empty(
    plan: Plan, scope: _Scope, statement: sa.Select[*tuple[Any, ...]]
) -> sa.Select[*tuple[Any, ...]]:
    """A ranking from the bottom must not be won by empty cells."""
    if plan.limit is None:
        return statement
    for output, _ in plan.order:
        if output.ref is not None and not output.aggregate:
            column = scope.context.column(output.ref)
            if column.filled < scope.context.tables[output.ref.table].profile.rows:
                statement = statement.where(scope.cell(output.ref).is_not(None))
    return statement


def _excluded(
    plan: Plan, scope: _Scope, statement: sa.Select[*tuple[Any, ...]]
) -> sa.Select[*tuple[Any, ...]]:
    if plan.without is None or scope.context.join is None:
        return statement
    many, one = Ref(0, scope.context.join.many), Ref(1, scope.context.join.one)
    inner = sa.select(scope.cell(many)).where(
        *(_any(clause, scope) for clause in plan.without), scope.cell(many).is_not(None)
    )
    return statement.where(scope.cell(one).not_in(inner))


def _any(clause: Sequence[Condition], scope: _Scope) -> _Expression:
    return sa.or_(*(_condition(condition, scope) for condition in clause))


def _having(having: Having, scope: _Scope) -> _Expression:
    return _compared(scope.output(having.output), having.op, having.values)


def _condition(condition: Condition, scope: _Scope) -> _Expression:
    cell = scope.cell(condition.ref)
    if condition.top is not None and scope.context.join is not None:
        ref, descending, limit = condition.top
        named = scope.context.tables[1]
        inner = sa.table(named.name, *(sa.column(c.key) for c in named.profile.columns)).alias("first")
        by = inner.c[scope.context.column(ref).key]
        key = inner.c[scope.context.column(Ref(1, scope.context.join.one)).key]
        return cell.in_(sa.select(key).order_by(by.desc() if descending else by.asc()).limit(limit))
    if condition.average:
        table = scope.tables[condition.ref.table]
        plain = (
            sa.table(scope.context.tables[condition.ref.table].name, sa.column(cell.name))
            if table is not None
            else table
        )
        return _compared(cell, condition.op, (sa.select(sa.func.avg(plain.c[cell.name])).scalar_subquery(),))
    if condition.other is not None:
        return _compared(cell, condition.op, (scope.cell(condition.other),))
    if condition.op == "between" and scope.context.column(condition.ref).role == "date":
        low, high = condition.values
        return sa.and_(cell >= low, cell < high)  # the end is the day after
    if condition.op == "not between" and scope.context.column(condition.ref).role == "date":
        low, high = condition.values
        return sa.or_(cell < low, cell >= high)
    return _compared(cell, condition.op, condition.values)


def _compared(left: _Expression, op: str, values: Sequence[Any]) -> _Expression:
    simple = {"=": "__eq__", "!=": "__ne__", ">": "__gt__", ">=": "__ge__", "<": "__lt__", "<=": "__le__"}
    if op in simple:
        return getattr(left, simple[op])(values[0])  # type: ignore[no-any-return]
    if op in ("between", "not between"):
        found = left.between(values[0], values[1])
        return found if op == "between" else sa.not_(found)
    if op in ("in", "not in"):
        return left.in_(list(values)) if op == "in" else left.not_in(list(values))
    if op in ("like", "not like"):
        return left.like(values[0]) if op == "like" else left.not_like(values[0])
    return left.is_(None) if op == "null" else left.is_not(None)


def _share_outputs(plan: Plan, scope: _Scope) -> list[_Expression]:
    """Percent of the whole: of each group, or of the rows that pass the filters."""
    measure = plan.outputs[-1]
    whole = scope.output(measure)
    hundred: _Expression = sa.literal_column("100.0")
    if plan.group:
        named = [scope.output(output) for output in plan.group]
        return [*named, whole, hundred.op("*")(whole).op("/")(_anonymous(plan, scope))]
    test = sa.and_(*(_any(clause, scope) for clause in plan.where))
    if measure.ref is None:
        part = sa.func.sum(sa.case((test, sa.literal_column("1")), else_=sa.literal_column("0")))
    else:
        part = sa.func.sum(sa.case((test, scope.cell(measure.ref))))
    return [hundred.op("*")(part).op("/")(whole), part, whole]  # plain operators: the guard knows no casts


def _anonymous(plan: Plan, scope: _Scope) -> _Expression:
    """The same total over a fresh copy of the table, so that it is not tied to the outer rows."""
    copies = [
        sa.table(t.name, *(sa.column(c.key) for c in t.profile.columns)).alias(f"w{n + 1}")
        for n, t in enumerate(scope.context.tables)
    ]
    fresh = _Scope(copies, scope.context)
    statement = sa.select(fresh.output(plan.outputs[-1])).select_from(fresh.source(plan))
    return statement.where(*(_any(clause, fresh) for clause in plan.where)).scalar_subquery()


def _difference(plan: Plan, scope: _Scope) -> sa.Select[*tuple[Any, ...]]:
    source = scope.source(plan)
    if len(plan.outputs) == 2:
        high, low = (scope.output(output) for output in plan.outputs)
        return (
            sa.select((high - low), high, low)
            .select_from(source)
            .where(*(_any(c, scope) for c in plan.where))
        )
    measure = plan.outputs[0]
    first, second = (_any(clause, scope) for clause in plan.where[-2:])
    parts = [_conditional(measure, test, scope) for test in (first, second)]
    statement = sa.select(parts[0] - parts[1], *parts).select_from(source)
    return statement.where(*(_any(clause, scope) for clause in plan.where[:-2]))


def _conditional(measure: Output, test: _Expression, scope: _Scope) -> _Expression:
    if measure.ref is None:
        return sa.func.sum(sa.case((test, sa.literal_column("1")), else_=sa.literal_column("0")))
    return getattr(sa.func, measure.aggregate)(sa.case((test, scope.cell(measure.ref))))  # type: ignore[no-any-return]


__all__ = ["Value", "build_sql"]
