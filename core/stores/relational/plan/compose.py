"""From a draft and what is asked to one plan: which kind of query the filled slots make."""

from core.stores.relational.plan.asked import Asked
from core.stores.relational.plan.draft import Draft
from core.stores.relational.plan.grouped import grouped_plan, having_plan
from core.stores.relational.plan.growth import growth_plan
from core.stores.relational.plan.lists import listing_plan
from core.stores.relational.plan.means import per_period
from core.stores.relational.plan.model import Plan
from core.stores.relational.plan.pairs import grouped_for_order, place_plan, with_absence, with_every
from core.stores.relational.plan.rankings import ranking_plan
from core.stores.relational.plan.shares import difference_plan, share_plan
from core.stores.relational.plan.totals import figures_plan


def compose(draft: Draft, asked: Asked) -> Plan | None:
    """The plan, or None when the slots make no query."""
    if asked.lost:
        return None
    plan = (
        growth_plan(draft, asked)
        or share_plan(draft, asked)
        or difference_plan(draft, asked)
        or ranking_plan(draft, asked)
        or grouped_plan(draft, asked)
        or having_plan(draft, asked)
        or figures_plan(draft, asked)
        or listing_plan(draft, asked)
    )
    if plan is None or _mixed_median(plan):
        return None
    plan = per_period(draft, plan)
    amounts = any(o.ref is not None and draft.countable(o.ref) for o in plan.outputs)
    if asked.much and not plan.aggregated and not amounts:
        draft.guess(0.55, "an amount was asked and none is computed")
    if asked.difference and plan.special != "difference":
        draft.guess(0.5, "a difference was asked and none is computed")
    if asked.growth and plan.special != "growth":
        draft.guess(0.4, "a growth was asked and none is computed")
    plan = grouped_for_order(with_every(draft, with_absence(draft, plan)))
    return place_plan(draft, asked, plan)


def _mixed_median(plan: Plan) -> bool:
    """A median beside another figure, or sorted or cut by one: no SELECT of ours computes both."""
    medians = [output for output in plan.outputs if output.aggregate == "median"]
    alone = len(plan.outputs) == len(plan.group) + 1 and not plan.order and not plan.having
    return bool(medians) and not (alone and plan.limit is None and not plan.special)
