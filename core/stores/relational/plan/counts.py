""" "How many", "número de": rows, things or amounts."""

from core.stores.relational.link.items import Item
from core.stores.relational.link.money import is_money
from core.stores.relational.plan.amounts import is_amount, main_measure
from core.stores.relational.plan.asked import PEOPLE, Asked
from core.stores.relational.plan.draft import Draft
from core.stores.relational.plan.model import Output, Ref
from core.stores.relational.plan.shown import person
from core.stores.relational.wording.lexicon import concepts_of

_ARTICLES = frozenset(["a", "o", "as", "os", "the", "an", "um", "uma"])
_UNKNOWN_COUNTED = 0.55  # rows of a table that does not say what they are may be anything but what is asked


def read_counts(draft: Draft, asked: Asked) -> None:
    for position, item in enumerate(draft.items):
        if item.is_op != "count" or not draft.free(position):
            continue
        after = draft.skip(position, 1, ("distinct", "which"))
        if draft.role.get(after) == "owner":
            after += 1
        step = draft.at(after)
        draft.role[position] = "count"
        near = step is not None and draft.close(position, after, int(_may_be_described(draft, step)))
        if step is None or not near or step.kind not in ("table", "column"):
            said = draft.question.tokens[item.start].text in _QUANTITY  # "quantidade de janeiro a março"
            pieces = _pieces(draft, position, step if near else None, said=said)
            if pieces is not None:
                asked.aggregates.append(Output("sum", pieces))
                continue
            asked.aggregates.append(Output("count"))
            _doubt_counted(draft, position)
            _count_of_nothing(draft, position)
            continue
        if _sizes_by(draft, position, after):
            draft.role[position] = "glue"
            continue
        if step.kind == "table" and step.mention is not None:
            _count_rows(draft, asked, after, step)
            continue
        _count_column(draft, asked, position, after)


def _sizes_by(draft: Draft, position: int, after: int) -> bool:
    """ "maior evento em número de convidados": what the superlative before ranks by."""
    start = draft.items[position].start
    lead = draft.question.tokens[start - 1].text if start else ""
    ranked = any(
        item.is_op in ("top", "bottom") and draft.free(i) for i, item in enumerate(draft.items[:position])
    )
    return ranked and lead in ("em", "in", "by", "por") and draft.numeric(after) is not None


_QUANTITY = frozenset(["quantidade", "quantity", "qtd", "qtde", "amount"])


def _pieces(draft: Draft, position: int, step: Item | None, *, said: bool = False) -> Ref | None:
    """ "quantas brocas vendemos", "quantas saíram": of a thing with a quantity, pieces are counted and not rows."""
    keys = {concept.key for concept in concepts_of(("quantity",))}
    found = [
        ref
        for ref in draft.context.refs()
        if draft.context.column(ref).role == "measure"
        and not is_money(draft.context.column(ref))
        and any(c.key in keys for word in draft.context.column(ref).words for c in concepts_of((word,)))
    ]
    tokens, after = draft.question.tokens, draft.items[position].end
    while after < len(tokens) and tokens[after].text in _ARTICLES:
        after += 1
    valued = step is not None and step.kind == "value" and draft.role.get(position + 1) == "value"
    verb = after < len(tokens) and tokens[after].text.endswith(("ou", "aram", "eram", "iram", "eu", "iu"))
    if len(found) != 1 or not (said or valued or (verb and "value" in draft.role.values())):
        return None
    if verb and not valued:
        draft.role[-1 - after] = "counted"
    return found[0]


def _may_be_described(draft: Draft, step: Item) -> bool:
    """ "quantos bons clientes", but not "quantas cirurgias a loja fez": an article opens a thing of its own."""
    before = draft.question.tokens[step.start - 1].text if step.start else ""
    return step.kind == "table" and before not in _ARTICLES


def _doubt_counted(draft: Draft, position: int) -> None:
    """The word after "how many" is known nowhere: what is counted may not be the table's rows."""
    after = draft.items[position].end
    tokens = draft.question.tokens
    while after < len(tokens) and tokens[after].text in draft.question.carriers:
        after += 1
    covered = any(item.start <= after < item.end for item in draft.items)
    if (
        after < len(tokens)
        and tokens[after].text in PEOPLE
        and "@" in draft.context.column(person(draft) or Ref(0, 0)).marks
    ):
        draft.role[-1 - after] = "counted"
        return
    if after < len(tokens) and not covered:
        draft.guess(_UNKNOWN_COUNTED, "the counted thing is not known")
        draft.role[-1 - after] = "counted"


def _count_of_nothing(draft: Draft, position: int) -> None:
    if draft.items[position].op is not None and len(draft.context.tables) > 1:
        draft.guess(0.8, "counted thing not named")


def _count_rows(draft: Draft, asked: Asked, position: int, item: Item) -> None:
    if item.mention is None or not draft.free(position):
        asked.aggregates.append(Output("count"))
        return
    draft.role[position] = "counted"
    main = main_measure(draft, item.mention.table)
    if (
        main is not None
        and draft.context.tables[item.mention.table].profile.source
        and is_amount(draft, item)
    ):
        asked.aggregates.append(Output("sum", main))  # "quantas mudas foram vendidas": a cell holds many
        return
    asked.counted.append(item.mention.table)
    asked.aggregates.append(count_of_table(draft, item.mention.table))


def count_of_table(draft: Draft, table: int) -> Output:
    """Rows of the "many" side; different keys of the "one" side when both are joined."""
    if draft.context.join is not None and table > 0:
        return Output("distinct", draft.context.key(table))
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
