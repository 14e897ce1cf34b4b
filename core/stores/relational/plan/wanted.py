"""The parts that every kind of plan takes from a draft."""

from core.stores.relational.plan.asked import Asked
from core.stores.relational.plan.draft import Draft
from core.stores.relational.plan.model import Condition, Having, Output
from core.stores.relational.plan.shown import entity_outputs


def where_of(draft: Draft) -> tuple[tuple[Condition, ...], ...]:
    return tuple(draft.where)


def wanted_outputs(draft: Draft, asked: Asked) -> list[Output]:
    """The columns to show: those named, else how the thing named is called."""
    if asked.selects:
        return [Output("", ref) for ref in asked.selects]
    if asked.entities:
        return entity_outputs(draft, asked.entities[0])
    return []


def order_of(asked: Asked) -> tuple[tuple[Output, bool], ...]:
    return tuple(asked.orders)


def count_having(draft: Draft) -> tuple[Having, ...]:
    return tuple(Having(Output("count"), op, values) for _, op, values in draft.count_having)
