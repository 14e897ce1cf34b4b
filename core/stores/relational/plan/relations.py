"""Comparisons with an average or with another column of the row."""

from core.stores.relational.plan.comparisons import only_measure
from core.stores.relational.plan.draft import Draft
from core.stores.relational.plan.model import Comparison, Condition, Ref


def read_average_comparisons(draft: Draft) -> None:
    """ "acima da média", "older than average", "more than the average number of products"."""
    for position, item in enumerate(draft.items):
        if (
            item.is_op != "compare"
            or item.op is None
            or not draft.free(position)
            or item.op.argument not in ("<", ">", "<=", ">=")
        ):
            continue
        nested = draft.skip(position, 1, ("which",))
        average = draft.at(nested)
        if average is None or average.is_op != "avg" or not draft.close(position, nested):
            continue
        after, before = nested + 1, draft.skip(position, -1, ("which",))
        ref = draft.by_concept(item.op.implied) if item.op.implied and item.op.implied != "date" else None
        if ref is None and draft.close(nested, after, 0):
            ref = draft.numeric(after)
        if ref is None:
            ref = next(
                (r for i in range(before, -1, -1) if (r := draft.numeric(i)) is not None and draft.free(i)),
                None,
            )
        if ref is None:
            ref = only_measure(draft, ())[0]
        if ref is None:
            continue
        op: Comparison = item.op.argument  # type: ignore[assignment]
        draft.where.append((Condition(ref, op, average=True),))
        draft.role |= {position: "comparison", nested: "comparison"}
        for i in (before, after):
            if draft.ref(i) == ref and draft.free(i) and draft.close(position, i, 2):
                draft.role[i] = "label"


def read_more_than(draft: Draft) -> None:
    """ "mais inscritos que vagas", "more leads than visits": two columns of a row are compared."""
    for position, item in enumerate(draft.items):
        if item.is_op not in ("top", "bottom") or not draft.free(position):
            continue
        left, right = draft.numeric(position + 1), draft.numeric(position + 2)
        if left is None or right is None or left == right or left.table != right.table:
            continue
        first, second = draft.items[position + 1], draft.items[position + 2]
        between = {token.text for token in draft.question.tokens[first.end : second.start]}
        if not between & {"que", "than"} or not draft.close(position, position + 1):
            continue
        draft.where.append((Condition(left, ">" if item.is_op == "top" else "<", other=right),))
        draft.role |= {position: "comparison", position + 1: "label", position + 2: "label"}


def read_column_comparisons(draft: Draft) -> None:
    """ "estoque abaixo do mínimo": two columns of a row are compared."""
    for position, item in enumerate(draft.items):
        if (
            item.is_op != "compare"
            or item.op is None
            or not draft.free(position)
            or item.op.argument not in ("<", ">", "<=", ">=")
        ):
            continue
        right_at, left_at = position + 1, position - 1
        right = draft.numeric(right_at)
        op_item = draft.at(right_at)
        if right is None and op_item is not None and op_item.kind == "op" and op_item.column is not None:
            right = Ref(op_item.column.table, op_item.column.column)
        left = draft.numeric(left_at)
        if (
            left is None
            and op_item is not None
            and op_item.kind == "op"
            and draft.close(right_at, right_at + 1)
        ):
            left = draft.numeric(right_at + 1)  # "below the minimum stock": stock below minimum
            left_at = right_at + 1 if left is not None else left_at
        if left is None and right is not None:
            left = _sibling(draft, right)
        if left is None or right is None or left == right or left.table != right.table:
            continue
        if not (draft.close(left_at, position, 1) and draft.close(position, right_at)):
            continue
        op: Comparison = item.op.argument  # type: ignore[assignment]
        draft.where.append((Condition(left, op, other=right),))
        draft.role |= {position: "comparison", right_at: "label"}
        if draft.numeric(left_at) == left:
            draft.role[left_at] = "label"


def _sibling(draft: Draft, ref: Ref) -> Ref | None:
    """The one other amount whose header shares a word: "Estoque atual" beside "Estoque mínimo"."""
    words = set(draft.context.column(ref).words)
    found = [
        Ref(ref.table, column.position)
        for column in draft.context.tables[ref.table].profile.columns
        if column.position != ref.column and column.role == "measure" and words & set(column.words)
    ]
    if len(found) == 1:
        return found[0]
    unit = draft.context.column(ref).unit
    alike = [
        Ref(ref.table, column.position)
        for column in draft.context.tables[ref.table].profile.columns
        if unit and column.position != ref.column and column.role == "measure" and column.unit == unit
    ]
    if len(alike) != 1:
        return None
    draft.guess(0.85, "compared with the other amount in the same unit")  # "over budget"
    return alike[0]
