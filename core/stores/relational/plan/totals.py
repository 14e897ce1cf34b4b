"""Plans with one row of figures."""

from core.stores.relational.link.items import unlinked
from core.stores.relational.link.money import MONEY_VERBS
from core.stores.relational.plan.amounts import main_measure
from core.stores.relational.plan.asked import LISTING, Asked
from core.stores.relational.plan.draft import Draft
from core.stores.relational.plan.model import Condition, Output, Plan, Ref
from core.stores.relational.plan.wanted import order_of, where_of
from core.stores.relational.profile import is_plain


def figures_plan(draft: Draft, asked: Asked) -> Plan | None:
    """Aggregates over all rows that pass; with columns beside them, one row a value of those."""
    if not asked.aggregates:
        return _amount_asked(draft, asked)
    beside = [Output("", ref) for ref in asked.selects if not _is_fact(draft, ref)]
    numbers = [o for o in beside if o.ref is not None and draft.countable(o.ref)]
    measures = list(dict.fromkeys(asked.aggregates))
    if (
        numbers
        and not [o for o in beside if o not in numbers]
        and all(m.aggregate in ("sum", "avg") for m in measures)
    ):
        draft.guess(0.8, "the aggregate is taken of every number")
        measures += [Output(measures[0].aggregate, o.ref) for o in numbers]
        beside = []
    if not beside:
        return Plan(tuple(measures), where_of(draft))
    if len(measures) == 1 and measures[0].aggregate in ("min", "max"):
        rank = Output("", measures[0].ref)
        return Plan(
            (*beside, rank), where_of(draft), order=((rank, measures[0].aggregate == "max"),), limit=1
        )
    if asked.distinct and all(m.aggregate == "distinct" for m in measures):
        return Plan((*measures, *(Output("distinct", o.ref) for o in beside)), where_of(draft))
    amounts = [o for o in beside if o.ref is not None and draft.context.column(o.ref).role == "measure"]
    if amounts == beside and leaves_one_row(draft):  # "quantas peças VD-8850 tem no estoque": one row says it
        kept = [Output("", m.ref) for m in measures if m.ref is not None and draft.countable(m.ref)]
        return Plan((*kept, *amounts), where_of(draft))
    draft.guess(0.5 if amounts else 0.85, "one row for each value beside the figure")
    return Plan((*beside, *measures), where_of(draft), tuple(beside), order=order_of(asked))


def is_row(draft: Draft, ref: Ref) -> bool:
    """A column that only tells rows apart says what is counted or added up, not what to group by."""
    column = draft.context.column(ref)
    return column.unique and column.role in ("key", "text") and draft.context.join is None


def _is_fact(draft: Draft, ref: Ref) -> bool:
    """The same beside an owner: "total de frete dos pedidos da Editora Maré" is one figure."""
    column = draft.context.column(ref)
    return column.unique and column.role in ("key", "text") and ref.table == 0


def _amount_asked(draft: Draft, asked: Asked) -> Plan | None:
    """ "qual a receita do Norte em abril": a single amount that adds up is summed over the rows that pass."""
    numbers = [ref for ref in asked.selects if draft.countable(ref)]
    rest = [ref for ref in asked.selects if ref not in numbers]
    if rest and _of_rows(draft, asked.selects):
        rest = []
    if asked.orders or asked.everything or asked.distinct or rest:
        return None
    if not numbers:
        main = main_measure(draft, asked.entities[0] if asked.entities else 0)
        if not asked.much or main is None:
            return None
        draft.guess(0.85, "the table's main amount")
        if not is_plain(draft.context.column(main)) and _unknown_verb(draft):
            draft.guess(0.75, "an unknown verb")  # "quanto a padaria lucrou" of a table of costs
        numbers = [main]
    if draft.where and not leaves_one_row(draft) and all(_averages(draft, ref) for ref in numbers):
        return Plan(tuple(Output("avg", ref) for ref in numbers), where_of(draft))
    if leaves_one_row(draft) or (asked.entities and not draft.where and not asked.much):
        return None
    adding = [
        ref
        for ref in numbers
        if "+" in draft.context.column(ref).marks and draft.context.column(ref).unit != "%"
    ]
    if len(adding) != len(numbers) and not (
        _over_periods(draft) and not any(_is_level(draft, ref) for ref in numbers)
    ):
        said = "aggregate" in draft.role.values()
        if not asked.much or (not said and any("=" in draft.context.column(ref).marks for ref in numbers)):
            return None
        draft.guess(0.85, "amounts added up")
    return Plan(tuple(Output("sum", ref) for ref in numbers), where_of(draft))


def _of_rows(draft: Draft, selects: list[Ref]) -> bool:
    """ "valor dos eventos não cancelados": an amount of things that stand for the rows, which are chosen."""
    if len(selects) != 2 or not draft.where or draft.question.language not in ("pt", "en"):
        return False
    amount, thing = selects
    places = {ref: i for i in range(len(draft.items)) if (ref := draft.ref(i)) in selects}
    if set(places) != {amount, thing} or not draft.countable(amount) or not is_row(draft, thing):
        return False
    between = draft.question.tokens[draft.items[places[amount]].end : draft.items[places[thing]].start]
    joined = len(between) == 1 and between[0].text in ("de", "dos", "das", "do", "da", "of")
    return joined and "=" not in draft.context.column(amount).marks


def _unknown_verb(draft: Draft) -> bool:
    tokens = draft.question.tokens
    loose = [tokens[i].text for i in unlinked(draft.question, draft.items)]
    return any(word.endswith(_VERBAL) and word not in MONEY_VERBS for word in loose)


_VERBAL = ("ou", "aram", "eram", "iram", "eu", "iu", "mos", "ed")


def _over_periods(draft: Draft) -> bool:
    """ "descontos de maio a julho", "calls answered by Nadia" of a table by month: an amount of several rows in time.

    Not where rows are to be listed.
    """
    if any(token.text in LISTING for token in draft.question.tokens) or not draft.where:
        return False
    times = {r.table for r in draft.context.refs() if draft.context.column(r).role in _TIMES}
    return bool(times) and not leaves_one_row(draft)


_TIMES = ("date", "moment", "month", "year")


def _is_level(draft: Draft, ref: Ref) -> bool:
    return "=" in draft.context.column(ref).marks


def _averages(draft: Draft, ref: Ref) -> bool:
    """A column that holds averages is averaged over rows, never added up: "preço médio"."""
    return bool({"medio", "media", "average", "avg", "mean"} & set(draft.context.column(ref).words))


def leaves_one_row(draft: Draft) -> bool:
    """A filter on a column whose values all differ leaves one row: nothing to add up."""
    return any(len(clause) == 1 and is_one_row(draft, clause[0]) for clause in draft.where)


def is_one_row(draft: Draft, condition: Condition) -> bool:
    """Whether a filter names one row by a column whose values all differ; one client has many orders."""
    column, many = draft.context.column(condition.ref), draft.context.join and condition.ref.table > 0
    return condition.op == "=" and column.unique and column.role != "measure" and not many
