"""From items to conditions: which numbers, dates and values filter which columns.

A draft is filled step by step; each guess that the words do not settle costs trust. Nothing here is remembered
between questions.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from core.normalize import fold
from core.stores.relational.items import Item
from core.stores.relational.lexicon import concepts_of
from core.stores.relational.link import Mention, Question
from core.stores.relational.plan import Comparison, Condition, Context, Having, Output, Ref
from core.stores.relational.profile import MONEY, yes_values
from core.stores.relational.spans import period_condition
from core.types import Value

_FLIPPED: dict[str, Comparison] = {">": "<=", "<": ">=", ">=": "<", "<=": ">", "=": "!=", "!=": "=", "in": "not in",
    "like": "not like", "null": "not null", "between": "not between"}  # fmt: skip


@dataclass(slots=True)
class Draft:
    """A plan in the making."""

    question: Question
    context: Context
    items: tuple[Item, ...]
    role: dict[int, str] = field(default_factory=dict)  # item -> what it was used for
    where: list[tuple[Condition, ...]] = field(default_factory=list)
    having: list[Having] = field(default_factory=list)
    count_having: list[tuple[int, Comparison, tuple[Value, ...]]] = field(
        default_factory=list
    )  # table, op, values
    trust: float = 1.0
    guesses: list[str] = field(default_factory=list)
    limit: int | None = None
    anti: list[tuple[Condition, ...]] = field(default_factory=list)

    # --- looking around -------------------------------------------------------------------------

    def guess(self, factor: float, what: str) -> None:
        self.trust *= factor
        self.guesses.append(what)

    def at(self, position: int) -> Item | None:
        return self.items[position] if 0 <= position < len(self.items) else None

    def ref(self, position: int) -> Ref | None:
        item = self.at(position)
        if item is None or item.kind != "column" or item.mention is None:
            return None
        return Ref(item.mention.table, item.mention.column)

    def numeric(self, position: int) -> Ref | None:
        """The amount that an item names; a table's name may also be that of its amount ("estoque")."""
        ref, item = self.ref(position), self.at(position)
        if ref is None and item is not None and item.kind == "table" and item.column is not None:
            ref = Ref(item.column.table, item.column.column)
        return ref if ref is not None and self.countable(ref) else None

    def countable(self, ref: Ref) -> bool:
        column = self.context.column(ref)
        return column.numeric and column.role != "key"

    def comparable(self, ref: Ref) -> bool:
        return self.context.column(ref).numeric or self.context.column(ref).role in ("date", "year")

    def free(self, position: int) -> bool:
        return position not in self.role

    def close(self, left: int, right: int, allowed: int = 0) -> bool:
        """Are two items neighbours, with at most so many unexplained content words between them?"""
        first, second = self.at(left), self.at(right)
        if first is None or second is None:
            return False
        covered = {i for item in self.items for i in range(item.start, item.end)}
        between = [i for i in self.question.content(first.end, second.start) if i not in covered]
        loose = [i for i in between if self.question.tokens[i].text not in self.question.carriers]
        return len(loose) <= allowed

    def skip(self, position: int, step: int, kinds: tuple[str, ...] = ("and", "or", "all", "which")) -> int:
        """The next item in a direction that is not glue."""
        position += step
        while (item := self.at(position)) is not None and item.is_op in kinds:
            position += step
        return position

    def by_concept(self, word: str) -> Ref | None:
        """The column whose header means an English head word ("price"), if there is exactly one best."""
        wanted = {concept.key for concept in concepts_of((word,))}
        found = []
        for ref in self.context.refs():
            column = self.context.column(ref)
            keys = {
                c.key
                for size in (1, 2)
                for i in range(len(column.words) - size + 1)
                for c in concepts_of(column.words[i : i + size])
            }
            if word == "date" and column.role in ("date", "year"):
                found.append((0 if column.role == "date" else 1, len(column.words), ref))
            elif wanted & keys and self.comparable(ref):
                found.append((0, len(column.words), ref))
        if not found and word == "price":  # what is cheap is said of a rent, a fee, a fare
            money = [ref for ref in self.context.refs() if self.context.column(ref).unit in MONEY]
            if money:
                self.guess(0.85, "the first column in money")
                return money[0]
        return min(found, default=(0, 0, None))[2]


# --- negation ------------------------------------------------------------------------------------


def negated(draft: Draft, position: int) -> bool:
    """Is the item under a "not", "except", "other than" that nothing else has used?"""
    back = position - 1
    while back >= 0 and (item := draft.at(back)) is not None:
        if item.is_op in ("not", "without") and draft.role.get(back, "negation") == "negation":
            draft.role[back] = "negation"
            return True
        stays = item.is_op in ("or", "and", "distinct", "compare", "like") or draft.role.get(back) in (
            "label",
            "value-list",
        )
        if item.kind == "column" and draft.close(back, position, 1):
            stays = True
        if not stays:
            return False
        back -= 1
    return False


def flip(condition: Condition) -> Condition:
    return replace(condition, op=_FLIPPED.get(condition.op, condition.op))


# --- values --------------------------------------------------------------------------------------


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


# --- quoted text and patterns ----------------------------------------------------------------------


def read_patterns(draft: Draft) -> None:
    """ "contém 'x'", "with the letter w", "starts with A": LIKE on the column named nearest."""
    for position, item in enumerate(draft.items):
        if item.is_op != "like" or not draft.free(position) or item.op is None:
            continue
        word = _pattern_word(draft, position)
        ref = _pattern_column(draft, position)
        if word is None or ref is None:
            continue
        pattern = {"has": f"%{word}%", "starts": f"{word}%", "ends": f"%{word}"}[item.op.argument]
        condition = Condition(ref, "like", (pattern,))
        draft.where.append((flip(condition) if negated(draft, position) else condition,))
        draft.role[position] = "pattern"


def _pattern_word(draft: Draft, position: int) -> str | None:
    """The quoted or next word after the phrase; before it when it stands at the end ("'Hey' in its name")."""
    item, tokens = draft.items[position], draft.question.tokens
    spans = [
        *range(item.end, min(len(tokens), item.end + 3)),
        *range(item.start - 1, max(-1, item.start - 4), -1),
    ]
    quoted = next((i for i in spans if tokens[i].kind == "quoted"), None)
    after = item.end if item.end < len(tokens) and item.op is not None else None
    chosen = quoted if quoted is not None else after
    if chosen is None or (quoted is None and item.op is not None and "in its" in tokens[item.start].text):
        return None
    for other, candidate in enumerate(draft.items):
        if candidate.start <= chosen < candidate.end and candidate.kind in (
            "value",
            "amount",
            "column",
            "op",
        ):
            draft.role[other] = "pattern"
    draft.role[-1 - chosen] = "pattern"  # an unlinked word that is explained after all
    return tokens[chosen].raw.strip("'\"“”‘’«»` ")


_INSIDE = frozenset("in em na no nas nos within dentro".split())


def _pattern_column(draft: Draft, position: int) -> Ref | None:
    tokens = draft.question.tokens
    for other in range(position + 1, min(position + 3, len(draft.items))):
        ref, start = draft.ref(other), draft.items[other].start
        leads = {token.text for token in tokens[max(0, start - 2) : start]}
        if ref is not None and draft.context.column(ref).type == "text" and leads & _INSIDE:
            draft.role[other] = "label"
            return ref
    for other in (*range(position - 1, -1, -1), *range(position + 1, len(draft.items))):
        ref = draft.ref(other)
        if ref is not None and draft.context.column(ref).type == "text" and draft.free(other):
            near = abs(other - position) <= 2
            if near or position - other > 0:
                used_once = sum(draft.ref(i) == ref for i in range(len(draft.items))) == 1
                if used_once and _selected_elsewhere(draft, other):
                    draft.role[other] = "label"
                return ref
    return None


def _selected_elsewhere(draft: Draft, position: int) -> bool:
    """Another free column is left to be shown, so this one only labels the filter."""
    return any(draft.ref(i) is not None and i != position and draft.free(i) for i in range(len(draft.items)))


# --- periods ---------------------------------------------------------------------------------------


def read_periods(draft: Draft) -> None:
    """Months, quarters, years and days become filters on the table's dates."""
    for position, item in enumerate(draft.items):
        if item.kind != "period" or item.period is None or not draft.free(position):
            continue
        if _number_after_all(draft, position):
            continue
        op, compared = _date_comparison(draft, position)
        label = _date_label(draft, position, compared)
        refs = _date_columns(draft, label)
        parts, words = period_condition(draft.context, refs, item.period, op, draft.question)
        if not parts:
            continue
        if label is not None:
            draft.role[label] = "label"
        if compared is not None:
            draft.role[compared] = "comparison"
        draft.role[position] = "period"
        if negated(draft, min(x for x in (position, compared, label) if x is not None)):
            parts = [flip(part) for part in parts]
        draft.where += [(replace(part, words=words),) for part in parts]
        if len({ref.table for ref in refs if draft.context.column(ref).role == "date"}) and label is None:
            dates = [ref for ref in draft.context.refs() if draft.context.column(ref).role == "date"]
            if len(dates) > 1:
                draft.guess(0.85, "several date columns")
    _join_alternatives(draft)


def _number_after_all(draft: Draft, position: int) -> bool:
    """A bare year beside a numeric column that is no year is a number ("população acima de 2000")."""
    item = draft.items[position]
    if item.period is None or not item.period.bare_year or item.amount is None:
        return False
    back = draft.skip(position, -1, ("compare", "between", "and", "or"))
    ref = draft.numeric(back)
    temporal = [r for r in draft.context.refs() if draft.context.column(r).role in ("date", "year", "moment")]
    beside = (
        ref is not None and draft.context.column(ref).role == "measure" and draft.close(back, position, 1)
    )
    return beside or not temporal


def _date_comparison(draft: Draft, position: int) -> tuple[str, int | None]:
    before, after = draft.at(position - 1), draft.at(position + 1)
    if (
        before is not None
        and before.is_op == "compare"
        and before.op is not None
        and draft.close(position - 1, position)
    ):
        return before.op.argument, position - 1
    if (
        after is not None
        and after.is_op == "compare"
        and after.op is not None
        and after.op.argument in (">", "<", ">=", "<=")
    ):
        glued = draft.question.tokens[after.start - 1].text in ("ou", "or") or after.op.argument in (
            ">=",
            "<=",
        )
        or_between = draft.at(position + 1)
        if glued and or_between is not None and after.op.implied != "date":
            return after.op.argument, position + 1
    step = draft.at(position + 2)
    if (
        after is not None
        and after.is_op == "or"
        and step is not None
        and step.op is not None
        and step.is_op == "compare"
    ):
        nothing_follows = draft.at(position + 3) is None or draft.items[position + 3].kind not in (
            "period",
            "amount",
        )
        if nothing_follows:
            draft.role[position + 1] = "comparison"
            return {">": ">=", "<": "<="}.get(step.op.argument, step.op.argument), position + 2
    return "=", None


def _date_label(draft: Draft, position: int, compared: int | None) -> int | None:
    """The date or year column named beside the period."""
    first = min(position, compared) if compared is not None else position
    for candidate in (draft.skip(first, -1, ("which",)), draft.skip(position, 1, ())):
        ref = draft.ref(candidate)
        if (
            ref is not None
            and draft.free(candidate)
            and draft.context.column(ref).role in ("date", "year", "month", "moment")
        ):
            low, high = sorted((first, candidate))
            if draft.close(low, high, 1):
                return candidate
    return None


def _date_columns(draft: Draft, label: int | None) -> list[Ref]:
    named = draft.ref(label) if label is not None else None
    if named is not None:
        year = [
            r
            for r in draft.context.refs()
            if draft.context.column(r).role == "year" and r.table == named.table
        ]
        return [named, *([] if draft.context.column(named).role in ("date", "year") else year)]
    return [
        ref
        for ref in draft.context.refs()
        if draft.context.column(ref).role in ("date", "year", "month", "moment")
    ]


def _join_alternatives(draft: Draft) -> None:
    """ "em 2014 ou 2015", "janeiro e fevereiro": filters on one column that stand for alternatives become an OR."""
    joined: list[tuple[Condition, ...]] = []
    for clause in draft.where:
        same = joined and len(clause) == 1 and clause[0].words and joined[-1][0].words
        listed = same and joined[-1][-1].ref == clause[0].ref and clause[0].op in ("=", "in", "between")
        outside = same and joined[-1][-1].ref == clause[0].ref and _apart(joined[-1][-1], clause[0])
        if same and (listed or outside):
            joined[-1] = (*joined[-1], *clause)
            if not any(item.is_op == "or" for item in draft.items):
                joined[-1] = tuple(replace(part, every=True) for part in joined[-1])
        else:
            joined.append(clause)
    draft.where = joined


def _apart(left: Condition, right: Condition) -> bool:
    """ "> 2013 or < 2008": no value can satisfy both."""
    if not left.values or not right.values or left.other or right.other:
        return False
    a, b = left.values[0], right.values[0]
    if not (isinstance(a, int | float | str) and type(a) is type(b)):
        return False
    if left.op in (">", ">=") and right.op in ("<", "<="):
        return str(b) <= str(a) if isinstance(a, str) else float(b) <= float(a)  # type: ignore[arg-type]
    if left.op in ("<", "<=") and right.op in (">", ">="):
        return str(a) <= str(b) if isinstance(a, str) else float(a) <= float(b)  # type: ignore[arg-type]
    return False


# --- numbers ---------------------------------------------------------------------------------------


def read_amounts(draft: Draft) -> None:
    """Numbers become comparisons, limits of a ranking, or equalities with the column beside them."""
    for position, item in enumerate(draft.items):
        if item.amount is None or not draft.free(position):
            continue
        if (
            _read_limit(draft, position)
            or _read_between(draft, position)
            or _read_comparison(draft, position)
        ):
            continue
        _read_equal(draft, position)
    _read_average_comparisons(draft)
    _read_column_comparisons(draft)


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
    return _compare(draft, position - 1, step, "between", values, "")


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
    return _compare(draft, position, position + 1, "between", (first.amount.value, second.amount.value), "")


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
        if not draft.close(*sorted((position, position + offset)), 0 if offset != 1 else 1):
            continue
        argument: Comparison = other.op.argument if other.op.argument in (">", "<", ">=", "<=", "=") else "<="  # type: ignore[assignment]
        draft.role |= {position + offset: "comparison", position: "number"}
        first, last = min(position, position + offset), max(position, position + offset)
        return _compare(draft, first, last, argument, (amount.value,), other.op.implied)
    return False


def _compare(
    draft: Draft, first: int, last: int, op: Comparison, values: tuple[Value, ...], implied: str
) -> bool:
    """Attach a comparison over items [first, last] to its column, or to a count of rows."""
    times = _says_times(draft, last)
    ref, label = (None, None) if times else _compared_column(draft, first, last, values, implied)
    if ref is None:
        table = 0 if times else _counted_table(draft, first, last)
        if table is not None:
            draft.count_having.append((table, _maybe_flipped(draft, op, first), values))
            return True
        draft.guess(0.3, "a number that compares nothing")
        return False
    if label is not None and draft.free(label):
        draft.role[label] = "label"
    aggregate = _aggregate_before(draft, label) if label is not None else ""
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
        if before.ref == last.ref and _apart(before, last):
            every = not any(item.is_op == "or" for item in draft.items)
            draft.where[-2:] = [tuple(replace(c, every=every) for c in (*draft.where[-2], last))]


def _maybe_flipped(draft: Draft, op: Comparison, first: int) -> Comparison:
    return _FLIPPED[op] if negated(draft, first) else op


def _aggregate_before(draft: Draft, label: int) -> str:
    """ "average life expectancy longer than 72" compares the average of a group."""
    item, at = draft.at(label - 1), label - 1
    after = draft.at(label + 1)
    if after is not None and after.is_op in ("avg", "sum") and draft.close(label, label + 1):
        item, at = after, label + 1  # "expectativa de vida média superior a 72"
    grouped = any(
        other.is_op == "group" and other.op is not None and other.op.argument != "by" for other in draft.items
    )
    if (
        item is not None
        and item.is_op in ("avg", "sum")
        and draft.free(at)
        and draft.close(*sorted((at, label)))
    ):
        if grouped or sum(other.is_op == item.is_op for other in draft.items) > 1:
            draft.role[at] = "having"
            return item.is_op
    return ""


def _compared_column(
    draft: Draft, first: int, last: int, values: tuple[Value, ...], implied: str
) -> tuple[Ref | None, int | None]:
    inside = next((i for i in range(first, last + 1) if draft.numeric(i) is not None), None)
    if inside is not None:
        return draft.ref(inside), inside
    before, after = draft.skip(first, -1, ("not", "which", "without")), last + 1
    postponed = draft.at(before)
    if postponed is not None and postponed.is_op in ("avg", "sum") and draft.numeric(before - 1) is not None:
        if draft.close(before - 1, before):
            return draft.numeric(before - 1), before - 1
    left = (draft.ref(before) or draft.numeric(before)) if draft.close(before, first, 1) else None
    left = left if left is not None and draft.comparable(left) and not _is_id(draft, left) else None
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
    return _only_measure(draft, values)


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


def _only_measure(draft: Draft, values: tuple[Value, ...]) -> tuple[Ref | None, int | None]:
    """No column is named: the only one with the number's unit, or the only measure."""
    units = {
        a.unit for item in draft.items if (a := item.amount) is not None and a.value in values and a.unit
    }
    measures = [r for r in draft.context.refs() if draft.context.column(r).role == "measure"]
    by_unit = [r for r in measures if draft.context.column(r).unit in units] if units else []
    chosen = by_unit if len(by_unit) == 1 else measures if len(measures) == 1 else []
    if not chosen:
        return None, None
    draft.guess(0.8, "comparison without a column")
    return chosen[0], None


def _counted_table(draft: Draft, first: int, last: int) -> int | None:
    """ "more than 3 orders": the rows of a table are counted."""
    for position in (last + 1, last + 2):
        item = draft.at(position)
        if item is not None and item.kind == "table" and item.mention is not None and draft.free(position):
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


def _read_equal(draft: Draft, position: int) -> None:
    """A number beside a column: "nível 1", "version number 5", "code 204"."""
    item = draft.items[position]
    if item.amount is None or item.kind == "period":
        return
    for candidate in (draft.skip(position, -1, ("not", "compare", "or", "and")), position + 1):
        ref = draft.ref(candidate) or _named_by_key(draft, candidate)
        if (
            ref is None
            or not draft.close(*sorted((candidate, position)), 0)
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


def _read_average_comparisons(draft: Draft) -> None:
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
            ref = _only_measure(draft, ())[0]
        if ref is None:
            continue
        op: Comparison = item.op.argument  # type: ignore[assignment]
        draft.where.append((Condition(ref, op, average=True),))
        draft.role |= {position: "comparison", nested: "comparison"}
        for i in (before, after):
            if draft.ref(i) == ref and draft.free(i) and draft.close(*sorted((position, i)), 2):
                draft.role[i] = "label"


def _read_column_comparisons(draft: Draft) -> None:
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


def read_flags(draft: Draft) -> None:
    """ "clientes ativos", "official languages": a column of yes and no named as a quality must say yes."""
    for position, item in enumerate(draft.items):
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
