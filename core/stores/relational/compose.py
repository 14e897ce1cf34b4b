"""From a draft and what is asked to one plan: which kind of query the filled slots make."""

from dataclasses import replace

from core.stores.relational.asking import Asked, display, entity_outputs, main_measure
from core.stores.relational.plan import Condition, Having, Output, Plan, Ref
from core.stores.relational.reading import Draft, flip

_MANY = 5  # rows of a ranking in the plural without a number
_PLURAL_RANKS = frozenset("maiores menores melhores piores principais primeiros primeiras".split())
_PLURAL_IMPLIED = frozenset(
    "caros caras baratos baratas velhos velhas novos novas antigos antigas pesados recentes".split()
)


def compose(draft: Draft, asked: Asked) -> Plan | None:
    """The plan, or None when the slots make no query."""
    if asked.lost:
        return None
    plan = (
        _share(draft, asked)
        or _difference(draft, asked)
        or _ranking(draft, asked)
        or _grouped(draft, asked)
        or _having(draft, asked)
        or _figures(draft, asked)
        or _listing(draft, asked)
    )
    if plan is None:
        return None
    plan = _ordered_by_count(_with_every(draft, _with_absence(draft, plan)))
    return _placed(draft, asked, plan)


def _where(draft: Draft) -> tuple[tuple[Condition, ...], ...]:
    return tuple(draft.where)


def _wanted(draft: Draft, asked: Asked) -> list[Output]:
    """The columns to show: those named, else how the thing named is called."""
    if asked.selects:
        return [Output("", ref) for ref in asked.selects]
    if asked.entities:
        return entity_outputs(draft, asked.entities[0])
    return []


# --- shares and differences --------------------------------------------------------------------------


def _measure(draft: Draft, asked: Asked) -> Output | None:
    """What a share or a difference is taken of."""
    if asked.aggregates:
        return asked.aggregates[0]
    numbers = [ref for ref in asked.selects if draft.countable(ref)]
    if numbers:
        return Output("sum", numbers[0])
    return None


def _share(draft: Draft, asked: Asked) -> Plan | None:
    if not asked.share:
        return None
    measure = _measure(draft, asked)
    if measure is None:
        sold = main_measure(draft, 0)
        measure = Output("count") if asked.entities or asked.counted or sold is None else Output("sum", sold)
        draft.guess(0.8, "share of the rows")
    if measure.aggregate not in ("sum", "count"):
        return None
    groups = [o for o in asked.groups] or [
        Output("", r) for r in asked.selects if not draft.countable(r) and not draft.where
    ]
    if groups:
        return Plan(
            (*groups, measure), _where(draft), tuple(groups), order=((measure, True),), special="share"
        )
    if not draft.where:
        return None
    return Plan((measure,), _where(draft), special="share")


def _difference(draft: Draft, asked: Asked) -> Plan | None:
    if not asked.difference:
        return None
    extremes = [o for o in asked.aggregates if o.aggregate in ("min", "max")]
    if {o.aggregate for o in extremes} == {"min", "max"} and len({o.ref for o in extremes}) == 1:
        ordered = sorted(extremes, key=lambda o: o.aggregate)
        return Plan(tuple(ordered), _where(draft), special="difference")
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


# --- rankings -------------------------------------------------------------------------------------------


def _ranking(draft: Draft, asked: Asked) -> Plan | None:
    if not asked.ranks:
        return None
    if len(asked.ranks) > 1:
        draft.guess(0.5, "several superlatives")
    descending, by, position = asked.ranks[0]
    wanted = _wanted(draft, asked)
    figures = [o for o in asked.aggregates if o.ref is None or by is None or o.ref != by.ref]
    if figures and by is not None and not by.aggregate and by.ref is not None and not asked.groups:
        return _of_the_top(draft, asked, figures, by.ref, descending)
    limit = draft.limit or _limit_of(draft, position)
    if by is None:
        return _most_frequent(draft, asked, wanted, descending, limit)
    if not wanted and not asked.groups and draft.limit and draft.limit > 1 and by.ref is not None:
        wanted = [Output("", display(draft, by.ref.table))]
    if not wanted and not asked.groups:
        return _extreme(draft, by, descending, asked)
    if by.ref is not None:
        wanted = [o for o in wanted if o != Output("", by.ref)] or wanted
    return _ranked(draft, asked, wanted, by, descending, limit)


def _of_the_top(draft: Draft, asked: Asked, figures: list[Output], by: Ref, descending: bool) -> Plan | None:
    """ "number of concerts in the stadium with the highest capacity": a figure over the rows of the first thing."""
    if draft.context.join is None or by.table != 1:
        draft.guess(0.4, "a figure and a superlative")
        return None
    many = Ref(0, draft.context.join.many)
    condition = Condition(many, "in", top=(by, descending, draft.limit or 1))
    return Plan(tuple(figures), (*_where(draft), (condition,)))


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
    return Plan(
        (*subject, Output("count")),
        _where(draft),
        tuple(subject),
        order=((Output("count"), descending),),
        limit=limit,
    )


def _extreme(draft: Draft, by: Output, descending: bool, asked: Asked) -> Plan | None:
    """ "qual o maior preço": the value itself."""
    if by.ref is None or by.aggregate:
        return None
    others = [o for o in asked.aggregates if o.aggregate != "count"]
    return Plan((Output("max" if descending else "min", by.ref), *others), _where(draft))


def _ranked(
    draft: Draft, asked: Asked, wanted: list[Output], by: Output, descending: bool, limit: int
) -> Plan | None:
    subject = wanted or asked.groups
    if asked.groups and wanted and set(asked.groups) - set(wanted):
        draft.guess(0.4, "a ranking within groups")
    if by.aggregate:
        return Plan(
            (*subject, by), _where(draft), tuple(subject), tuple(draft.having), ((by, descending),), limit
        )
    additive = by.ref is not None and _adds_up(draft, by.ref)
    repeats = all(
        o.ref is not None
        and not draft.context.column(o.ref).unique
        and draft.context.column(o.ref).role in ("category", "moment", "year", "month", "flag")
        or o.grain
        for o in subject
    )
    if additive and repeats and by.ref is not None:
        total = Output("sum", by.ref)
        if "+" not in draft.context.column(by.ref).marks:
            draft.guess(0.9, "amounts added up")
        return Plan(
            (*subject, total), _where(draft), tuple(subject), order=((total, descending),), limit=limit
        )
    shown = [*subject, by] if by not in subject else subject
    return Plan(tuple(shown), _where(draft), order=((by, descending),), limit=limit)


def _adds_up(draft: Draft, ref: Ref) -> bool:
    column = draft.context.column(ref)
    return (
        column.role == "measure" and "=" not in column.marks.replace("+=", "")
        if "+" not in column.marks
        else "%" != column.unit
    )


# --- groups ----------------------------------------------------------------------------------------------


def _grouped(draft: Draft, asked: Asked) -> Plan | None:
    if not asked.groups:
        return None
    groups = list(dict.fromkeys(asked.groups))
    measures = list(dict.fromkeys(asked.aggregates))
    extra = [Output("", ref) for ref in asked.selects if Output("", ref) not in groups]
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
        return Plan(tuple([*groups, *extra, *measures]), _where(draft), order=_order(asked))
    keyed = [*groups, *(o for o in extra if o not in groups)]
    return Plan(
        (*keyed, *measures), _where(draft), tuple(keyed), tuple(draft.having) + _count_having(draft),
        _order(asked), draft.limit,
    )  # fmt: skip


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
        return Plan(tuple([*shown, *outputs]), _where(draft), order=_order(asked))
    if asked.counted or _count_having(draft):
        count = Output("count")
        return Plan((*groups, count), _where(draft), tuple(groups), _count_having(draft), _order(asked))
    draft.guess(0.5, "groups of nothing")
    return Plan((*groups, Output("count")), _where(draft), tuple(groups), order=_order(asked))


def _is_display(draft: Draft, ref: Ref) -> bool:
    return ref == display(draft, ref.table)


def _order(asked: Asked) -> tuple[tuple[Output, bool], ...]:
    return tuple(asked.orders)


def _count_having(draft: Draft) -> tuple[Having, ...]:
    return tuple(Having(Output("count"), op, values) for _, op, values in draft.count_having)


def _having(draft: Draft, asked: Asked) -> Plan | None:
    """ "clientes com mais de 3 pedidos": groups of rows that are many or few enough."""
    if not draft.count_having and not draft.having:
        return None
    subject = _wanted(draft, asked)
    of_one = draft.context.join is not None and all(o.ref is not None and o.ref.table == 1 for o in subject)
    if not subject or (not of_one and any(o.ref is not None and draft.countable(o.ref) for o in subject)):
        return None
    having = (*draft.having, *_count_having(draft))
    shown = [o for o in asked.aggregates if o.aggregate]
    if shown and all(o.aggregate in ("count", "distinct") for o in shown) and not asked.selects:
        draft.guess(0.5, "a count of groups")
    return Plan((*subject, *shown), _where(draft), tuple(subject), having, _order(asked))


# --- figures -----------------------------------------------------------------------------------------------


def _figures(draft: Draft, asked: Asked) -> Plan | None:
    """Aggregates over all rows that pass; with columns beside them, one row a value of those."""
    if not asked.aggregates:
        return _amount_asked(draft, asked)
    beside = [Output("", ref) for ref in asked.selects if not _is_row(draft, ref)]
    numbers = [o for o in beside if o.ref is not None and draft.countable(o.ref)]
    measures = list(dict.fromkeys(asked.aggregates))
    if (
        numbers
        and not [o for o in beside if o not in numbers]
        and all(m.aggregate in ("sum", "avg") for m in measures)
    ):
        draft.guess(0.8, "the aggregate is taken of every number")
        measures += [Output(measures[0].aggregate, o.ref) for o in numbers]
        beside = []
    if not beside:
        return Plan(tuple(measures), _where(draft))
    if len(measures) == 1 and measures[0].aggregate in ("min", "max"):
        rank = Output("", measures[0].ref)
        return Plan((*beside, rank), _where(draft), order=((rank, measures[0].aggregate == "max"),), limit=1)
    if asked.distinct and all(m.aggregate == "distinct" for m in measures):
        return Plan((*measures, *(Output("distinct", o.ref) for o in beside)), _where(draft))
    draft.guess(0.85, "one row for each value beside the figure")
    return Plan((*beside, *measures), _where(draft), tuple(beside), order=_order(asked))


def _is_row(draft: Draft, ref: Ref) -> bool:
    """A column that only tells rows apart says what is counted or added up, not what to group by."""
    column = draft.context.column(ref)
    return column.unique and column.role in ("key", "text") and draft.context.join is None


def _amount_asked(draft: Draft, asked: Asked) -> Plan | None:
    """ "qual a receita do Norte em abril": a single amount that adds up is summed over the rows that pass."""
    numbers = [ref for ref in asked.selects if draft.countable(ref)]
    if asked.orders or asked.everything or asked.distinct or len(numbers) != len(asked.selects):
        return None
    if not numbers:
        main = main_measure(draft, asked.entities[0] if asked.entities else 0)
        if not asked.much or main is None:
            return None
        draft.guess(0.85, "the table's main amount")
        numbers = [main]
    if _one_row(draft) or (asked.entities and not draft.where and not asked.much):
        return None
    adding = [
        ref
        for ref in numbers
        if "+" in draft.context.column(ref).marks and draft.context.column(ref).unit != "%"
    ]
    if len(adding) != len(numbers):
        said = "aggregate" in draft.role.values()
        if not asked.much or (not said and any("=" in draft.context.column(ref).marks for ref in numbers)):
            return None
        draft.guess(0.85, "amounts added up")
    return Plan(tuple(Output("sum", ref) for ref in numbers), _where(draft))


def _one_row(draft: Draft) -> bool:
    """A filter on a column whose values all differ leaves one row: nothing to add up."""
    for clause in draft.where:
        column = draft.context.column(clause[0].ref)
        if len(clause) == 1 and clause[0].op == "=" and column.unique and column.role != "measure":
            return True
    return False


# --- lists ---------------------------------------------------------------------------------------------------


def _listing(draft: Draft, asked: Asked) -> Plan | None:
    if asked.everything:
        table = asked.entities[0] if asked.entities else 0
        columns = draft.context.tables[table].profile.columns
        return Plan(
            tuple(Output("", Ref(table, c.position)) for c in columns), _where(draft), order=_order(asked)
        )
    wanted = _wanted(draft, asked)
    if not wanted:
        return _row(draft, asked)
    distinct = asked.distinct or _names_repeat(draft, asked, wanted)
    return Plan(tuple(wanted), _where(draft), order=_order(asked), distinct=distinct, limit=draft.limit)


def _names_repeat(draft: Draft, asked: Asked, wanted: list[Output]) -> bool:
    """ "quais as categorias": a category is listed once."""
    if asked.orders or len(wanted) != 1 or wanted[0].ref is None:
        return False
    column = draft.context.column(wanted[0].ref)
    repeats = 2 * column.different <= column.filled
    return repeats and column.role in ("category", "year", "moment", "flag", "key")


def _row(draft: Draft, asked: Asked) -> Plan | None:
    """Only a thing is named ("OS-2026-0007"): its whole row."""
    if not draft.where or draft.anti or asked.aggregates:
        return None
    tables = {condition.ref.table for clause in draft.where for condition in clause}
    if len(tables) != 1:
        return None
    if not _one_row(draft):
        first = next((item for item in draft.items if item.is_op not in ("which", "and")), None)
        named_first = first is not None and first.kind == "value" and len(draft.where) > 1
        draft.guess(0.75 if named_first else 0.55, "nothing asked but a filter")
    table = tables.pop()
    columns = draft.context.tables[table].profile.columns
    return Plan(tuple(Output("", Ref(table, c.position)) for c in columns), _where(draft))


# --- things that have all of several values ------------------------------------------------------------


def _with_every(draft: Draft, plan: Plan) -> Plan:
    """ "nations that speak both English and French": rows of either, grouped by the thing, that show both values.

    Where rows are added up or counted, or the rows themselves are listed, "and" means either.
    """
    clause = next((c for c in plan.where if c[0].every), None)
    if clause is None or plan.special or plan.without is not None:
        return plan
    refs = [o.ref for o in plan.outputs if o.ref is not None]
    things = bool(refs) and all(_a_thing(draft, ref, clause[0].ref) for ref in refs)
    if plan.aggregated or plan.group or plan.limit:
        if any(o.aggregate == "distinct" and o.ref != clause[0].ref for o in plan.outputs):
            draft.guess(0.3, "a count of things that have several values")
        return plan
    if any(condition.op not in ("=", "in") for condition in clause):
        draft.guess(0.3, "opposite conditions on one thing")
        return plan
    if not things:
        return plan
    values = {value for condition in clause for value in condition.values}
    having = Having(Output("distinct", clause[0].ref), "=", (len(values),))
    return replace(plan, group=plan.outputs, having=(*plan.having, having), distinct=False)


def _a_thing(draft: Draft, ref: Ref, filtered: Ref) -> bool:
    """The column names something that several rows of the filtered table may belong to."""
    if ref.table != filtered.table:
        return ref.table == 1
    column = draft.context.column(ref)
    return ref != filtered and not column.unique and not draft.countable(ref)


def _ordered_by_count(plan: Plan) -> Plan:
    """ "formats in order of count": ordering by a count needs groups."""
    counted = any(output.aggregate for output, _ in plan.order)
    if counted and not plan.group and not plan.aggregated:
        return replace(plan, group=plan.outputs, distinct=False)
    return plan


# --- two tables ----------------------------------------------------------------------------------------------


def _with_absence(draft: Draft, plan: Plan) -> Plan:
    """ "stadiums without concerts", "countries that do not speak English": no row of the other table refers to it."""
    if draft.context.join is None:
        return plan
    key, many_key = draft.context.key(), Ref(0, draft.context.join.many)
    mapped = tuple(replace(o, ref=key) if o == Output("", many_key) else o for o in plan.outputs)
    shown = {o.ref.table for o in mapped if o.ref is not None} | {
        c.ref.table for k in plan.where for c in k if c.ref.table == 1
    }
    many = [clause for clause in plan.where if all(c.ref.table == 0 for c in clause)]
    denied = [clause for clause in many if all(c.op in ("!=", "not in", "not like") for c in clause)]
    if "absent" in draft.role.values():
        plan = replace(
            plan, outputs=mapped, where=tuple(c for c in plan.where if c not in many), without=tuple(many)
        )
        return _counted_once(plan)
    if denied and shown <= {1}:
        kept = tuple(clause for clause in plan.where if clause not in many)
        turned = tuple(tuple(_unflip(c) for c in clause) for clause in many)
        return _counted_once(replace(plan, outputs=mapped, where=kept, without=turned))
    return plan


def _unflip(condition: Condition) -> Condition:
    back = {"!=": "=", "not in": "in", "not like": "like"}
    return replace(condition, op=back[condition.op]) if condition.op in back else condition  # type: ignore[arg-type]


def _counted_once(plan: Plan) -> Plan:
    """Without the join, rows of table 1 are counted as rows."""
    outputs = tuple(Output("count") if o.aggregate == "distinct" else o for o in plan.outputs)
    return replace(plan, outputs=outputs)


def _placed(draft: Draft, asked: Asked, plan: Plan) -> Plan | None:
    """Decide whether the plan needs both tables; a plan over one of them is made where that one stands alone."""
    if draft.context.join is None:
        return plan
    used = _tables_used(draft, asked, plan)
    if plan.without is not None:
        return replace(plan, only=1) if 0 not in _tables_shown(plan) else None
    if used != {0, 1}:
        return None
    return _grouped_by_key(draft, replace(plan, joined=True))


def _tables_shown(plan: Plan) -> set[int]:
    refs = [o.ref for o in (*plan.outputs, *plan.group, *(o for o, _ in plan.order))]
    return {ref.table for ref in refs if ref is not None} | {
        c.ref.table for clause in plan.where for c in clause
    }


def _tables_used(draft: Draft, asked: Asked, plan: Plan) -> set[int]:
    used = _tables_shown(plan) | set(asked.entities) | set(asked.counted)
    used |= {1 for clause in plan.where for c in clause if c.top is not None}
    used |= {having.output.ref.table for having in plan.having if having.output.ref is not None}
    used |= {table for table, _, _ in draft.count_having}
    return used


def _grouped_by_key(draft: Draft, plan: Plan) -> Plan:
    """Things of table 1 are told apart by their key, not by their name; without a group each is listed once."""
    key = draft.context.key()
    named = [o for o in plan.group if o.ref is not None and o.ref.table == 1]
    if key is not None and named and any(_tells_apart(draft, o.ref) for o in named if o.ref is not None):
        if Output("", key) not in plan.group:
            return replace(plan, group=(Output("", key), *plan.group))
        return plan
    plain = not plan.group and not plan.order and not plan.aggregated
    if plain and all(o.ref is not None and o.ref.table == 1 for o in plan.outputs):
        return replace(plan, distinct=True)
    return plan


def _tells_apart(draft: Draft, ref: Ref) -> bool:
    column = draft.context.column(ref)
    return column.unique or ref == display(draft, ref.table) or column.role == "text"


__all__ = ["compose", "flip"]
