"""Which column a comparison is about, or which rows it counts."""

from dataclasses import replace

from core.normalize import fold
from core.stores.relational.plan.amounts import is_amount
from core.stores.relational.plan.draft import FLIPPED, Draft, apart, flip, negated
from core.stores.relational.plan.model import Comparison, Condition, Having, Output, Ref
from core.stores.relational.profile import MONEY
from core.types import Value


def compare(
    draft: Draft, first: int, last: int, op: Comparison, values: tuple[Value, ...], implied: str
) -> bool:
    """Attach a comparison over items [first, last] to its column, or to a count of rows."""
    times = _says_times(draft, last)
    ref, label = (None, None) if times else _compared_column(draft, first, last, values, implied)
    if ref is None:
        if not times and (summed := _amount_after(draft, last)) is not None:
            draft.having.append(Having(Output("sum", summed), _maybe_flipped(draft, op, first), values))
            return True
        table = 0 if times else _counted_table(draft, first, last)
        if table is not None:
            draft.count_having.append((table, _maybe_flipped(draft, op, first), values))
            return True
        draft.guess(0.3, "a number that compares nothing")
        return False
    if label is not None and draft.free(label):
        draft.role[label] = "label"
    aggregate = _aggregate_before(draft, label) if label is not None else ""
    aggregate = aggregate or _average_of_more(draft, first, last)
    if aggregate:
        draft.having.append(Having(Output(aggregate, ref), op, values))  # type: ignore[arg-type]
        return True
    condition = Condition(ref, op, values)
    draft.where.append(
        (flip(condition) if negated(draft, first if label is None else min(first, label)) else condition,)
    )
    _join_numeric_alternatives(draft)
    return True


def _join_numeric_alternatives(draft: Draft) -> None:
    if len(draft.where) > 1 and len(draft.where[-1]) == 1:
        before, last = draft.where[-2][-1], draft.where[-1][0]
        if before.ref == last.ref and apart(before, last):
            every = not any(item.is_op == "or" for item in draft.items)
            draft.where[-2:] = [tuple(replace(c, every=every) for c in (*draft.where[-2], last))]


def _maybe_flipped(draft: Draft, op: Comparison, first: int) -> Comparison:
    return FLIPPED[op] if negated(draft, first) else op


def _aggregate_before(draft: Draft, label: int) -> str:
    """ "average life expectancy longer than 72" compares the average of a group."""
    item, at = draft.at(label - 1), label - 1
    after = draft.at(label + 1)
    if after is not None and after.is_op in ("avg", "sum") and draft.close(label, label + 1):
        item, at = after, label + 1  # "expectativa de vida média superior a 72"
    grouped = any(
        other.is_op == "group" and other.op is not None and other.op.argument != "by" for other in draft.items
    )
    if item is None or item.is_op not in ("avg", "sum") or not draft.free(at) or not draft.close(at, label):
        return ""
    if grouped or sum(other.is_op == item.is_op for other in draft.items) > 1:
        draft.role[at] = "having"
        return item.is_op
    return ""


def _average_of_more(draft: Draft, first: int, last: int) -> str:
    """ "an average of more than 15 visits": the average of a group is compared."""
    before, after = draft.at(first - 1), draft.numeric(last + 1)
    if before is None or before.is_op != "avg" or after is None or not draft.free(first - 1):
        return ""
    if not draft.close(first - 1, first):
        return ""
    draft.role[first - 1] = "having"
    return "avg"


def _compared_column(
    draft: Draft, first: int, last: int, values: tuple[Value, ...], implied: str
) -> tuple[Ref | None, int | None]:
    inside = next((i for i in range(first, last + 1) if draft.numeric(i) is not None), None)
    if inside is not None:
        return draft.ref(inside), inside
    before, after = draft.skip(first, -1, ("not", "which", "without")), last + 1
    postponed = draft.at(before)
    aggregated = (
        postponed is not None and postponed.is_op in ("avg", "sum") and draft.close(before - 1, before)
    )
    if aggregated and (averaged := draft.numeric(before - 1)) is not None:
        return averaged, before - 1
    left = (draft.ref(before) or draft.numeric(before)) if draft.close(before, first, 1) else None
    left = left if left is not None and draft.comparable(left) and not _is_id(draft, left) else None
    if left is not None and draft.context.column(left).role == "date":
        left = None  # "dias com mais de 25 perdas": a date is no number
    right = draft.numeric(after) if draft.close(last, after) else None
    follows = draft.at(after + 1)
    owned = follows is not None and follows.is_op == "compare" and draft.close(after, after + 1)
    if implied and implied not in ("date", "until"):
        named = draft.by_concept(implied)
        if named is None:
            draft.guess(0.4, f"no column for {implied}")
        return named, None
    measured = _in_unit(draft, last) if right is None and left is None else None
    if measured is not None:
        return measured, None
    unit_first = right is not None and not owned and (left is None or not draft.free(before))
    if unit_first or (right is not None and not owned and left == right):
        return right, after
    if left is not None:
        return left, before
    counted = draft.at(after)
    if counted is not None and counted.kind == "table" and draft.close(last, after):
        return None, None
    for back in range(before, -1, -1):
        ref = draft.numeric(back)
        if ref is not None and not _is_id(draft, ref) and draft.role.get(back, "label") == "label":
            draft.guess(0.85, "comparison far from its column")
            return ref, back if draft.free(back) and _named_twice(draft, back) else None
    return only_measure(draft, values)


def _in_unit(draft: Draft, last: int) -> Ref | None:
    """The one column measured in the unit that follows the number: "entre 50 e 100 m²"."""
    end = draft.items[last].end
    if end >= len(draft.question.tokens):
        return None
    said = draft.question.tokens[end].text
    found = [ref for ref in draft.context.refs() if fold(draft.context.column(ref).unit) == said]
    if len(found) != 1:
        return None
    draft.role[-1 - end] = "unit"
    return found[0]


def _named_twice(draft: Draft, position: int) -> bool:
    return sum(draft.ref(i) == draft.ref(position) for i in range(len(draft.items))) > 1


def _is_id(draft: Draft, ref: Ref) -> bool:
    return draft.context.column(ref).role == "key"


def only_measure(draft: Draft, values: tuple[Value, ...]) -> tuple[Ref | None, int | None]:
    """No column is named: the only one with the number's unit, or the only measure."""
    units = {
        a.unit for item in draft.items if (a := item.amount) is not None and a.value in values and a.unit
    }
    measures = [r for r in draft.context.refs() if draft.context.column(r).role == "measure"]
    money = units & set(MONEY)  # "$50", "50 reais": any sign of money means the amounts in money
    by_unit = (
        [r for r in measures if (u := draft.context.column(r).unit) in units or (money and u in MONEY)]
        if units
        else []
    )
    chosen = by_unit if len(by_unit) == 1 else measures if len(measures) == 1 else []
    chosen = chosen or _within_reach(draft, measures, values)
    if not chosen:
        return None, None
    draft.guess(0.8, "comparison without a column")
    return chosen[0], None


def _amount_after(draft: Draft, last: int) -> Ref | None:
    """ "mais de 3 mil em vendas": the amount of the table called so, not its rows."""
    item = draft.at(last + 1)
    if item is None or item.kind != "table" or item.mention is None or not draft.close(last, last + 1):
        return None
    main = draft.context.tables[item.mention.table].profile.amount
    lead = draft.question.tokens[item.start - 1].text
    cells = bool(draft.context.tables[item.mention.table].profile.source)
    if main is None or not (cells or lead in ("em", "in", "of")) or not is_amount(draft, item):
        return None
    draft.role[last + 1] = "measure"
    return Ref(item.mention.table, main.position)


def _within_reach(draft: Draft, measures: list[Ref], values: tuple[Value, ...]) -> list[Ref]:
    """ "eventos acima de 20 mil": the only amount of which some are larger and some are smaller."""
    numbers = [value for value in values if isinstance(value, int | float)]
    found = []
    for ref in measures:
        low, high = draft.context.column(ref).minimum, draft.context.column(ref).maximum
        bounds = isinstance(low, int | float) and isinstance(high, int | float)
        if bounds and numbers and all(float(low or 0) < value < float(high or 0) for value in numbers):
            found.append(ref)
    return found if len(found) == 1 and draft.context.join is None else []


def _counted_table(draft: Draft, first: int, last: int) -> int | None:
    """ "more than 3 orders": the rows of a table are counted."""
    for position in (last + 1, last + 2):
        item = draft.at(position)
        if item is None or item.kind != "table" or item.mention is None or not draft.free(position):
            continue
        if draft.close(last, position, 1):
            draft.role[position] = "counted"
            return item.mention.table
    item = draft.at(last + 1)
    if (
        item is not None
        and item.kind == "column"
        and item.mention is not None
        and draft.close(last, last + 1)
    ):
        column = draft.context.column(Ref(item.mention.table, item.mention.column))
        if not column.numeric or column.role == "key":
            draft.role[last + 1] = "counted"
            draft.guess(0.9, "count of a column's rows")
            return item.mention.table
    before = draft.at(first - 1)
    if before is not None and before.is_op == "count":
        draft.role[first - 1] = "counted"
        return 0
    return None


def _says_times(draft: Draft, last: int) -> bool:
    """ "more than once", "mais de 3 vezes": rows are counted."""
    end = draft.items[last].end
    words = {token.text for token in draft.question.tokens[end - 1 : end + 1]}
    return bool(words & {"times", "vezes", "vez", "once", "twice"})
