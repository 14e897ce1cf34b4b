"""Spans that name a header or the table itself: stems, the lexicon, slips of the finger, words spread over a phrase."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from core.stores.relational.link.index import (
    BRACKET_WEIGHT,
    SHORTENED,
    SYNONYM,
    NameHit,
    TableIndex,
    word_keys,
)
from core.stores.relational.link.money import ASKS_PRICE, literal, money_hits
from core.stores.relational.link.question import Mention, Question
from core.stores.relational.profile import TableProfile
from core.stores.relational.wording.lexicon import (
    FUNCTION_WORDS,
    LONGEST_PHRASE,
    UNIT_WORDS,
    concepts_of,
)
from core.stores.relational.wording.words import done_root, near, singular, word_set

_LEAST_COLUMN = 0.25  # share of a header's weight that must be named
_LEAST_TABLE = 0.3
_OF = word_set("of de da do dos das")
_GLUE = FUNCTION_WORDS | word_set(
    "all todos todas any seu sua seus suas its their diferentes distintos distintas que foram foi which they were was"
)  # inside a name


def name_hits(
    question: Question, profile: TableProfile, index: TableIndex
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
        if root := done_root(word):  # "gerou" names the column "Geração"
            found += [(position + 1, hit) for hit in index.names.get(f"d:{root}", ())]
        for size in range(2, LONGEST_PHRASE + 1):
            span = content[place : place + size]
            if len(span) == size and span[-1] - position <= size + 2:
                words = tuple(question.tokens[i].text for i in span)
                found += [
                    (span[-1] + 1, hit)
                    for concept in concepts_of(words)
                    for hit in index.names.get(concept.key, ())
                ]
        if word in ASKS_PRICE:  # "custa" asks for a price as much as for a cost
            found = [(end, replace(hit, trust=min(hit.trust, SYNONYM))) for end, hit in found]
        found = literal(found, index)
        if not found and word not in question.carriers:
            found = [(position + 1, hit) for hit in _loose_hits(word, index)]
        priced = position in question.priced  # the "reais" of "20 reais" says what the number is in
        if not priced and (measured := _in_unit(word, index)) is not None:
            words_at = tuple(range(len(index.words[measured])))
            found = [*found, (position + 1, NameHit(measured, words_at, SHORTENED))]
        if not found:
            found = [(position + 1, hit) for hit in money_hits(word, profile, index)]
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


def _in_unit(word: str, index: TableIndex) -> int | None:
    """The one column measured in a unit that the question names: "quantos hectares"."""
    return index.units.get(UNIT_WORDS.get(word) or UNIT_WORDS.get(singular(word), word))


def _same_word(index: TableIndex, hit: NameHit, word: str) -> bool:
    """A word of grammar names a header only when the header says that very word."""
    words = index.name if hit.column < 0 else index.words[hit.column]
    return all(singular(words[position]) == singular(word) for position in hit.words)


def _loose_hits(word: str, index: TableIndex) -> Iterable[NameHit]:
    """A word that nothing matches: perhaps misspelt, perhaps shortened."""
    seen: set[NameHit] = set()
    for spelling in dict.fromkeys((word, singular(word))):
        for part in letters_less(spelling):
            for target, hit in index.misspelt.get(part, ()):
                if hit not in seen and near(spelling, target):
                    seen.add(hit)
                    yield hit
    if seen or len(word) < 3:
        return
    for target, hit in index.shortened.get(word[:3], ()):
        longer, shorter = max(word, target, key=len), min(word, target, key=len)
        if len(longer) > len(shorter) + 1 and longer.startswith(shorter):
            yield hit


@lru_cache(maxsize=16384)
def letters_less(word: str) -> tuple[str, ...]:
    if len(word) < 5:
        return ()
    return (word, *(word[:i] + word[i + 1 :] for i in range(len(word))))


def column_mentions(
    question: Question,
    profile: TableProfile,
    index: TableIndex,
    hits: dict[int, list[tuple[int, NameHit]]],
    table: int,
) -> Iterable[Mention]:
    named = {position for position, found in hits.items() if any(hit.column == -1 for _, hit in found)}
    hit_columns = {hit.column for found in hits.values() for _, hit in found}
    for column in profile.columns:
        if column.position not in hit_columns:
            continue
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
        joined = start >= 0 and neighbours(question, end, position)
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
            and any(token.text in _OF for token in question.tokens[end:position])
            and all(i in named for i in question.content(start, end))
        ):
            joined = False  # "templates of the type": the table, then one of its columns
        if joined and not across_of and any(token.text == "of" for token in question.tokens[end:position]):
            joined = False
        if best is not None and joined:
            end = max(end, best[0])
            covered |= dict.fromkeys(best[1].words, best[1].trust)
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
            covered = dict.fromkeys(fresh[1].words, fresh[1].trust)
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
        and neighbours(question, after, later[0])
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


def neighbours(question: Question, end: int, position: int) -> bool:
    """Only function words between two tokens, and no comma."""
    if position < end:
        return True
    between = question.tokens[end:position]
    if len(between) > 3 or any(token.text not in _GLUE for token in between):
        return False
    return not any(set(token.gap) & set(",;:?!") for token in question.tokens[end : position + 1])


def table_mentions(
    question: Question, index: TableIndex, hits: dict[int, list[tuple[int, NameHit]]], table: int
) -> Iterable[Mention]:
    if not any(hit.column == -1 for found in hits.values() for _, hit in found):
        return
    for start, end, covered in _runs(question, index, hits, -1, set(), across_of=False):
        whole = (sum(covered.get(i, 0.0) for i in part) / len(part) for part in index.name_parts)
        score = max([sum(covered.values()) / len(index.name), *whole])
        if {0, len(index.name) - 1} & set(covered):  # the head of the name stands first or last
            score = max(score, 0.75 * max(covered.values()))
        if score >= _LEAST_TABLE or (len(covered) == 1 and max(covered.values()) >= SYNONYM):
            yield Mention("table", start, end, min(1.0, max(score, 0.5)), table)
            yield from _single_words(index, hits, start, end, table)


def _single_words(
    index: TableIndex, hits: dict[int, list[tuple[int, NameHit]]], start: int, end: int, table: int
) -> Iterable[Mention]:
    """The head of the name inside a run that other words may break up: "placas diferentes abasteceram"."""
    for position in range(start, end if end - start > 1 else start):
        best = _best_hit(hits.get(position, []), -1, {})
        if best is not None and {0, len(index.name) - 1} & set(best[1].words):
            yield Mention("table", position, position + 1, max(0.75 * best[1].trust, 0.5), table)
