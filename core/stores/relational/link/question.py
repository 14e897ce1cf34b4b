"""A question cut once for all tables, and what a span of it may name."""

from dataclasses import dataclass, field
from typing import Literal

from core.stores.relational.wording.amounts import Amount, amounts
from core.stores.relational.wording.lexicon import FUNCTION_WORDS
from core.stores.relational.wording.periods import Period, periods
from core.stores.relational.wording.phrases import Op, carriers, operators
from core.stores.relational.wording.words import Token, tokenize
from core.types import Language

_APART = {
    "difference": ("e", "and", "to", "para"),
    "growth": ("e", "and", "to", "para", "a", "ate", "ao", "until"),
}  # words between two periods that are compared, not joined to one
_CODE_WORDS = frozenset(["os", "nos", "na", "as"])  # work orders and the like
LONGEST_SPAN = 12  # words of a cell that a question may spell out
MentionKind = Literal["table", "column", "value"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question cut once, for all tables."""

    text: str
    language: Language
    today: str
    tokens: tuple[Token, ...]
    ops: tuple[Op, ...]
    amounts: tuple[Amount, ...]
    periods: tuple[Period, ...]
    carriers: frozenset[str]  # words of its language that carry no meaning of their own
    spans: tuple[
        tuple[int, int, tuple[str, ...]], ...
    ] = ()  # every run of words that a cell may spell, longest first

    def content(self, start: int, end: int) -> tuple[int, ...]:
        """Positions of tokens that carry meaning; quoted spans count."""
        return tuple(i for i in range(start, end) if self.is_content(i))

    @property
    def priced(self) -> frozenset[int]:
        """Words that only say the money of the number before them."""
        return frozenset(a.end - 1 for a in self.amounts if a.unit and a.end - a.start > 1)

    def is_content(self, position: int) -> bool:
        token = self.tokens[position]
        return token.kind == "quoted" or token.text not in FUNCTION_WORDS or self.names_code(position)

    def names_code(self, position: int) -> bool:
        """A word of grammar that is a header of numbers: "OS" in capitals, or before a long number ("os 1007")."""
        token = self.tokens[position]
        if token.text not in _CODE_WORDS:
            return False
        after = self.tokens[position + 1] if position + 1 < len(self.tokens) else None
        numbered = after is not None and after.kind == "number" and len(after.text) >= 3
        return numbered or (token.raw == token.text.upper() and not self.text.isupper())


@dataclass(frozen=True, slots=True)
class Mention:
    """A span [start, end) that names something of a table. Alternatives are other readings of the same span."""

    kind: MentionKind
    start: int
    end: int
    score: float  # trust, in (0, 1]
    table: int  # position of the table in the plan's context
    column: int = -1
    values: tuple[str, ...] = ()
    weak: bool = False  # needs its column named beside it
    weight: float = 0.0  # score times content words covered; decides between overlapping mentions
    others: tuple["Mention", ...] = field(default=())
    amount: bool = False  # a column of amounts


def read_question(text: str, language: Language, today: str) -> Question:
    """Cut a question into tokens, operators, numbers and periods."""
    tokens = tokenize(text)
    ops = operators(tokens, language)
    apart = next((_APART[op.kind] for op in ops if op.kind in _APART), ())
    return Question(
        text, language, today, tokens, ops, amounts(text, tokens, language),
        periods(text, tokens, today, apart=apart), carriers(language), _spans(tokens),
    )  # fmt: skip


def _spans(tokens: tuple[Token, ...]) -> tuple[tuple[int, int, tuple[str, ...]], ...]:
    """Runs of words without a quoted one, by start, longest first."""
    found = []
    for start in range(len(tokens)):
        for end in range(min(len(tokens), start + LONGEST_SPAN), start, -1):
            if all(token.kind != "quoted" for token in tokens[start:end]):
                found.append((start, end, tuple(token.text for token in tokens[start:end])))
    return tuple(found)
