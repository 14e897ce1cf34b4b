"""Superlatives: what the rows are ranked by."""

from core.stores.relational.link.items import Item
from core.stores.relational.link.money import MONEY_VERBS, is_money
from core.stores.relational.plan.amounts import is_amount, main_measure
from core.stores.relational.plan.asked import Asked
from core.stores.relational.plan.counts import count_of_table
from core.stores.relational.plan.draft import Draft
from core.stores.relational.plan.model import Output, Ref
from core.stores.relational.plan.shown import has_free_measure
from core.stores.relational.wording.lexicon import concepts_of
from core.stores.relational.wording.words import word_set

_RANKS = ("top", "bottom", "frequent", "rare")


def read_ranks(draft: Draft, asked: Asked) -> None:
    for position, item in enumerate(draft.items):
        if item.is_op not in _RANKS or item.op is None or not draft.free(position):
            continue
        if item.op.kind in ("frequent", "rare"):
            draft.role[position] = "rank"
            asked.ranks.append((item.op.kind == "frequent", None, position))
            continue
        if _most_done(draft, position):
            draft.role[position] = "rank"
            asked.ranks.append((item.op.kind == "top", None, position))
            continue
        target = _rank_target(draft, asked, position, item)
        if target == "nothing":
            _unbound_rank(draft, asked, position, item)
            continue
        draft.role[position] = "rank"
        by = target if isinstance(target, Output) else None
        asked.ranks.append((item.op.kind == "top", by, position))


def _most_done(draft: Draft, position: int) -> bool:
    """ "most used part" of a column "Part used": the part that stands in most rows."""
    item, after = draft.items[position], draft.at(position + 1)
    ref = draft.ref(position + 1)
    if after is None or ref is None or after.start != item.end or after.end - after.start < 2:
        return False
    return (
        draft.question.tokens[after.start].text.endswith(_DONE)
        and draft.context.column(ref).role == "category"
    )


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
    described = draft.at(after)
    if described is not None and described.kind == "value" and draft.role.get(after) == "value":
        after += draft.close(after, after + 1) and draft.ref(after + 1) is not None  # "more frozen members"
    for option in (after, position - 1):
        low, high = sorted((position, option))
        if not draft.close(low, high, 0) or (
            not draft.free(option) and draft.role.get(option) not in ("label", "measure", "limit")
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
        if draft.ref(neighbour) == ref and draft.free(neighbour) and draft.close(neighbour, position):
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
        main = main_measure(draft, item.mention.table)
        if (
            main is not None
            and draft.context.tables[item.mention.table].profile.source
            and is_amount(draft, item)
        ):
            draft.role[option] = "measure"
            return Output("", main)
        return _rank_by_rows(draft, asked, option, item.mention.table)
    if ref is not None and _other_things_asked(draft, option) and not _of_size(draft, option):
        draft.role[option] = "counted"
        draft.guess(0.9, "ranked by a count")
        return Output("distinct", ref) if not draft.context.column(ref).unique else Output("count")
    return None


def _of_size(draft: Draft, option: int) -> bool:
    """ "o maior produtor de cada cultura": the thing itself is large or good, nobody counts producers."""
    before = draft.at(option - 1)
    single = before is not None and before.end - before.start == 1
    return single and before is not None and draft.question.tokens[before.start].text in SIZES


SIZES = word_set(
    "maior maiores menor menores melhor melhores pior piores principal principais main best worst biggest largest "
    "smallest highest lowest top"
)


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
        if ref is not None and draft.free(option) and draft.close(position, option, 1):
            draft.role[option] = "measure"
            return Output("", ref)
    later = [
        i for i in range(position + 1, len(draft.items)) if draft.numeric(i) is not None and draft.free(i)
    ]
    by = [i for i in later if draft.items[i - 1].is_op == "group" and draft.items[i - 1].argument == "by"]
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
    after = position + 1 + (draft.role.get(position + 1) == "limit")
    following = draft.at(after)
    table = following.mention.table if following is not None and following.mention is not None else 0
    if _money_after(draft, asked, position):
        return
    if _sold_most(draft, asked, position) or _best_of_all(draft, asked, position):
        return
    if _amount_by_verb(draft, asked, position) or _counted_by_verb(draft, asked, position):
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
        if measure in named[:1]:  # "the biggest workshop invoice"
            draft.role |= {
                i: "measure" for i in range(len(draft.items)) if draft.free(i) and draft.numeric(i) == measure
            }
            draft.guess(0.9, "ranked by an amount named further on")
        else:
            draft.guess(0.75, "ranked by the table's main amount")
        if following.kind == "value" and not asked.selects:
            asked.entities.append(table)
        if following.kind == "table" and draft.items[position].start < following.start:
            asked.implied = True  # "the biggest rental": one row, not what rows add up to
        asked.ranks.append((item.op is not None and item.op.kind == "top", Output("", measure), position))
        return
    draft.guess(0.4, "a superlative without a measure")


def _size(draft: Draft, word: str) -> Ref | None:
    """What "largest" and "maior" mean of a thing without a measure: its size or area."""
    if word not in ("maior", "menor", "maiores", "menores", "largest", "biggest", "smallest"):
        return None
    return draft.by_concept("size") or draft.by_concept("area")


def _money_after(draft: Draft, asked: Asked, position: int) -> bool:
    """ "o consultor que mais vendeu": the verb of money that follows means the table's one amount of money."""
    end, tokens = draft.items[position].end, draft.question.tokens
    main = main_measure(draft, 0)
    covered = any(item.start <= end < item.end for item in draft.items)
    if main is None or covered or end >= len(tokens) or tokens[end].text not in MONEY_VERBS:
        return False
    if not is_money(draft.context.column(main)):
        return False
    draft.role |= {position: "rank", -1 - end: "verb"}
    draft.guess(0.8, "ranked by the table's main amount")
    asked.ranks.append((draft.items[position].is_op == "top", Output("", main), position))
    return True


def bad_thing(draft: Draft, ref: Ref) -> bool:
    """Losses, delays, costs: whether the worst is the most or the least of them is not for a plan to say."""
    words = (
        "loss",
        "delay",
        "failure",
        "cost",
        "expense",
        "fine",
        "complaint",
        "absence",
        "cancelled",
        "debt",
        "downtime",
    )
    bad = {concept.key for word in words for concept in concepts_of((word,))}
    column = draft.context.column(ref)
    return bool(_LOST & set(column.words)) or any(
        c.key in bad for word in column.words for c in concepts_of((word,))
    )


_LOST = word_set(
    "abandoned abandonadas abandonados rejeitados rejected defeitos defects errors erros reclamacoes"
)


def _best_of_all(draft: Draft, asked: Asked, position: int) -> bool:
    """ "which month was the worst?": of a table with one amount, the best is the one with the most of it."""
    main = main_measure(draft, 0)
    tokens, item = draft.question.tokens, draft.items[position]
    last = position == len(draft.items) - 1 and tokens[item.start].text in GOOD
    free = any(draft.free(i) and draft.ref(i) is not None for i in range(position)) or bool(asked.groups)
    if main is None or not last or not free or draft.context.join is not None:
        return False
    draft.role[position] = "rank"
    draft.guess(0.8, "ranked by the table's main amount")
    asked.ranks.append((item.is_op == "top", Output("", main), position))
    return True


GOOD = word_set("melhor melhores pior piores best worst")


def _sold_most(draft: Draft, asked: Asked, position: int) -> bool:
    """ "o serviço mais pedido", "the most booked room": what is done most often has the most rows."""
    end = draft.items[position].end
    tokens = draft.question.tokens
    word = tokens[end].text if end < len(tokens) else ""
    covered = any(item.start <= end < item.end for item in draft.items)
    done = word.rstrip("s").endswith(_DONE) or word in ("sold", "done", "feito", "feita", "feitos", "feitas")
    free = any(draft.free(i) and draft.ref(i) is not None for i in range(len(draft.items)))
    if covered or not done or not (free or asked.groups):
        return False
    draft.role |= {position: "rank", -1 - end: "verb"}
    draft.guess(0.8, "ranked by a count of rows")
    asked.ranks.append((draft.items[position].is_op == "top", None, position))
    return True


_DONE = ("ado", "ada", "ido", "ida", "ed")
_VERBAL = ("ou", "aram", "eram", "iram", "eu", "iu", "ed")


def _amount_by_verb(draft: Draft, asked: Asked, position: int) -> bool:
    """ "qual barco pescou mais": an unknown verb before the superlative asks for the table's main amount."""
    start = draft.items[position].start
    start -= start > 1 and draft.question.tokens[start - 1].text in ("the", "o", "a")  # "billed the most"
    verb = draft.question.tokens[start - 1] if start else None
    holder = next((i for i, item in enumerate(draft.items) if item.start <= start - 1 < item.end), None)
    said = holder is not None and draft.items[holder].kind == "table" and draft.free(holder)
    called = (
        said and verb is not None and verb.text.endswith(_VERBAL)
    )  # "entregou mais" of a table of deliveries
    covered = holder is not None and not called
    measure = main_measure(draft, 0)
    if (
        verb is None
        or covered
        or measure is None
        or verb.text in draft.question.carriers
        or verb.raw[:1].isupper()
    ):
        return False
    if not any(draft.free(i) and draft.ref(i) is not None for i in range(position)) and not asked.groups:
        return False
    draft.role |= {position: "rank", -start: "verb"}  # the word before is explained
    if holder is not None:
        draft.role[holder] = "verb"
    draft.guess(0.8, "ranked by the table's main amount")
    asked.ranks.append((draft.items[position].is_op == "top", Output("", measure), position))
    return True


def _counted_by_verb(draft: Draft, asked: Asked, position: int) -> bool:
    """ "which author is borrowed the most": with nothing after it, the superlative counts rows."""
    if position != len(draft.items) - 1 or position == 0 or has_free_measure(draft):
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
    asked.ranks.append((draft.items[position].is_op == "top", None, position))
    return True
