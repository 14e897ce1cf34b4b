"""Plans that list columns or whole rows."""

from core.stores.relational.plan.asked import Asked
from core.stores.relational.plan.draft import Draft
from core.stores.relational.plan.model import Output, Plan, Ref
from core.stores.relational.plan.named import rows_of
from core.stores.relational.plan.shown import display
from core.stores.relational.plan.totals import is_one_row, leaves_one_row
from core.stores.relational.plan.wanted import order_of, wanted_outputs, where_of


def listing_plan(draft: Draft, asked: Asked) -> Plan | None:
    if asked.everything:
        table = asked.entities[0] if asked.entities else 0
        columns = draft.context.tables[table].profile.columns
        return Plan(
            tuple(Output("", Ref(table, c.position)) for c in columns), where_of(draft), order=order_of(asked)
        )
    wanted = rows_of(draft, asked) or wanted_outputs(draft, asked) or _compared(draft)
    if not wanted:
        return _row(draft, asked)
    distinct = asked.distinct or _names_repeat(draft, asked, wanted)
    return Plan(tuple(wanted), where_of(draft), order=order_of(asked), distinct=distinct, limit=draft.limit)


def _compared(draft: Draft) -> list[Output]:
    """ "notas abaixo de 6": whose they are, and the amounts themselves."""
    clauses = [clause[0] for clause in draft.where if len(clause) == 1]
    amounts = [c.ref for c in clauses if draft.countable(c.ref) and c.op in (">", ">=", "<", "<=", "between")]
    first = next((item for item in draft.items if item.is_op not in ("which", "and")), None)
    if len(set(amounts)) != 1 or first is None or first.kind != "column" or draft.context.join is not None:
        return []
    draft.guess(0.85, "whose amounts is not said")
    return [Output("", display(draft, amounts[0].table)), Output("", amounts[0])]


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
    if (asserted := _asserted(draft)) is not None:
        return asserted
    if not leaves_one_row(draft):
        first = next((item for item in draft.items if item.is_op not in ("which", "and")), None)
        named_first = first is not None and first.kind == "value" and len(draft.where) > 1
        draft.guess(0.75 if named_first else 0.55, "nothing asked but a filter")
    table = tables.pop()
    columns = draft.context.tables[table].profile.columns
    return Plan(tuple(Output("", Ref(table, c.position)) for c in columns), where_of(draft))


def _asserted(draft: Draft) -> Plan | None:
    """ "is booking BK-0007 cancelled?": the one row named says what it holds where the question says something."""
    named = [clause for clause in draft.where if len(clause) == 1 and is_one_row(draft, clause[0])]
    rest = [clause for clause in draft.where if clause not in named]
    if len(named) != 1 or not rest or any(len(clause) != 1 for clause in rest):
        return None
    refs = dict.fromkeys([named[0][0].ref, *(clause[0].ref for clause in rest)])
    return Plan(tuple(Output("", ref) for ref in refs), tuple(named))
