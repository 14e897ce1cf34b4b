"""Months, quarters, years and days become filters on the table's dates."""

from dataclasses import replace

from core.stores.relational.plan.draft import Draft, apart, flip, negated
from core.stores.relational.plan.model import Condition, Ref
from core.stores.relational.plan.spans import period_condition
from core.stores.relational.wording.periods import Period


def read_periods(draft: Draft) -> None:
    """Months, quarters, years and days become filters on the table's dates."""
    for position, item in enumerate(draft.items):
        if item.kind != "period" or item.period is None or not draft.free(position):
            continue
        if number_after_all(draft, position):
            continue
        op, compared = _date_comparison(draft, position)
        label = _date_label(draft, position, compared)
        refs = _date_columns(draft, label)
        parts, words = period_condition(draft.context, refs, item.period, op, draft.question)
        if not parts:
            continue
        if label is not None:
            draft.role[label] = "label"
        if compared is not None:
            draft.role[compared] = "comparison"
        draft.role[position] = "period"
        lead = draft.at(position - 1)
        if lead is not None and lead.is_op == "between" and lead.end == item.start and _is_range(item.period):
            draft.role[position - 1] = "period"
        if negated(draft, min(x for x in (position, compared, label) if x is not None)):
            parts = [flip(part) for part in parts]
        draft.where += [(replace(part, words=words),) for part in parts]
        if len({ref.table for ref in refs if draft.context.column(ref).role == "date"}) and label is None:
            dates = [ref for ref in draft.context.refs() if draft.context.column(ref).role == "date"]
            if len(dates) > 1:
                draft.guess(0.85, "several date columns")
    _join_alternatives(draft)


def _is_range(period: Period) -> bool:
    return len(period.months) > 1 or period.low[:7] != period.high[:7]


def number_after_all(draft: Draft, position: int) -> bool:
    """A bare year beside a numeric column that is no year is a number ("população acima de 2000")."""
    item = draft.items[position]
    if item.period is None or not item.period.bare_year or item.amount is None:
        return False
    back = draft.skip(position, -1, ("compare", "between", "and", "or"))
    ref = draft.numeric(back)
    temporal = [r for r in draft.context.refs() if draft.context.column(r).role in ("date", "year", "moment")]
    beside = (
        ref is not None and draft.context.column(ref).role == "measure" and draft.close(back, position, 1)
    )
    return beside or not temporal


def _date_comparison(draft: Draft, position: int) -> tuple[str, int | None]:
    before, after = draft.at(position - 1), draft.at(position + 1)
    if (
        before is not None
        and before.is_op == "compare"
        and before.op is not None
        and draft.close(position - 1, position)
    ):
        return before.op.argument, position - 1
    if (
        after is not None
        and after.is_op == "compare"
        and after.op is not None
        and after.op.argument in (">", "<", ">=", "<=")
    ):
        glued = draft.question.tokens[after.start - 1].text in ("ou", "or") or after.op.argument in (
            ">=",
            "<=",
        )
        or_between = draft.at(position + 1)
        if glued and or_between is not None and after.op.implied != "date":
            return after.op.argument, position + 1
    step = draft.at(position + 2)
    if (
        after is not None
        and after.is_op == "or"
        and step is not None
        and step.op is not None
        and step.is_op == "compare"
    ):
        nothing_follows = draft.at(position + 3) is None or draft.items[position + 3].kind not in (
            "period",
            "amount",
        )
        if nothing_follows:
            draft.role[position + 1] = "comparison"
            return {">": ">=", "<": "<="}.get(step.op.argument, step.op.argument), position + 2
    return "=", None


def _date_label(draft: Draft, position: int, compared: int | None) -> int | None:
    """The date or year column named beside the period."""
    first = min(position, compared) if compared is not None else position
    for candidate in (draft.skip(first, -1, ("which",)), draft.skip(position, 1, ())):
        ref = draft.ref(candidate)
        if (
            ref is not None
            and draft.free(candidate)
            and draft.context.column(ref).role in ("date", "year", "month", "moment")
        ):
            low, high = sorted((first, candidate))
            if draft.close(low, high, 1):
                return candidate
    return None


def _date_columns(draft: Draft, label: int | None) -> list[Ref]:
    named = draft.ref(label) if label is not None else None
    if named is not None:
        year = [
            r
            for r in draft.context.refs()
            if draft.context.column(r).role == "year" and r.table == named.table
        ]
        return [named, *([] if draft.context.column(named).role in ("date", "year") else year)]
    times = [
        ref
        for ref in draft.context.refs()
        if draft.context.column(ref).role in ("date", "year", "month", "moment")
    ]
    return [ref for ref in times if ref.table == 0] or times  # when it happened, not when its client came


def _join_alternatives(draft: Draft) -> None:
    """ "em 2014 ou 2015", "janeiro e fevereiro": filters on one column that stand for alternatives become an OR."""
    joined: list[tuple[Condition, ...]] = []
    for clause in draft.where:
        same = joined and len(clause) == 1 and clause[0].words and joined[-1][0].words
        listed = same and joined[-1][-1].ref == clause[0].ref and clause[0].op in ("=", "in", "between")
        outside = same and joined[-1][-1].ref == clause[0].ref and apart(joined[-1][-1], clause[0])
        if same and (listed or outside):
            joined[-1] = (*joined[-1], *clause)
            if not any(item.is_op == "or" for item in draft.items):
                joined[-1] = tuple(replace(part, every=True) for part in joined[-1])
        else:
            joined.append(clause)
    draft.where = joined
