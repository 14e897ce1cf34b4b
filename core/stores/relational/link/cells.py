"""Spans that name a stored value: spelled out, inflected, translated, quoted, or a part of a longer one."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from core.stores.relational.link.index import (
    SYNONYM,
    TYPO,
    CellHit,
    TableIndex,
    bag,
    value_stem,
    word_meanings,
)
from core.stores.relational.link.names import letters_less, neighbours
from core.stores.relational.link.question import Mention, Question
from core.stores.relational.profile import ColumnProfile, TableProfile
from core.stores.relational.wording.lexicon import FUNCTION_WORDS
from core.stores.relational.wording.places import place_keys
from core.stores.relational.wording.words import near, snowball_keys, tokenize

_SHORT_CODE = 4  # letters; shorter words are not inflected into a value ("area" is not the code ARE)
_MANY_PARTS = 12  # a word that this many values hold names none of them


def value_mentions(
    question: Question, profile: TableProfile, index: TableIndex, table: int
) -> Iterable[Mention]:
    whole: list[Mention] = []
    for position, token in enumerate(question.tokens):
        if token.kind == "quoted":
            whole += _quoted(question, index, table, position)
    cells, stems, meanings, longest = index.cells, index.stems, index.meanings, index.longest
    for start, end, words in question.spans:
        if end - start > longest:
            continue
        keys = _keys(words)
        if (
            keys.exact in cells
            or keys.stemmed in stems
            or keys.shuffled in stems
            or any(key in meanings for key in keys.every)
        ):
            whole += _spelled(question, profile, index, table, start, end, words)
    covered = {i for m in whole if not m.weak and m.score >= 0.9 for i in range(m.start, m.end)}
    yield from whole
    yield from _partial(question, profile, index, table, covered)


def _spelled(
    question: Question,
    profile: TableProfile,
    index: TableIndex,
    table: int,
    start: int,
    end: int,
    words: tuple[str, ...],
) -> list[Mention]:
    """Values that a span spells out, inflects or translates."""
    keys = _keys(words)
    if keys.grammar and not (end - start == 1 and _written_as_code(question, start)):
        return []
    for key, score in ((keys.exact, 1.0), (keys.stemmed, 0.93), (keys.shuffled, 0.9)):
        hits = index.cells.get(key, ()) if score == 1.0 else index.stems.get(key, ()) if key else ()
        if hits:
            return _grouped(question, profile, hits, table, start, end, score)
    if not keys.meant:
        return []
    known = len(words) == 1 and words[0] in question.carriers
    for group, score in zip(keys.meant, (0.9, 0.8, 0.8), strict=True):
        if known and score < 0.9:
            break
        hits = tuple(dict.fromkeys(hit for key in group for hit in index.meanings.get(key, ())))
        if hits:
            return _grouped(question, profile, hits, table, start, end, score)
    return []


def _written_as_code(question: Question, position: int) -> bool:
    """A word of grammar in capitals is a value: "OS"; a single letter only inside the question ("categoria E")."""
    token = question.tokens[position]
    capital = token.text.upper() == token.raw
    return capital and (len(token.text) > 1 or (position > 0 and not question.text.isupper()))


@dataclass(frozen=True, slots=True)
class _SpanKeys:
    """What a run of words looks like in the maps of an index; empty where it cannot be there."""

    exact: str
    stemmed: str
    shuffled: str
    meant: tuple[tuple[str, ...], ...]  # places and languages; concepts; stems of a single word
    grammar: bool  # only words of grammar
    every: tuple[str, ...]  # all keys of `meant`


@lru_cache(maxsize=16384)
def _keys(words: tuple[str, ...]) -> _SpanKeys:
    inner = words[0] not in FUNCTION_WORDS and words[-1] not in FUNCTION_WORDS and len(words) <= 4
    meant = (
        (place_keys(words), word_meanings(words), snowball_keys(words[0]) if len(words) == 1 else ())
        if inner
        else ()
    )
    return _SpanKeys(
        " ".join(words),
        " ".join(value_stem(word) for word in words) if len(words[0]) >= _SHORT_CODE else "",
        bag(words) if 2 <= len(words) <= 5 else "",
        meant,
        all(word in FUNCTION_WORDS for word in words),
        tuple(key for group in meant for key in group),
    )


def _grouped(
    question: Question,
    profile: TableProfile,
    hits: Iterable[CellHit],
    table: int,
    start: int,
    end: int,
    score: float,
) -> list[Mention]:
    """One mention a column; all spellings of the same value together."""
    by_column: dict[int, list[str]] = defaultdict(list)
    for hit in hits:
        if hit.value not in by_column[hit.column]:
            by_column[hit.column].append(hit.value)
    found = []
    for column, values in sorted(by_column.items()):
        if score < 0.9 and len(values) > 1:
            continue  # a translation that fits several values names none
        weak = _is_weak(question, profile.columns[column], values[0], start, end)
        found.append(Mention("value", start, end, score, table, column, tuple(values), weak))
    return found


def _is_weak(question: Question, column: ColumnProfile, value: str, start: int, end: int) -> bool:
    """A span too common to stand for a value by itself: one letter, a lone number, a word of grammar."""
    token = question.tokens[start]
    if end - start > 1 or token.kind == "quoted":
        return False
    if token.kind == "number":
        return not (len(token.text) >= 5 or token.text.startswith("0"))
    if len(token.text) == 1 or token.text in FUNCTION_WORDS:
        return not (len(value) > 1 and token.raw == value)
    return token.text in question.carriers and token.raw != value


def _quoted(question: Question, index: TableIndex, table: int, position: int) -> list[Mention]:
    """A quoted span: exactly a value, or a value's meaning; otherwise it stays for LIKE."""
    text = question.tokens[position].text
    inner = tuple(token.text for token in tokenize(text))
    found = index.cells.get(" ".join(inner), ())
    score = 1.0
    if not found:
        found = index.stems.get(" ".join(value_stem(word) for word in inner), ())
        score = 0.95
    if not found:
        found = tuple(hit for key in place_keys(inner) for hit in index.meanings.get(key, ()))
        score = 0.9
    if not found:
        found = tuple(hit for key in word_meanings(inner) for hit in index.meanings.get(key, ()))
        score = 0.8
    if not found:
        return []
    by_column: dict[int, list[str]] = defaultdict(list)
    for hit in found:
        by_column[hit.column].append(hit.value)
    return [
        Mention("value", position, position + 1, score, table, column, tuple(dict.fromkeys(values)))
        for column, values in sorted(by_column.items())
    ]


def _partial(
    question: Question, profile: TableProfile, index: TableIndex, table: int, covered: set[int]
) -> Iterable[Mention]:
    """Words that occur inside longer values ("iogurte" in "Iogurte Serrano"), spelled right or nearly."""
    holders: dict[int, tuple[float, dict[tuple[int, str], CellHit]]] = {}
    dated = {i for period in question.periods if period.months for i in range(period.start, period.end)}
    for position, token in enumerate(question.tokens):
        if position in dated and not token.raw[:1].isupper():
            continue  # "em marco" is no part of the name "Marcos Vilela"
        usable = token.kind == "word" and len(token.text) >= 3 and token.text not in question.carriers
        if token.kind == "number" and position not in covered:
            numbered = index.parts.get(token.text, ())
            if numbered and position - 1 in holders:  # "álcool 70" in "Álcool 70% 1 L"
                holders[position] = SYNONYM, {(hit.column, hit.value): hit for hit in numbered}
            continue
        if not usable or position in covered or token.text in FUNCTION_WORDS:
            continue
        trust, hits = SYNONYM, index.parts.get(value_stem(token.text), ())
        if not hits:
            trust, hits = TYPO, _misspelt_cells(token.text, index)
        if hits:
            holders[position] = trust, {(hit.column, hit.value): hit for hit in hits}
    for start, end, trust, shared in _part_runs(question, holders):
        if question.tokens[start].kind == "number":
            continue  # a number alone names nothing
        yield from _part_mentions(question, profile, table, start, end, trust, shared)


def _misspelt_cells(word: str, index: TableIndex) -> tuple[CellHit, ...]:
    targets = dict.fromkeys(target for part in letters_less(word) for target in index.slips.get(part, ()))
    stem = value_stem(word)
    return tuple(hit for target in targets if near(stem, target) for hit in index.parts[target])


def _part_runs(
    question: Question, holders: dict[int, tuple[float, dict[tuple[int, str], CellHit]]]
) -> Iterable[tuple[int, int, float, dict[tuple[int, str], CellHit]]]:
    """Neighbouring words that the same values hold."""
    start, end, trust, shared = -1, -1, 1.0, dict[tuple[int, str], CellHit]()
    for position in sorted(holders):
        here, found = holders[position]
        common = {key: hit for key, hit in shared.items() if key in found}
        if start >= 0 and common and neighbours(question, end, position):
            end, trust, shared = position + 1, min(trust, here), common
            continue
        if start >= 0:
            yield start, end, trust, shared
        start, end, trust, shared = position, position + 1, here, found
    if start >= 0:
        yield start, end, trust, shared


def _part_mentions(
    question: Question,
    profile: TableProfile,
    table: int,
    start: int,
    end: int,
    trust: float,
    shared: dict[tuple[int, str], CellHit],
) -> Iterable[Mention]:
    by_column: dict[int, list[str]] = defaultdict(list)
    for column, value in sorted(shared):
        by_column[column].append(value)
    named = len(question.content(start, end))
    for column, values in by_column.items():
        if len(values) > _MANY_PARTS:
            continue
        length = max(
            1, min(len([w for w in tokenize(value) if w.text not in FUNCTION_WORDS]) for value in values)
        )
        share = min(1.0, named / length)
        if length > 8 and named < 2:
            continue  # one word of a sentence in a cell
        score = trust * (0.55 + 0.35 * share) * (1.0 if len(values) == 1 else 0.85)
        if trust == TYPO and share == 1.0:
            score = TYPO
        yield Mention("value", start, end, score, table, column, tuple(values))
