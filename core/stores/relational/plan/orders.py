""" "Ordered by", "em ordem decrescente de": what the rows are sorted by."""

from core.stores.relational.plan.asked import AGGREGATES, Asked
from core.stores.relational.plan.draft import Draft
from core.stores.relational.plan.model import Aggregate, Output
from core.stores.relational.plan.shown import display


def read_order(draft: Draft, asked: Asked) -> None:
    directions = [i for i, item in enumerate(draft.items) if item.is_op == "direction" and draft.free(i)]
    orders = [i for i, item in enumerate(draft.items) if item.is_op == "order" and draft.free(i)]
    if not directions and not orders:
        return
    descending, implied = False, ""
    for position in directions:
        op = draft.items[position].op
        if op is not None:
            descending, implied = op.argument == "desc", op.implied
        draft.role[position] = "order"
    target = _order_target(draft, orders, directions, implied)
    for position in orders:
        draft.role[position] = "order"
    if target is None:
        asked.lost = True
        return
    asked.orders.append((target, descending))


def _order_target(draft: Draft, orders: list[int], directions: list[int], implied: str) -> Output | None:
    if implied and implied != "name" and (ref := draft.by_concept(implied)) is not None:
        return Output("", ref)
    for start in _order_starts(draft, orders, directions):
        step = start + 1
        while (item := draft.at(step)) is not None and (
            item.is_op in ("order", "direction", "which", "group") or draft.role.get(step) == "order"
        ):
            if item.is_op == "group":
                draft.role[step] = "order"
            step += 1
        if item is None or not draft.close(start, step, 1):
            continue
        ref = draft.ref(step)
        if item.is_op == "count":
            return _counted_order(draft, step)
        aggregate: Aggregate = ""
        if item.is_op in AGGREGATES and draft.ref(step + 1) is not None:
            aggregate = item.is_op  # type: ignore[assignment]
            draft.role[step] = "order"
            step, ref = step + 1, draft.ref(step + 1)
        if ref is not None and draft.role.get(step, "label") == "label":
            if not _still_wanted(draft, step):
                draft.role[step] = "order"
            return Output(aggregate, ref)
    if implied == "name" or directions:
        first = next((i for i in range(len(draft.items)) if draft.ref(i) is not None and draft.free(i)), None)
        if first is not None:
            return Output("", draft.ref(first))
        entity = next(
            (item.mention.table for item in draft.items if item.kind == "table" and item.mention), 0
        )
        return Output("", display(draft, entity))
    return None


def _order_starts(draft: Draft, orders: list[int], directions: list[int]) -> list[int]:
    """Where the thing to order by may follow: after a "by" within the order phrase first."""
    first = min([*orders, *directions])
    by = [
        i
        for i in range(first, len(draft.items))
        if (op := draft.items[i].op) is not None
        and op.kind == "group"
        and op.argument == "by"
        and draft.free(i)
    ]
    for position in by[:1]:
        draft.role[position] = "order"
    return [*by[:1], *sorted([*orders, *directions])]


def _counted_order(draft: Draft, position: int) -> Output:
    draft.role[position] = "order"
    following = draft.at(position + 1)
    if (
        following is not None
        and following.kind in ("table", "column")
        and draft.close(position, position + 1)
    ):
        ref = draft.numeric(position + 1)
        draft.role[position + 1] = "order"
        if ref is not None:
            return Output("", ref)
    return Output("count")


def _still_wanted(draft: Draft, position: int) -> bool:
    """The column to order by is also the only one to show."""
    free = [i for i in range(len(draft.items)) if draft.ref(i) is not None and draft.free(i)]
    tables = [i for i, item in enumerate(draft.items) if item.kind == "table" and draft.free(i)]
    return free == [position] and not tables
