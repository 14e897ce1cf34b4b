"""A plan in the making, and how to look around in the row of items.

A draft is filled step by step; each guess that the words do not settle costs trust. Nothing here is remembered
between questions.
"""

from dataclasses import dataclass, field, replace

from core.stores.relational.link.items import Item
from core.stores.relational.link.question import Question
from core.stores.relational.plan.model import Comparison, Condition, Context, Having, Ref
from core.stores.relational.profile import MONEY
from core.stores.relational.wording.lexicon import concepts_of
from core.types import Value

FLIPPED: dict[str, Comparison] = {">": "<=", "<": ">=", ">=": "<", "<=": ">", "=": "!=", "!=": "=", "in": "not in",
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
        first, second = self.at(min(left, right)), self.at(max(left, right))
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
        if not found and word == "length":  # a long call lasts
            return self.by_concept("duration")
        if not found and word == "price":  # what is cheap is said of a rent, a fee, a fare
            money = [ref for ref in self.context.refs() if self.context.column(ref).unit in MONEY]
            if money:
                self.guess(0.85, "the first column in money")
                return money[0]
        return min(found, default=(0, 0, None))[2]


def negated(draft: Draft, position: int) -> bool:
    """Is the item under a "not", "except", "other than" that nothing else has used?"""
    back = position - 1
    while back >= 0 and (item := draft.at(back)) is not None:
        denies = item.is_op in ("not", "without") or (back == position - 1 and _all_less(draft, back))
        if denies and draft.role.get(back, "negation") == "negation":
            draft.role[back] = "negation"
            return True
        if draft.role.get(back) in ("flag", "number", "period", "value"):
            return False  # a condition of its own, which may have used the negation
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


def _all_less(draft: Draft, position: int) -> bool:
    """ "todos os serviços menos banho e tosa": after "all", "menos" before a value leaves it out."""
    item, tokens = draft.items[position], draft.question.tokens
    if tokens[item.start].text not in ("menos", "minus", "less", "but") or not draft.close(
        position, position + 1
    ):
        return False
    return any(token.text in _ALL for token in tokens[: item.start])


_ALL = frozenset(["todo", "toda", "todos", "todas", "tudo", "all", "every", "everything"])


def flip(condition: Condition) -> Condition:
    return replace(condition, op=FLIPPED.get(condition.op, condition.op))


def apart(left: Condition, right: Condition) -> bool:
    """ "> 2013 or < 2008": no value can satisfy both."""
    if not left.values or not right.values or left.other or right.other:
        return False
    a, b = left.values[0], right.values[0]
    if not (isinstance(a, int | float | str) and type(a) is type(b)):
        return False
    if left.op in (">", ">=") and right.op in ("<", "<="):
        return str(b) <= str(a) if isinstance(a, str) else float(b) <= float(a)
    if left.op in ("<", "<=") and right.op in (">", ">="):
        return str(a) <= str(b) if isinstance(a, str) else float(a) <= float(b)
    return False
