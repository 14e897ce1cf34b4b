"""Growth from one period to another: the later amount less the earlier one, also in percent of the earlier."""

from core.stores.relational.plan.asked import Asked
from core.stores.relational.plan.draft import Draft
from core.stores.relational.plan.model import Condition, Plan
from core.stores.relational.plan.shares import measure_of, pop_sides
from core.stores.relational.plan.wanted import where_of
from core.stores.relational.roles import moments


def growth_plan(draft: Draft, asked: Asked) -> Plan | None:
    """Only between two periods that were both named; a growth since an unnamed one is no plan."""
    if not asked.growth or asked.groups or asked.ranks:
        return None
    measure = measure_of(draft, asked)
    if measure is None or measure.aggregate not in ("sum", "avg", "count"):
        return None
    sides = pop_sides(draft)
    if sides is None:
        return None
    first, second = sorted(sides, key=lambda side: _when(draft, side))
    return Plan((measure,), (*where_of(draft), (first,), (second,)), special="growth")


def _when(draft: Draft, side: Condition) -> tuple[int, int, str]:
    """Where a period stands in time; cells that are no moments keep the order of the question."""
    column = draft.context.column(side.ref)
    value = side.values[0]
    if column.role == "moment":
        moment = moments(column).get(str(value))
        if moment is not None:
            return moment.year or 0, moment.months[0], ""
    if isinstance(value, int | float):
        return int(value), 0, ""
    return (0, 0, str(value)) if column.role in ("date", "year") else (0, 0, "")
