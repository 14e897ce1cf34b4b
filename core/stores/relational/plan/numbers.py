"""Numbers become comparisons, limits of a ranking, or equalities with the column beside them."""

from core.stores.relational.plan.comparisons import compare
from core.stores.relational.plan.dates import number_after_all
from core.stores.relational.plan.draft import Draft, flip, negated
from core.stores.relational.plan.model import Comparison, Condition, Ref
from core.stores.relational.plan.relations import (
    read_average_comparisons,
    read_column_comparisons,
    read_more_than,
)
from core.types import Value


def read_amounts(draft: Draft) -> None:
    """Numbers become comparisons, limits of a ranking, or equalities with the column beside them."""
    for position, item in enumerate(draft.items):
        if item.amount is None or not draft.free(position):
            continue
        if item.kind == "period" and not number_after_all(draft, position):
            continue
        if (
            _read_limit(draft, position)
            or _read_between(draft, position)
            or _read_comparison(draft, position)
        ):
            continue
        _read_equal(draft, position)
    read_average_comparisons(draft)
    read_column_comparisons(draft)
    read_more_than(draft)


def _read_limit(draft: Draft, position: int) -> bool:
    """ "top 3", "3 maiores", "5 most": the number of a ranking."""
    item = draft.items[position]
    amount = item.amount
    if (
        amount is None
        or item.kind == "period"
        or not isinstance(amount.value, int)
        or not 0 < amount.value <= 100
        or amount.unit
    ):
        return False
    for neighbour in (position - 1, position + 1, position + 2):
        other = draft.at(neighbour)
        if other is None or other.is_op not in ("top", "bottom", "frequent", "rare"):
            continue
        low, high = sorted((position, neighbour))
        passes = neighbour != position + 2 or draft.items[position + 1].kind in ("table", "column")
        near = draft.close(low, high, 0 if neighbour != position + 2 else 1)
        if passes and near and not (neighbour == position - 1 and _is_exact_phrase(draft, neighbour)):
            draft.limit = amount.value
            draft.role[position] = "limit"
            return True
    return False


def _is_exact_phrase(draft: Draft, position: int) -> bool:
    """ "mais" straight before a number belongs to a comparison when no ranking word is meant."""
    op = draft.items[position].op
    tokens = draft.question.tokens
    return (
        op is not None
        and tokens[op.start].text in ("mais", "menos", "more", "less")
        and op.end - op.start == 1
    )


def _read_between(draft: Draft, position: int) -> bool:
    before, after = draft.at(position - 1), draft.at(position + 1)
    if before is None or before.is_op != "between":
        return _read_from_to(draft, position)
    step = position + 1
    if after is not None and after.is_op == "and":
        draft.role[step] = "comparison"
        step += 1
    second = draft.at(step)
    if second is None or second.amount is None or draft.items[position].amount is None:
        return False
    low, high = draft.items[position].amount, second.amount
    values: tuple[Value, ...] = tuple(sorted((low.value, high.value))) if low and high else ()
    draft.role |= {position - 1: "comparison", position: "number", step: "number"}
    return compare(draft, position - 1, step, "between", values, "")


def _read_from_to(draft: Draft, position: int) -> bool:
    """ "1 to 2 paragraphs", "de 10 a 20"."""
    second = draft.at(position + 1)
    first = draft.items[position]
    if second is None or second.amount is None or first.amount is None or first.kind == "period":
        return False
    between = [token.text for token in draft.question.tokens[first.end : second.start]]
    if between not in (["to"], ["a"], ["ate"]):
        return False
    draft.role |= {position: "number", position + 1: "number"}
    return compare(draft, position, position + 1, "between", (first.amount.value, second.amount.value), "")


def _read_comparison(draft: Draft, position: int) -> bool:
    """The comparison word stands before the number, or after it ("2 or more"); or around a column ("under age 30")."""
    amount = draft.items[position].amount
    if amount is None:
        return False
    for offset in (-1, 1, -2):
        other = draft.at(position + offset)
        if other is None or other.is_op != "compare" or other.op is None or not draft.free(position + offset):
            continue
        if offset == 1 and other.op.argument not in (">=", "<="):
            continue
        middle = draft.at(position - 1)
        if offset == -2 and (
            middle is None or middle.kind != "column" or not draft.close(position - 2, position)
        ):
            continue
        if not draft.close(position, position + offset, 0 if offset != 1 else 1):
            continue
        argument: Comparison = other.op.argument if other.op.argument in (">", "<", ">=", "<=", "=") else "<="  # type: ignore[assignment]
        draft.role |= {position + offset: "comparison", position: "number"}
        first, last = min(position, position + offset), max(position, position + offset)
        return compare(draft, first, last, argument, (amount.value,), other.op.implied)
    return False


def _read_equal(draft: Draft, position: int) -> None:
    """A number beside a column: "nível 1", "version number 5", "code 204"."""
    item = draft.items[position]
    if item.amount is None or item.kind == "period":
        return
    for candidate in (draft.skip(position, -1, ("not", "compare", "or", "and")), position + 1):
        ref = draft.ref(candidate) or _named_by_key(draft, candidate)
        if (
            ref is None
            or not draft.close(candidate, position, 0)
            or draft.role.get(candidate, "label") != "label"
        ):
            continue
        column = draft.context.column(ref)
        if candidate > position and (not draft.free(candidate) or column.role == "measure"):
            continue
        if column.numeric or column.role in ("year", "key", "month"):
            value: Value = item.amount.value if column.numeric else draft.question.tokens[item.start].raw
            condition = Condition(ref, "=", (value,))
            draft.where.append((flip(condition) if negated(draft, min(candidate, position)) else condition,))
            draft.role |= {position: "number"}
            if draft.free(candidate):
                draft.role[candidate] = "label"
            _merge_equals(draft)
            return


def _named_by_key(draft: Draft, position: int) -> Ref | None:
    """ "pedido 5012": the table's name is also the header of its numbers."""
    item = draft.at(position)
    if item is None or item.kind != "table" or item.column is None:
        return None
    ref = Ref(item.column.table, item.column.column)
    return ref if draft.context.column(ref).role == "key" else None


def _merge_equals(draft: Draft) -> None:
    """ "1948 or 1949": equalities on one column are alternatives."""
    if len(draft.where) > 1 and draft.where[-1][0].ref == draft.where[-2][0].ref:
        first, second = draft.where[-2][0], draft.where[-1][0]
        if first.op in ("=", "in") and second.op == "=":
            draft.where[-2:] = [(Condition(first.ref, "in", (*first.values, *second.values)),)]
