"""Which tables, and which pairs of linked ones, are worth a plan."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from core.stores.relational.catalog import Catalog
from core.stores.relational.joins import Link
from core.stores.relational.link.index import TableIndex
from core.stores.relational.link.linking import link_table
from core.stores.relational.link.question import Mention, Question
from core.stores.relational.plan.model import Context, Hop, Join, Ref
from core.stores.relational.profile import TableProfile
from core.stores.relational.wording.lexicon import concepts_of
from core.vectors import rounded

SINGLES = 6  # tables that get a plan of their own
PAIRS = 6  # pairs of tables that get a plan
TRIPLES = 3


@dataclass(frozen=True, slots=True)
class _Linked:
    """One table's mentions and how much of the question they explain."""

    table: int
    mentions: tuple[Mention, ...]
    covered: frozenset[int] = field(default=frozenset())


def link_strength(
    question: Question, catalog: Catalog, indexes: Sequence[TableIndex], nearness: Sequence[float]
) -> list[float]:
    """How much of a question each table names, same order; nearness in meaning breaks ties."""
    found = [link_one(question, catalog, indexes, position) for position in range(len(catalog.tables))]
    return [rounded(_strength(linked) + 0.5 * near) for linked, near in zip(found, nearness, strict=True)]


def best_scores(linked: Sequence[_Linked]) -> dict[int, float]:
    """How well any table of the view explains each token."""
    best: dict[int, float] = {}
    for found in linked:
        for mention in found.mentions:
            if not mention.weak:
                for position in range(mention.start, mention.end):
                    best[position] = max(best.get(position, 0.0), mention.score)
    return best


def link_one(question: Question, catalog: Catalog, indexes: Sequence[TableIndex], position: int) -> _Linked:
    mentions = tuple(link_table(question, catalog.tables[position].profile, indexes[position], 0))
    covered = frozenset(
        i for m in mentions if not m.weak and m.score >= 0.3 for i in question.content(m.start, m.end)
    )
    dated = _dated(question, catalog, position)
    return _Linked(position, mentions, covered | _implied(question, catalog, position) | dated)


def _dated(question: Question, catalog: Catalog, position: int) -> frozenset[int]:
    """Months of a table that has them in rows only as another form: "total do primeiro trimestre" means it."""
    if not catalog.tables[position].profile.source:
        return frozenset()
    spans = (range(p.start, p.end) for p in question.periods if p.months)
    return frozenset(i for span in spans for i in span if question.is_content(i))


def _implied(question: Question, catalog: Catalog, position: int) -> frozenset[int]:
    """Operators that imply a column of this table: "oldest" where there is an age."""
    names = {op.implied for op in question.ops if op.implied not in ("", "name", "date")}
    if not names:
        return frozenset()
    columns = catalog.tables[position].profile.columns
    keys = {c.key for column in columns for word in column.words for c in concepts_of((word,))}
    held = {name for name in names if keys & {c.key for c in concepts_of((name,))}}
    return frozenset(i for op in question.ops if op.implied in held for i in range(op.start, op.end))


def single_contexts(
    question: Question, catalog: Catalog, linked: Sequence[_Linked]
) -> list[tuple[Context, list[Mention], tuple[int, ...]]]:
    ranked = sorted((found for found in linked if found.covered), key=lambda f: (-_strength(f), f.table))
    return [
        (Context((catalog.tables[found.table],)), list(found.mentions), (found.table,))
        for found in ranked[:SINGLES]
    ]


def _strength(found: _Linked) -> float:
    best: dict[int, float] = {}
    for mention in found.mentions:
        for position in range(mention.start, mention.end):
            best[position] = max(best.get(position, 0.0), mention.score)
    return rounded(sum(best.get(position, 0.0) for position in found.covered))


def pair_contexts(
    question: Question, catalog: Catalog, linked: Sequence[_Linked], links: Sequence[Link]
) -> list[tuple[Context, list[Mention], tuple[int, ...]]]:
    """Pairs of linked tables that together explain more than each alone."""
    ranked = []
    known = {table.profile.id for table in catalog.tables}
    for link in links:
        if _two_series(catalog.tables[link.many].profile, catalog.tables[link.one].profile, known):
            continue
        many, one = linked[link.many], linked[link.one]
        dated = _in_time(question, catalog, link.many) - _in_time(question, catalog, link.one)
        reach = many.covered | dated  # "hemogramas em fevereiro": the month is of the table with dates
        both = reach | one.covered
        if not reach or not one.covered or both == one.covered == reach:
            continue
        ranked.append((-len(both), -_strength(many) - _strength(one), link))
    ranked.sort(key=lambda entry: (entry[0], entry[1], entry[2].many, entry[2].one, entry[2].column))
    contexts: list[tuple[Context, list[Mention], tuple[int, ...]]] = []
    for _, _, link in ranked[:PAIRS]:
        context = Context((catalog.tables[link.many], catalog.tables[link.one]), Join(link.column, link.key))
        key_spans = {
            (m.start, m.end) for m in linked[link.one].mentions if m.kind == "column" and m.column == link.key
        }
        mine = [
            m
            for m in linked[link.many].mentions
            if not (m.kind == "column" and m.column == link.column and (m.start, m.end) in key_spans)
        ]  # the key is shown from the table that it tells apart
        mentions = [*mine, *(_moved(m, 1) for m in linked[link.one].mentions)]
        contexts.append((context, mentions, (link.many, link.one)))
    return contexts


def _two_series(many: TableProfile, one: TableProfile, known: set[str]) -> bool:
    """Rows by month beside another sheet with its months side by side: neither owns the other."""
    return bool(many.source) and f"{one.id}#long" in known


def triple_contexts(
    question: Question, catalog: Catalog, linked: Sequence[_Linked], links: Sequence[Link]
) -> list[tuple[Context, list[Mention], tuple[int, ...]]]:
    """Three tables: two that one refers to, or a chain, where no two of them explain as much."""
    ranked = []
    for near, far in ((near, far) for near in links for far in links):
        star = near.many == far.many and near.one < far.one
        chain = near.one == far.many and near.many != far.one
        names = (near.many, near.one, far.one)
        if not (star or chain) or len(set(names)) < 3:
            continue
        idle = frozenset(i for i, token in enumerate(question.tokens) if token.text in question.carriers)
        ends = [linked[t].covered - idle for t in (names if star else (near.many, far.one))]
        if not _all_needed(ends, linked[near.one].covered if chain else frozenset()):
            continue
        union = frozenset().union(*(linked[t].covered for t in names))
        ranked.append((-len(union), -sum(_strength(linked[t]) for t in names), names, near, far))
    ranked.sort(key=lambda entry: (entry[0], entry[1], entry[2], entry[3].column, entry[4].column))
    return [_triple(catalog, linked, near, far) for _, _, _, near, far in ranked[:TRIPLES]]


def _all_needed(ends: Sequence[frozenset[int]], between: frozenset[int]) -> bool:
    """Does each table name something that the others do not?"""
    for position, own in enumerate(ends):
        others = frozenset().union(between, *(end for at, end in enumerate(ends) if at != position))
        if not own - others:
            return False
    return True


def _triple(
    catalog: Catalog, linked: Sequence[_Linked], near: Link, far: Link
) -> tuple[Context, list[Mention], tuple[int, ...]]:
    names = (near.many, near.one, far.one)
    hop = Hop(Ref(names.index(far.many), far.column), far.key)
    context = Context(tuple(catalog.tables[t] for t in names), Join(near.column, near.key), hop)
    mentions = [_moved(m, at) for at, table in enumerate(names) for m in linked[table].mentions]
    keys = {
        (m.start, m.end, m.table)
        for m in mentions
        if m.kind == "column" and Ref(m.table, m.column) in _keys(context)
    }
    links = {Ref(0, near.column): 1, hop.many: 2}
    kept = [
        m
        for m in mentions
        if not (m.kind == "column" and (m.start, m.end, links.get(Ref(m.table, m.column), -1)) in keys)
    ]
    return context, kept, names


def _keys(context: Context) -> tuple[Ref | None, ...]:
    return context.key(1), context.key(2)


def _in_time(question: Question, catalog: Catalog, position: int) -> frozenset[int]:
    """The words of periods, where a table has dates or months for them."""
    if not any(c.role in ("date", "moment", "month") for c in catalog.tables[position].profile.columns):
        return frozenset()
    return frozenset(
        i for p in question.periods for i in range(p.start, p.end) if p.months and question.is_content(i)
    )


def _moved(mention: Mention, table: int) -> Mention:
    return Mention(
        mention.kind, mention.start, mention.end, mention.score, table, mention.column, mention.values,
        mention.weak, mention.weight, (), mention.amount,
    )  # fmt: skip
