"""Which columns are shown: those named, and how a thing is called."""

from core.stores.relational.link.items import Item
from core.stores.relational.plan.asked import PEOPLE, Asked
from core.stores.relational.plan.draft import Draft
from core.stores.relational.plan.model import Output, Ref
from core.stores.relational.profile import ColumnProfile
from core.stores.relational.wording.lexicon import concepts_of
from core.stores.relational.wording.words import light_stem


def has_free_measure(draft: Draft) -> bool:
    return any(draft.numeric(i) is not None and draft.free(i) for i in range(len(draft.items)))


def read_selects(draft: Draft, asked: Asked) -> None:
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
            after = draft.skip(position, 1)
            following = draft.ref(after)
            named = (
                following is not None
                and draft.context.column(following).type == "text"
                and draft.close(position, after)
                and draft.role.get(after) != "label"
                and not _is_verb(draft, after)
            )
            ref = None if named else person(draft)  # "quem é o fornecedor": the column says who
            if named:
                draft.role[position] = "glue"
            elif following is not None and _is_verb(draft, after):
                draft.role[after] = "verb"
            if ref is not None:
                asked.selects += _everybody(draft, ref)
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
    _name_besides(draft, asked)


def _name_besides(draft: Draft, asked: Asked) -> None:
    """ "nome e preço do exame COL" where no header says "name": how the thing is called."""
    covered = {i for item in draft.items for i in range(item.start, item.end)}
    tokens = draft.question.tokens
    said = any(
        token.text in ("nome", "nomes", "name", "names")
        and i not in covered
        and i + 1 < len(tokens)
        and tokens[i + 1].text in ("e", "and")
        for i, token in enumerate(tokens)
    )
    if said and asked.selects and not asked.aggregates:
        shown = display(draft, asked.selects[0].table)
        if shown not in asked.selects:
            asked.selects.insert(0, shown)


def _is_verb(draft: Draft, position: int) -> bool:
    """ "who booked": a verb that resembles the header of numbers says nobody's name."""
    ref, item = draft.ref(position), draft.items[position]
    word = draft.question.tokens[item.start].text
    told = ref is not None and (draft.context.column(ref).role == "key" or draft.context.column(ref).unique)
    return told and word.endswith(("ed", "ou", "eu", "iu"))


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
    if {tokens[i].text for i in range(draft.items[position].start, draft.items[position].end)} & PEOPLE:
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
            "lawyer",
        )
        for c in concepts_of((word,))
    }
    for ref in draft.context.refs():
        column = draft.context.column(ref)
        if column.type == "text" and any(c.key in wanted for w in column.words for c in concepts_of((w,))):
            return ref
    people = [r for r in draft.context.refs() if _holds_people(draft.context.column(r))]
    if not people and (people := [r for r in draft.context.refs() if _does_a_job(draft.context.column(r))]):
        draft.guess(0.75, "who is read off a header")
    shown = display(draft, 1 if draft.context.join else 0)
    if not people and draft.context.column(shown).role in ("moment", "month", "date", "year", "measure"):
        draft.guess(0.5, "nobody is named here")  # "quem supervisiona a região" of a table of sales by month
    return people[0] if people else display(draft, 1 if draft.context.join else 0)


def _everybody(draft: Draft, ref: Ref) -> list[Ref]:
    """ "who handles MT-210?": where a row names a client and a lawyer, both are shown."""
    people = {c.key for word in _PEOPLE for c in concepts_of((word,))}
    one = any(
        len(clause) == 1 and clause[0].op == "=" and draft.context.column(clause[0].ref).unique
        for clause in draft.where
    )
    if not one or draft.context.join is not None:
        return [ref]
    given = {condition.ref for clause in draft.where for condition in clause}
    found = [
        r
        for r in draft.context.refs()
        if r not in given
        and (column := draft.context.column(r)).type == "text"
        and (any(c.key in people for w in column.words for c in concepts_of((w,))) or _holds_people(column))
    ]
    return list(dict.fromkeys([*found, ref])) if ref in found else [ref]


_PEOPLE = (
    "employee",
    "seller",
    "customer",
    "manager",
    "owner",
    "responsible",
    "lawyer",
    "doctor",
    "teacher",
    "supplier",
)


_JOBS = ("er", "or", "ora", "ista", "ist", "ian", "mechanic", "eiro", "eira", "ante", "ente", "logo", "loga")
_NO_JOBS = frozenset(
    [
        "setor",
        "sector",
        "cor",
        "color",
        "sabor",
        "order",
        "number",
        "floor",
        "motor",
        "tambor",
        "other",
        "quarter",
        "paper",
        "cliente",
    ]
)


def _does_a_job(column: ColumnProfile) -> bool:
    """ "Mechanic", "Consultor": a header that is made like the name of a trade, over names that recur."""
    last = column.words[-1] if column.words else ""
    named = (
        column.type == "text" and column.role == "category" and last.endswith(_JOBS) and last not in _NO_JOBS
    )
    return named and all(value[:1].isupper() for value, _ in column.values)


def _holds_people(column: ColumnProfile) -> bool:
    """Most cells are two or three capitalised words."""
    if column.type != "text" or column.role not in ("category", "text") or not column.values:
        return False
    named = [
        v for v, _ in column.values if 2 <= len(v.split()) <= 4 and all(w[:1].isupper() for w in v.split())
    ]
    return 5 * len(named) >= 4 * len(column.values)


def display(draft: Draft, table: int) -> Ref:
    """The column that names a table's rows."""
    profile = draft.context.tables[table].profile
    texts = [column for column in profile.columns if column.type == "text" and column.role != "key"]
    named = [column for column in texts if "@" in column.marks]
    titled = [c for c in named if c.words and c.words[-1] in ("name", "nome", "title", "titulo")]
    called = {light_stem(word) for word in draft.context.tables[table].words}
    same = [
        c
        for c in profile.columns
        if c.type == "text" and c.words and called >= {light_stem(word) for word in c.words}
    ]
    unique = [column for column in texts if column.unique]
    keys = [column for column in profile.columns if column.role == "key" and column.unique]
    own = [
        c for c in (*unique, *keys) if called & {light_stem(word) for word in c.words}
    ]  # "Matter" of matters
    for group in (
        titled[:1],
        [c for c in same if c.unique],
        [c for c in named if c.unique],
        own,
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


def compound(draft: Draft) -> list[int]:
    """ "fuel cost per owner": an English noun straight before the amount says what kind of amount it is."""
    if draft.question.language == "pt" or not any(item.is_op == "group" for item in draft.items):
        return []
    found = []
    for position, item in enumerate(draft.items[:-1]):
        ref, after = draft.ref(position), draft.items[position + 1]
        beside = item.end == after.start and not draft.question.tokens[after.start].gap
        led = position > 0 and draft.items[position - 1].is_op in ("group", "and", "which", "or")
        if (
            ref is not None
            and not draft.countable(ref)
            and beside
            and not led
            and draft.numeric(position + 1)
        ):
            found.append(position)
    return found
