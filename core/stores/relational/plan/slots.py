"""From items to what is asked: all slots, in the order in which words bind."""

from core.stores.relational.plan.asked import Asked
from core.stores.relational.plan.counts import read_counts
from core.stores.relational.plan.draft import Draft
from core.stores.relational.plan.figures import read_aggregates
from core.stores.relational.plan.groups import read_asked_grain, read_groups
from core.stores.relational.plan.having import read_totals
from core.stores.relational.plan.means import EACH
from core.stores.relational.plan.named import read_amounts_named
from core.stores.relational.plan.orders import read_order
from core.stores.relational.plan.ranks import read_ranks
from core.stores.relational.plan.shown import read_selects


def read_asked(draft: Draft) -> Asked:
    """Fill the slots in the order in which words bind: order, ranking, aggregates, counts, groups, the rest."""
    asked = Asked(much=any(item.is_op == "much" for item in draft.items))
    _specials(draft, asked)
    read_order(draft, asked)
    read_aggregates(draft, asked)
    read_counts(draft, asked)
    read_ranks(draft, asked)
    read_asked_grain(draft, asked)
    read_groups(draft, asked)
    read_selects(draft, asked)
    read_totals(draft, asked)
    read_amounts_named(draft, asked)
    return asked


_VERBAL = ("ou", "aram", "eram", "iram", "eu", "iu", "mos")


def _each_beside(draft: Draft, position: int) -> int | None:
    """ "average monthly amount", "média mensal": the word beside the average that may be taken for a header."""
    for other in (position - 1, position + 1):
        item = draft.at(other)
        if item is not None and item.kind in ("column", "table") and item.end == item.start + 1:
            beside = item.start == draft.items[position].end or item.end == draft.items[position].start
            if beside and draft.question.tokens[item.start].text in EACH:
                return other
    return None


def _between_amounts(draft: Draft, position: int) -> bool:
    item = draft.items[position]
    word = draft.question.tokens[item.start].text
    sides = draft.numeric(position - 1), draft.numeric(position + 1)
    left = draft.at(position - 1)
    verb = left is not None and draft.question.tokens[left.start].text.endswith(
        _VERBAL
    )  # "gastou mais horas"
    apart = None not in sides and sides[0] != sides[1] and not verb
    return word in ("menos", "mais") and apart and draft.close(position - 1, position + 1)


def _specials(draft: Draft, asked: Asked) -> None:
    for position, item in enumerate(draft.items):
        if not draft.free(position):
            continue
        if item.is_op == "share":
            asked.share, draft.role[position] = True, "share"
        elif item.is_op == "difference":
            asked.difference, draft.role[position] = True, "difference"
            for other, between in enumerate(draft.items):
                if between.is_op == "between" and draft.free(other):
                    draft.role[other] = "difference"
        elif item.is_op == "growth":
            asked.growth, draft.role[position] = True, "growth"
        elif item.is_op in ("top", "bottom") and _between_amounts(draft, position):
            asked.lost = True  # "receita menos custo": sums of columns are no plan
        elif item.is_op == "avg" and (each := _each_beside(draft, position)) is not None:
            draft.role[each] = "per"
        elif item.is_op == "distinct":
            asked.distinct, draft.role[position] = True, "distinct"
        elif item.is_op == "all":
            asked.everything, draft.role[position] = True, "all"
        elif item.is_op in ("which", "whose", "and", "or"):
            draft.role[position] = "glue"
