"""The amount of a table, and when a table's name means that amount rather than its rows."""

from core.stores.relational.link.items import Item
from core.stores.relational.link.money import OF_ONE
from core.stores.relational.plan.draft import Draft
from core.stores.relational.plan.model import Ref
from core.stores.relational.wording.lexicon import marks_of
from core.stores.relational.wording.words import light_stem


def amounts_named(draft: Draft) -> bool:
    """The rows are called by what they add up to: "vendas", "despesas", "payments"."""
    return any(item.kind == "table" and is_amount(draft, item) for item in draft.items)


def is_amount(draft: Draft, item: Item) -> bool:
    """A table's name that means its amount: "vendas"; in months side by side any name but that of a thing."""
    if item.mention is None:
        return False
    words = tuple(token.text for token in draft.question.tokens[item.start : item.end])
    main = main_measure(draft, item.mention.table)
    if main is not None and OF_ONE & set(draft.context.column(main).words):
        return False  # prices of one piece add up to nothing
    table = draft.context.tables[item.mention.table].profile
    marks = marks_of(words)
    headers = {light_stem(word) for column in table.columns if column.type == "text" for word in column.words}
    thing = "@" in marks or bool({light_stem(word) for word in words} & headers)
    return "+" in marks or (bool(table.source) and not thing)


def main_measure(draft: Draft, table: int) -> Ref | None:
    """The one amount of a table, when it has one."""
    amount = draft.context.tables[table].profile.amount
    return Ref(table, amount.position) if amount is not None else None
