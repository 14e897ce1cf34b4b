"""Choosing which units to quote, and joining them into quotations."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from core.answer.units import Unit, units_of
from core.harmless import fenceless
from core.types import Passage

FOLLOWING = 2  # sentences that complete an item
ENOUGH = 0.7  # a further sentence must score this share of the best
_SPACE = re.compile(r"\s+")
_MARKS = re.compile(r"^\s*(?:#{1,6}\s+|[-*•‣▪]\s+|>\s+)")


@dataclass(frozen=True, slots=True)
class Quote:
    """Neighbouring units of one passage, as they stand."""

    passage: Passage
    texts: tuple[str, ...]
    score: float
    entries: bool = False  # rows or list items, which need a mark between them


def choose(units: Sequence[Unit], *, sentences: int, characters: int) -> tuple[Quote, ...]:
    """The best units that add something, then neighbours that complete them, within a length.

    Args:
        units: best first.
        sentences: units at most, completions not counted.
        characters: length of all quoted text together; the best unit always fits.
    """
    chosen: list[Unit] = []
    length = 0
    for unit in units:
        if len(chosen) >= sentences or (chosen and unit.score < ENOUGH * units[0].score):
            break
        if _repeats(unit, chosen) or (chosen and length + len(unit.text) > characters):
            continue
        chosen.append(unit)
        length += len(unit.text)
    return _grouped(_completed(chosen, characters - length))


def _repeats(unit: Unit, chosen: Sequence[Unit]) -> bool:
    """A sentence that says what another one already says, word for word but for spaces and case."""
    flat = _flat(unit.text)
    return any(flat in _flat(other.text) or _flat(other.text) in flat for other in chosen)


def _flat(text: str) -> str:
    return _SPACE.sub(" ", text).strip(" .;:").casefold()


def _completed(chosen: Sequence[Unit], room: int) -> list[Unit]:
    """Add what a chosen unit leaves open: the items that "...:" announces, the rest of a numbered item."""
    result = {unit.key: unit for unit in chosen}
    for unit in chosen:
        for follower in _followers(unit):
            if follower.key in result:
                continue
            if len(follower.text) > room:
                break
            room -= len(follower.text)
            result[follower.key] = follower
    return list(result.values())


def _followers(unit: Unit) -> list[Unit]:
    """Units that belong to this one: an announced list; else the sentence it leans on and two more of its line."""
    text, spans = unit.passage.text, units_of(unit.passage)
    every = [Unit(unit.passage, start, end, index, unit.score) for index, (start, end) in enumerate(spans)]
    rest = every[unit.index + 1 :]
    if unit.opens_list:
        items = list(takewhile(lambda follower: follower.is_item, rest))
        return items or rest[:1]
    line_end = text.find("\n", unit.end)
    same_line = [u for u in rest if line_end < 0 or u.start < line_end]
    before = every[unit.index - 1 : unit.index] if unit.leans_back and unit.index else []
    return before + (same_line[:FOLLOWING] if not unit.is_inner else [])


def _grouped(units: Sequence[Unit]) -> tuple[Quote, ...]:
    """One quote per passage, in the order of the best unit; units in reading order."""
    by_passage: dict[str, list[Unit]] = {}
    for unit in sorted(units, key=lambda u: (-u.score, u.passage.rank, u.passage.chunk_id, u.index)):
        by_passage.setdefault(unit.passage.chunk_id, []).append(unit)
    return tuple(
        Quote(
            group[0].passage,
            tuple(unit.text for unit in sorted(group, key=lambda u: u.index)),
            max(unit.score for unit in group),
            all(unit.is_entry for unit in group),
        )
        for group in by_passage.values()
    )


def quoted(texts: Sequence[str], *, entries: bool = False) -> str:
    """Units as one running quotation: line breaks, list marks and code fences undone.

    Args: entries: put a slash between them.
    """
    cleaned = [_SPACE.sub(" ", _MARKS.sub("", text)).strip() for text in texts]
    joined = (" / " if entries else " ").join(text for text in cleaned if text)
    return fenceless(joined).replace("“", "‘").replace("”", "’").replace('"', "'")
