"""What two tables add: things without rows, things with all of several values, keys that tell things apart."""

from dataclasses import replace

from core.stores.relational.plan.asked import Asked
from core.stores.relational.plan.draft import Draft
from core.stores.relational.plan.model import Condition, Having, Output, Plan, Ref
from core.stores.relational.plan.shown import display


def with_every(draft: Draft, plan: Plan) -> Plan:
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
        return ref.table > 0
    column = draft.context.column(ref)
    return ref != filtered and not column.unique and not draft.countable(ref)


def grouped_for_order(plan: Plan) -> Plan:
    """ "formats in order of count": ordering by a count needs groups."""
    counted = any(output.aggregate for output, _ in plan.order)
    if counted and not plan.group and not plan.aggregated:
        return replace(plan, group=plan.outputs, distinct=False)
    return plan


def with_absence(draft: Draft, plan: Plan) -> Plan:
    """ "stadiums without concerts", "countries that do not speak English": no row of the other table refers to it."""
    if draft.context.join is None or draft.context.hop is not None:
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


def place_plan(draft: Draft, asked: Asked, plan: Plan) -> Plan | None:
    """Decide whether the plan needs both tables; a plan over one of them is made where that one stands alone."""
    if draft.context.join is None:
        return plan
    used = _tables_used(draft, asked, plan)
    if plan.without is not None:
        return replace(plan, only=1) if 0 not in _tables_shown(plan) else None
    if draft.context.hop is not None:
        return _over_three(draft, plan, used)
    if used != {0, 1}:
        return None
    return _grouped_by_key(draft, replace(plan, joined=True))


def _over_three(draft: Draft, plan: Plan, used: set[int]) -> Plan | None:
    """Only where the first and the last table take part, and nothing says that rows are absent.

    The table between them may only lead from one to the other; beside them, it must take part as well.
    """
    hop = draft.context.hop
    needed = {0, 2} if hop is not None and hop.many.table == 1 else {0, 1, 2}
    denied = any(c.op in ("!=", "not in", "not like") for clause in plan.where for c in clause)
    if not needed <= used or (denied and 0 not in {o.ref.table for o in plan.outputs if o.ref is not None}):
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
    if plan.within:
        return plan  # each group is cut by itself: what is shown is what is ranked
    for table in range(1, len(draft.context.tables)):
        key = draft.context.key(table)
        named = [o.ref for o in plan.group if o.ref is not None and o.ref.table == table]
        if (
            key is not None
            and any(_tells_apart(draft, ref) for ref in named)
            and Output("", key) not in plan.group
        ):
            plan = replace(plan, group=(Output("", key), *plan.group))
    plain = not plan.group and not plan.order and not plan.aggregated
    if plain and all(o.ref is not None and o.ref.table > 0 for o in plan.outputs):
        return replace(plan, distinct=True)
    return plan


def _tells_apart(draft: Draft, ref: Ref) -> bool:
    column = draft.context.column(ref)
    return column.unique or ref == display(draft, ref.table) or column.role == "text"
