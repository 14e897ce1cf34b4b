"""Stored values and qualities become filters."""

from collections.abc import Iterator
from dataclasses import replace

from core.stores.relational.link.question import Mention
from core.stores.relational.plan.draft import Draft, flip, negated
from core.stores.relational.plan.model import Comparison, Condition, Ref
from core.stores.relational.roles import moments, yes_values
from core.stores.relational.wording.calendar import Moment
from core.types import Value


def read_values(draft: Draft) -> None:
    """Stored values become equality filters; several of one column joined by "or", "and", commas become one."""
    for position, item in enumerate(draft.items):
        if item.kind != "value" or not draft.free(position) or item.mention is None:
            continue
        mention, label = _settle(draft, position)
        if mention is None:
            continue
        group = [position]
        values = list(mention.values)
        for later in _list_members(draft, position, mention):
            group.append(later)
            other = draft.items[later].mention
            values += _values_in(other, mention) if other else []
        if label is not None:
            draft.role[label] = "label"
        if len(group) == 2 and _spans(draft, group[0], group[1]):
            values = _moments_between(draft, mention, values)
        condition = _equality(draft, mention, values, position, label)
        if len(group) > 1 and _all_of(draft, group[0], group[-1]):
            condition = replace(condition, every=True)
        for member in group:
            draft.role[member] = "value" if member == position else "value-list"
        draft.where.append((condition,))
        if mention.score < 0.9:
            draft.guess(0.75 + 0.25 * mention.score / 0.9, "value named in part")
        if len(group) == 1 and len(mention.values) > 1 and mention.score < 0.9:
            draft.guess(0.9, "several values hold these words")


def _spans(draft: Draft, first: int, last: int) -> bool:
    """ "de maio a julho", "May to July": nothing but a word of range stands between the two."""
    between = draft.question.tokens[draft.items[first].end : draft.items[last].start]
    if any(item.is_op == "growth" for item in draft.items):
        return False  # "growth from January to May" compares the two
    lead = draft.at(first - 1)
    if lead is not None and lead.is_op == "between" and len(between) == 1 and between[0].text in ("e", "and"):
        if any(item.is_op == "difference" for item in draft.items):
            return False
        draft.role[first - 1] = "value"
        return True
    return len(between) == 1 and between[0].text in _RANGE


_RANGE = frozenset(["a", "ate", "to", "through", "until", "thru"])


def _moments_between(draft: Draft, mention: Mention, values: list[str]) -> list[str]:
    """All months of the column from the first to the last; the two alone where the column names no months."""
    known = moments(draft.context.column(Ref(mention.table, mention.column)))
    ends = [known[value] for value in values if value in known]
    if len(ends) < 2:
        return values
    low, high = min(_at(end) for end in ends), max(_at(end) for end in ends)
    return [value for value, moment in known.items() if low <= _at(moment) <= high]


def _at(moment: Moment) -> tuple[int, int]:
    return moment.year or 0, moment.months[0]


def _all_of(draft: Draft, first: int, last: int) -> bool:
    """Are the values between two items joined by "and" rather than "or"?"""
    kinds = {item.is_op for item in draft.items[first : last + 1]}
    return "and" in kinds and "or" not in kinds


def merge_values(draft: Draft) -> None:
    """Two equalities on one column can never both hold for a row: they are alternatives, or hold for a thing."""
    merged: list[tuple[Condition, ...]] = []
    for clause in draft.where:
        twin = next(
            (
                i
                for i, other in enumerate(merged)
                if len(clause) == len(other) == 1 and _same_equal(other[0], clause[0])
            ),
            None,
        )
        if twin is None:
            merged.append(clause)
            continue
        before = merged[twin][0]
        values = tuple(dict.fromkeys((*before.values, *clause[0].values)))
        either = any(item.is_op == "or" for item in draft.items)
        merged[twin] = (replace(before, op="in", values=values, every=not either),)
    draft.where = merged


def _same_equal(left: Condition, right: Condition) -> bool:
    return left.ref == right.ref and left.op in ("=", "in") and right.op in ("=", "in") and left != right


def _settle(draft: Draft, position: int) -> tuple[Mention | None, int | None]:
    """Choose the column of a value: the one named beside it, else the only or best one."""
    item = draft.items[position]
    if item.mention is None:
        return None, None
    readings = (item.mention, *item.mention.others)
    for step in (-1, 1):
        neighbour = _label_at(draft, position, step)
        ref = draft.ref(neighbour)
        if (
            ref is None
            or not draft.free(neighbour)
            or not draft.close(min(position, neighbour), max(position, neighbour), 1)
        ):
            continue
        for reading in readings:
            if (reading.table, reading.column) == (ref.table, ref.column):
                return reading, neighbour
        near = _reading_for_label(draft, neighbour, readings)
        if near is not None:
            return near, neighbour
    solid = [reading for reading in readings if not reading.weak]
    if not solid:
        return None, None
    best = _by_type(draft, solid)
    if any(other.score >= best.score - 0.05 and other is not best for other in solid):
        draft.guess(0.93, "value occurs in several columns")
    return best, None


def _label_at(draft: Draft, position: int, step: int) -> int:
    """The item that may label a value: "directed by X", "type not X", "X district"."""
    if step > 0:
        return position + 1
    back = position - 1
    while (item := draft.at(back)) is not None and (
        item.is_op in ("not", "without", "compare", "distinct")
        or (item.op is not None and item.op.kind == "group" and item.op.argument == "by")
    ):
        back -= 1
    return back


def _reading_for_label(draft: Draft, neighbour: int, readings: tuple[Mention, ...]) -> Mention | None:
    """The column beside a value may itself have another reading that fits the value."""
    mention = draft.items[neighbour].mention
    for other in mention.others if mention and not mention.amount else ():
        for reading in readings:
            if (reading.table, reading.column) == (other.table, other.column):
                return reading
    return None


def _by_type(draft: Draft, readings: list[Mention]) -> Mention:
    """Among columns that hold the value, prefer the plain category, then the first table and column."""
    order = {"category": 0, "moment": 0, "text": 1, "key": 2}

    def rank(reading: Mention) -> tuple[float, int, int, int]:
        column = draft.context.column(Ref(reading.table, reading.column))
        return -reading.score, order.get(column.role, 3), reading.table, reading.column

    return min(readings, key=rank)


def _list_members(draft: Draft, position: int, mention: Mention) -> Iterator[int]:
    """Later values of the same column in the same list: "Norte, Sul e Leste"."""
    last = position
    step = position + 1
    while (item := draft.at(step)) is not None:
        if item.is_op in ("or", "and"):
            step += 1
            continue
        same = item.kind == "value" and item.mention is not None and _values_in(item.mention, mention)
        if not same or not draft.free(step) or not draft.close(last, step, 0):
            return
        yield step
        last = step
        step += 1


def _values_in(other: Mention, mention: Mention) -> list[str]:
    for reading in (other, *other.others):
        if (reading.table, reading.column) == (mention.table, mention.column) and not reading.weak:
            return list(reading.values)
    return []


def _equality(
    draft: Draft, mention: Mention, values: list[str], position: int, label: int | None
) -> Condition:
    kept: tuple[Value, ...] = tuple(dict.fromkeys(values))
    op: Comparison = "=" if len(kept) == 1 else "in"
    condition = Condition(Ref(mention.table, mention.column), op, kept)
    denied = negated(draft, position) or (label is not None and label < position and negated(draft, label))
    return flip(condition) if denied else condition


def read_flags(draft: Draft) -> None:
    """ "clientes ativos", "official languages": a column of yes and no named as a quality must say yes."""
    for position in range(len(draft.items)):
        ref = draft.ref(position)
        if ref is None or not draft.free(position) or draft.context.column(ref).role != "flag":
            continue
        if any(
            other.kind == "value" and other.mention and Ref(other.mention.table, other.mention.column) == ref
            for other in draft.items
        ):
            continue
        if len(draft.items) == 1 or _is_asked(draft, position):
            continue
        column = draft.context.column(ref)
        values: tuple[Value, ...] = yes_values(column) or (1,)
        condition = Condition(ref, "=" if len(values) == 1 else "in", values)
        draft.where.append((flip(condition) if negated(draft, position) else condition,))
        draft.role[position] = "flag"


def _is_asked(draft: Draft, position: int) -> bool:
    """ "by status", "for each": the column itself is wanted."""
    before, after = draft.at(position - 1), draft.at(position + 1)
    quality = (
        after is not None and after.kind in ("column", "table") and after.start == draft.items[position].end
    )
    if before is not None and before.is_op == "which" and quality:
        return False  # "what is the official language"
    return before is not None and before.is_op in ("group", "order", "which", "distinct")


def read_empties(draft: Draft) -> None:
    """ "sem telefone", "with no e-mail", "em branco": a column of the row is empty."""
    for position, item in enumerate(draft.items):
        if not draft.free(position):
            continue
        if item.is_op == "null":
            ref_at = next((i for i in (position - 1, position + 1) if draft.ref(i) is not None), None)
        elif item.is_op == "without" and draft.close(position, position + 1):
            ref_at = position + 1 if draft.ref(position + 1) is not None else None
        else:
            continue
        ref = draft.ref(ref_at) if ref_at is not None else None
        if ref is None or ref_at is None or not draft.free(ref_at):
            continue
        column = draft.context.column(ref)
        rows = draft.context.tables[ref.table].profile.rows
        if column.filled == rows and item.is_op == "without":
            continue  # never empty: "sem" means something else here
        draft.where.append((Condition(ref, "null"),))
        draft.role |= {position: "negation", ref_at: "label"}
