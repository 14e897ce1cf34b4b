"""Schema linking: which spans of a question name a table, a column or a stored value, and how surely.

Everything here is arithmetic over folded words: stems, the lexicon, places, slips of the finger. One table is
linked at a time; a plan over two tables puts both lists together.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

from core.stores.relational.amounts import Amount, amounts
from core.stores.relational.index import (
    BRACKET_WEIGHT,
    SHORTENED,
    SYNONYM,
    TYPO,
    CellHit,
    NameHit,
    TableIndex,
    bag,
    value_stem,
    word_keys,
    word_meanings,
)
from core.stores.relational.lexicon import AMOUNT_VERBS, FUNCTION_WORDS, LONGEST_PHRASE, concepts_of
from core.stores.relational.periods import Period, periods
from core.stores.relational.phrases import Op, carriers, operators
from core.stores.relational.places import place_keys
from core.stores.relational.profile import ColumnProfile, TableProfile
from core.stores.relational.words import Token, near, singular, snowball_keys, tokenize
from core.types import Language

MentionKind = Literal["table", "column", "value"]
_LEAST_COLUMN = 0.25  # share of a header's weight that must be named
_LEAST_TABLE = 0.3
_GLUE = FUNCTION_WORDS | frozenset(
    "all todos todas any seu sua seus suas its their diferentes distintos distintas que foram foi which they were was".split()
)  # inside a name
_SHORT_CODE = 4  # letters; shorter words are not inflected into a value ("area" is not the code ARE)
_MANY_PARTS = 12  # a word that this many values hold names none of them


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

    def content(self, start: int, end: int) -> tuple[int, ...]:
        """Positions of tokens that carry meaning; quoted spans count."""
        return tuple(i for i in range(start, end) if self.is_content(i))

    def is_content(self, position: int) -> bool:
        token = self.tokens[position]
        return token.kind == "quoted" or token.text not in FUNCTION_WORDS


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
    return Question(
        text, language, today, tokens, operators(tokens, language), amounts(text, tokens, language),
        periods(text, tokens, today), carriers(language),
    )  # fmt: skip


def link_table(question: Question, profile: TableProfile, index: TableIndex, table: int) -> list[Mention]:
    """All mentions of one table, overlapping ones included; `table` is its position in the context."""
    main = profile.amount
    hits = _name_hits(question, index, main.position if main is not None else None)
    mentions = [
        *_column_mentions(question, profile, index, hits, table),
        *_table_mentions(question, index, hits, table),
        *_value_mentions(question, profile, index, table),
    ]
    return [replace(m, weight=_weight(question, m)) for m in mentions]


def _weight(question: Question, mention: Mention) -> float:
    content = len(question.content(mention.start, mention.end)) or 1
    bonus = 1.15 if mention.kind == "value" and not mention.weak else 1.0
    return mention.score * content * bonus


# --- names --------------------------------------------------------------------------------------


def _name_hits(
    question: Question, index: TableIndex, amount: int | None
) -> dict[int, list[tuple[int, NameHit]]]:
    """Token -> (end of the span, hit). Phrases of the lexicon start at their first word."""
    hits: dict[int, list[tuple[int, NameHit]]] = defaultdict(list)
    content = [
        i for i, token in enumerate(question.tokens) if token.kind == "word" and question.is_content(i)
    ]
    for place, position in enumerate(content):
        word = question.tokens[position].text
        found = [
            (position + 1, replace(hit, trust=min(hit.trust, trust)))
            for key, trust in word_keys(word)
            for hit in index.names.get(key, ())
            if word not in question.carriers or _same_word(index, hit, word)
        ]
        for size in range(2, LONGEST_PHRASE + 1):
            span = content[place : place + size]
            if len(span) == size and span[-1] - position <= size + 2:
                words = tuple(question.tokens[i].text for i in span)
                found += [
                    (span[-1] + 1, hit)
                    for concept in concepts_of(words)
                    for hit in index.names.get(concept.key, ())
                ]
        if not found and word not in question.carriers:
            found = [(position + 1, hit) for hit in _loose_hits(word, index)]
        if not found and word in AMOUNT_VERBS and amount is not None:
            words_at = tuple(range(len(index.words[amount])))
            found = [(position + 1, NameHit(amount, words_at, SHORTENED))]
        if word in ("anos", "years") and position and question.tokens[position - 1].kind == "number":
            found = [
                *found,
                *((position + 1, h) for c in concepts_of(("age",)) for h in index.names.get(c.key, ())),
            ]  # "mais de 50 anos" may be an age
        hits[position] = found
    for period in question.periods:
        for column, year, words_at in index.moments.get(period.months, ()):
            if year is None or period.year is None or year == period.year:
                hits[period.start].append((period.end, NameHit(column, words_at, 1.0)))
    return hits


def _same_word(index: TableIndex, hit: NameHit, word: str) -> bool:
    """A word of grammar names a header only when the header says that very word."""
    words = index.name if hit.column < 0 else index.words[hit.column]
    return all(singular(words[position]) == singular(word) for position in hit.words)


def _loose_hits(word: str, index: TableIndex) -> Iterable[NameHit]:
    """A word that nothing matches: perhaps misspelt, perhaps shortened."""
    seen: set[NameHit] = set()
    for spelling in dict.fromkeys((word, singular(word))):
        for part in _deleted(spelling):
            for target, hit in index.misspelt.get(part, ()):
                if hit not in seen and near(spelling, target):
                    seen.add(hit)
                    yield hit
    if seen or len(word) < 3:
        return
    for column, words in enumerate(index.words):
        for position, target in enumerate(words):
            longer, shorter = max(word, target, key=len), min(word, target, key=len)
            if len(shorter) >= 3 and len(longer) > len(shorter) + 1 and longer.startswith(shorter):
                yield NameHit(column, (position,), SHORTENED)


def _deleted(word: str) -> tuple[str, ...]:
    if len(word) < 5:
        return ()
    return (word, *(word[:i] + word[i + 1 :] for i in range(len(word))))


def _column_mentions(
    question: Question,
    profile: TableProfile,
    index: TableIndex,
    hits: dict[int, list[tuple[int, NameHit]]],
    table: int,
) -> Iterable[Mention]:
    named = {position for position, found in hits.items() if any(hit.column == -1 for _, hit in found)}
    for column in profile.columns:
        for start, end, covered in _runs(question, index, hits, column.position, named):
            weights = index.weights[column.position]
            total = sum(w for i, w in enumerate(weights) if w > BRACKET_WEIGHT or i in covered) or 1.0
            score = sum(weights[word] * trust for word, trust in covered.items()) / total
            if score < _LEAST_COLUMN:
                continue
            amount = column.role == "measure"
            yield Mention("column", start, end, min(1.0, score), table, column.position, amount=amount)
            core = [
                i for i in range(start, end) if _best_hit(hits.get(i, []), column.position, {}) is not None
            ]
            if core and (core[0], core[-1] + 1) != (start, end) and end - core[-1] <= 4:
                shorter = min(1.0, score * 0.98)
                last = max(core[-1] + 1, core[0] + 1)
                yield Mention("column", core[0], last, shorter, table, column.position, amount=amount)


def _runs(
    question: Question,
    index: TableIndex,
    hits: dict[int, list[tuple[int, NameHit]]],
    column: int,
    named: set[int],
    *,
    across_of: bool = True,
) -> Iterable[tuple[int, int, dict[int, float]]]:
    """Maximal runs of neighbouring words that all point to one header; the table's own name may stand between."""
    start, end, covered = -1, -1, dict[int, float]()
    for position in sorted(hits):
        if not hits[position] and question.tokens[position].text in _GLUE:
            continue
        best = _best_hit(hits[position], column, covered)
        joined = start >= 0 and _neighbours(question, end, position)
        if (
            joined
            and column >= 0
            and position >= end
            and column in index.relational
            and _only_named(question, hits, column, start, end)
        ):
            joined = False  # "cartoons directed by": a thing and how it is related, not a name
        if (
            joined
            and column >= 0
            and position > end
            and all(i in named for i in question.content(start, end))
        ):
            joined = False  # "templates of the type": the table, then one of its columns
        if joined and not across_of and any(token.text == "of" for token in question.tokens[end:position]):
            joined = False
        if best is not None and joined:
            end = max(end, best[0])
            covered |= {word: best[1].trust for word in best[1].words}
            continue
        if (
            joined
            and position in named
            and best is None
            and position < end + 3
            and column not in index.relational
        ):
            end_of_name = position + 1
            if _continues(question, hits, column, covered, end_of_name):
                end = end_of_name
                continue
        if start >= 0 and position >= end:
            yield start, end, covered
            start, end, covered = -1, -1, {}
        if start < 0 and (fresh := _best_hit(hits[position], column, {})) is not None:
            start, end = position, fresh[0]
            covered = {word: fresh[1].trust for word in fresh[1].words}
    if start >= 0:
        yield start, end, covered


def _only_named(
    question: Question, hits: dict[int, list[tuple[int, NameHit]]], column: int, start: int, end: int
) -> bool:
    """Has the run so far only words of the table's own name?"""
    return all(any(hit.column == -1 for _, hit in hits.get(i, ())) for i in question.content(start, end))


def _continues(
    question: Question,
    hits: dict[int, list[tuple[int, NameHit]]],
    column: int,
    covered: dict[int, float],
    after: int,
) -> bool:
    later = [position for position in sorted(hits) if position >= after]
    return (
        bool(later)
        and _neighbours(question, after, later[0])
        and _best_hit(hits[later[0]], column, covered) is not None
    )


def _best_hit(
    found: list[tuple[int, NameHit]], column: int, covered: dict[int, float]
) -> tuple[int, NameHit] | None:
    fresh = [
        (end, hit)
        for end, hit in found
        if hit.column == column and not any(word in covered for word in hit.words)
    ]
    return max(fresh, key=lambda pair: (len(pair[1].words), pair[1].trust, pair[0]), default=None)


def _neighbours(question: Question, end: int, position: int) -> bool:
    """Only function words between two tokens, and no comma."""
    if position < end:
        return True
    between = question.tokens[end:position]
    if len(between) > 3 or any(token.text not in _GLUE for token in between):
        return False
    return not any(set(token.gap) & set(",;:?!") for token in question.tokens[end : position + 1])


def _table_mentions(
    question: Question, index: TableIndex, hits: dict[int, list[tuple[int, NameHit]]], table: int
) -> Iterable[Mention]:
    if not index.name:
        return
    for start, end, covered in _runs(question, index, hits, -1, set(), across_of=False):
        whole = (sum(covered.get(i, 0.0) for i in part) / len(part) for part in index.name_parts)
        score = max([sum(covered.values()) / len(index.name), *whole])
        if {0, len(index.name) - 1} & set(covered):  # the head of the name stands first or last
            score = max(score, 0.75 * max(covered.values()))
        if score >= _LEAST_TABLE or (len(covered) == 1 and max(covered.values()) >= SYNONYM):
            yield Mention("table", start, end, min(1.0, max(score, 0.5)), table)


# --- values -------------------------------------------------------------------------------------


def _value_mentions(
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
    targets = dict.fromkeys(target for part in _deleted(word) for target in index.slips.get(part, ()))
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
        if start >= 0 and common and _neighbours(question, end, position):
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
