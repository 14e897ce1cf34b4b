"""Percentages of a whole, and differences between two."""

from core.stores.relational.link.items import unlinked
from core.stores.relational.link.money import MONEY_VERBS
from core.stores.relational.plan.amounts import amounts_named, main_measure
from core.stores.relational.plan.asked import Asked
from core.stores.relational.plan.draft import Draft
from core.stores.relational.plan.groups import tells_rows
from core.stores.relational.plan.model import Condition, Output, Plan
from core.stores.relational.plan.wanted import where_of


def measure_of(draft: Draft, asked: Asked) -> Output | None:
    """What a share, a difference or a growth is taken of."""
    if asked.aggregates:
        return asked.aggregates[0]
    numbers = [ref for ref in asked.selects if draft.countable(ref)]
    if numbers:
        return Output("sum", numbers[0])
    main = main_measure(draft, asked.entities[0] if asked.entities else 0)
    if main is None or asked.share:
        return None
    loose = [draft.question.tokens[i].text for i in unlinked(draft.question, draft.items)]
    if any(word not in MONEY_VERBS for word in loose):
        draft.guess(0.6, "what is compared is named nowhere")  # "compara a validade"
    draft.guess(0.9, "the table's main amount")
    return Output("sum", main)


def share_plan(draft: Draft, asked: Asked) -> Plan | None:
    if not asked.share:
        return None
    measure = measure_of(draft, asked) or _of_rows(draft, asked)
    if measure.aggregate not in ("sum", "count"):
        return None
    groups = list(asked.groups) or [
        Output("", r)
        for r in asked.selects
        if not draft.countable(r) and not draft.where and not tells_rows(draft, r)
    ]
    if groups:
        return Plan(
            (*groups, measure), where_of(draft), tuple(groups), order=((measure, True),), special="share"
        )
    if not draft.where:
        return None
    return Plan((measure,), where_of(draft), special="share")


def _of_rows(draft: Draft, asked: Asked) -> Output:
    """ "what percentage of bookings": of rows, unless rows are called by an amount ("participação nas vendas")."""
    sold = main_measure(draft, 0)
    rows = asked.entities or asked.counted or any(tells_rows(draft, ref) for ref in asked.selects)
    if sold is not None and (not rows or amounts_named(draft)):
        draft.guess(0.85, "the table's main amount")
        return Output("sum", sold)
    draft.guess(0.8, "share of the rows")
    return Output("count")


def difference_plan(draft: Draft, asked: Asked) -> Plan | None:
    if not asked.difference:
        return None
    extremes = [o for o in asked.aggregates if o.aggregate in ("min", "max")]
    if {o.aggregate for o in extremes} == {"min", "max"} and len({o.ref for o in extremes}) == 1:
        ordered = sorted(extremes, key=lambda o: o.aggregate)
        return Plan(tuple(ordered), where_of(draft), special="difference")
    measure = measure_of(draft, asked)
    sides = pop_sides(draft) if measure is not None else None
    if measure is None or sides is None:
        return None
    if (
        measure.aggregate == "sum"
        and measure.ref is not None
        and "+" not in draft.context.column(measure.ref).marks
    ):
        draft.guess(0.9, "difference of sums")
    return Plan((measure,), (*draft.where, *((side,) for side in sides)), special="difference")


def pop_sides(draft: Draft) -> tuple[Condition, Condition] | None:
    """The two alternatives that one filter names, taken out of the filters; None unless there is exactly one such."""
    pairs = [i for i, clause in enumerate(draft.where) if _two_sided(clause)]
    if len(pairs) != 1:
        return None
    sides = draft.where.pop(pairs[0])
    if len(sides) == 2:
        return sides[0], sides[1]
    first, second = (Condition(sides[0].ref, "=", (value,)) for value in sides[0].values)
    return first, second


def _two_sided(clause: tuple[Condition, ...]) -> bool:
    return len(clause) == 2 or (len(clause) == 1 and clause[0].op == "in" and len(clause[0].values) == 2)
