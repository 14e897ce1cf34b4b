"""Spans that name a stored value: spelled out, inflected, translated, quoted, or a part of a longer one."""

from collections import defaultdict
from collections.abc import Iterable

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
    tokens = question.tokens
    whole: list[Mention] = []
    for start in range(len(tokens)):
        if tokens[start].kind == "quoted":
            whole += _quoted(question, index, table, start)
            continue
        for end in range(min(len(tokens), start + index.longest), start, -1):
            if any(token.kind == "quoted" for token in tokens[start:end]):
                continue
            whole += _spelled(question, profile, index, table, start, end)
    covered = {i for m in whole if not m.weak and m.score >= 0.9 for i in range(m.start, m.end)}
    yield from whole
    yield from _partial(question, profile, index, table, covered)


def _spelled(
    question: Question, profile: TableProfile, index: TableIndex, table: int, start: int, end: int
) -> list[Mention]:
    """Values that a span spells out, inflects or translates."""
    words = tuple(token.text for token in question.tokens[start:end])
    if all(word in FUNCTION_WORDS for word in words) and not (
        end - start == 1 and words[0].upper() == question.tokens[start].raw and len(words[0]) > 1
    ):
        return []
    exact = index.cells.get(" ".join(words), ())
    if exact:
        return _grouped(question, profile, exact, table, start, end, 1.0)
    stemmed = index.stems.get(" ".join(value_stem(word) for word in words), ())
    if stemmed and len(words[0]) >= _SHORT_CODE:
        return _grouped(question, profile, stemmed, table, start, end, 0.93)
    shuffled = index.stems.get(bag(words), ())
    if shuffled and 2 <= len(words) <= 5:
        return _grouped(question, profile, shuffled, table, start, end, 0.9)
    if words[0] in FUNCTION_WORDS or words[-1] in FUNCTION_WORDS or len(words) > 4:
        return []
    meant = [hit for key in place_keys(words) for hit in index.meanings.get(key, ())]
    score = 0.9
    if not meant and not (len(words) == 1 and words[0] in question.carriers):
        meant = [hit for key in word_meanings(words) for hit in index.meanings.get(key, ())]
        if not meant and len(words) == 1:
            meant = [hit for key in snowball_keys(words[0]) for hit in index.meanings.get(key, ())]
            meant = list(dict.fromkeys(meant))
        score = 0.8
    return _grouped(question, profile, meant, table, start, end, score) if meant else []


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
    for position, token in enumerate(question.tokens):
        usable = token.kind == "word" and len(token.text) >= 3 and token.text not in question.carriers
        if not usable or position in covered or token.text in FUNCTION_WORDS:
            continue
        trust, hits = SYNONYM, index.parts.get(value_stem(token.text), ())
        if not hits:
            trust, hits = TYPO, _misspelt_cells(token.text, index)
        if hits:
            holders[position] = trust, {(hit.column, hit.value): hit for hit in hits}
    for start, end, trust, shared in _part_runs(question, holders):
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
