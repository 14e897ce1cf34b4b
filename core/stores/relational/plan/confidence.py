"""How sure a plan is: what it leaves unexplained, unused or guessed costs it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.stores.relational.catalog import NamedTable
from core.stores.relational.link.index import SHORTENED
from core.stores.relational.link.items import Item, unlinked
from core.stores.relational.link.money import ASKS_PRICE, MONEY_VERBS, PRICING, is_money
from core.stores.relational.link.question import Question
from core.stores.relational.plan.asked import Asked
from core.stores.relational.plan.draft import Draft
from core.stores.relational.plan.model import Output, Plan, Ref
from core.stores.relational.plan.shown import negation_left
from core.stores.relational.wording.lexicon import concepts_of, marks_of
from core.stores.relational.wording.words import done_root, light_stem, name_words, word_set

_UNUSED = {
    "value": 0.3, "amount": 0.4, "period": 0.3, "column": 0.6, "table": 0.9, "count": 0.7, "sum": 0.7, "avg": 0.5,
    "max": 0.6, "min": 0.6, "top": 0.5, "bottom": 0.5, "frequent": 0.5, "rare": 0.5, "compare": 0.5,
    "between": 0.5, "group": 0.75, "order": 0.8, "direction": 0.8, "not": 0.4, "without": 0.5, "like": 0.4,
    "null": 0.5, "share": 0.5, "difference": 0.5, "median": 0.3,
}  # fmt: skip

_ASKED_UNKNOWN = 0.6  # besides what an unexplained word costs
_ONE_OF_SEVERAL = 0.6
_FEW = 3  # amounts that fit alike are shown together
_ANY_FIGURE = word_set("numero number valor value quantidade quantia amount figure")
_ASKING = word_set("quem who qual quais q what which how quanto quanta qto")
_KNOWN = 0.8  # trust from which another table explains a word
_PARTLY = 0.7  # trust below which a word is only a part of the header that it names


def against_the_best(question: Question, items: Sequence[Item], best: Mapping[int, float]) -> float:
    """A word that another table explains better is a reason to doubt this one."""
    factor = 1.0
    for item in items:
        if item.mention is not None:
            others = max((best.get(i, 0.0) for i in question.content(item.start, item.end)), default=0.0)
            if others > item.mention.score + 0.05:
                ratio = item.mention.score / others
                loose = item.kind == "column" and item.mention.score <= SHORTENED and others >= 0.95
                factor *= ratio if item.kind in ("table", "value") or loose else 0.4 + 0.6 * ratio
    return factor


def confidence_of(draft: Draft, items: tuple[Item, ...], best: Mapping[int, float]) -> float:
    confidence = draft.trust
    for position, item in enumerate(items):
        if draft.free(position):
            confidence *= _unused(draft, item)
        elif item.mention is not None:
            confidence *= 0.7 + 0.3 * min(1.0, item.mention.score / 0.85)
    if negation_left(draft):
        confidence *= 0.6
    question = draft.question
    if _comparison_lost(draft):
        confidence *= 0.5
    if _compared_with_a_thing(draft):
        confidence *= 0.4
    loose = [i for i in unlinked(question, items) if -1 - i not in draft.role and not _says_money(draft, i)]
    verbs = [
        i for i in unlinked(question, items) if -1 - i in draft.role and done_root(question.tokens[i].text)
    ]
    read = any(best.get(i, 0.0) >= _KNOWN for i in verbs)
    confidence *= 0.5 if read else 1.0  # "gerou" taken for money where another table has a column "Geração"
    for i in loose:
        elsewhere = 0.5 if best.get(i, 0.0) >= _KNOWN else 1.0
        kind = 0.0 if _qualifies(draft, i) else _names_a_value(draft, i)
        confidence *= min(max(_loose_factor(draft, i), kind), elsewhere)
    return confidence


def doubt_asked(draft: Draft) -> None:
    """ "qual o peso do gel", "the phone number of X": what is asked for is named nowhere in these tables.

    Whatever a plan shows instead would be another measure.
    """
    question, loose = draft.question, set(unlinked(draft.question, draft.items))
    if _column_wanted(draft):
        return  # "qual o limite de hotel por noite", "quanto demos de desconto"
    called = {light_stem(word) for table in draft.context.tables for word in _called(table)}
    loose = {
        i for i in loose if light_stem(question.tokens[i].text) not in called
    }  # "limite da acidez" of "Limites"
    for item in draft.items:
        if question.tokens[item.start].text not in _ASKING or item.is_op not in ("which", "much", "who"):
            continue
        at = item.end
        while at < len(question.tokens) and not _counts(draft, at):
            at += 1
        if item.is_op == "who" and question.tokens[at - 1].text not in ("o", "a", "os", "as", "the"):
            continue  # "quem vendeu mais", but "quem é o noivo do EV-001"
        rows = question.tokens[item.start].text in ("quais", "which")  # "quais produtores de Várzea Bonita"
        if at in loose and _names_a_value(draft, at) in ((0.0,) if rows else (0.0, _OF_VALUE)):
            draft.guess(_ASKED_UNKNOWN, "what is asked for is named nowhere")
    first = next((i for i in range(len(question.tokens)) if _counts(draft, i)), None)
    plural = first is not None and question.tokens[first].text.endswith("s")
    if first in loose and first == 0 and not plural and _names_a_value(draft, first) == _OF_VALUE:
        draft.guess(_ASKED_UNKNOWN, "what is asked for is named nowhere")  # "margem do feijão"
    for item in draft.items:
        if item.is_op == "count" and item.start and item.start - 1 in loose:
            draft.guess(_ASKED_UNKNOWN, "what is asked for is named nowhere")


def _says_money(draft: Draft, position: int) -> bool:
    """ "quanto custa o aluguel", "quanto foi pago de aluguel": the verb adds nothing to an amount of money."""
    return draft.question.tokens[position].text in MONEY_VERBS and any(
        (ref := draft.ref(at)) is not None
        and item.mention is not None
        and item.mention.score >= _PARTLY
        and draft.role.get(at) in ("select", "measure")
        and draft.countable(ref)
        and is_money(draft.context.column(ref))
        for at, item in enumerate(draft.items)
    )


def _called(table: NamedTable) -> tuple[str, ...]:
    """What people may call the rows of a table: its names, and the heading it stands under."""
    return (*table.words, *(word for heading in table.profile.headings[-1:] for word in name_words(heading)))


def _column_wanted(draft: Draft) -> bool:
    return any(
        item.kind == "column"
        and item.mention is not None
        and item.mention.score >= _PARTLY
        and draft.role.get(position) in ("select", "measure", "counted")
        for position, item in enumerate(draft.items)
    )


def _counts(draft: Draft, position: int) -> bool:
    token = draft.question.tokens[position]
    idle = token.text in draft.question.carriers or token.text in _ANY_FIGURE
    return draft.question.is_content(position) and not idle


def doubt_measure(draft: Draft, plan: Plan) -> None:
    """ "quanto custou" where a freight cost and an insurance cost fit alike: which one is a guess."""
    shown = {output.ref for output in plan.outputs if output.ref is not None and draft.countable(output.ref)}
    for item in draft.items:
        mention = item.mention
        if item.kind != "column" or mention is None or Ref(mention.table, mention.column) not in shown:
            continue
        if any(rival not in shown for rival in _rivals(draft, item)):
            draft.guess(_ONE_OF_SEVERAL, "several amounts have this name")


def with_rivals(draft: Draft, plan: Plan) -> Plan:
    """ "quanto custou o envio 2": where a few amounts fit alike, all of them are shown, each under its own name.

    Only where nothing is grouped, ranked or cut by one of them.
    """
    if plan.group or plan.order or plan.having or plan.limit is not None or plan.special or not plan.where:
        return plan
    outputs = list(plan.outputs)
    for item in draft.items:
        ref = Ref(item.mention.table, item.mention.column) if item.mention is not None else None
        own = next((o for o in plan.outputs if o.ref == ref and o.aggregate in ("", "sum")), None)
        rivals = _rivals(draft, item) if own is not None else []
        if own is not None and len(rivals) < _FEW:
            more = [Output(own.aggregate, rival) for rival in rivals]
            outputs += [output for output in more if output not in outputs]
    return replace(plan, outputs=tuple(outputs))


def _rivals(draft: Draft, item: Item) -> list[Ref]:
    """Other amounts of the same table that the words of an item name as well, where they name none of them whole."""
    mention = item.mention
    if item.kind != "column" or mention is None:
        return []
    said = {token.text for token in draft.question.tokens[item.start : item.end]}
    if mention.score >= _PARTLY and not said <= PRICING:
        return []
    return [
        Ref(other.table, other.column)
        for other in mention.others
        if other.score >= mention.score - 0.01
        and other.table == mention.table
        and draft.countable(Ref(other.table, other.column))
    ]


def _compared_with_a_thing(draft: Draft) -> bool:
    """ "a smaller population than any country in Asia": compared with other rows, which no slot holds."""
    for position, item in enumerate(draft.items):
        after = draft.at(position + 1)
        if (
            item.is_op == "compare"
            and after is not None
            and after.kind == "table"
            and draft.role.get(position + 1) != "counted"
        ):
            tokens = draft.question.tokens
            if item.op is not None and tokens[item.op.end - 1].text in ("than", "que"):
                return True
    return False


def _comparison_lost(draft: Draft) -> bool:
    """A "than" or "do que" that no comparison has used."""
    tokens = draft.question.tokens
    if "difference" in draft.role.values():
        return False  # "how much more did A spend than B"
    used = {i for p, item in enumerate(draft.items) if not draft.free(p) for i in range(item.start, item.end)}
    for i, token in enumerate(tokens):
        than = token.text == "than" or (token.text == "que" and i > 0 and tokens[i - 1].text == "do")
        if than and i not in used:
            return True
    return False


def _unused(draft: Draft, item: Item) -> float:
    kind = item.is_op or item.kind
    if item.op is not None and item.op.kind == "without":
        return 0.9 if draft.question.tokens[item.op.start].text in ("any", "algum", "no") else 0.5
    return _UNUSED.get(kind, 1.0)


def _names_a_value(draft: Draft, position: int) -> float:
    """ "caldeira CD-1", "produtores de Várzea Bonita": a noun that only says what kind of thing the value is."""
    tokens, after = draft.question.tokens, position + 1
    if tokens[position].kind != "word" or tokens[position].raw[:1].isupper():
        return 0.0
    asked_who = any(item.is_op == "who" for item in draft.items)
    if asked_who and tokens[position].text.endswith(_VERBAL):
        return 0.0  # "quem comprou vitamina C": what was done is no kind of thing
    joined = after < len(tokens) and tokens[after].text in ("de", "da", "do", "of")
    start = after + 1 if joined else after
    named = any(item.kind == "value" and item.start == start for item in draft.items)
    if not named:
        return 0.0
    return _OF_VALUE if joined else _BESIDE_VALUE


def _loose_factor(draft: Draft, position: int) -> float:
    """What an unexplained word costs: a name or a number may be a filter that the plan ignores."""
    question = draft.question
    token = question.tokens[position]
    if token.kind == "quoted":
        return 0.25
    if token.kind == "number":
        return 0.5
    if token.raw[:1].isupper() and position > 0:
        return 0.45
    before = question.tokens[position - 1].text if position else ""
    if before in _PER:
        return _LOST_GROUP
    if _qualifies(draft, position):
        return _QUALIFIED
    if token.text in ("ano", "year", "mes", "month") and before in ("no", "do", "the", "in", "of"):
        return 0.95
    if position == len(question.tokens) - 1 and any(t.text in ("did", "does", "do") for t in question.tokens):
        # "how many deals did she lose": the verb may be the filter; of an amount ("nights did she stay") it hardly is
        return 0.8 if "measure" in draft.role.values() else 0.6
    return 0.55 if before in _LEADS else 0.78


def _qualifies(draft: Draft, position: int) -> bool:
    """ "receita líquida", "net revenue": an unknown word beside the amount makes another amount of it."""
    question = draft.question
    for at, item in enumerate(draft.items):
        ref = draft.ref(at)
        shown = draft.role.get(at) in ("select", "measure") and ref is not None and draft.countable(ref)
        beside = item.start == position + 1 if question.language == "en" else item.end == position
        if shown and beside and question.tokens[max(position, item.start)].gap.strip() == "":
            return not _does_something(draft, position)
    return False


def _does_something(draft: Draft, position: int) -> bool:
    """ "receita gerou", "bônus concedido em": a verb says nothing of its own about an amount."""
    tokens = draft.question.tokens
    word, after = tokens[position].text, tokens[position + 1].text if position + 1 < len(tokens) else ""
    ends = draft.question.language == "en" or after in _GOES_ON or position + 1 == len(tokens)
    return not ends or word.endswith(_VERBAL) or (word.rstrip("s").endswith(_DONE) and after in _WHERE)


_PER = word_set("por by per cada each")
_LOST_GROUP, _QUALIFIED = 0.45, 0.55
_VERBAL = ("ou", "aram", "eram", "iram", "ed", "mos", "eu", "iu")
_DONE = ("ado", "ada", "ido", "ida")
_GOES_ON = word_set("de da do dos das em no na nos nas por e")
_WHERE = word_set("em por pelo pela pelos pelas a ao aos na no nas nos by in at to")
_BESIDE_VALUE, _OF_VALUE = 0.9, 0.8  # what such a noun costs
_LEADS = word_set("em in no na nos nas de da do dos das from at com with for para pelo pela")


def says_nothing(plan: Plan) -> bool:
    """All that is shown was given in the question: `SELECT name WHERE name = 'X'`."""
    given = {c.ref for clause in plan.where for c in clause if len(clause) == 1 and c.op == "="}
    shown = [output.ref for output in plan.outputs]
    return (
        bool(given)
        and all(output.aggregate == "" for output in plan.outputs)
        and all(r in given for r in shown)
    )


def says_price(draft: Draft, plan: Plan) -> bool:
    """A price is asked in the present tense, and amounts that are no price are added up."""
    tokens = draft.question.tokens
    asks = any(token.text in ASKS_PRICE for token in tokens)
    asks = asks or (any(t.text in ("cost", "costs") for t in tokens) and any(t.text in _DOES for t in tokens))
    prices = {concept.key for word in ("price", "cost") for concept in concepts_of((word,))}
    summed = [o.ref for o in plan.outputs if o.aggregate == "sum" and o.ref is not None]
    times = {
        r.table for r in draft.context.refs() if draft.context.column(r).role in ("date", "moment", "month")
    }
    dated = {
        r.table
        for c in plan.where
        for k in c
        if draft.context.column(r := k.ref).role in ("date", "moment", "month", "year")
    }
    return asks and any(
        (ref.table in times and ref.table not in dated)
        or not prices & {c.key for word in draft.context.column(ref).words for c in concepts_of((word,))}
        for ref in summed
    )


_DOES = word_set("does do is")


def names_another(draft: Draft, position: int) -> bool:
    """An unexplained noun behind an article or a preposition: what the amount was asked of, and no filter holds it."""
    tokens = draft.question.tokens
    before = tokens[position - 1].text if position else ""
    verb = tokens[position].text.endswith((*_VERBAL, *_DONE)) or tokens[position].text in MONEY_VERBS
    if before not in _NOUN_LEADS or verb or tokens[position].kind != "word":
        return False
    paid = position > 1 and tokens[position - 2].text in MONEY_VERBS  # "custou o seguro do FRT-3B21"
    kind = _names_a_value(draft, position)
    return (kind == 0.0 or (paid and kind == _OF_VALUE)) and -1 - position not in draft.role


_NOUN_LEADS = word_set(
    "o a os as um uma de do da dos das com pelo pela pelos pelas the an on for of in no na nos nas"
)


def rows_for_cells(draft: Draft) -> bool:
    """ "donations by program" over months side by side: the name that is no thing stands for amounts, not for rows."""
    return any(
        item.kind == "table"
        and draft.role.get(position) in ("counted", "entity")
        and not (position and draft.items[position - 1].is_op == "count")
        and not _names_things(draft, item)
        for position, item in enumerate(draft.items)
    )


def _names_things(draft: Draft, item: Item) -> bool:
    words = tuple(token.text for token in draft.question.tokens[item.start : item.end])
    columns = draft.context.tables[item.mention.table if item.mention else 0].profile.columns
    headers = {light_stem(word) for column in columns if column.type == "text" for word in column.words}
    return "@" in marks_of(words) or bool({light_stem(word) for word in words} & headers)


def shows_rows(draft: Draft, asked: Asked, plan: Plan) -> bool:
    """Whole rows, because nothing of them was asked by a name that is known; "details" and the like do ask for them."""
    if plan.aggregated or asked.selects or asked.everything or plan.order or plan.distinct:
        return False
    whole = len(plan.outputs) == len(draft.context.tables[plan.only].profile.columns) > 1
    return whole and not any(token.text in _WHOLE_ROW for token in draft.question.tokens)


_WHOLE_ROW = word_set(
    "detalhe detalhes detail details informacoes informacao info sobre about ficha resumo summary cadastro dados data linha row"
)


def adds_everything(plan: Plan) -> bool:
    """One figure over all rows of the table."""
    return plan.aggregated and not plan.where and not plan.group and not plan.having and plan.without is None


def lists_everything(plan: Plan) -> bool:
    return (
        not plan.where and not plan.aggregated and not plan.group and not plan.limit and plan.without is None
    )
