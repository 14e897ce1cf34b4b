"""The planner: link the question to every table of the view, make a plan where slots fill, keep the surest.

A plan's confidence falls with every word that it does not explain, every item that it does not use and every guess
that it had to make. Wrong and confident is worse than no plan.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.stores.relational.asking import negation_left, read_asked
from core.stores.relational.binding import bind, foreign, owned
from core.stores.relational.build import build_sql
from core.stores.relational.catalog import Catalog
from core.stores.relational.compose import compose
from core.stores.relational.index import TableIndex
from core.stores.relational.items import Item, tile, unlinked
from core.stores.relational.joins import Link
from core.stores.relational.lexicon import concepts_of
from core.stores.relational.link import Mention, Question, link_table
from core.stores.relational.plan import Context, Join, Plan, Ref
from core.stores.relational.reading import (
    Draft,
    merge_values,
    read_amounts,
    read_empties,
    read_flags,
    read_patterns,
    read_periods,
    read_values,
)
from core.stores.relational.words import light_stem
from core.vectors import rounded

SINGLES = 6  # tables that get a plan of their own
PAIRS = 6  # pairs of tables that get a plan
_PAIR_TRUST = 0.97
_UNUSED = {
    "value": 0.3, "amount": 0.4, "period": 0.3, "column": 0.6, "table": 0.9, "count": 0.7, "sum": 0.7, "avg": 0.5,
    "max": 0.6, "min": 0.6, "top": 0.5, "bottom": 0.5, "frequent": 0.5, "rare": 0.5, "compare": 0.5,
    "between": 0.5, "group": 0.75, "order": 0.8, "direction": 0.8, "not": 0.4, "without": 0.5, "like": 0.4,
    "null": 0.5, "share": 0.5, "difference": 0.5,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Candidate:
    """A plan in its context, and how sure it is."""

    plan: Plan
    context: Context
    sql: str
    confidence: float
    guesses: tuple[str, ...]
    linked: float  # share of the question's content that its items explain
    values: int
    columns: int
    numeric: bool


@dataclass(frozen=True, slots=True)
class Planned:
    """All candidates, best first, and the strongest linking seen even where no plan was made."""

    candidates: tuple[Candidate, ...] = ()
    linked: float = 0.0
    values: int = 0
    columns: int = 0
    numeric: bool = False

    @property
    def best(self) -> Candidate | None:
        return self.candidates[0] if self.candidates else None

    @property
    def margin(self) -> float:
        """The lead of the best plan over the best one that asks something else."""
        if not self.candidates:
            return 0.0
        first = self.candidates[0]
        rival = next((c for c in self.candidates[1:] if c.sql != first.sql), None)
        return rounded(first.confidence - (rival.confidence if rival else 0.0))


@dataclass(frozen=True, slots=True)
class _Linked:
    """One table's mentions and how much of the question they explain."""

    table: int
    mentions: tuple[Mention, ...]
    covered: frozenset[int] = field(default=frozenset())


def plan_question(
    question: Question,
    catalog: Catalog,
    indexes: Sequence[TableIndex],
    links: Sequence[Link],
    nearness: Sequence[float],
) -> Planned:
    """Plans for a question over the tables of a view.

    Args:
        question: read by `read_question`.
        catalog: the view's tables.
        indexes: of the tables, same order.
        links: between the tables.
        nearness: cosine of the question with the table, same order; breaks ties between tables that fit alike.
    """
    linked = [_linked(question, catalog, indexes, position) for position in range(len(catalog.tables))]
    contexts = [
        *_singles(question, catalog, linked),
        *_pairs(question, catalog, linked, links),
    ]
    best = _best_scores(linked)
    longs = {t.profile.id.split("#long")[0] for t in catalog.tables if t.profile.source}
    bases = frozenset(t.name for t in catalog.tables if t.profile.id in longs)
    candidates: list[Candidate] = []
    seen = Planned()
    for context, mentions, tables in contexts:
        items = tile(question, mentions)
        share = _share(question, items)
        facts = _facts(items, context)
        if share > seen.linked:
            seen = Planned((), share, *facts)
        near = max(nearness[t] for t in tables)
        candidate = _candidate(question, context, items, share, facts, near, best, bases)
        if candidate is not None:
            candidates.append(candidate)
    ordered = tuple(sorted(candidates, key=lambda c: (-c.confidence, c.context.join is not None, c.sql)))
    return Planned(ordered, seen.linked, seen.values, seen.columns, seen.numeric)


def link_strength(
    question: Question, catalog: Catalog, indexes: Sequence[TableIndex], nearness: Sequence[float]
) -> list[float]:
    """How much of a question each table names, same order; nearness in meaning breaks ties."""
    found = [_linked(question, catalog, indexes, position) for position in range(len(catalog.tables))]
    return [rounded(_strength(linked) + 0.5 * near) for linked, near in zip(found, nearness, strict=True)]


def _best_scores(linked: Sequence[_Linked]) -> dict[int, float]:
    """How well any table of the view explains each token."""
    best: dict[int, float] = {}
    for found in linked:
        for mention in found.mentions:
            if not mention.weak:
                for position in range(mention.start, mention.end):
                    best[position] = max(best.get(position, 0.0), mention.score)
    return best


def _against_the_best(question: Question, items: Sequence[Item], best: Mapping[int, float]) -> float:
    """A word that another table explains better is a reason to doubt this one."""
    factor = 1.0
    for item in items:
        if item.mention is not None:
            others = max((best.get(i, 0.0) for i in question.content(item.start, item.end)), default=0.0)
            if others > item.mention.score + 0.05:
                ratio = item.mention.score / others
                factor *= ratio if item.kind in ("table", "value") else 0.4 + 0.6 * ratio
    return factor


def _linked(question: Question, catalog: Catalog, indexes: Sequence[TableIndex], position: int) -> _Linked:
    mentions = tuple(link_table(question, catalog.tables[position].profile, indexes[position], 0))
    covered = frozenset(
        i for m in mentions if not m.weak and m.score >= 0.3 for i in question.content(m.start, m.end)
    )
    return _Linked(position, mentions, covered | _implied(question, catalog, position))


def _implied(question: Question, catalog: Catalog, position: int) -> frozenset[int]:
    """Operators that imply a column of this table: "oldest" where there is an age."""
    names = {op.implied for op in question.ops if op.implied not in ("", "name", "date")}
    if not names:
        return frozenset()
    columns = catalog.tables[position].profile.columns
    keys = {c.key for column in columns for word in column.words for c in concepts_of((word,))}
    held = {name for name in names if keys & {c.key for c in concepts_of((name,))}}
    return frozenset(i for op in question.ops if op.implied in held for i in range(op.start, op.end))


def _singles(
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


def _pairs(
    question: Question, catalog: Catalog, linked: Sequence[_Linked], links: Sequence[Link]
) -> list[tuple[Context, list[Mention], tuple[int, ...]]]:
    """Pairs of linked tables that together explain more than each alone."""
    ranked = []
    for link in links:
        many, one = linked[link.many], linked[link.one]
        both = many.covered | one.covered
        if not many.covered or not one.covered or both == one.covered == many.covered:
            continue
        ranked.append((-len(both), -_strength(many) - _strength(one), link))
    ranked.sort(key=lambda entry: (entry[0], entry[1], entry[2].many, entry[2].one, entry[2].column))
    contexts = []
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
        mentions = [*mine, *(_moved(m) for m in linked[link.one].mentions)]
        contexts.append((context, mentions, (link.many, link.one)))
    return contexts


def _moved(mention: Mention) -> Mention:
    return Mention(
        mention.kind, mention.start, mention.end, mention.score, 1, mention.column, mention.values,
        mention.weak, mention.weight, (), mention.amount,
    )  # fmt: skip


def _share(question: Question, items: Sequence[Item]) -> float:
    """Share of the content words that name a table, column or value here."""
    named = {
        i
        for item in items
        if item.mention is not None and not item.mention.weak
        for i in question.content(item.start, item.end)
    }
    rest = set(unlinked(question, items))
    return rounded(len(named) / len(named | rest)) if named else 0.0


def _facts(items: Sequence[Item], context: Context) -> tuple[int, int, bool]:
    values = sum(
        item.kind == "value" and item.mention is not None and not item.mention.weak for item in items
    )
    columns = [item.mention for item in items if item.kind == "column" and item.mention is not None]
    numeric = any(context.tables[m.table].profile.columns[m.column].role == "measure" for m in columns)
    return values, len({(m.table, m.column) for m in columns}), numeric


def _candidate(
    question: Question,
    context: Context,
    items: tuple[Item, ...],
    share: float,
    facts: tuple[int, int, bool],
    nearness: float,
    best: Mapping[int, float],
    long_bases: frozenset[str],
) -> Candidate | None:
    items = bind(question, items, _measures(context))
    draft = Draft(question, context, items)
    draft.role |= {position: "owner" for position in owned(question, items, _relational(context))}
    for _ in range(foreign(question, items)):
        draft.guess(0.7, "a shared word bound to another table")
    read_links(draft)
    read_absence(draft)
    read_patterns(draft)
    read_empties(draft)
    read_values(draft)
    read_flags(draft)
    read_amounts(draft)
    read_periods(draft)
    merge_values(draft)
    asked = read_asked(draft)
    plan = compose(draft, asked)
    if plan is None:
        return None
    confidence = _confidence(draft, items, best) * (_PAIR_TRUST if context.join else 1.0)
    confidence *= _against_the_best(question, items, best)
    if _says_nothing(plan):
        confidence *= 0.3
    if question.periods and context.tables[0].name in long_bases:
        confidence *= 0.85  # the same table has its months in rows
    if _unfiltered_list(plan) and unlinked(question, items):
        confidence *= 0.75  # everything is listed although something more was said
    confidence = min(1.0, confidence * (1 + 0.02 * nearness))
    return Candidate(
        plan, context, build_sql(plan, context), rounded(confidence), tuple(draft.guesses), share, *facts
    )


def _relational(context: Context) -> frozenset[tuple[int, int]]:
    linking = {"by", "por", "in", "em", "from", "to", "at", "no", "na"}
    return frozenset((r.table, r.column) for r in context.refs() if linking & set(context.column(r).words))


def _measures(context: Context) -> frozenset[tuple[int, int]]:
    return frozenset((r.table, r.column) for r in context.refs() if context.column(r).role == "measure")


def read_links(draft: Draft) -> None:
    """The column that joins two tables is no answer unless its id is asked for: "museum" means the museum itself."""
    if draft.context.join is None:
        return
    for position, item in enumerate(draft.items):
        ref = draft.ref(position)
        if ref is None or ref != Ref(0, draft.context.join.many) or item.mention is None:
            continue
        words = {light_stem(draft.question.tokens[i].text) for i in range(item.start, item.end)}
        if not words & _ID_WORDS and item.mention.score < 0.9:
            draft.role[position] = "link"


_ID_WORDS = frozenset(
    light_stem(word)
    for word in "id ids codigo code codes identificacao identificador numero number matricula".split()
)


def read_absence(draft: Draft) -> None:
    """ "without concerts", "not used by any document": the negated table is the one that refers to the other."""
    if draft.context.join is None:
        return
    for position, item in enumerate(draft.items):
        if item.is_op not in ("not", "without"):
            continue
        step = draft.skip(position, 1, ("without", "not", "and", "count"))
        other = draft.at(step)
        if other is None or other.mention is None or other.kind != "table" or other.mention.table != 0:
            continue
        if draft.close(position, step, 2) and draft.free(step):
            for between in range(position, step):
                draft.role[between] = "absent"
            draft.role[step] = "absent"


def _confidence(draft: Draft, items: tuple[Item, ...], best: Mapping[int, float]) -> float:
    confidence = draft.trust
    for position, item in enumerate(items):
        if draft.free(position):
            confidence *= _unused(draft, item)
        elif item.mention is not None:
            confidence *= 0.7 + 0.3 * min(1.0, item.mention.score / 0.85)
    if negation_left(draft):
        confidence *= 0.6
    question = draft.question
    if _comparison_lost(draft):
        confidence *= 0.5
    if _compared_with_a_thing(draft):
        confidence *= 0.4
    loose = [i for i in unlinked(question, items) if -1 - i not in draft.role]
    for i in loose:
        confidence *= min(_loose_factor(question, i), 0.5 if best.get(i, 0.0) >= 0.8 else 1.0)
    return confidence


def _compared_with_a_thing(draft: Draft) -> bool:
    """ "a smaller population than any country in Asia": compared with other rows, which no slot holds."""
    for position, item in enumerate(draft.items):
        after = draft.at(position + 1)
        if (
            item.is_op == "compare"
            and after is not None
            and after.kind == "table"
            and draft.role.get(position + 1) != "counted"
        ):
            tokens = draft.question.tokens
            if item.op is not None and tokens[item.op.end - 1].text in ("than", "que"):
                return True
    return False


def _comparison_lost(draft: Draft) -> bool:
    """A "than" or "do que" that no comparison has used."""
    tokens = draft.question.tokens
    used = {i for p, item in enumerate(draft.items) if not draft.free(p) for i in range(item.start, item.end)}
    for i, token in enumerate(tokens):
        than = token.text == "than" or (token.text == "que" and i > 0 and tokens[i - 1].text == "do")
        if than and i not in used:
            return True
    return False


def _unused(draft: Draft, item: Item) -> float:
    kind = item.is_op or item.kind
    if item.op is not None and item.op.kind == "without":
        return 0.9 if draft.question.tokens[item.op.start].text in ("any", "algum", "no") else 0.5
    return _UNUSED.get(kind, 1.0)


def _loose_factor(question: Question, position: int) -> float:
    """What an unexplained word costs: a name or a number may be a filter that the plan ignores."""
    token = question.tokens[position]
    if token.kind == "quoted":
        return 0.25
    if token.kind == "number":
        return 0.5
    if token.raw[:1].isupper() and position > 0:
        return 0.45
    before = question.tokens[position - 1].text if position else ""
    if token.text in ("ano", "year", "mes", "month") and before in ("no", "do", "the", "in", "of"):
        return 0.95
    return 0.55 if before in _LEADS else 0.78


_LEADS = frozenset("em in no na nos nas de da do dos das from at com with for para pelo pela".split())


def _says_nothing(plan: Plan) -> bool:
    """All that is shown was given in the question: `SELECT name WHERE name = 'X'`."""
    given = {c.ref for clause in plan.where for c in clause if len(clause) == 1 and c.op == "="}
    shown = [output.ref for output in plan.outputs]
    return (
        bool(given)
        and all(output.aggregate == "" for output in plan.outputs)
        and all(r in given for r in shown)
    )


def _unfiltered_list(plan: Plan) -> bool:
    return (
        not plan.where and not plan.aggregated and not plan.group and not plan.limit and plan.without is None
    )
