"""Plans that sort and cut."""

from itertools import pairwise

from core.stores.relational.plan.asked import Asked
from core.stores.relational.plan.draft import Draft
from core.stores.relational.plan.model import Condition, Output, Plan, Ref
from core.stores.relational.plan.ranks import GOOD, SIZES, bad_thing
from core.stores.relational.plan.shown import display
from core.stores.relational.plan.wanted import wanted_outputs, where_of
from core.stores.relational.wording.words import word_set

_MANY = 5  # rows of a ranking in the plural without a number
_PLURAL_RANKS = word_set("maiores menores melhores piores principais primeiros primeiras")
_PLURAL_IMPLIED = word_set(
    "caros caras baratos baratas velhos velhas novos novas antigos antigas pesados recentes"
)


def ranking_plan(draft: Draft, asked: Asked) -> Plan | None:
    if not asked.ranks:
        return None
    if len(asked.ranks) > 1:
        draft.guess(0.5, "several superlatives")
    descending, by, position = asked.ranks[0]
    judged = draft.question.tokens[draft.items[position].start].text in GOOD
    if judged and by is not None and by.ref is not None and bad_thing(draft, by.ref):
        draft.guess(0.5, "the worst of a loss")
    wanted = wanted_outputs(draft, asked)
    figures = [o for o in asked.aggregates if o.ref is None or by is None or o.ref != by.ref]
    if figures and by is not None and not by.aggregate and by.ref is not None and not asked.groups:
        return _of_the_top(draft, asked, figures, by.ref, descending)
    limit = draft.limit or _limit_of(draft, position)
    if by is None:
        return _most_frequent(draft, asked, wanted, descending, limit)
    implied = bool(draft.items[position].implied)
    asked.implied = asked.implied or implied
    several = draft.limit is not None and draft.limit > 1
    if not wanted and not asked.groups and (several or (implied and draft.where)) and by.ref is not None:
        wanted = [Output("", display(draft, by.ref.table))]
    if not wanted and not asked.groups and by.ref is not None and _thing_of_value(draft):
        wanted = [Output("", display(draft, by.ref.table))]
    if not wanted and not asked.groups:
        return _extreme(draft, by, descending, asked)
    if not wanted and _of_each(draft, by, position):
        extreme = Output("max" if descending else "min", by.ref)
        return Plan((*asked.groups, extreme), where_of(draft), tuple(asked.groups))
    if asked.implied and by.ref is not None and _entity_repeats(draft, asked):
        table = draft.context.tables[by.ref.table].profile
        wanted = [Output("", Ref(by.ref.table, column.position)) for column in table.columns]
    elif by.ref is not None:
        wanted = [o for o in wanted if o != Output("", by.ref)] or wanted
    return _ranked(draft, asked, wanted, by, descending, limit)


def _entity_repeats(draft: Draft, asked: Asked) -> bool:
    """ "o atendimento mais caro": rows of a table that no name tells apart are shown whole."""
    if asked.selects or asked.groups or len(asked.entities) != 1 or draft.context.join is not None:
        return False
    return not draft.context.column(display(draft, asked.entities[0])).unique


def _of_each(draft: Draft, by: Output, position: int) -> bool:
    """ "biggest invoice of each mechanic": the largest single amount of every group."""
    single = draft.question.tokens[draft.items[position].start].text in SIZES and draft.limit is None
    hard = any(item.is_op == "group" and item.argument != "by" for item in draft.items)
    return single and hard and by.ref is not None and not by.aggregate


def _thing_of_value(draft: Draft) -> bool:
    """ "qual sobremesa tem menos calorias": a value behind "which" says what kind of thing is wanted."""
    return any(
        item.is_op == "which" and later.kind == "value" and item.end == later.start
        for item, later in pairwise(draft.items)
    )


def _of_the_top(draft: Draft, asked: Asked, figures: list[Output], by: Ref, descending: bool) -> Plan | None:
    """ "number of concerts in the stadium with the highest capacity": a figure over the rows of the first thing."""
    if draft.context.join is None or draft.context.hop is not None or by.table != 1:
        draft.guess(0.4, "a figure and a superlative")
        return None
    many = Ref(0, draft.context.join.many)
    condition = Condition(many, "in", top=(by, descending, draft.limit or 1))
    return Plan(tuple(figures), (*where_of(draft), (condition,)))


def _limit_of(draft: Draft, position: int) -> int:
    """One row, or a few when the superlative is in the plural."""
    item, after = draft.items[position], draft.at(position + 1)
    words = {draft.question.tokens[i].text for i in range(item.start, item.end)}
    of_things = after is not None and draft.role.get(position + 1) in ("entity", "select", "group")
    if (words & _PLURAL_RANKS and of_things) or (words & _PLURAL_IMPLIED):
        draft.guess(0.9, "how many rows is not said")
        return _MANY
    return 1


def _most_frequent(
    draft: Draft, asked: Asked, wanted: list[Output], descending: bool, limit: int
) -> Plan | None:
    subject = wanted or asked.groups
    if not subject:
        return None
    within = [group for group in dict.fromkeys(asked.groups) if group not in wanted] if wanted else []
    if within:
        return _within(draft, within, wanted, Output("count"), descending, limit)
    return Plan(
        (*subject, Output("count")),
        where_of(draft),
        tuple(subject),
        order=((Output("count"), descending),),
        limit=limit,
    )


def _extreme(draft: Draft, by: Output, descending: bool, asked: Asked) -> Plan | None:
    """ "qual o maior preço": the value itself."""
    if by.ref is None or by.aggregate:
        return None
    others = [o for o in asked.aggregates if o.aggregate != "count"]
    return Plan((Output("max" if descending else "min", by.ref), *others), where_of(draft))


def _ranked(
    draft: Draft, asked: Asked, wanted: list[Output], by: Output, descending: bool, limit: int
) -> Plan | None:
    subject = wanted or asked.groups
    within = [group for group in dict.fromkeys(asked.groups) if group not in wanted] if wanted else []
    if within:
        return _within(draft, within, wanted, by, descending, limit)
    if by.aggregate:
        return Plan(
            (*subject, by), where_of(draft), tuple(subject), tuple(draft.having), ((by, descending),), limit
        )
    total = None if asked.implied else _summed(draft, subject, by)
    if total is not None:
        return Plan(
            (*subject, total), where_of(draft), tuple(subject), order=((total, descending),), limit=limit
        )
    if limit > 1 and by.ref is not None and not asked.implied and all(_repeats(draft, o) for o in subject):
        mean = Output("avg", by.ref)  # "top 2 agents by satisfaction": each agent once
        draft.guess(0.85, "averaged by group")
        return Plan(
            (*subject, mean), where_of(draft), tuple(subject), order=((mean, descending),), limit=limit
        )
    shown = [*subject, by] if by not in subject else subject
    return Plan(tuple(shown), where_of(draft), order=((by, descending),), limit=limit)


def _summed(draft: Draft, subject: list[Output], by: Output) -> Output | None:
    """The sum that things of many rows are ranked by; None where each row is ranked by itself."""
    if by.ref is None or not _adds_up(draft, by.ref):
        return None
    if not all(_repeats(draft, output) for output in subject) and not _many_to_one(draft, subject, by.ref):
        return None
    if "+" not in draft.context.column(by.ref).marks:
        draft.guess(0.9, "amounts added up")
    return Output("sum", by.ref)


def _repeats(draft: Draft, output: Output) -> bool:
    if output.grain:
        return True
    column = draft.context.column(output.ref) if output.ref is not None else None
    named = ("category", "moment", "year", "month", "flag")
    return column is not None and not column.unique and column.role in named


def _within(
    draft: Draft, groups: list[Output], wanted: list[Output], by: Output, descending: bool, limit: int
) -> Plan | None:
    """ "o produto mais vendido de cada região": the first of each group, by its own sum or by single rows."""
    measure = by if by.aggregate else _summed(draft, [*groups, *wanted], by) or by
    keyed = [*groups, *wanted]
    outputs = (*keyed, measure) if measure not in keyed else tuple(keyed)
    grouped = tuple(keyed) if measure.aggregate else ()
    return Plan(
        outputs, where_of(draft), grouped, tuple(draft.having), ((measure, descending),), limit,
        within=tuple(groups),
    )  # fmt: skip


def _many_to_one(draft: Draft, subject: list[Output], by: Ref) -> bool:
    """ "qual gerente tem a maior receita": many rows of amounts belong to each thing of the other table."""
    join = draft.context.join
    return (
        join is not None
        and by.table == 0
        and all(output.ref is not None and output.ref.table > 0 for output in subject)
        and not draft.context.column(Ref(0, join.many)).unique
        and "+" in draft.context.column(by).marks
    )


def _adds_up(draft: Draft, ref: Ref) -> bool:
    column = draft.context.column(ref)
    return (
        column.role == "measure" and "=" not in column.marks.replace("+=", "")
        if "+" not in column.marks
        else column.unit != "%"
    )
