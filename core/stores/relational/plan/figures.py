"""Sums, averages, minima and maxima: each takes the column that grammar gives it."""

from core.stores.relational.plan.amounts import main_measure
from core.stores.relational.plan.asked import AGGREGATES, Asked
from core.stores.relational.plan.draft import Draft
from core.stores.relational.plan.groups import tells_rows
from core.stores.relational.plan.model import Aggregate, Output, Ref
from core.stores.relational.wording.lexicon import marks_of
from core.stores.relational.wording.words import word_set

_POST_ADJECTIVES = word_set(
    "medio media medios medias minimo minima maximo maxima total totais minimos maximos acumulado acumulada geral"
)
_OF = frozenset(["de", "da", "do", "dos", "das", "of"])


def read_aggregates(draft: Draft, asked: Asked) -> None:
    """Each sum, average, minimum, maximum takes the column after it, or before it where grammar says so."""
    found: list[tuple[int, Aggregate, int | None]] = []
    for position, item in enumerate(draft.items):
        if item.is_op in AGGREGATES and draft.free(position):
            kind: Aggregate = item.is_op  # type: ignore[assignment]
            found.append((position, kind, _aggregated_column(draft, position)))
    for index, (position, kind, column) in enumerate(found):
        if column is None:
            later = next((c for _, _, c in found[index + 1 :] if c is not None), None)
            earlier = next((c for _, _, c in reversed(found[:index]) if c is not None), None)
            column = later if later is not None else earlier
        if column is None:
            _aggregate_without_column(draft, asked, position, kind)
            continue
        ref = draft.ref(column)
        asked.aggregates.append(Output(kind, ref))
        draft.role[position] = "aggregate"
        if draft.role.get(column, "label") in ("label", "measure"):
            draft.role[column] = "measure"


def _aggregated_column(draft: Draft, position: int) -> int | None:
    item, tokens = draft.items[position], draft.question.tokens
    after = draft.skip(position, 1, (*AGGREGATES, "and", "which", "count", "distinct"))
    before = _before_aggregates(draft, position)
    after += draft.role.get(after) == "per"  # "average monthly amount"
    before -= draft.role.get(before) == "per"
    follows_of = item.end < len(tokens) and tokens[item.end].text in _OF
    ends_of = item.op is not None and tokens[item.op.end - 1].text in _OF
    postponed = (
        tokens[item.start].text in _POST_ADJECTIVES
        and not follows_of
        and not ends_of
        and item.end - item.start == 1
    )
    options = (before, after) if postponed else (after, before)
    for option in options:
        if option == after and draft.role.get(option) == "owner":
            option += 1  # "average order value"
        ref = draft.ref(option)
        if (
            ref is not None
            and option == after
            and tells_rows(draft, ref)
            and draft.numeric(option + 1) is not None
        ):
            option, ref = option + 1, draft.ref(option + 1)  # "average deal amount"
            draft.role[option - 1] = "owner"
        low, high = sorted((position, option))
        fits = ref is not None and (
            draft.countable(ref) or (item.is_op in ("min", "max") and draft.comparable(ref))
        )
        taken = draft.role.get(option, "label") not in ("label", "measure")
        if fits and not taken and draft.close(low, high, 0):
            if option == before and not postponed and _between_clauses(draft, option, position):
                continue
            return option
    return None


def _before_aggregates(draft: Draft, position: int) -> int:
    """The item before a row of aggregates ("idade média, mínima e máxima"); an "and" alone starts something new."""
    back = position - 1
    while (item := draft.at(back)) is not None:
        earlier = draft.at(back - 1)
        listed = item.is_op == "and" and earlier is not None and earlier.is_op in AGGREGATES
        if item.is_op not in AGGREGATES and not listed:
            break
        back -= 1
    return back


def _between_clauses(draft: Draft, first: int, second: int) -> bool:
    gap = draft.question.tokens[draft.items[second].start].gap
    return "," in gap or ";" in gap


def _aggregate_without_column(draft: Draft, asked: Asked, position: int, kind: Aggregate) -> None:
    """ "total de vendas" over a table called vendas; "valor total"; "maximum" as the name of a column."""
    item = draft.items[position]
    if item.column is not None:
        ref = Ref(item.column.table, item.column.column)
        if kind == "sum" and draft.countable(ref):
            asked.aggregates.append(Output(kind, ref))
            draft.role[position] = "aggregate"
            return
        said = {t.text for t in draft.question.tokens[item.start : item.end]} - {"valor", "value", "de", "of"}
        if kind == "avg" and not said & set(draft.context.column(ref).words):
            asked.aggregates.append(Output(kind, ref))
            draft.role[position] = "aggregate"
            return
        asked.selects.append(ref)
        draft.role[position] = "select"
        draft.guess(0.7, "a word that may be a column or a figure")
        return
    neighbour = draft.at(position + 1) or draft.at(position - 1)
    if (
        kind == "sum"
        and neighbour is not None
        and neighbour.kind == "table"
        and neighbour.mention is not None
    ):
        table = neighbour.mention.table
        measure = main_measure(draft, table)
        if measure is not None:
            sure = "+" in marks_of(draft.context.tables[table].words)
            asked.aggregates.append(Output("sum", measure))
            draft.role[position] = "aggregate"
            draft.guess(0.85 if sure else 0.8, "the table's main amount")
            where = position + 1 if neighbour is draft.at(position + 1) else position - 1
            if draft.free(where):
                draft.role[where] = "measure"
            return
    if kind == "sum":
        if any(other.is_op in ("count", "much") for other in draft.items):
            draft.role[position] = "glue"  # "how many in total"
        else:
            asked.much = True
            draft.role[position] = "aggregate"
        return
    measure = _main_level(draft) or main_measure(draft, 0) if len(draft.context.tables) == 1 else None
    if measure is not None and kind == "avg":
        asked.aggregates.append(Output(kind, measure))
        draft.role[position] = "aggregate"
        draft.guess(0.7, "average of the only amount")


def _main_level(draft: Draft) -> Ref | None:
    """The one column of levels (grades, prices, ages), for an average of nothing named."""
    columns = draft.context.tables[0].profile.columns
    levels = [c for c in columns if c.role == "measure" and "=" in c.marks and "+" not in c.marks]
    return Ref(0, levels[0].position) if len(levels) == 1 else None
