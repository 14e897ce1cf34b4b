"""From a plan to SQL over display names, built with SQLAlchemy expressions; literals are rendered, never pasted."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from core.stores.relational.plan.model import Context, Output, Plan, Ref
from core.stores.relational.plan.nested import mean_of_sums, medians, ranked_within
from core.stores.relational.plan.scope import Expression, Scope, either, kept_group


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
    scope = Scope(tables, context)
    statement = _statement(plan, scope)
    compiled = statement.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True})
    return str(compiled).replace("\n", " ").replace("  ", " ")


def _statement(plan: Plan, scope: Scope) -> sa.Select[*tuple[Any, ...]]:
    if plan.special in ("difference", "growth"):
        return _difference(plan, scope)
    if plan.within:
        return ranked_within(plan, scope)
    if plan.per is not None:
        return mean_of_sums(plan, scope)
    if any(output.aggregate == "median" for output in plan.outputs):
        return medians(plan, scope)
    return _select(plan, scope)


def _select(plan: Plan, scope: Scope) -> sa.Select[*tuple[Any, ...]]:
    outputs = [scope.output(output) for output in plan.outputs]
    if plan.special == "share":
        outputs = _share_outputs(plan, scope)
    statement = sa.select(*outputs).select_from(scope.source(plan))
    if plan.special != "share" or plan.group:
        statement = statement.where(*(either(clause, scope) for clause in plan.where))
    statement = _excluded(plan, scope, statement)
    statement = statement.group_by(*(scope.output(o) for o in plan.group))
    statement = statement.having(*(kept_group(having, scope) for having in plan.having))
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
    plan: Plan, scope: Scope, statement: sa.Select[*tuple[Any, ...]]
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
    plan: Plan, scope: Scope, statement: sa.Select[*tuple[Any, ...]]
) -> sa.Select[*tuple[Any, ...]]:
    if plan.without is None or scope.context.join is None:
        return statement
    many, one = Ref(0, scope.context.join.many), Ref(1, scope.context.join.one)
    inner = sa.select(scope.cell(many)).where(
        *(either(clause, scope) for clause in plan.without), scope.cell(many).is_not(None)
    )
    return statement.where(scope.cell(one).not_in(inner))


def _share_outputs(plan: Plan, scope: Scope) -> list[Expression]:
    """Percent of the whole: of each group, or of the rows that pass the filters."""
    measure = plan.outputs[-1]
    whole = scope.output(measure)
    hundred: Expression = sa.literal_column("100.0")
    if plan.group:
        named = [scope.output(output) for output in plan.group]
        return [*named, whole, hundred.op("*")(whole).op("/")(_anonymous(plan, scope))]
    test = sa.and_(*(either(clause, scope) for clause in plan.where))
    if measure.ref is None:
        part = sa.func.sum(sa.case((test, sa.literal_column("1")), else_=sa.literal_column("0")))
    else:
        part = sa.func.sum(sa.case((test, scope.cell(measure.ref))))
    return [hundred.op("*")(part).op("/")(whole), part, whole]  # plain operators: the guard knows no casts


def _anonymous(plan: Plan, scope: Scope) -> Expression:
    """The same total over a fresh copy of the table, so that it is not tied to the outer rows."""
    copies = [
        sa.table(t.name, *(sa.column(c.key) for c in t.profile.columns)).alias(f"w{n + 1}")
        for n, t in enumerate(scope.context.tables)
    ]
    fresh = Scope(copies, scope.context)
    statement = sa.select(fresh.output(plan.outputs[-1])).select_from(fresh.source(plan))
    return statement.where(*(either(clause, fresh) for clause in plan.where)).scalar_subquery()


def _difference(plan: Plan, scope: Scope) -> sa.Select[*tuple[Any, ...]]:
    source = scope.source(plan)
    if len(plan.outputs) == 2:
        high, low = (scope.output(output) for output in plan.outputs)
        return (
            sa.select((high - low), high, low)
            .select_from(source)
            .where(*(either(c, scope) for c in plan.where))
        )
    measure = plan.outputs[0]
    first, second = (either(clause, scope) for clause in plan.where[-2:])
    parts = [_conditional(measure, test, scope) for test in (first, second)]
    if plan.special == "growth":
        hundred: Expression = sa.literal_column("100.0")
        gained = parts[1] - parts[0]
        percent = hundred.op("*")(gained.self_group()).op("/")(parts[0])
        statement = sa.select(gained, percent, *parts).select_from(source)
    else:
        statement = sa.select(parts[0] - parts[1], *parts).select_from(source)
    return statement.where(*(either(clause, scope) for clause in plan.where[:-2]))


def _conditional(measure: Output, test: Expression, scope: Scope) -> Expression:
    if measure.ref is None:
        return sa.func.sum(sa.case((test, sa.literal_column("1")), else_=sa.literal_column("0")))
    return getattr(sa.func, measure.aggregate)(sa.case((test, scope.cell(measure.ref))))  # type: ignore[no-any-return]
