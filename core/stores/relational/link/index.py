"""An index of one table's names and values, built once: which word points to which column or cell."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from core.normalize import fold
from core.stores.relational.profile import ColumnProfile, TableProfile
from core.stores.relational.wording.lexicon import FUNCTION_WORDS, LONGEST_PHRASE, concepts_of, exact_concepts
from core.stores.relational.wording.periods import periods
from core.stores.relational.wording.places import place_keys
from core.stores.relational.wording.words import (
    cell_words,
    deed_roots,
    deletions,
    light_stem,
    name_words,
    singular,
    snowball_keys,
    tokenize,
    word_set,
)

_T = TypeVar("_T")

# trust in a match, from a word to another
SAME, STEMMED, SYNONYM, TYPO, SHORTENED = 1.0, 0.92, 0.9, 0.8, 0.75
_LIGHT_WORDS = {
    "num": 0.3, "number": 0.35, "numero": 0.35, "nr": 0.3, "no": 0.2, "code": 0.6, "codigo": 0.6, "cod": 0.6,
    "id": 0.6, "millions": 0.2, "milhoes": 0.2, "thousands": 0.2, "mil": 0.2, "atual": 0.3, "current": 0.3, "name": 0.7, "nome": 0.7, "total": 0.5, "valor": 0.6, "value": 0.6, "details": 0.8,
    "description": 0.9, "if": 0.2, "is": 0.2, "has": 0.2, "original": 0.4, "made": 0.3,
}  # fmt: skip
_BRACKETS = re.compile(r"\(([^)]*)\)")
BRACKET_WEIGHT = 0.2
_VAGUE_TABLE_WORDS = word_set(
    "tabela planilha dados base arquivo lista relatorio controle cadastro export exportacao sheet planilha1 plan table data list report file final novo nova v copia geral sheet1 por de ref"
)


@lru_cache(maxsize=65536)
def word_keys(word: str) -> tuple[tuple[str, float], ...]:
    """Keys under which a word meets others, with the trust each deserves."""
    keys = [(f"w:{light_stem(word)}", SAME)]
    keys += [(key, STEMMED) for key in snowball_keys(word)]
    keys += [(concept.key, SYNONYM) for concept in concepts_of((word,))]
    return tuple(keys)


@dataclass(frozen=True, slots=True)
class NameHit:
    """A question word that points to words of a header (or of the table's name, column -1)."""

    column: int
    words: tuple[int, ...]  # positions in the header's words
    trust: float


@dataclass(frozen=True, slots=True)
class CellHit:
    """A stored value that a span of the question names."""

    column: int
    value: str


@dataclass(frozen=True, slots=True)
class TableIndex:
    """Look-ups of one table. All maps are read only."""

    words: tuple[tuple[str, ...], ...]  # a column's words that count, by column
    weights: tuple[tuple[float, ...], ...]  # their weights
    name: tuple[str, ...]  # words of the table's name that count
    name_parts: tuple[
        frozenset[int], ...
    ]  # positions among them of the sheet's, the caption's, the file name's words
    names: Mapping[str, tuple[NameHit, ...]]  # key -> hits on headers and on the table's name
    misspelt: Mapping[str, tuple[tuple[str, NameHit], ...]]  # deletion -> (header word, hit)
    moments: Mapping[tuple[int, ...], tuple[tuple[int, int | None, tuple[int, ...]], ...]]
    cells: Mapping[str, tuple[CellHit, ...]]  # folded words -> values
    stems: Mapping[str, tuple[CellHit, ...]]  # stemmed words -> values
    meanings: Mapping[str, tuple[CellHit, ...]]  # place or concept key -> values
    parts: Mapping[str, tuple[CellHit, ...]]  # one stemmed word -> values that hold it
    relational: frozenset[
        int
    ]  # columns whose header says how things are related: "directed by", "lost in battle"
    slips: Mapping[str, tuple[str, ...]]  # deletion -> words of values
    shortened: Mapping[str, tuple[tuple[str, NameHit], ...]]  # three letters -> (header word, hit), by column
    units: Mapping[str, int]  # folded unit -> the one column measured in it
    longest: int  # words in the longest value


def build_index(profile: TableProfile, named: tuple[tuple[str, ...], ...]) -> TableIndex:
    """Index a table under the words of its name in the view: of its sheet, caption and file name."""
    name = tuple(dict.fromkeys(word for part in named for word in part))
    called = tuple(
        word for word in name if word not in _VAGUE_TABLE_WORDS and not word.isdigit() and len(word) > 1
    )
    called = tuple(word for word in called if word not in FUNCTION_WORDS)
    words = tuple(_header_words(column) for column in profile.columns)
    weights = tuple(
        _weights(column, header, called) for column, header in zip(profile.columns, words, strict=True)
    )
    cells, stems, meanings, parts, longest = _cells(profile.columns)
    names, misspelt = _names([*words], called)
    return TableIndex(
        words, weights, called, _positions(called, named), names, misspelt, _moments(words), cells, stems, meanings, parts, _relational(profile),
        _slips(_part_words(parts)), _beginnings(words), _units(profile), longest,
    )  # fmt: skip


def _beginnings(headers: tuple[tuple[str, ...], ...]) -> dict[str, tuple[tuple[str, NameHit], ...]]:
    found: dict[str, list[tuple[str, NameHit]]] = defaultdict(list)
    for column, words in enumerate(headers):
        for position, word in enumerate(words):
            if len(word) >= 3:
                found[word[:3]].append((word, NameHit(column, (position,), SHORTENED)))
    return _frozen(found)


def _units(profile: TableProfile) -> dict[str, int]:
    units = [fold(column.unit) for column in profile.columns if column.unit]
    return {
        fold(column.unit): column.position
        for column in profile.columns
        if column.unit and units.count(fold(column.unit)) == 1
    }


def _positions(called: tuple[str, ...], parts: tuple[tuple[str, ...], ...]) -> tuple[frozenset[int], ...]:
    found = (frozenset(i for i, word in enumerate(called) if word in part) for part in parts)
    return tuple(dict.fromkeys(part for part in found if part))


def _header_words(column: ColumnProfile) -> tuple[str, ...]:
    words = tuple(word for word in name_words(column.name) if word not in FUNCTION_WORDS)
    return words or name_words(column.name) or name_words(column.key)


def _weights(column: ColumnProfile, words: tuple[str, ...], called: tuple[str, ...]) -> tuple[float, ...]:
    """How much of a header's meaning each word carries; words of the table's own name carry little."""
    bracketed = {word for inner in _BRACKETS.findall(column.name) for word in name_words(inner)}
    stems = {light_stem(word) for word in called}
    found = []
    for word in words:
        if word in bracketed or len(word) == 1 or word.isdigit():
            found.append(BRACKET_WEIGHT)
        elif light_stem(word) in stems and len(words) > 1:
            found.append(0.3)
        else:
            found.append(_LIGHT_WORDS.get(word, 1.0))
    return tuple(found)


def _names(
    headers: list[tuple[str, ...]], called: tuple[str, ...]
) -> tuple[dict[str, tuple[NameHit, ...]], dict[str, tuple[tuple[str, NameHit], ...]]]:
    names: dict[str, list[NameHit]] = defaultdict(list)
    misspelt: dict[str, list[tuple[str, NameHit]]] = defaultdict(list)
    for column, words in [*enumerate(headers), (-1, called)]:
        for position, word in enumerate(words):
            for key, trust in word_keys(word):
                names[key].append(NameHit(column, (position,), trust))
            for root in deed_roots(word):
                names[f"d:{root}"].append(NameHit(column, (position,), SYNONYM))
            if len(word) >= 5:
                hit = NameHit(column, (position,), TYPO)
                for part in deletions(word):
                    misspelt[part].append((word, hit))
        for size in range(2, LONGEST_PHRASE + 1):
            for start in range(len(words) - size + 1):
                span = tuple(range(start, start + size))
                for concept in concepts_of(words[start : start + size]):
                    names[concept.key].append(NameHit(column, span, SYNONYM))
    return _frozen(names), _frozen(misspelt)


def _moments(
    headers: tuple[tuple[str, ...], ...],
) -> dict[tuple[int, ...], tuple[tuple[int, int | None, tuple[int, ...]], ...]]:
    """Months that headers name ("Meta 1º semestre") -> (column, year, positions of those words)."""
    found: dict[tuple[int, ...], list[tuple[int, int | None, tuple[int, ...]]]] = defaultdict(list)
    for column, words in enumerate(headers):
        text = " ".join(words)
        for period in periods(text, tokenize(text), ""):
            if period.months:
                found[period.months].append((column, period.year, tuple(range(period.start, period.end))))
    return {months: tuple(hits) for months, hits in found.items()}


def _cells(
    columns: tuple[ColumnProfile, ...],
) -> tuple[
    dict[str, tuple[CellHit, ...]],
    dict[str, tuple[CellHit, ...]],
    dict[str, tuple[CellHit, ...]],
    dict[str, tuple[CellHit, ...]],
    int,
]:
    cells: dict[str, list[CellHit]] = defaultdict(list)
    stems: dict[str, list[CellHit]] = defaultdict(list)
    meanings: dict[str, list[CellHit]] = defaultdict(list)
    parts: dict[str, list[CellHit]] = defaultdict(list)
    longest = 0
    for column in columns:
        for value, _ in column.values:
            words, hit = cell_words(value), CellHit(column.position, value)
            if not words:
                continue
            longest = max(longest, len(words))
            cells[" ".join(words)].append(hit)
            stems[" ".join(value_stem(word) for word in words)].append(hit)
            if 2 <= len(words) <= 5 and not FUNCTION_WORDS & set(words):
                stems[bag(words)].append(hit)
            for key in _meanings(words):
                meanings[key].append(hit)
            if len(words) == 1 and column.role == "category" and column.different <= _FEW:
                for key in snowball_keys(words[0]):
                    meanings[key].append(hit)
            for word in dict.fromkeys(value_stem(word) for word in words if word not in FUNCTION_WORDS):
                parts[word].append(hit)
    return _frozen(cells), _frozen(stems), _frozen(meanings), _frozen(parts), min(longest, 12)


def bag(words: tuple[str, ...]) -> str:
    """Stems in alphabetical order: "África Central" and "Central Africa" are one bag."""
    content = [light_stem(word) for word in words if word not in FUNCTION_WORDS]
    if len(content) < 2:
        return ""
    return "~ " + " ".join(sorted(content))


def value_stem(word: str) -> str:
    """A cell's word without plural; without grammatical gender only when it is long enough to be an adjective."""
    bare = singular(word)
    return light_stem(word) if len(bare) >= _LONG_ENOUGH else bare


_FEW = 30  # values of a column whose words may be conjugated: "cancelou" for "Cancelada"
_LONG_ENOUGH = 6  # letters


def _relational(profile: TableProfile) -> frozenset[int]:
    linking = {"by", "por", "in", "em", "from", "to", "at", "no", "na"}
    return frozenset(column.position for column in profile.columns if linking & set(name_words(column.name)))


def _meanings(words: tuple[str, ...]) -> tuple[str, ...]:
    """Keys of what a whole value means: a place, a language, a concept of the lexicon."""
    if len(words) > 4:
        return ()
    return (*place_keys(words), *word_meanings(words))


def word_meanings(words: tuple[str, ...]) -> tuple[str, ...]:
    """Concepts that exactly these words name, without stemming: "Gent" is no "gente"."""
    return tuple(concept.key for concept in exact_concepts(words))


def _part_words(parts: Mapping[str, tuple[CellHit, ...]]) -> tuple[str, ...]:
    return tuple(word for word in parts if len(word) >= 5 and not word[0].isdigit())


def _slips(words: Iterable[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = defaultdict(list)
    for word in words:
        for part in deletions(word):
            found[part].append(word)
    return {part: tuple(held) for part, held in found.items()}


def _frozen(found: Mapping[str, list[_T]]) -> dict[str, tuple[_T, ...]]:
    return {key: tuple(held) for key, held in found.items()}
