""" "Média mensal de vendas": an average of what each month sums up to, not one of single rows."""

from dataclasses import replace

from core.stores.relational.plan.draft import Draft
from core.stores.relational.plan.groups import GRAINS
from core.stores.relational.plan.model import Grain, Output, Plan, Ref
from core.stores.relational.profile import MONEY
from core.stores.relational.wording.lexicon import concepts_of
from core.stores.relational.wording.words import word_set

EACH = word_set("mensal mensais monthly anual anuais annual yearly diaria diario diarias diarios daily")


def per_period(draft: Draft, plan: Plan) -> Plan:
    """The plan, averaging sums of periods where "mensal" or "monthly" stands beside the average."""
    averaged = [o for o in plan.outputs if o.aggregate == "avg" and o.ref is not None]
    said = _said_each(draft)
    if said is None or len(averaged) != 1:
        return plan
    if plan.having or plan.order or plan.special:
        draft.guess(0.6, "an average over periods")
        return plan
    ref = averaged[0].ref
    if ref is None or _is_level(draft, ref):
        return plan
    others = [o for o in plan.group if o.ref is None or draft.context.column(o.ref).role not in _TIMES]
    per = _period_of(draft, ref.table, GRAINS[said])
    if others or per is None:
        draft.guess(0.6, "an average over periods")
        return plan
    if any(guess.startswith("one row for each value") for guess in draft.guesses):
        draft.trust /= 0.85
    return replace(plan, outputs=(averaged[0],), group=(), per=per)


def _is_level(draft: Draft, ref: Ref) -> bool:
    """A price, a rate, a grade; but what is spent adds up, although it may be of one piece."""
    column = draft.context.column(ref)
    spent = {concept.key for concept in concepts_of(("cost",))}
    costs = column.unit in MONEY and any(
        c.key in spent for word in column.words for c in concepts_of((word,))
    )
    return "=" in column.marks and not costs


_TIMES = ("date", "month", "moment", "year")


def _said_each(draft: Draft) -> str | None:
    """ "média mensal", "monthly average": the word before or after the average."""
    tokens = draft.question.tokens
    for item in draft.items:
        beside = (item.start - 1, item.end) if item.is_op == "avg" else ()
        for at in beside:
            if 0 <= at < len(tokens) and tokens[at].text in EACH and tokens[at].text in GRAINS:
                return tokens[at].text
    return None


def _period_of(draft: Draft, table: int, grain: Grain) -> Output | None:
    columns = draft.context.tables[table].profile.columns
    roles = {"month": ("month", "moment"), "year": ("year",)}.get(grain, ())
    whole = [column for column in columns if column.role in roles]
    dates = [column for column in columns if column.role == "date"]
    if whole:
        return Output("", Ref(table, whole[0].position))
    return Output("", Ref(table, dates[0].position), grain) if len(dates) == 1 else None
