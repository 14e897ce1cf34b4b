"""Writing a follow-up into the question before: slots swapped, pronouns replaced, fragments appended."""

import re
from dataclasses import replace

from core.asking import Words, asked_length, question_at, request_length
from core.lexicon import GENERIC_NOUNS, LIGHT_VERBS, word_set
from core.slots import PREPOSITION_CLASS, Slot, phrase_at, slots_of
from core.tokens import Token, is_content, tokenize
from core.topics import topic_of
from core.vocabulary import Vocabulary

POINTING = {
    # pronoun -> the preposition it holds
    "isso": "", "isto": "", "ele": "", "ela": "", "eles": "", "elas": "", "it": "", "they": "", "them": "", "this": "", "that": "",
    "these": "", "those": "", "disso": "de", "disto": "de", "dele": "de", "dela": "de", "deles": "de", "delas": "de", "nisso": "em",
    "nisto": "em", "nele": "em", "nela": "em", "neles": "em", "nelas": "em", "its": "of", "their": "of", "theirs": "of",
    "him": "", "her": "", "his": "of", "she": "", "he": "", "aquilo": "", "daquilo": "de",
}  # fmt: skip
_CONDITIONS = word_set("se if caso quando when")
THRESHOLD = word_set(
    "acima abaixo mais menos ate maior menor superior inferior above below over under more less than up least most minimo maximo"
)
VAGUE = word_set(
    "um uma uns o a os as the one ones esse essa este esta mesmo mesma e foi era sao is was were"
)


def content_places(body: Words) -> list[int]:
    return [
        i
        for i, t in enumerate(body)
        if is_content(t.word) and t.word not in LIGHT_VERBS | GENERIC_NOUNS | VAGUE | THRESHOLD
    ]


def only_slots(body: Words, slots: tuple[Slot, ...]) -> bool:
    filled = {at for slot in slots for at in range(slot.start, slot.end)}
    return bool(slots) and set(content_places(body)) <= filled


def swap(body: Words, text: str, previous: str, vocabulary: Vocabulary) -> str | None:
    """The earlier question with the slots of this message in place of its own; None if nothing fits."""
    at = question_at(body)
    rest = body[at + (asked_length(body, at) or request_length(body, at)) :] if at >= 0 else body
    slots = slots_of(rest, vocabulary)
    before = tokenize(previous)
    if only_slots(rest, slots):
        edits = _slot_edits(rest, slots, text, before, previous, vocabulary)
    elif at < 0:
        edit = _swap_phrase(rest, text, before, vocabulary) or _swap_head(rest, text, before)
        edits = [edit] if edit else []
    else:
        edits = []
    return _apply(previous, edits) if edits else None


def _slot_edits(
    rest: Words, slots: tuple[Slot, ...], text: str, before: Words, previous: str, vocabulary: Vocabulary
) -> list[tuple[int, int, str]]:
    targets = list(slots_of(before, vocabulary))
    end = len(previous.rstrip(" ?!."))
    edits: list[tuple[int, int, str]] = []
    for slot in slots:
        grouping = (
            slot.kind == "column" and slot.start and PREPOSITION_CLASS.get(rest[slot.start - 1].word) == "by"
        )
        target = None if grouping else _target(slot, targets)
        if target:
            targets.remove(target)
            edits.append(_edit(rest, slot, before, _widened(slot, target, targets), text))
        else:  # nothing to replace: it narrows the question
            edits.append((end, end, f" {_phrase(rest, slot, text)}"))
    return edits


def _target(slot: Slot, targets: list[Slot]) -> Slot | None:
    """The slot of the earlier question that this one replaces: same kind and column, else same kind, else a date."""
    same = [t for t in targets if t.kind == slot.kind]
    if slot.kind == "name":
        same = [t for t in same if t.group == slot.group] or [t for t in same if not (t.group and slot.group)]
    if same or not slot.is_date:
        return same[-1] if same else None
    if slot.kind in {"year", "month"}:
        return next((t for t in targets if t.kind in {"relative", "day"}), None)
    return next((t for t in targets if t.is_date), None)


def _widened(slot: Slot, target: Slot, targets: list[Slot]) -> Slot:
    """ "março de 2025" gives way as a whole to "mês passado" or a full date."""
    if slot.kind not in {"relative", "day"} or target.kind not in {"month", "quarter"}:
        return target
    year = next((t for t in targets if t.kind == "year" and 0 <= t.start - target.end <= 1), None)
    return replace(target, end=year.end) if year else target


def _edit(rest: Words, slot: Slot, before: Words, target: Slot, text: str) -> tuple[int, int, str]:
    """Where and what to write. Prepositions of one sense and thresholds ("acima de") go along."""
    new_start, old_start = _with_threshold(rest, slot.start), _with_threshold(before, target.start)
    if new_start == slot.start or old_start == target.start:
        new_start, old_start = slot.start, target.start
        new, old = _sense(rest, slot.start), _sense(before, target.start)
        if new and new == old:
            new_start, old_start = slot.start - 1, target.start - 1
    return (
        before[old_start].start,
        before[target.end - 1].end,
        _slice(text, rest[new_start], rest[slot.end - 1]),
    )


def _sense(tokens: Words, start: int) -> str | None:
    return PREPOSITION_CLASS.get(tokens[start - 1].word) if start else None


def _with_threshold(tokens: Words, start: int) -> int:
    """The place where "acima de R$" before a number begins; `start` itself if there is none."""
    at = start
    while at and (
        tokens[at - 1].word in THRESHOLD | {"de", "do", "que", "no", "a", "at"}
        or not tokens[at - 1].word.isalnum()
    ):
        at -= 1
    while at < start and tokens[at].word not in THRESHOLD:
        at += 1
    return at


def _slice(text: str, first: Token, last: Token) -> str:
    return re.sub(r"['’]s$", "", text[first.start : last.end])


def _phrase(rest: Words, slot: Slot, text: str) -> str:
    start = slot.start - 1 if slot.start and rest[slot.start - 1].word in PREPOSITION_CLASS else slot.start
    return _slice(text, rest[start], rest[slot.end - 1])


def _swap_phrase(
    rest: Words, text: str, before: Words, vocabulary: Vocabulary
) -> tuple[int, int, str] | None:
    """ "e para gerentes?" replaces "para estagiários": the last phrase with the same preposition that is no date."""
    start = next((i for i, t in enumerate(rest) if t.word in PREPOSITION_CLASS and i <= 1), None)
    if start is None or rest[0].word in _CONDITIONS:
        return None
    dates = {i for slot in slots_of(before, vocabulary) if slot.is_date for i in range(slot.start, slot.end)}
    for at in range(len(before) - 1, 0, -1):
        end = phrase_at(before, at)
        same = PREPOSITION_CLASS.get(before[at].word) == PREPOSITION_CLASS[rest[start].word]
        if same and end > at + 1 and not dates & set(range(at, end)):
            return before[at].start, before[end - 1].end, _slice(text, rest[start], rest[-1])
    return None


def _swap_head(rest: Words, text: str, before: Words) -> tuple[int, int, str] | None:
    """ "and vacation days?" replaces "sick days": a noun phrase that ends in the same word."""
    nouns = content_places(rest)
    if len(nouns) < 2:
        return None
    last = rest[nouns[-1]].word
    for at, token in enumerate(before):
        if token.word == last and at and is_content(before[at - 1].word):
            start = at
            while start and is_content(before[start - 1].word) and before[start - 1].word not in LIGHT_VERBS:
                start -= 1
            return before[start].start, token.end, _slice(text, rest[nouns[0]], rest[nouns[-1]])
    return None


def _apply(previous: str, edits: list[tuple[int, int, str]]) -> str:
    for start, end, new in sorted(edits, key=lambda edit: -edit[0]):
        previous = previous[:start] + new + previous[end:]
    return previous


def point(text: str, body: Words, pronouns: list[int], previous: str) -> str:
    """Put the earlier topic where the message points at it."""
    topic = topic_of(previous)
    token = body[pronouns[0]]
    following = body[pronouns[0] + 1].word if pronouns[0] + 1 < len(body) else ""
    before_noun = bool(following) and is_content(following) and following not in LIGHT_VERBS
    head, tail = text[body[0].start : token.start], text[token.end :]
    if POINTING[token.word] == "of" or (
        token.word == "her" and before_noun
    ):  # "its price" -> "price of the topic"
        return f"{head}{tail.strip(' ?!.')} of {topic}?"
    if token.word in {"this", "these", "those", "that"} and before_noun:
        return f"{said(text, body)} ({topic})"
    return head + f"{POINTING[token.word]} {topic}".strip() + tail


def said(text: str, body: Words) -> str:
    return text[body[0].start :].rstrip(" ?!.")


def append(text: str, body: Words, previous: str) -> str:
    """A fragment that replaces nothing narrows the earlier question."""
    added = said(text, body)
    joins = body[0].word in PREPOSITION_CLASS or body[0].word in _CONDITIONS
    return f"{previous.rstrip(' ?!.')} {added if joins else f'({added})'}?"
