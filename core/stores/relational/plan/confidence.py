"""How sure a plan is: what it leaves unexplained, unused or guessed costs it."""

from collections.abc import Mapping, Sequence

from core.stores.relational.link.index import SHORTENED
from core.stores.relational.link.items import Item, unlinked
from core.stores.relational.link.money import MONEY_VERBS, is_money
from core.stores.relational.link.question import Question
from core.stores.relational.plan.draft import Draft
from core.stores.relational.plan.model import Plan, Ref
from core.stores.relational.plan.shown import negation_left
from core.stores.relational.wording.words import word_set

_UNUSED = {
    "value": 0.3, "amount": 0.4, "period": 0.3, "column": 0.6, "table": 0.9, "count": 0.7, "sum": 0.7, "avg": 0.5,
    "max": 0.6, "min": 0.6, "top": 0.5, "bottom": 0.5, "frequent": 0.5, "rare": 0.5, "compare": 0.5,
    "between": 0.5, "group": 0.75, "order": 0.8, "direction": 0.8, "not": 0.4, "without": 0.5, "like": 0.4,
    "null": 0.5, "share": 0.5, "difference": 0.5,
}  # fmt: skip

_ASKED_UNKNOWN = 0.6  # besides what an unexplained word costs
_ONE_OF_SEVERAL = 0.6
_ANY_FIGURE = word_set("numero number valor value quantidade quantia amount figure")
_ASKING = word_set("qual quais q what which how quanto quanta qto")
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
    for i in loose:
        elsewhere = 0.5 if best.get(i, 0.0) >= 0.8 else 1.0
        confidence *= min(max(_loose_factor(draft, i), _names_a_value(draft, i)), elsewhere)
    return confidence


def doubt_asked(draft: Draft) -> None:
    """ "qual o peso do gel", "the phone number of X": what is asked for is named nowhere in these tables.

    Whatever a plan shows instead would be another measure.
    """
    question, loose = draft.question, set(unlinked(draft.question, draft.items))
    if _column_wanted(draft):
        return  # "qual o limite de hotel por noite", "quanto demos de desconto"
    for item in draft.items:
        if question.tokens[item.start].text not in _ASKING or item.is_op not in ("which", "much"):
            continue
        at = item.end
        while at < len(question.tokens) and not _counts(draft, at):
            at += 1
        rows = question.tokens[item.start].text in ("quais", "which")  # "quais produtores de Várzea Bonita"
        if at in loose and _names_a_value(draft, at) in ((0.0,) if rows else (0.0, _OF_VALUE)):
            draft.guess(_ASKED_UNKNOWN, "what is asked for is named nowhere")
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
        rivals = [
            other
            for other in mention.others
            if other.score >= mention.score - 0.01
            and draft.countable(Ref(other.table, other.column))
            and Ref(other.table, other.column) not in shown
        ]
        if rivals and mention.score < _PARTLY:
            draft.guess(_ONE_OF_SEVERAL, "several amounts have this name")


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
    if token.text in ("ano", "year", "mes", "month") and before in ("no", "do", "the", "in", "of"):
        return 0.95
    if position == len(question.tokens) - 1 and any(t.text in ("did", "does", "do") for t in question.tokens):
        # "how many deals did she lose": the verb may be the filter; of an amount ("nights did she stay") it hardly is
        return 0.8 if "measure" in draft.role.values() else 0.6
    return 0.55 if before in _LEADS else 0.78


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


def adds_everything(plan: Plan) -> bool:
    """One figure over all rows of the table."""
    return plan.aggregated and not plan.where and not plan.group and not plan.having and plan.without is None


def lists_everything(plan: Plan) -> bool:
    return (
        not plan.where and not plan.aggregated and not plan.group and not plan.limit and plan.without is None
    )
