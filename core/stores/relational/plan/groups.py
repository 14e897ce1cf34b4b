""" "Por região", "for each": what the rows are grouped by."""

from core.stores.relational.link.items import Item
from core.stores.relational.plan.amounts import is_amount
from core.stores.relational.plan.asked import Asked
from core.stores.relational.plan.draft import Draft
from core.stores.relational.plan.model import Condition, Grain, Output, Ref
from core.stores.relational.plan.shown import entity_outputs, has_free_measure

GRAINS: dict[str, Grain] = {
    "mes": "month", "meses": "month", "month": "month", "months": "month", "mensal": "month", "monthly": "month",
    "mensalmente": "month", "ano": "year", "anos": "year", "year": "year", "anual": "year", "yearly": "year",
    "annual": "year", "anualmente": "year", "anuais": "year", "mensais": "month", "diaria": "day", "diarias": "day",
    "diarios": "day", "dia": "day", "day": "day", "diario": "day", "daily": "day",
}  # fmt: skip


def read_groups(draft: Draft, asked: Asked) -> None:
    for position, item in enumerate(draft.items):
        if item.is_op != "group" or item.op is None or not draft.free(position):
            continue
        soft = item.op.argument == "by"
        if _rows_by(draft, asked, position) or _per_row(draft, asked, position):
            continue
        if soft and not (
            asked.aggregates or asked.ranks or has_free_measure(draft) or asked.share or asked.much
        ):
            draft.role[position] = "glue"
            continue
        if _group_grain(draft, asked, position, item):
            continue
        after = draft.skip(position, 1, ("distinct", "which"))
        if _group_item(draft, asked, position, after, soft):
            while (
                (following := draft.at(after + 1)) is not None
                and following.is_op == "and"
                and draft.ref(after + 2) is not None
                and draft.free(after + 2)
                and not draft.numeric(after + 2)
            ):
                after += 2
                _group_item(draft, asked, position, after, soft)
            continue
        if soft:
            draft.role[position] = "glue"
        elif _group_before(draft, asked, position):
            draft.role[position] = "group"


def _rows_by(draft: Draft, asked: Asked, position: int) -> bool:
    """ "tickets by priority", "funcionários por cidade": rows are counted by a category."""
    before, ref = draft.at(position - 1), draft.ref(position + 1)
    if before is None or before.mention is None or not draft.free(position - 1):
        return False
    grain = _grain_after(draft, position)
    mine = draft.ref(position - 1)
    rows = before.kind == "table" or (mine is not None and tells_rows(draft, mine) and position == 1)
    if rows and grain and not (asked.aggregates or asked.ranks or asked.orders):
        return _rows_by_grain(draft, asked, position)
    if ref is None:
        return False
    own = draft.ref(position - 1)
    if before.kind != "table" and not (own is not None and tells_rows(draft, own)):
        return False
    others = [i for i in range(position - 1) if draft.ref(i) is not None]
    if asked.aggregates or asked.ranks or asked.orders or others:
        return False
    column = draft.context.column(ref)
    fits = column.role in ("category", "flag", "year", "moment", "month")
    if not fits or not draft.free(position + 1) or not draft.close(position - 1, position + 1):
        return False
    draft.role |= {position - 1: "counted", position: "group", position + 1: "group"}
    if before.kind == "table":
        asked.counted.append(before.mention.table)
    asked.groups.append(Output("", ref))
    asked.aggregates += _rows_or_amount(draft, before)
    return True


def _rows_by_grain(draft: Draft, asked: Asked, position: int) -> bool:
    """ "atendimentos por mês": rows are counted by month, unless the table is called by an amount."""
    before = draft.items[position - 1]
    if not _group_grain(draft, asked, position, draft.items[position]):
        return False
    draft.role[position - 1] = "counted"
    asked.aggregates += _rows_or_amount(draft, before)
    return True


def _rows_or_amount(draft: Draft, rows: Item) -> list[Output]:
    """ "vendas por região": what a table called by an amount adds up to, beside how many rows there are."""
    main = draft.context.tables[rows.mention.table if rows.mention is not None else 0].profile.amount
    if rows.kind != "table" or rows.mention is None or main is None or not is_amount(draft, rows):
        return [Output("count")]
    draft.guess(0.92, "the table's main amount")
    cells = bool(draft.context.tables[rows.mention.table].profile.source)
    return [Output("sum", Ref(rows.mention.table, main.position)), *([] if cells else [Output("count")])]


def _grain_after(draft: Draft, position: int) -> bool:
    end, tokens = draft.items[position].end, draft.question.tokens
    return end < len(tokens) and tokens[end].text in GRAINS


def tells_rows(draft: Draft, ref: Ref) -> bool:
    """A column with another value in every row, which stands for the rows: the id of an appointment."""
    column = draft.context.column(ref)
    return (
        column.unique
        and column.role in ("key", "text")
        and column.filled == draft.context.tables[ref.table].profile.rows
    )


def _per_row(draft: Draft, asked: Asked, position: int) -> bool:
    """ "média de litros por abastecimento": per row of the table itself, which is what an average is."""
    after = draft.at(position + 1)
    ref = draft.ref(position + 1)
    rows = (
        after is not None and after.kind == "table" and after.mention is not None and after.mention.table == 0
    )
    averaged = any(o.aggregate in ("avg", "median") for o in asked.aggregates)
    if (
        not averaged
        or draft.context.join is not None
        or not (rows or (ref is not None and tells_rows(draft, ref)))
    ):
        return False
    draft.role |= {position: "group", position + 1: "group"}
    return True


def read_asked_grain(draft: Draft, asked: Asked) -> None:
    """ "em que mês", "which year": a date cut to that unit is what is wanted."""
    covered = {
        i
        for item in draft.items
        if item.kind in ("column", "period", "value")
        for i in range(item.start, item.end)
    }
    tokens = draft.question.tokens
    for i, token in enumerate(tokens):
        grain = GRAINS.get(token.text)
        before = tokens[i - 1].text if i else ""
        if grain is None or i in covered or before not in ("que", "qual", "which", "what", "quais"):
            continue
        dates = [ref for ref in draft.context.refs() if draft.context.column(ref).role == "date"]
        if dates:
            asked.groups.append(Output("", dates[0], grain))
            draft.role[-1 - i] = "group"
            if len(dates) > 1:
                draft.guess(0.85, "several date columns")


def _group_item(draft: Draft, asked: Asked, position: int, after: int, soft: bool) -> bool:
    item = draft.at(after)
    if item is None or not draft.close(position, after, 0 if soft else 1):
        return False
    ref = draft.ref(after)
    if ref is not None and draft.role.get(after, "label") in ("label", "measure"):
        column = draft.context.column(ref)
        if soft and column.role == "measure":
            return False
        if column.role == "measure" and draft.question.tokens[draft.items[position].start].text == "per":
            draft.guess(0.5, "a ratio")  # "cost per kg" is no table of kilograms
        draft.role |= {position: "group", after: "group"}
        asked.groups.append(Output("", ref))
        if not soft and column.type == "text" and column.filled < _rows(draft, ref):
            draft.where.append((Condition(ref, "not null"),))  # "each trainer": an empty cell is nobody
        return True
    if item.kind == "table" and item.mention is not None and draft.free(after):
        draft.role |= {position: "group", after: "group"}
        asked.groups += entity_outputs(draft, item.mention.table)
        return True
    return False


def _rows(draft: Draft, ref: Ref) -> int:
    return draft.context.tables[ref.table].profile.rows


def _group_grain(draft: Draft, asked: Asked, position: int, item: Item) -> bool:
    """ "por mês", "by year": a date column is cut to that unit."""
    end = item.end
    tokens = draft.question.tokens
    grain = GRAINS.get(tokens[end].text) if end < len(tokens) else None
    if grain is None:
        return False
    if _already_per(draft, grain):
        draft.role |= {position: "glue", -1 - end: "glue"}
        return True
    holder = next((i for i, other in enumerate(draft.items) if other.start <= end < other.end), None)
    wanted = {"month": ("month", "moment"), "year": ("year",), "day": ()}[grain] if grain else ()
    for ref in draft.context.refs():
        if draft.context.column(ref).role in wanted:
            asked.groups.append(Output("", ref))
            break
    else:
        dates = [ref for ref in draft.context.refs() if draft.context.column(ref).role == "date"]
        if not dates:
            return False
        if len(dates) > 1:
            draft.guess(0.85, "several date columns")
        asked.groups.append(Output("", dates[0], grain))
    draft.role[position] = "group"
    draft.role[-1 - end] = "group"  # the word is explained
    if holder is not None and draft.items[holder].kind != "period":
        draft.role[holder] = "group"
    return True


def _already_per(draft: Draft, grain: Grain) -> bool:
    """ "what does Dan pay per month": the amount named is one of a month by its own header ("Monthly fee")."""
    named = [r for i in range(len(draft.items)) if (r := draft.numeric(i)) is not None]
    return any(GRAINS.get(word) == grain for ref in named for word in draft.context.column(ref).words)


def _group_before(draft: Draft, asked: Asked, position: int) -> bool:
    """ "o número de pedidos de cada um", "… for each": the thing named first is the group."""
    for option in range(position):
        ref = draft.ref(option)
        if ref is not None and draft.free(option) and not draft.numeric(option):
            draft.role[option] = "group"
            asked.groups.append(Output("", ref))
            return True
    for option in range(position):
        item = draft.items[option]
        if item.kind == "table" and item.mention is not None and draft.free(option):
            draft.role[option] = "group"
            asked.groups += entity_outputs(draft, item.mention.table)
            return True
    return False
