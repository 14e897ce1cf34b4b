"""Groups chosen by what they add up to: "tutores que gastaram mais de 1000", "regiões com mais de 3 mil em vendas"."""

from core.stores.relational.plan.asked import Asked
from core.stores.relational.plan.draft import Draft
from core.stores.relational.plan.model import Condition, Having, Output, Ref
from core.stores.relational.wording.words import word_set

_VERBAL = ("ou", "aram", "eram", "iram", "eu", "iu", "ed")
_DID = word_set(
    "spent sold paid made earned brought gasta gastam paga pagam vende vendem fez fizeram deu deram tem"
)
_IN = word_set("em in of de")


def read_totals(draft: Draft, asked: Asked) -> None:
    """A comparison of an amount is one of sums, where things of many rows are wanted and words say their total."""
    subject = _subject(draft, asked)
    if subject is None or asked.ranks or asked.groups:
        return
    for clause in list(draft.where):
        condition = clause[0]
        if len(clause) != 1 or not _of_amounts(draft, condition) or not _total(draft, condition.ref):
            continue
        draft.where.remove(clause)
        draft.having.append(Having(Output("sum", condition.ref), condition.op, condition.values))
        asked.aggregates[:] = [o for o in asked.aggregates if o != Output("sum", condition.ref)]
        asked.selects[:] = [ref for ref in asked.selects if ref != condition.ref]


def _subject(draft: Draft, asked: Asked) -> Ref | None:
    """The one thing asked for, if it stands in many rows."""
    things = [ref for ref in asked.selects if not draft.countable(ref)]
    if len(things) != 1 or draft.context.join is not None:
        return None
    column = draft.context.column(things[0])
    return things[0] if not column.unique and 2 * column.different <= column.filled else None


def _of_amounts(draft: Draft, condition: Condition) -> bool:
    column = draft.context.column(condition.ref)
    adds = column.role == "measure" and "=" not in column.marks
    return adds and condition.op in (">", ">=", "<", "<=", "between") and not condition.average


def _total(draft: Draft, ref: Ref) -> bool:
    """ "no total", or the amount named by what the things did ("gastaram"), or after the number ("em vendas")."""
    if any(item.is_op == "sum" for item in draft.items):
        return True
    tokens = draft.question.tokens
    for position, item in enumerate(draft.items):
        if draft.ref(position) != ref and draft.numeric(position) != ref:
            continue
        if any(
            tokens[i].text.endswith(_VERBAL) or tokens[i].text in _DID for i in range(item.start, item.end)
        ):
            return True
        before = draft.at(position - 1)
        if before is not None and before.amount is not None and tokens[item.start - 1].text in _IN:
            return True
    return False
