"""The FROM entries of one statement, and the cells and conditions over them."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from core.stores.relational.plan.model import Condition, Context, Grain, Having, Output, Plan, Ref

_GRAIN_LENGTH: dict[Grain, int] = {"year": 4, "month": 7, "day": 10}
Expression = sa.ColumnElement[Any]


class Scope:
    """The FROM entries of one statement."""

    def __init__(self, tables: Sequence[sa.FromClause], context: Context) -> None:
        self.tables = tables
        self.context = context

    def cell(self, ref: Ref) -> Expression:
        key = self.context.column(ref).key
        found: Expression = self.tables[ref.table].c[key]
        return found

    def source(self, plan: Plan) -> sa.FromClause:
        if not plan.joined or self.context.join is None:
            return self.tables[plan.only]
        many, one = Ref(0, self.context.join.many), Ref(1, self.context.join.one)
        joined = self.tables[0].join(self.tables[1], self.cell(many) == self.cell(one))
        hop = self.context.hop
        if hop is None:
            return joined
        return joined.join(self.tables[2], self.cell(hop.many) == self.cell(Ref(2, hop.one)))

    def output(self, output: Output) -> Expression:
        if output.ref is None:
            return sa.func.count()
        cell = self.cell(output.ref)
        if output.grain:
            cell = sa.func.substr(cell, 1, _GRAIN_LENGTH[output.grain])
        if output.aggregate == "distinct":
            return sa.func.count(sa.distinct(cell))
        return getattr(sa.func, output.aggregate)(cell) if output.aggregate else cell


def either(clause: Sequence[Condition], scope: Scope) -> Expression:
    return sa.or_(*(condition_of(condition, scope) for condition in clause))


def kept_group(having: Having, scope: Scope) -> Expression:
    return compared(scope.output(having.output), having.op, having.values)


def condition_of(condition: Condition, scope: Scope) -> Expression:
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
        return compared(cell, condition.op, (sa.select(sa.func.avg(plain.c[cell.name])).scalar_subquery(),))
    if condition.other is not None:
        return compared(cell, condition.op, (scope.cell(condition.other),))
    if condition.op == "between" and scope.context.column(condition.ref).role == "date":
        low, high = condition.values
        return sa.and_(cell >= low, cell < high)  # the end is the day after
    if condition.op == "not between" and scope.context.column(condition.ref).role == "date":
        low, high = condition.values
        return sa.or_(cell < low, cell >= high)
    return compared(cell, condition.op, condition.values)


def compared(left: Expression, op: str, values: Sequence[Any]) -> Expression:
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
