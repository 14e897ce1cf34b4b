"""SELECTs over SELECTs: the first rows of each group, medians, averages of sums.

Rows are numbered by a window inside and only cut by it outside; the number itself is never shown.
"""

from typing import Any

import sqlalchemy as sa

from core.stores.relational.plan.model import Output, Plan
from core.stores.relational.plan.scope import Expression, Scope, either, kept_group

_PLACE, _HELD = "place_in_group", "size_of_group"  # names that no header is likely to have
_Select = sa.Select[*tuple[Any, ...]]


def ranked_within(plan: Plan, scope: Scope) -> _Select:
    """ "the best seller of each region": equal ones share a place, and all of them are shown."""
    groups = [scope.output(output) for output in plan.within]
    by, descending = plan.order[0]
    order = scope.output(by).desc() if descending else scope.output(by).asc()
    cells = [scope.output(output).label(f"v{number}") for number, output in enumerate(plan.outputs, start=1)]
    place = sa.func.rank().over(partition_by=groups, order_by=order).label(_PLACE)
    inner = sa.select(*cells, place).select_from(scope.source(plan))
    inner = inner.where(*(either(clause, scope) for clause in plan.where), *_filled(plan, scope))
    inner = inner.group_by(*(scope.output(output) for output in plan.group))
    inner = inner.having(*(kept_group(having, scope) for having in plan.having))
    ranked = inner.subquery("ranked")
    shown = [ranked.c[f"v{number}"] for number in range(1, len(cells) + 1)]
    first = [shown[plan.outputs.index(output)] for output in plan.within]
    rest = [cell for cell in shown if cell not in first]
    outer = sa.select(*shown).where(ranked.c[_PLACE] <= sa.literal_column(str(plan.limit or 1)))
    return outer.order_by(*first, ranked.c[_PLACE], *rest[:1])


def _filled(plan: Plan, scope: Scope) -> list[Expression]:
    """Neither a group without a name nor an empty amount takes part."""
    refs = [output.ref for output in (*plan.within, plan.order[0][0]) if output.ref is not None]
    return [scope.cell(ref).is_not(None) for ref in dict.fromkeys(refs)]


def medians(plan: Plan, scope: Scope) -> _Select:
    """The middle value, or the mean of the middle two, of each group."""
    middle = next(output for output in plan.outputs if output.aggregate == "median")
    cell = scope.output(Output("", middle.ref))
    groups = [scope.output(output) for output in plan.group]
    cells = [group.label(f"v{number}") for number, group in enumerate(groups, start=1)]
    place = sa.func.row_number().over(partition_by=groups or None, order_by=cell).label(_PLACE)
    held = sa.func.count().over(partition_by=groups or None).label(_HELD)
    inner = sa.select(*cells, cell.label("amount"), place, held).select_from(scope.source(plan))
    inner = inner.where(*(either(clause, scope) for clause in plan.where), cell.is_not(None))
    placed = inner.subquery("placed")
    keys = [placed.c[f"v{number}"] for number in range(1, len(cells) + 1)]
    twice: Expression = sa.literal_column("2").op("*")(placed.c[_PLACE])
    outer = sa.select(*keys, sa.func.avg(placed.c.amount)).select_from(placed)
    outer = outer.where(twice >= placed.c[_HELD], twice <= placed.c[_HELD] + sa.literal_column("2"))
    return outer.group_by(*keys).order_by(*keys)


def mean_of_sums(plan: Plan, scope: Scope) -> _Select:
    """ "média mensal de vendas": what each month sums up to, averaged."""
    measure = plan.outputs[0]
    if plan.per is None or measure.ref is None:
        raise ValueError("an average of sums needs its measure and its period")
    per = scope.output(plan.per)
    inner = sa.select(sa.func.sum(scope.cell(measure.ref)).label("total")).select_from(scope.source(plan))
    inner = inner.where(*(either(clause, scope) for clause in plan.where), per.is_not(None)).group_by(per)
    sums = inner.subquery("sums")
    return sa.select(sa.func.avg(sums.c.total)).select_from(sums)
