"""The places in a question that a follow-up can fill anew: dates, numbers, codes, names, prepositional phrases."""

import re
from dataclasses import dataclass

from core.forms import names_of
from core.lexicon import word_set
from core.quantities import codes_of, month_of, numbers_of
from core.tokens import Token, is_content
from core.vocabulary import Vocabulary

PREPOSITION_CLASS = {
    word: name
    for name, words in {
        "in": "em no na nos nas num numa in at on dentro",
        "of": "de do da dos das of from",
        "for": "para pra pro pras pros ao aos for to",
        "with": "com with",
        "by": "por pelo pela pelos pelas by per",
        "without": "sem without",
    }.items()
    for word in words.split()
}
_PERIOD = word_set("mes ano semana trimestre semestre month year week quarter semester")
_WHICH_PERIOD = word_set(
    "passado passada atual anterior seguinte ultimo ultima proximo proxima este esta esse essa neste nesta nesse nessa "
    "deste desta last next this previous current"
)
_DAYS = word_set("hoje ontem amanha today yesterday tomorrow")
_ORDINAL = re.compile(
    r"[1-4][oa]?|primeir[oa]|segund[oa]|terceir[oa]|quart[oa]|first|second|third|fourth|[1-4](?:st|nd|rd|th)"
)


@dataclass(frozen=True, slots=True)
class Slot:
    """A fillable place: tokens start..end (end excluded). Slots of one kind can stand for one another."""

    kind: str  # "month", "year", "quarter", "relative", "day", "code", "number", "name", "column"
    group: str  # of a name: its vocabulary group, "" if unknown
    start: int
    end: int

    @property
    def is_date(self) -> bool:
        return self.kind in _DATES


_DATES = frozenset({"month", "year", "quarter", "relative", "day"})


def slots_of(tokens: tuple[Token, ...], vocabulary: Vocabulary) -> tuple[Slot, ...]:
    """All slots of a question, left to right, never overlapping; dates before names before numbers."""
    found: list[Slot] = []
    taken: set[int] = set()
    for slot in (
        *_date_slots(tokens),
        *_code_slots(tokens),
        *_name_slots(tokens, vocabulary),
        *_number_slots(tokens),
    ):
        if not taken & set(range(slot.start, slot.end)):
            found.append(slot)
            taken |= set(range(slot.start, slot.end))
    return tuple(sorted(found, key=lambda slot: slot.start))


def _date_slots(tokens: tuple[Token, ...]) -> list[Slot]:
    found: list[Slot] = []
    words = [t.word for t in tokens]
    for at, word in enumerate(words):
        before, after = words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else ""
        if word in _PERIOD and (after in _WHICH_PERIOD or before in _WHICH_PERIOD):
            found.append(
                Slot("relative", "", at - (before in _WHICH_PERIOD), at + 1 + (after in _WHICH_PERIOD))
            )
        elif word in {"trimestre", "semestre", "quarter", "semester", "tri"} and _ORDINAL.fullmatch(before):
            found.append(Slot("quarter", "", at - 1, at + 1))
        elif re.fullmatch(r"q[1-4]|[1-4]t", word):
            found.append(Slot("quarter", "", at, at + 1))
        elif month_of(word, before, after):
            found.append(Slot("month", "", at, at + 1))
        elif re.fullmatch(r"(?:19|20)\d\d", word):
            found.append(Slot("year", "", at, at + 1))
        elif (
            re.fullmatch(r"\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}|\d{4}-\d{1,2}-\d{1,2}|\d{1,2}/\d{2,4}", word)
            or word in _DAYS
        ):
            found.append(Slot("day", "", at, at + 1))
    return found


def _name_slots(tokens: tuple[Token, ...], vocabulary: Vocabulary) -> list[Slot]:
    kinds = {"column": "column", "table": "column"}
    return [
        Slot(
            kinds.get(name.kind, "name"),
            "" if name.kind in {"capital", "value", "entity"} and name.group == name.kind else name.group,
            name.start,
            name.end,
        )
        for name in names_of(tokens, vocabulary)
    ]


def _code_slots(tokens: tuple[Token, ...]) -> list[Slot]:
    return [Slot("code", "", at, at + 1) for at, token in enumerate(tokens) if codes_of((token,))]


def _number_slots(tokens: tuple[Token, ...]) -> list[Slot]:
    return [Slot("number", "", at, at + 1) for at, token in enumerate(tokens) if numbers_of((token,))]


def phrase_at(tokens: tuple[Token, ...], at: int) -> int:
    """The end of the prepositional phrase that starts at `at`: up to the next preposition, mark or question word."""
    end = at + 1
    while end < len(tokens) and tokens[end].word not in PREPOSITION_CLASS and not tokens[end].marked:
        end += 1
    while end > at + 1 and not (is_content(tokens[end - 1].word) or tokens[end - 1].raw.isupper()):
        end -= 1
    return end
