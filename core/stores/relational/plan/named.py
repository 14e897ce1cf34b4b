"""Tables called by what they add up to: "vendas do sul" asks for the amount, "vendas acima de 1.500" for rows."""

from core.stores.relational.plan.amounts import amounts_named, main_measure
from core.stores.relational.plan.asked import LISTING, Asked
from core.stores.relational.plan.draft import Draft
from core.stores.relational.plan.model import Output, Ref


def read_amounts_named(draft: Draft, asked: Asked) -> None:
    """ "vendas em fevereiro", "entrega de soja de março a maio": the table's amount over the rows that pass.

    Not where something else is asked of the rows, where rows are to be listed, or are chosen by that amount.
    """
    if asked.aggregates or asked.ranks or asked.selects or asked.orders or asked.counted or asked.everything:
        return
    if len(asked.entities) != 1 or not (draft.where or asked.groups) or draft.having or draft.count_having:
        return
    main = main_measure(draft, asked.entities[0])
    if main is None or any(token.text in LISTING for token in draft.question.tokens):
        return
    cells = bool(draft.context.tables[asked.entities[0]].profile.source)  # a row there is one cell of a month
    if not (cells or amounts_named(draft)) or any(c.ref == main for clause in draft.where for c in clause):
        return
    asked.aggregates += [Output("sum", main), *([] if cells else [Output("count")])]
    asked.entities.clear()
    draft.guess(0.92, "the table's main amount")


def rows_of(draft: Draft, asked: Asked) -> list[Output]:
    """ "vendas acima de 1.500 reais": rows that no name tells apart are shown whole; else nothing."""
    if asked.selects or len(asked.entities) != 1 or draft.context.join is not None or asked.distinct:
        return []
    compared = any(
        draft.countable(c.ref) for clause in draft.where for c in clause if c.op not in ("=", "in")
    )
    columns = draft.context.tables[asked.entities[0]].profile.columns
    if not compared or not amounts_named(draft) or len(columns) > _WIDEST:
        return []
    return [Output("", Ref(asked.entities[0], column.position)) for column in columns]


_WIDEST = 12  # columns of a row that is shown whole
