"""Percentages of a whole, and differences between two."""

from core.stores.relational.plan.asked import Asked
from core.stores.relational.plan.draft import Draft
from core.stores.relational.plan.figures import main_measure
from core.stores.relational.plan.model import Condition, Output, Plan
from core.stores.relational.plan.wanted import where_of


def _measure(draft: Draft, asked: Asked) -> Output | None:
    """What a share or a difference is taken of."""
    if asked.aggregates:
        return asked.aggregates[0]
    numbers = [ref for ref in asked.selects if draft.countable(ref)]
    if numbers:
        return Output("sum", numbers[0])
    return None


def share_plan(draft: Draft, asked: Asked) -> Plan | None:
    if not asked.share:
        return None
    measure = _measure(draft, asked)
    if measure is None:
        sold = main_measure(draft, 0)
        measure = Output("count") if asked.entities or asked.counted or sold is None else Output("sum", sold)
        draft.guess(0.8, "share of the rows")
    if measure.aggregate not in ("sum", "count"):
        return None
    groups = list(asked.groups) or [
        Output("", r) for r in asked.selects if not draft.countable(r) and not draft.where
    ]
    if groups:
        return Plan(
            (*groups, measure), where_of(draft), tuple(groups), order=((measure, True),), special="share"
        )
    if not draft.where:
        return None
    return Plan((measure,), where_of(draft), special="share")


def difference_plan(draft: Draft, asked: Asked) -> Plan | None:
    if not asked.difference:
        return None
    extremes = [o for o in asked.aggregates if o.aggregate in ("min", "max")]
    if {o.aggregate for o in extremes} == {"min", "max"} and len({o.ref for o in extremes}) == 1:
        ordered = sorted(extremes, key=lambda o: o.aggregate)
        return Plan(tuple(ordered), where_of(draft), special="difference")
    measure = _measure(draft, asked)
    pairs = [i for i, clause in enumerate(draft.where) if _two_sided(clause)]
    if measure is None or len(pairs) != 1:
        return None
    if (
        measure.aggregate == "sum"
        and measure.ref is not None
        and "+" not in draft.context.column(measure.ref).marks
    ):
        draft.guess(0.9, "difference of sums")
    sides = draft.where.pop(pairs[0])
    split = (
        sides
        if len(sides) == 2
        else tuple(Condition(sides[0].ref, "=", (value,)) for value in sides[0].values)
    )
    return Plan((measure,), (*draft.where, *((side,) for side in split)), special="difference")


def _two_sided(clause: tuple[Condition, ...]) -> bool:
    return len(clause) == 2 or (len(clause) == 1 and clause[0].op == "in" and len(clause[0].values) == 2)
