"""Whose "name", whose "id": words that many headers share are bound to the table that stands beside them."""

from collections.abc import Sequence
from dataclasses import replace

from core.stores.relational.link.items import Item
from core.stores.relational.link.question import Mention, Question
from core.stores.relational.wording.words import light_stem, word_set

_PART, _WHOLE = 0.7, 0.85  # the most that one part of a header may say of it, the least that two parts must
_LESS = 0.05  # a reading used before counts as much as one that fits better by this
_CLEAR = 0.6  # trust from which a word is the header's own noun
_SHARED = frozenset(
    light_stem(word)
    for word in sorted(
        word_set(
            "name names nome nomes id ids identificacao codigo code codes numero number titulo title descricao description "
            "descricoes detalhe details tipo type data date nota status valor"
        )
    )
)


def bind(question: Question, items: Sequence[Item], measures: frozenset[tuple[int, int]]) -> tuple[Item, ...]:
    """Choose, for each column named only by shared words, the reading that belongs to its neighbour."""
    bound = list(items)
    for position, item in enumerate(items):
        if item.kind != "column" or item.mention is None:
            continue
        if not _only_shared(question, item):
            bound[position] = _thing_asked(items, position, measures) or _amount_of_value(
                items, item, measures
            )
            continue
        readings = (item.mention, *item.mention.others)
        used = _already_used(bound, position, readings)
        owner = _owner(question, bound, position)
        ordering = position > 0 and items[position - 1].is_op in ("order", "group", "direction")
        chosen = _of_table(readings, owner) if owner is not None else used
        if ordering and used is not None:
            chosen = used if used.score >= item.mention.score - _LESS else None
        elif owner is None and used is None and (partner := _coordinated(bound, position)) is not None:
            chosen = _of_table(readings, partner)
        if chosen is not None and chosen is not item.mention:
            rest = tuple(reading for reading in readings if reading is not chosen)
            bound[position] = replace(item, mention=replace(chosen, others=rest))
    return tuple(bound)


def spread(
    items: Sequence[Item], measures: frozenset[tuple[int, int]]
) -> tuple[tuple[Item, ...], frozenset[int]]:
    """ "quantos pratos a loja vendeu": a header ("Pratos vendidos") whose words stand apart.

    Two items that name one amount each in part, and together nearly whole, name that column.

    Returns: the items, and the positions of those that only complete an earlier one.
    """
    found, again = list(items), set[int]()
    for later, second in enumerate(items):
        for earlier, first in enumerate(items[:later]):
            if first.kind not in ("column", "table") or second.kind != "column" or {earlier, later} & again:
                continue
            start = found[
                earlier
            ]  # "how many calls did Lena answer": the table's name is half of a header too
            pair = _halves(start.column if start.kind == "table" else start.mention, second.mention, measures)
            if pair is not None:
                left, right = pair
                whole = min(1.0, left.score + right.score)
                found[earlier] = replace(
                    first, kind="column", mention=replace(left, score=whole), column=None
                )
                found[later] = replace(second, mention=replace(right, score=whole))
                again.add(later)
    return tuple(found), frozenset(again)


def _halves(
    first: Mention | None, second: Mention | None, measures: frozenset[tuple[int, int]]
) -> tuple[Mention, Mention] | None:
    """The readings of two items that are parts of one amount's header and say nearly all of it."""
    if first is None or second is None:
        return None
    for left in (first, *first.others):
        for right in (second, *second.others):
            same = (left.table, left.column) == (right.table, right.column) and (
                left.table,
                left.column,
            ) in measures
            if same and max(left.score, right.score) <= _PART and left.score + right.score >= _WHOLE:
                return left, right
    return None


def _thing_asked(items: Sequence[Item], position: int, measures: frozenset[tuple[int, int]]) -> Item | None:
    """ "qual despesa": after "which" a word that fits a thing and an amount alike means the thing."""
    item, before = items[position], items[position - 1] if position else None
    mention = item.mention
    after = items[position + 1] if position + 1 < len(items) else None
    if after is not None and after.is_op in ("sum", "avg", "max", "min"):
        return None  # "qual a despesa total"
    if (
        before is None
        or before.is_op != "which"
        or mention is None
        or (mention.table, mention.column) not in measures
    ):
        return None
    thing = next(
        (
            m
            for m in mention.others
            if (m.table, m.column) not in measures and m.score >= mention.score - 0.01
        ),
        None,
    )
    if thing is None:
        return None
    rest = tuple(reading for reading in (mention, *mention.others) if reading is not thing)
    return replace(item, mention=replace(thing, others=rest))


def _amount_of_value(items: Sequence[Item], item: Item, measures: frozenset[tuple[int, int]]) -> Item:
    """ "gasto com água": where the value stands in the column Despesa, the word asks for the amount beside it."""
    mention = item.mention
    if any(other.kind == "value" and other.start == item.end for other in items):
        return item  # "da unidade Shopping": it only labels the value
    valued = {
        (i.mention.table, i.mention.column) for i in items if i.kind == "value" and i.mention is not None
    }
    if mention is None or (mention.table, mention.column) not in valued:
        return item
    amount = next((m for m in mention.others if (m.table, m.column) in measures), None)
    if amount is None:
        return item
    rest = tuple(reading for reading in (mention, *mention.others) if reading is not amount)
    return replace(item, mention=replace(amount, others=rest))


def _only_shared(question: Question, item: Item) -> bool:
    words = [question.tokens[i].text for i in question.content(item.start, item.end)]
    return bool(words) and all(light_stem(word) in _SHARED for word in words)


def _owner(question: Question, items: Sequence[Item], position: int) -> int | None:
    """The table just before ("singer names"), else the next one after ("names of all singers"), else the last one."""
    before = items[position - 1] if position else None
    if (
        before is not None
        and before.kind == "table"
        and before.mention
        and before.end == items[position].start
    ):
        return before.mention.table
    for later in items[position + 1 :]:
        if later.kind == "table" and later.mention is not None:
            return later.mention.table
        if later.kind == "column" and later.mention is not None and not _only_shared(question, later):
            return later.mention.table
        if later.kind not in ("column",) and later.is_op not in ("and", "distinct", "count", "which"):
            break
    for earlier in reversed(items[:position]):
        if earlier.kind == "table" and earlier.mention is not None:
            return earlier.mention.table
    return None


def _coordinated(items: Sequence[Item], position: int) -> int | None:
    """ "template type codes and descriptions": the table of the column on the other side of the "and"."""
    if position < 2 or items[position - 1].is_op != "and":
        return None
    partner = items[position - 2].mention
    return partner.table if partner is not None and items[position - 2].kind == "column" else None


def foreign(question: Question, items: Sequence[Item]) -> int:
    """How many shared words belong to a table that has no such column: they were bound elsewhere."""
    lost = 0
    for position, item in enumerate(items):
        if position and items[position - 1].is_op == "group":
            continue  # "por tipo e base": what is grouped by stands for itself
        if item.kind == "column" and item.mention is not None and _only_shared(question, item):
            owner = _owner(question, items, position)
            owner = owner if owner is not None else _coordinated(items, position)
            lost += owner is not None and owner != item.mention.table
    return lost


def _of_table(readings: Sequence[Mention], table: int) -> Mention | None:
    return next((reading for reading in readings if reading.table == table), None)


def _already_used(items: Sequence[Item], position: int, readings: Sequence[Mention]) -> Mention | None:
    """ "ordered by id": the id that was named in full before."""
    used = {(i.mention.table, i.mention.column) for i in items[:position] if i.kind == "column" and i.mention}
    return next((reading for reading in readings if (reading.table, reading.column) in used), None)


def owned(
    question: Question, items: Sequence[Item], relational: frozenset[tuple[int, int]]
) -> frozenset[int]:
    """Table items that only qualify the column that follows at once: "store locations", "document ids".

    Not before a header that says how things are related ("cartoons directed by").
    """
    found: list[int] = []
    if question.language == "pt":  # Portuguese puts the thing owned first: "nomes das lojas"
        return frozenset(found)
    for position, item in enumerate(items[:-1]):
        after = items[position + 1]
        if item.kind != "table" or after.kind != "column" or item.mention is None or after.mention is None:
            continue
        column = (after.mention.table, after.mention.column)
        if after.mention.score < _CLEAR:
            continue  # "projects started": a verb that merely resembles a header
        if item.end == after.start and item.mention.table == after.mention.table and column not in relational:
            found.append(position)
    return frozenset(found)
