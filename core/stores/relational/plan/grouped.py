"""Plans with one row a group."""

from core.stores.relational.plan.amounts import main_measure
from core.stores.relational.plan.asked import Asked
from core.stores.relational.plan.draft import Draft
from core.stores.relational.plan.model import Output, Plan, Ref
from core.stores.relational.plan.shown import display
from core.stores.relational.plan.totals import is_row
from core.stores.relational.plan.wanted import count_having, order_of, wanted_outputs, where_of


def grouped_plan(draft: Draft, asked: Asked) -> Plan | None:
    if not asked.groups:
        return None
    groups = list(dict.fromkeys(asked.groups))
    measures = list(dict.fromkeys(asked.aggregates))
    extra = [Output("", ref) for ref in asked.selects if Output("", ref) not in groups]
    if measures:
        extra = [o for o in extra if o.ref is None or not is_row(draft, o.ref)]
    if not measures:
        numbers = [o for o in extra if o.ref is not None and draft.countable(o.ref)]
        measures = [_aggregated(draft, groups, o) for o in numbers]
        extra = [o for o in extra if o not in numbers]
        if not measures and asked.much and (main := main_measure(draft, 0)) is not None:
            measures = [Output("sum", main)]
    if not measures and draft.having:
        measures = [having.output for having in draft.having]
    if not measures:
        return _counted_groups(draft, asked, groups, extra)
    if any(m.aggregate == "" for m in measures):
        return Plan((*groups, *extra, *measures), where_of(draft), order=order_of(asked))
    if any(m.aggregate == "avg" and _added_up(draft, m) for m in measures) and any(
        _is_period(draft, group) for group in groups
    ):
        draft.guess(0.55, "an average over periods")  # "média de vendas por mês" may be one figure
    keyed = [*groups, *(o for o in extra if o not in groups)]
    return Plan(
        (*keyed, *measures), where_of(draft), tuple(keyed), tuple(draft.having) + count_having(draft),
        order_of(asked), draft.limit,
    )  # fmt: skip


def _added_up(draft: Draft, measure: Output) -> bool:
    return measure.ref is not None and "=" not in draft.context.column(measure.ref).marks


def _is_period(draft: Draft, group: Output) -> bool:
    role = draft.context.column(group.ref).role if group.ref is not None else ""
    return bool(group.grain) or role in ("month", "moment", "year")


def _aggregated(draft: Draft, groups: list[Output], measure: Output) -> Output:
    """A measure by group without a word for it: added up if it adds up, averaged if not, shown if groups are rows."""
    if measure.ref is None:
        return measure
    single = [o for o in groups if o.ref is not None and not o.grain and draft.context.column(o.ref).unique]
    if single and all(o.ref is not None and o.ref.table == measure.ref.table for o in single):
        return measure
    column = draft.context.column(measure.ref)
    if "+" in column.marks and column.unit != "%":
        return Output("sum", measure.ref)
    if "=" in column.marks:
        draft.guess(0.85, "averaged by group")
        return Output("avg", measure.ref)
    draft.guess(0.85, "added up by group")
    return Output("sum", measure.ref)


def _counted_groups(draft: Draft, asked: Asked, groups: list[Output], extra: list[Output]) -> Plan | None:
    if extra:  # "name and city of each customer": each row is a group of its own
        shown = [Output("", ref) for ref in asked.selects]
        outputs = [
            o for o in groups if o not in shown and o.ref is not None and not _is_display(draft, o.ref)
        ]
        return Plan((*shown, *outputs), where_of(draft), order=order_of(asked))
    if asked.counted or count_having(draft):
        count = Output("count")
        return Plan((*groups, count), where_of(draft), tuple(groups), count_having(draft), order_of(asked))
    draft.guess(0.5, "groups of nothing")
    return Plan((*groups, Output("count")), where_of(draft), tuple(groups), order=order_of(asked))


def _is_display(draft: Draft, ref: Ref) -> bool:
    return ref == display(draft, ref.table)


def having_plan(draft: Draft, asked: Asked) -> Plan | None:
    """ "clientes com mais de 3 pedidos": groups of rows that are many or few enough."""
    if not draft.count_having and not draft.having:
        return None
    subject = wanted_outputs(draft, asked)
    of_one = draft.context.join is not None and all(o.ref is not None and o.ref.table > 0 for o in subject)
    if not subject or (not of_one and any(o.ref is not None and draft.countable(o.ref) for o in subject)):
        return None
    having = (*draft.having, *count_having(draft))
    shown = [o for o in asked.aggregates if o.aggregate] or [h.output for h in draft.having]
    if shown and all(o.aggregate in ("count", "distinct") for o in shown) and not asked.selects:
        draft.guess(0.5, "a count of groups")
    return Plan((*subject, *shown), where_of(draft), tuple(subject), having, order_of(asked))
