"""The planner: link the question to every table of the view, make a plan where slots fill, keep the surest.

A plan's confidence falls with every word that it does not explain, every item that it does not use and every guess
that it had to make. Wrong and confident is worse than no plan.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from core.stores.relational.catalog import Catalog
from core.stores.relational.joins import Link
from core.stores.relational.link.binding import bind, foreign, owned, spread
from core.stores.relational.link.index import TableIndex
from core.stores.relational.link.items import Item, tile, unlinked
from core.stores.relational.link.question import Question
from core.stores.relational.plan.build import build_sql
from core.stores.relational.plan.compose import compose
from core.stores.relational.plan.confidence import (
    adds_everything,
    against_the_best,
    confidence_of,
    doubt_asked,
    doubt_measure,
    lists_everything,
    names_another,
    rows_for_cells,
    says_nothing,
    says_price,
    shows_rows,
    with_rivals,
)
from core.stores.relational.plan.contexts import (
    best_scores,
    link_one,
    pair_contexts,
    single_contexts,
    triple_contexts,
)
from core.stores.relational.plan.dates import read_periods
from core.stores.relational.plan.draft import Draft
from core.stores.relational.plan.joined import read_absence, read_links
from core.stores.relational.plan.model import Context, Plan
from core.stores.relational.plan.numbers import read_amounts
from core.stores.relational.plan.patterns import read_patterns
from core.stores.relational.plan.shown import compound
from core.stores.relational.plan.slots import read_asked
from core.stores.relational.plan.values import merge_values, read_empties, read_flags, read_values
from core.stores.relational.wording.beyond import is_beyond
from core.vectors import rounded

_PAIR_TRUST = 0.97


@dataclass(frozen=True, slots=True)
class Candidate:
    """A plan in its context, and how sure it is. `sql` is empty where nothing depended on it."""

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

    def tied(self, gap: float) -> tuple[Candidate, ...]:
        """The best candidate and those that are as sure of themselves, but for `gap`."""
        least = self.candidates[0].confidence - gap
        return tuple(candidate for candidate in self.candidates if candidate.confidence >= least)

    @property
    def margin(self) -> float:
        """The lead of the best plan over the best one that asks something else."""
        if not self.candidates:
            return 0.0
        first = self.candidates[0]
        rival = next((c for c in self.candidates[1:] if c.sql and c.sql != first.sql), None)
        return rounded(first.confidence - (rival.confidence if rival else 0.0))


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
    linked = [link_one(question, catalog, indexes, position) for position in range(len(catalog.tables))]
    contexts = [
        *single_contexts(question, catalog, linked),
        *pair_contexts(question, catalog, linked, links),
        *triple_contexts(question, catalog, linked, links),
    ]
    best = best_scores(linked)
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
    return Planned(_in_order(candidates), seen.linked, seen.values, seen.columns, seen.numeric)


def _in_order(candidates: list[Candidate]) -> tuple[Candidate, ...]:
    """Surest first, ties by SQL; it is written down to the first plan that asks something else than the best."""
    ordered = sorted(candidates, key=lambda c: (-c.confidence, len(c.context.tables)))
    told: list[Candidate] = []
    for _, alike in groupby(ordered, key=lambda c: (-c.confidence, len(c.context.tables))):
        tied = list(alike)
        if not told or told[-1].sql == told[0].sql:
            tied = sorted((replace(c, sql=build_sql(c.plan, c.context)) for c in tied), key=lambda c: c.sql)
        told += tied
    return tuple(told)


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
    items, again = spread(bind(question, items, _measures(context)), _measures(context))
    draft = Draft(question, context, items)
    draft.role |= dict.fromkeys(again, "again")
    draft.role |= {p - 1: "glue" for p in again if p and items[p - 1].is_op == "group"}  # "consome por mês"
    draft.role |= dict.fromkeys(owned(question, items, _relational(context)), "owner")
    draft.role |= dict.fromkeys(compound(draft), "owner")
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
    plan = with_rivals(draft, plan)
    doubt_asked(draft)
    doubt_measure(draft, plan)
    confidence = confidence_of(draft, items, best) * _PAIR_TRUST ** (len(context.tables) - 1)
    confidence *= against_the_best(question, items, best)
    if context.tables[0].name in long_bases and rows_for_cells(draft):
        confidence *= 0.8  # the amounts of the months are what the table is called by
    if context.tables[0].profile.source and any(o.aggregate == "count" for o in plan.outputs):
        confidence *= 0.5  # a count of months side by side counts nothing that anybody asks for
    if says_nothing(plan):
        confidence *= 0.3
    if question.periods and context.tables[0].name in long_bases:
        confidence *= 0.85  # the same table has its months in rows
    rest = unlinked(question, items)
    if any(is_beyond(question.tokens[i].text) for i in rest):
        return None  # a statistic that no plan computes: another figure in its place would be a wrong one
    if lists_everything(plan) and rest:
        confidence *= 0.75  # everything is listed although something more was said
    if lists_everything(plan) and any(token.text in ("more", "less", "fewer") for token in question.tokens):
        confidence *= 0.5  # "which region made more revenue": a list of all rows compares nothing
    if says_price(draft, plan):
        confidence *= 0.55  # "quanto custa a trena": what was sold of it adds up to no price
    if asked.much and plan.aggregated and any(names_another(draft, i) for i in rest):
        confidence *= 0.75  # "quanto custou o seguro": the thing paid for is known nowhere
    if shows_rows(draft, asked, plan) and any(-1 - i not in draft.role for i in rest):
        confidence *= 0.75  # "how old is Finn Rowe": whatever the row holds, this it does not
    if asked.much and adds_everything(plan) and any(-1 - i not in draft.role for i in rest):
        confidence *= 0.75  # "quanto custa a feijoada": what was said may be a filter that the figure lacks
    confidence = min(1.0, confidence * (1 + 0.02 * nearness))
    return Candidate(plan, context, "", rounded(confidence), tuple(draft.guesses), share, *facts)


def _relational(context: Context) -> frozenset[tuple[int, int]]:
    linking = {"by", "por", "in", "em", "from", "to", "at", "no", "na"}
    return frozenset(
        (r.table, r.column)
        for r in context.refs()
        if linking & set(context.column(r).words) or context.column(r).role == "flag"
    )


def _measures(context: Context) -> frozenset[tuple[int, int]]:
    return frozenset((r.table, r.column) for r in context.refs() if context.column(r).role == "measure")
