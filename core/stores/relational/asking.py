"""From items to what is asked: aggregates, rankings, groups, order, and the columns to show."""

from dataclasses import dataclass, field

from core.stores.relational.items import Item
from core.stores.relational.lexicon import concepts_of, marks_of
from core.stores.relational.plan import Aggregate, Condition, Grain, Having, Output, Plan, Ref
from core.stores.relational.reading import Draft, negated

_AGGREGATES = ("sum", "avg", "min", "max")
_RANKS = ("top", "bottom", "frequent", "rare")
_GRAINS: dict[str, Grain] = {
    "mes": "month", "meses": "month", "month": "month", "months": "month", "mensal": "month", "monthly": "month",
    "mensalmente": "month", "ano": "year", "anos": "year", "year": "year", "anual": "year", "yearly": "year",
    "annual": "year", "anualmente": "year", "dia": "day", "day": "day", "diario": "day", "daily": "day",
}  # fmt: skip
_POST_ADJECTIVES = frozenset(
    "medio media medios medias minimo minima maximo maxima total totais minimos maximos acumulado acumulada geral".split()
)
_OF = frozenset(["de", "da", "do", "dos", "das", "of"])
_PEOPLE = frozenset("pessoa pessoas gente people person persons".split())
_MANY = 5  # rows of a ranking without a number, in the plural ("os maiores clientes")


@dataclass(slots=True)
class Asked:
    """What the question wants of the rows that the conditions leave."""

    aggregates: list[Output] = field(default_factory=list)
    ranks: list[tuple[bool, Output | None, int]] = field(
        default_factory=list
    )  # descending, by what (None: rows), item
    groups: list[Output] = field(default_factory=list)
    orders: list[tuple[Output, bool]] = field(default_factory=list)
    selects: list[Ref] = field(default_factory=list)
    entities: list[int] = field(default_factory=list)  # tables named as what is wanted
    distinct: bool = False
    counted: list[int] = field(default_factory=list)  # tables whose rows are counted
    share: bool = False
    difference: bool = False
    everything: bool = False
    listing: bool = False
    much: bool = False
    lost: bool = False  # something was asked that no slot can hold


def read_asked(draft: Draft) -> Asked:
    """Fill the slots in the order in which words bind: order, ranking, aggregates, counts, groups, the rest."""
    asked = Asked()
    _specials(draft, asked)
    _order(draft, asked)
    _aggregates(draft, asked)
    _counts(draft, asked)
    _ranks(draft, asked)
    _asked_grain(draft, asked)
    _groups(draft, asked)
    _selects(draft, asked)
    return asked


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
        elif item.is_op == "distinct":
            asked.distinct, draft.role[position] = True, "distinct"
        elif item.is_op == "all":
            asked.everything, draft.role[position] = True, "all"
        elif item.is_op in ("which", "whose", "and", "or"):
            draft.role[position] = "glue"


# --- order -------------------------------------------------------------------------------------------


def _order(draft: Draft, asked: Asked) -> None:
    directions = [i for i, item in enumerate(draft.items) if item.is_op == "direction" and draft.free(i)]
    orders = [i for i, item in enumerate(draft.items) if item.is_op == "order" and draft.free(i)]
    if not directions and not orders:
        return
    descending, implied = False, ""
    for position in directions:
        op = draft.items[position].op
        if op is not None:
            descending, implied = op.argument == "desc", op.implied
        draft.role[position] = "order"
    target = _order_target(draft, orders, directions, implied)
    for position in orders:
        draft.role[position] = "order"
    if target is None:
        asked.lost = True
        return
    asked.orders.append((target, descending))


def _order_target(draft: Draft, orders: list[int], directions: list[int], implied: str) -> Output | None:
    if implied and implied != "name" and (ref := draft.by_concept(implied)) is not None:
        return Output("", ref)
    for start in _order_starts(draft, orders, directions):
        step = start + 1
        while (item := draft.at(step)) is not None and (
            item.is_op in ("order", "direction", "which", "group") or draft.role.get(step) == "order"
        ):
            if item.is_op == "group":
                draft.role[step] = "order"
            step += 1
        if item is None or not draft.close(start, step, 1):
            continue
        ref = draft.ref(step)
        if item.is_op == "count":
            return _counted_order(draft, step)
        aggregate: Aggregate = ""
        if item.is_op in _AGGREGATES and draft.ref(step + 1) is not None:
            aggregate = item.is_op  # type: ignore[assignment]
            draft.role[step] = "order"
            step, ref = step + 1, draft.ref(step + 1)
        if ref is not None and draft.role.get(step, "label") == "label":
            if not _still_wanted(draft, step):
                draft.role[step] = "order"
            return Output(aggregate, ref)
    if implied == "name" or directions:
        first = next((i for i in range(len(draft.items)) if draft.ref(i) is not None and draft.free(i)), None)
        if first is not None:
            return Output("", draft.ref(first))
        entity = next(
            (item.mention.table for item in draft.items if item.kind == "table" and item.mention), 0
        )
        return Output("", display(draft, entity))
    return None


def _order_starts(draft: Draft, orders: list[int], directions: list[int]) -> list[int]:
    """Where the thing to order by may follow: after a "by" within the order phrase first."""
    first = min([*orders, *directions])
    by = [
        i
        for i in range(first, len(draft.items))
        if (op := draft.items[i].op) is not None
        and op.kind == "group"
        and op.argument == "by"
        and draft.free(i)
    ]
    for position in by[:1]:
        draft.role[position] = "order"
    return [*by[:1], *sorted([*orders, *directions])]


def _counted_order(draft: Draft, position: int) -> Output:
    draft.role[position] = "order"
    following = draft.at(position + 1)
    if (
        following is not None
        and following.kind in ("table", "column")
        and draft.close(position, position + 1)
    ):
        ref = draft.numeric(position + 1)
        draft.role[position + 1] = "order"
        if ref is not None:
            return Output("", ref)
    return Output("count")


def _still_wanted(draft: Draft, position: int) -> bool:
    """The column to order by is also the only one to show."""
    free = [i for i in range(len(draft.items)) if draft.ref(i) is not None and draft.free(i)]
    tables = [i for i, item in enumerate(draft.items) if item.kind == "table" and draft.free(i)]
    return free == [position] and not tables


# --- aggregates and counts ------------------------------------------------------------------------------


def _aggregates(draft: Draft, asked: Asked) -> None:
    """Each sum, average, minimum, maximum takes the column after it, or before it where grammar says so."""
    found: list[tuple[int, Aggregate, int | None]] = []
    for position, item in enumerate(draft.items):
        if item.is_op in _AGGREGATES and draft.free(position):
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
    after = draft.skip(position, 1, (*_AGGREGATES, "and", "which", "count", "distinct"))
    before = _before_aggregates(draft, position)
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
        ref = draft.ref(option)
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
        listed = item.is_op == "and" and earlier is not None and earlier.is_op in _AGGREGATES
        if item.is_op not in _AGGREGATES and not listed:
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


def main_measure(draft: Draft, table: int) -> Ref | None:
    """The one amount of a table, when it has one."""
    amount = draft.context.tables[table].profile.amount
    return Ref(table, amount.position) if amount is not None else None


def _counts(draft: Draft, asked: Asked) -> None:
    for position, item in enumerate(draft.items):
        if item.is_op != "count" or not draft.free(position):
            continue
        after = draft.skip(position, 1, ("distinct", "which"))
        if draft.role.get(after) == "owner":
            after += 1
        step = draft.at(after)
        draft.role[position] = "count"
        near = step is not None and draft.close(position, after, 1 if step.kind == "table" else 0)
        if step is None or not near or step.kind not in ("table", "column"):
            asked.aggregates.append(Output("count"))
            _doubt_counted(draft, position)
            _count_of_nothing(draft, position)
            continue
        if step.kind == "table" and step.mention is not None:
            _count_rows(draft, asked, after, step)
            continue
        _count_column(draft, asked, position, after)


def _doubt_counted(draft: Draft, position: int) -> None:
    """The word after "how many" is known nowhere: what is counted may not be the table's rows."""
    after = draft.items[position].end
    tokens = draft.question.tokens
    while after < len(tokens) and tokens[after].text in draft.question.carriers:
        after += 1
    covered = any(item.start <= after < item.end for item in draft.items)
    if (
        after < len(tokens)
        and tokens[after].text in _PEOPLE
        and "@" in draft.context.column(person(draft) or Ref(0, 0)).marks
    ):
        draft.role[-1 - after] = "counted"
        return
    if after < len(tokens) and not covered:
        draft.guess(0.6, "the counted thing is not known")


def _count_of_nothing(draft: Draft, position: int) -> None:
    if draft.items[position].op is not None and len(draft.context.tables) > 1:
        draft.guess(0.8, "counted thing not named")


def _count_rows(draft: Draft, asked: Asked, position: int, item: Item) -> None:
    if item.mention is None or not draft.free(position):
        asked.aggregates.append(Output("count"))
        return
    draft.role[position] = "counted"
    asked.counted.append(item.mention.table)
    asked.aggregates.append(count_of_table(draft, item.mention.table))


def count_of_table(draft: Draft, table: int) -> Output:
    """Rows of the "many" side; different keys of the "one" side when both are joined."""
    if draft.context.join is not None and table == 1:
        return Output("distinct", draft.context.key())
    return Output("count")


def _count_column(draft: Draft, asked: Asked, position: int, after: int) -> None:
    """ "quantos clientes", "how many different countries", "quantas unidades"; several may follow."""
    while True:
        ref = draft.ref(after)
        if ref is None or draft.role.get(after, "label") != "label":
            asked.aggregates.append(Output("count"))
            return
        column = draft.context.column(ref)
        if draft.countable(ref):
            draft.role[after] = "measure"
            asked.aggregates.append(Output("sum", ref))
            if "+" not in column.marks:
                draft.guess(0.85, "count read as a sum")
        elif (
            column.unique
            and column.filled == draft.context.tables[ref.table].profile.rows
            and not asked.distinct
        ):
            draft.role[after] = "counted"
            asked.aggregates.append(count_of_table(draft, ref.table))
        else:
            draft.role[after] = "counted"
            asked.aggregates.append(Output("distinct", ref))
            if not asked.distinct and not _names_a_thing(draft, ref):
                draft.guess(0.9, "different values counted")
        following = draft.at(after + 1)
        more = following is not None and following.is_op == "and" and draft.ref(after + 2) is not None
        if not (more and asked.distinct and not draft.countable(draft.ref(after + 2) or ref)):
            return
        after += 2


def _names_a_thing(draft: Draft, ref: Ref) -> bool:
    return (
        bool(set(draft.context.column(ref).marks) & {"@", "#"})
        or draft.context.column(ref).role == "category"
    )


# --- rankings --------------------------------------------------------------------------------------------


def _ranks(draft: Draft, asked: Asked) -> None:
    for position, item in enumerate(draft.items):
        if item.is_op not in _RANKS or item.op is None or not draft.free(position):
            continue
        if item.op.kind in ("frequent", "rare"):
            draft.role[position] = "rank"
            asked.ranks.append((item.op.kind == "frequent", None, position))
            continue
        target = _rank_target(draft, asked, position, item)
        if target == "nothing":
            _unbound_rank(draft, asked, position, item)
            continue
        draft.role[position] = "rank"
        asked.ranks.append((item.op.kind == "top", target if isinstance(target, Output) else None, position))


def _rank_target(draft: Draft, asked: Asked, position: int, item: Item) -> Output | str:
    """What a superlative ranks by: a column beside it, rows of a table, or "nothing" found."""
    if item.op is not None and item.op.implied:
        ref = draft.by_concept(item.op.implied)
        if ref is None and item.op.implied in ("age", "length", "height"):
            ref = _by_birth(draft, item.op.implied)
            if ref is not None:
                asked.ranks.append((item.op.kind == "bottom", Output("", ref), position))
                draft.role[position] = "rank"
                return "nothing"
        if ref is not None:
            _label_nearby(draft, position, ref)
            return Output("", ref)
        asked.lost = asked.lost or item.op.implied != "date"
        return "nothing"
    after = draft.skip(position, 1, ("which", "count", "distinct", "sum", "all"))
    for option in (after, position - 1):
        low, high = sorted((position, option))
        if (
            not draft.close(low, high, 0)
            or not draft.free(option)
            and draft.role.get(option) not in ("label", "measure", "limit")
        ):
            continue
        if draft.role.get(option) == "limit":
            continue
        output = _rank_by(draft, asked, option, backwards=option < position)
        if output is not None:
            return output
    aggregate = draft.at(after)
    if aggregate is not None and aggregate.is_op == "avg" and draft.close(position, after):
        inner = draft.skip(after, 1)
        ref = draft.numeric(inner)
        if ref is not None:
            draft.role |= {after: "rank", inner: "measure"}
            asked.aggregates[:] = [o for o in asked.aggregates if o != Output("avg", ref)]
            return Output("avg", ref)
    return _verb_after(draft, position)


def _by_birth(draft: Draft, implied: str) -> Ref | None:
    """The oldest has the earliest date of birth."""
    if implied != "age":
        return None
    found = draft.by_concept("birth") or draft.by_concept("born")
    return found


def _label_nearby(draft: Draft, position: int, ref: Ref) -> None:
    for neighbour in (position - 1, position + 1):
        if (
            draft.ref(neighbour) == ref
            and draft.free(neighbour)
            and draft.close(*sorted((neighbour, position)))
        ):
            draft.role[neighbour] = "measure"


def _rank_by(draft: Draft, asked: Asked, option: int, *, backwards: bool) -> Output | None:
    item = draft.at(option)
    if item is None:
        return None
    ref = draft.ref(option)
    if ref is not None and draft.countable(ref) and draft.context.column(ref).role == "measure":
        draft.role[option] = "measure"
        existing = [o for o in asked.aggregates if o.ref == ref and o.aggregate in ("sum", "avg")]
        asked.aggregates[:] = [o for o in asked.aggregates if o not in existing]
        return existing[0] if existing else Output("", ref)
    if backwards:
        return None
    if item.kind == "table" and item.mention is not None:
        return _rank_by_rows(draft, asked, option, item.mention.table)
    if ref is not None and _other_things_asked(draft, option):
        draft.role[option] = "counted"
        draft.guess(0.9, "ranked by a count")
        return Output("distinct", ref) if not draft.context.column(ref).unique else Output("count")
    return None


def _rank_by_rows(draft: Draft, asked: Asked, option: int, table: int) -> Output | None:
    """ "most concerts": rows are counted, if something else is asked for."""
    if not _other_things_asked(draft, option) or _rows_themselves(draft, table):
        return None
    draft.role[option] = "counted"
    asked.counted.append(table)
    asked.aggregates[:] = [o for o in asked.aggregates if o.aggregate != "count"]
    return count_of_table(draft, table)


def _rows_themselves(draft: Draft, table: int) -> bool:
    """ "names of the 5 largest countries": what is asked are the rows of that table, which cannot be counted by row."""
    asked = [ref for i in range(len(draft.items)) if draft.free(i) and (ref := draft.ref(i)) is not None]
    own = [ref for ref in asked if ref.table == table]
    return (
        bool(own)
        and len(own) == len(asked)
        and any(draft.context.column(ref).unique or draft.countable(ref) for ref in own)
    )


def _other_things_asked(draft: Draft, option: int) -> bool:
    """Something before or after this item can be what is ranked."""
    for position, item in enumerate(draft.items):
        if position == option or not draft.free(position):
            continue
        if item.kind == "column" and not draft.numeric(position):
            return True
        if item.kind == "table" and item.mention is not None:
            other = draft.items[option].mention
            if other is None or other.kind != "table" or other.table != item.mention.table:
                return True
        if item.is_op == "who":
            return True
    return False


def _verb_after(draft: Draft, position: int) -> Output | str:
    """ "que mais vendeu": the nearest measure on either side, words between allowed."""
    for option in (position + 1, position - 1):
        ref = draft.numeric(option)
        if ref is not None and draft.free(option) and draft.close(*sorted((position, option)), 1):
            draft.role[option] = "measure"
            return Output("", ref)
    later = [
        i for i in range(position + 1, len(draft.items)) if draft.numeric(i) is not None and draft.free(i)
    ]
    by = [
        i
        for i in later
        if draft.items[i - 1].is_op == "group"
        and draft.items[i - 1].op
        and draft.items[i - 1].op.argument == "by"
    ]
    if by:
        draft.role |= {by[0]: "measure", by[0] - 1: "rank"}
        return Output("", draft.ref(by[0]))
    return "nothing"


def _unbound_rank(draft: Draft, asked: Asked, position: int, item: Item) -> None:
    """A superlative before the thing itself ("maior cliente"): the table's one amount, if it has one."""
    if draft.role.get(position) == "rank":
        return
    if item.column is not None:
        asked.selects.append(Ref(item.column.table, item.column.column))
        draft.role[position] = "select"
        draft.guess(0.7, "a word that may be a column or a ranking")
        return
    tokens = draft.question.tokens
    vague = tokens[item.start].text in ("main", "primeiros", "primeiras")
    following = draft.at(position + 1)
    table = following.mention.table if following is not None and following.mention is not None else 0
    if _counted_by_verb(draft, asked, position):
        return
    named = [r for i in range(len(draft.items)) if draft.free(i) and (r := draft.numeric(i)) is not None]
    measure = (
        named[0]
        if len(set(named)) == 1
        else _size(draft, tokens[item.start].text) or main_measure(draft, table)
    )
    if (
        measure is not None
        and following is not None
        and following.kind in ("table", "column", "value")
        and not vague
    ):
        draft.role[position] = "rank"
        draft.guess(0.75, "ranked by the table's main amount")
        if following.kind == "value" and not asked.selects:
            asked.entities.append(table)
        asked.ranks.append((item.op is not None and item.op.kind == "top", Output("", measure), position))
        return
    draft.guess(0.4, "a superlative without a measure")


def _size(draft: Draft, word: str) -> Ref | None:
    """What "largest" and "maior" mean of a thing without a measure: its size or area."""
    if word not in ("maior", "menor", "maiores", "menores", "largest", "biggest", "smallest"):
        return None
    return draft.by_concept("size") or draft.by_concept("area")


def _counted_by_verb(draft: Draft, asked: Asked, position: int) -> bool:
    """ "which author is borrowed the most": with nothing after it, the superlative counts rows."""
    if position != len(draft.items) - 1 or position == 0 or _measure_free(draft):
        return False
    wanted = [
        i
        for i in range(position)
        if draft.free(i) and (r := draft.ref(i)) is not None and not draft.countable(r)
    ]
    if not wanted:
        return False
    last = draft.items[position - 1]
    if position - 1 in wanted and len(wanted) > 1 and last.mention is not None and last.mention.score < 0.95:
        draft.role[position - 1] = "again"
    draft.role[position] = "rank"
    draft.guess(0.75, "ranked by a count of rows")
    asked.ranks.append(
        (draft.items[position].op is not None and draft.items[position].op.kind == "top", None, position)
    )  # type: ignore[union-attr]
    return True


# --- groups ----------------------------------------------------------------------------------------------


def _groups(draft: Draft, asked: Asked) -> None:
    for position, item in enumerate(draft.items):
        if item.is_op != "group" or item.op is None or not draft.free(position):
            continue
        soft = item.op.argument == "by"
        if _rows_by(draft, asked, position) or _per_row(draft, asked, position):
            continue
        if soft and not (
            asked.aggregates or asked.ranks or _measure_free(draft) or asked.share or asked.much
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
    if before is None or before.mention is None or not draft.free(position - 1) or ref is None:
        return False
    own = draft.ref(position - 1)
    if before.kind != "table" and not (own is not None and _tells_rows(draft, own)):
        return False
    others = [i for i in range(position - 1) if draft.ref(i) is not None]
    if asked.aggregates or asked.ranks or asked.orders or others:
        return False
    column = draft.context.column(ref)
    fits = column.role in ("category", "flag", "year", "moment", "month")
    if not fits or not draft.free(position + 1) or not draft.close(position - 1, position + 1):
        return False
    draft.role |= {position - 1: "counted", position: "group", position + 1: "group"}
    asked.groups.append(Output("", ref))
    asked.aggregates.append(Output("count"))
    return True


def _tells_rows(draft: Draft, ref: Ref) -> bool:
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
    averaged = any(o.aggregate == "avg" for o in asked.aggregates)
    if (
        not averaged
        or draft.context.join is not None
        or not (rows or (ref is not None and _tells_rows(draft, ref)))
    ):
        return False
    draft.role |= {position: "group", position + 1: "group"}
    return True


def _asked_grain(draft: Draft, asked: Asked) -> None:
    """ "em que mês", "which year": a date cut to that unit is what is wanted."""
    covered = {
        i
        for item in draft.items
        if item.kind in ("column", "period", "value")
        for i in range(item.start, item.end)
    }
    tokens = draft.question.tokens
    for i, token in enumerate(tokens):
        grain = _GRAINS.get(token.text)
        before = tokens[i - 1].text if i else ""
        if grain is None or i in covered or before not in ("que", "qual", "which", "what", "quais"):
            continue
        dates = [ref for ref in draft.context.refs() if draft.context.column(ref).role == "date"]
        if dates:
            asked.groups.append(Output("", dates[0], grain))
            draft.role[-1 - i] = "group"
            if len(dates) > 1:
                draft.guess(0.85, "several date columns")


def _measure_free(draft: Draft) -> bool:
    return any(draft.numeric(i) is not None and draft.free(i) for i in range(len(draft.items)))


def _group_item(draft: Draft, asked: Asked, position: int, after: int, soft: bool) -> bool:
    item = draft.at(after)
    if item is None or not draft.close(position, after, 0 if soft else 1):
        return False
    ref = draft.ref(after)
    if ref is not None and draft.role.get(after, "label") in ("label", "measure"):
        column = draft.context.column(ref)
        if soft and column.role == "measure":
            return False
        draft.role |= {position: "group", after: "group"}
        asked.groups.append(Output("", ref, "month" if column.role == "date" and False else ""))
        return True
    if item.kind == "table" and item.mention is not None and draft.free(after):
        draft.role |= {position: "group", after: "group"}
        asked.groups += entity_outputs(draft, item.mention.table)
        return True
    return False


def _group_grain(draft: Draft, asked: Asked, position: int, item: Item) -> bool:
    """ "por mês", "by year": a date column is cut to that unit."""
    end = item.end
    tokens = draft.question.tokens
    grain = _GRAINS.get(tokens[end].text) if end < len(tokens) else None
    if grain is None:
        return False
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


# --- what to show ------------------------------------------------------------------------------------------


def _selects(draft: Draft, asked: Asked) -> None:
    for position, item in enumerate(draft.items):
        if not draft.free(position):
            continue
        if item.kind == "column":
            ref = draft.ref(position)
            if ref is not None and (
                _said_again(draft, asked, ref, item) or _only_a_label(draft, asked, ref, position)
            ):
                draft.role[position] = "again"
            elif ref is not None:
                asked.selects.append(ref)
                draft.role[position] = "select"
        elif item.kind == "table" and item.mention is not None:
            _thing(draft, asked, position, item.mention.table)
        elif item.is_op in ("who", "when", "where") and not _interrogative(draft, position):
            draft.role[position] = "glue"  # a relative clause
        elif item.is_op == "who":
            ref = person(draft)
            if ref is not None:
                asked.selects.append(ref)
                draft.role[position] = "select"
        elif item.is_op in ("when", "where"):
            ref = draft.by_concept("date") if item.is_op == "when" else _place(draft)
            if ref is not None and ref not in asked.selects:
                asked.selects.append(ref)
                draft.role[position] = "select"
        elif item.is_op == "much":
            asked.much = True
            draft.role[position] = "much"
    asked.selects = list(dict.fromkeys(asked.selects))


def _thing(draft: Draft, asked: Asked, position: int, table: int) -> None:
    """A table named as what is wanted; after "and" beside columns of the other table it is shown as well."""
    draft.role[position] = "entity"
    before = draft.at(position - 1)
    others = {ref.table for ref in asked.selects} | set(asked.entities)
    if (
        before is not None
        and before.is_op == "and"
        and others
        and table not in others
        and not asked.aggregates
    ):
        asked.selects = asked.selects or [display(draft, asked.entities[0])]
        asked.selects.append(display(draft, table))
        return
    asked.entities.append(table)


def _only_a_label(draft: Draft, asked: Asked, ref: Ref, position: int) -> bool:
    """ "where English is the official language": the column of a value given before, while something else is wanted."""
    given = any(
        len(k) == 1 and k[0].ref == ref and k[0].op in ("=", "in", "!=", "not in") for k in draft.where
    )
    tokens = draft.question.tokens
    if {tokens[i].text for i in range(draft.items[position].start, draft.items[position].end)} & _PEOPLE:
        return draft.countable(ref) and bool(asked.selects or asked.entities or asked.aggregates)
    wanted = asked.selects or asked.entities or asked.aggregates or asked.groups
    later = any(draft.ref(i) is not None and draft.free(i) for i in range(position + 1, len(draft.items)))
    return given and bool(wanted or later)


def _said_again(draft: Draft, asked: Asked, ref: Ref, item: Item) -> bool:
    """ "how many languages are spoken": a looser word for a column that is counted or ranked already."""
    counted = any(o.ref == ref and o.aggregate in ("count", "distinct") for o in asked.aggregates)
    ranked = any(by is not None and by.ref == ref for _, by, _ in asked.ranks)
    return (counted or ranked) and item.mention is not None and item.mention.score <= 0.92


def _interrogative(draft: Draft, position: int) -> bool:
    """Does the word open the question, or a part of it?"""
    start = draft.items[position].start
    if start <= 1:
        return True
    before = draft.question.tokens[start - 1].text
    return bool(set(draft.question.tokens[start].gap) & set(",;?.")) or before in (
        "and",
        "e",
        "em",
        "de",
        "desde",
    )


def _place(draft: Draft) -> Ref | None:
    for word in ("location", "city", "address", "country", "state", "region", "room"):
        wanted = {concept.key for concept in concepts_of((word,))}
        for ref in draft.context.refs():
            column = draft.context.column(ref)
            if column.type == "text" and any(
                c.key in wanted for w in column.words for c in concepts_of((w,))
            ):
                return ref
    return None


def person(draft: Draft) -> Ref | None:
    """The column that names people, for "quem"."""
    wanted = {
        c.key
        for word in (
            "employee",
            "seller",
            "customer",
            "manager",
            "owner",
            "responsible",
            "name",
            "student",
            "author",
            "player",
            "agent",
            "teacher",
        )
        for c in concepts_of((word,))
    }
    for ref in draft.context.refs():
        column = draft.context.column(ref)
        if column.type == "text" and any(c.key in wanted for w in column.words for c in concepts_of((w,))):
            return ref
    return display(draft, 1 if draft.context.join else 0)


def display(draft: Draft, table: int) -> Ref:
    """The column that names a table's rows."""
    profile = draft.context.tables[table].profile
    texts = [column for column in profile.columns if column.type == "text" and column.role != "key"]
    named = [column for column in texts if "@" in column.marks]
    titled = [c for c in named if c.words and c.words[-1] in ("name", "nome", "title", "titulo")]
    same = [c for c in texts if set(c.words) & set(draft.context.tables[table].words)]
    unique = [column for column in texts if column.unique]
    keys = [column for column in profile.columns if column.role == "key" and column.unique]
    for group in (
        titled[:1],
        [c for c in same if c.unique],
        named,
        unique,
        keys,
        texts,
        list(profile.columns),
    ):
        if group:
            return Ref(table, group[0].position)
    return Ref(table, 0)


def entity_outputs(draft: Draft, table: int) -> list[Output]:
    """How a thing of a table is shown and told apart from others of the same name."""
    return [Output("", display(draft, table))]


def negation_left(draft: Draft) -> bool:
    """A "not" or "without" that no filter has used."""
    return any(
        item.is_op in ("not", "without") and draft.free(i) and _is_strong(draft, i)
        for i, item in enumerate(draft.items)
    )


def _is_strong(draft: Draft, position: int) -> bool:
    op = draft.items[position].op
    return op is not None and draft.question.tokens[op.start].text not in ("any", "algum", "other", "no")


__all__ = [
    "Asked",
    "Condition",
    "Having",
    "Plan",
    "display",
    "entity_outputs",
    "main_measure",
    "negated",
    "read_asked",
]
