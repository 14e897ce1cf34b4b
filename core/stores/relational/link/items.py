"""A question as a row of items: operators, columns, tables, values, numbers and periods that do not overlap."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core.stores.relational.link.question import Mention, Question
from core.stores.relational.wording.amounts import Amount, is_article
from core.stores.relational.wording.periods import Period
from core.stores.relational.wording.phrases import SOFT, Op, operators
from core.vectors import rounded

_OP_WEIGHT = 0.95  # an operator against a one-word mention of the same span
_ALSO_NAMES = ("growth", "median")  # their words may as well be a header: "Aumento", "Mediana"
_CLOSE = 0.45  # other readings of a span are kept down to this share of the best


@dataclass(frozen=True, slots=True)
class Item:
    """One item over tokens [start, end)."""

    kind: Literal["op", "column", "table", "value", "amount", "period"]
    start: int
    end: int
    op: Op | None = None
    mention: Mention | None = None
    amount: Amount | None = None
    period: Period | None = None
    column: Mention | None = None  # a column that the words of an operator or a table's name could also name

    @property
    def is_op(self) -> str:
        return self.op.kind if self.op else ""

    @property
    def argument(self) -> str:
        """The operator's argument: a direction, a comparison, "by"; empty for anything else."""
        return self.op.argument if self.op else ""

    @property
    def implied(self) -> str:
        """The concept that the operator implies: "age" of "oldest"."""
        return self.op.implied if self.op else ""


def tile(question: Question, mentions: Sequence[Mention]) -> tuple[Item, ...]:
    """Choose mentions greedily by weight, then operators, numbers and periods in the room that is left.

    A mention takes the words of an operator only when it explains more words than the operator does ("number of
    products" is a column where there is one).
    """
    taken: dict[int, Mention] = {}
    chosen: list[Mention] = []
    for mention in sorted(mentions, key=_preference):
        span = range(mention.start, mention.end)
        if (
            any(i in taken for i in span)
            or _loses_to_operator(question, mention)
            or _in_period(question, mention)
        ):
            continue
        others = _others(mention, mentions)
        best = replace(mention, others=others)
        chosen.append(best)
        taken |= dict.fromkeys(span, best)
    items = [Item(m.kind, m.start, m.end, mention=m, column=_as_column(m, mentions)) for m in chosen]
    items += [
        Item("op", op.start, op.end, op=op, column=_alternative(op, mentions))
        for op in operators(question.tokens, question.language, frozenset(taken) | _dated(question))
    ]
    return tuple(
        sorted([*items, *_quantities(question, items, taken)], key=lambda item: (item.start, item.end))
    )


def _preference(mention: Mention) -> tuple[float, float, int, str, int, int, tuple[str, ...]]:
    kind = 1 if mention.amount else {"value": 0, "table": 2, "column": 3}[mention.kind]
    return (
        -rounded(mention.weight - (0.5 if mention.weak else 0.0)), -rounded(mention.score), mention.start,
        str(kind), mention.table, mention.column, mention.values,
    )  # fmt: skip


def _dated(question: Question) -> frozenset[int]:
    """Tokens of periods of several words: the "last" of "the last quarter of 2024" ranks nothing."""
    return frozenset(
        i
        for period in question.periods
        if period.end - period.start > 1 and period.months and not period.latest
        for i in range(period.start, period.end)
    )


def _in_period(question: Question, mention: Mention) -> bool:
    """ "primeiro trimestre" is a period even where a column is called Trimestre."""
    if mention.kind == "value":
        return False
    for period in question.periods:
        inside = period.start <= mention.start and mention.end <= period.end
        if inside and mention.end - mention.start < period.end - period.start:
            return True
    return False


def _loses_to_operator(question: Question, mention: Mention) -> bool:
    span = range(mention.start, mention.end)
    for op in question.ops:
        inside = [i for i in span if op.start <= i < op.end]
        if not inside or op.kind in ("and", "or", "which"):
            if inside and op.kind in ("and", "or", "which") and mention.kind != "value":
                return True
            continue
        if op.kind in _ALSO_NAMES and mention.kind != "table" and mention.score >= 0.7:
            continue
        beyond = len(question.content(mention.start, mention.end)) - len(
            [i for i in inside if question.is_content(i)]
        )
        if mention.kind == "value" and (beyond > 0 or not mention.weak) and mention.score >= 0.9:
            continue
        if beyond <= 0 or mention.score < 0.7 or mention.kind == "table":
            return True
    return False


def _others(mention: Mention, mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    """Other readings of exactly this span, best first."""
    same = [
        m
        for m in mentions
        if (m.start, m.end) == (mention.start, mention.end)
        and m.kind == mention.kind
        and (m.table, m.column) != (mention.table, mention.column)
        and m.score >= _CLOSE * mention.score
    ]
    return tuple(sorted(same, key=_preference))


def _as_column(mention: Mention, mentions: Sequence[Mention]) -> Mention | None:
    """A column that a table mention's words could also name."""
    if mention.kind == "column":
        return None
    inside = [
        m
        for m in mentions
        if m.kind == "column" and mention.start <= m.start and m.end <= mention.end and m.score >= 0.4
    ]
    best = min(inside, key=_preference, default=None)
    return replace(best, others=_others(best, mentions)) if best is not None else None


def _alternative(op: Op, mentions: Sequence[Mention]) -> Mention | None:
    inside = [
        m
        for m in mentions
        if m.kind == "column" and op.start <= m.start and m.end <= op.end and m.score >= 0.75
    ]
    return min(inside, key=_preference, default=None)


def _quantities(question: Question, items: list[Item], taken: dict[int, Mention]) -> Iterable[Item]:
    free = [i for i in range(len(question.tokens)) if i not in taken]
    for period in question.periods:
        if period.start in free and period.end - 1 in free:
            yield Item("period", period.start, period.end, period=period, amount=_amount_at(question, period))
    covered = {i for period in question.periods for i in range(period.start, period.end)}
    for amount in question.amounts:
        if (
            amount.start in free
            and amount.start not in covered
            and not _is_article_here(question, amount, items)
        ):
            yield Item("amount", amount.start, amount.end, amount=amount)


def _amount_at(question: Question, period: Period) -> Amount | None:
    return next((amount for amount in question.amounts if amount.start == period.start), None)


def _is_article_here(question: Question, amount: Amount, items: list[Item]) -> bool:
    """ "um", "one" count only after a comparison."""
    if not is_article(question.tokens[amount.start]):
        return False
    before = [op for op in question.ops if op.end in (amount.start, amount.start - 1)]
    return not any(op.kind in ("compare", "between") for op in before)


_PER = frozenset(["por", "by", "per", "cada", "each"])
_GROUPING = frozenset(["tipo", "state", "name"])  # soft words that may head a group: "por tipo"


def unlinked(question: Question, items: Sequence[Item]) -> tuple[int, ...]:
    """Tokens that carry meaning and that no item explains."""
    covered = {i for item in items for i in range(item.start, item.end)}
    return tuple(
        i
        for i in range(len(question.tokens))
        if i not in covered and question.is_content(i) and not _says_nothing(question, i)
    )


def _says_nothing(question: Question, position: int) -> bool:
    token = question.tokens[position]
    if token.kind != "word":
        return False
    heads = token.text in _GROUPING and position > 0 and question.tokens[position - 1].text in _PER
    return token.text in question.carriers or len(token.text) == 1 or (token.text in SOFT and not heads)
