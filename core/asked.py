"""What a question asks for: the kind of answer it expects, by the grammar of its own words."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from core.analyze import Token, exact_token, question_tokens
from core.defining import asks_definition
from core.forms import kinds_of
from core.language import detect_language
from core.lexicon import FRAME_NOUNS, GENERIC_NOUNS, INTERROGATIVES, LIGHT_VERBS, SHORTHAND, UNITS
from core.normalize import fold
from core.numbers import Quantity, mentions, quantities
from core.tokens import Token as WordToken
from core.tokens import tokenize

Kind = Literal[
    "number",
    "money",
    "duration",
    "date",
    "person",
    "place",
    "reason",
    "procedure",
    "list",
    "definition",
    "thing",
]

# How much a sentence gains by holding something of the asked kind; a "thing" or a "list" may be anything.
KIND_POINTS: Mapping[Kind, float] = {
    "number": 0.3, "money": 0.3, "duration": 0.35, "date": 0.35, "person": 0.2, "reason": 0.25, "procedure": 0.15, "place": 0.1,
    "definition": 0.35,
}  # fmt: skip
_TIME_UNITS = frozenset(["second", "minute", "hour", "day", "week", "month", "year"])
# The grammar names many kinds of questions; these are the kinds of answers they expect.
_EXPECTED: dict[str, Kind] = {
    "why": "reason", "how_long": "duration", "count": "number", "how_much": "number", "when": "date",
    "where": "place", "who": "person", "how_to": "procedure", "how": "procedure", "list": "list",
}  # fmt: skip
# "qual o prazo", "limite de hotel": the noun tells, where no interrogative does.
_NOUNS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "duration",
        re.compile(
            r"\b(?:prazos?|antecedencia|validade|duracao|periodicidade|frequencia|deadlines?|duration|lead time|"
            r"notice period)\b"
        ),
    ),
    (
        "number",
        re.compile(
            r"\b(?:valor|valores|precos?|custos?|quantidade|percentual|porcentagem|taxa|aliquota|numero|limite|teto|media|"
            r"salario|total|soma|ramal|telefone|temperatura|capacidade|peso|tamanho|distancia|minim[oa]|maxim[oa]|idade|quorum|multa|"
            r"desconto|juros|saldo|orcamento|estoque|value|prices?|costs?|amount|percentage|rate|number|limit|average|"
            r"salary|extension|phone|temperature|capacity|weight|size|distance|minimum|maximum|age|fine|discount|"
            r"budget|total|sum|stock)\b"
        ),
    ),
    ("person", re.compile(r"\b(?:responsavel|responsaveis|in charge|person|role)\b")),
)
# "quanto custa", "how much do we pay": an amount of money, not just any number.
_PAYING = re.compile(
    r"(?:cust(?:a|am|ou|aram|ar)|prec(?:o|os)|pag(?:a|am|amos|ou|aram|ar|o|os)|cobra(?:m|mos|do|dos|da|das)?|gast(?:a|am|amos|ou|o|os)|"
    r"costs?|prices?|pays?|paid|charge[sd]?|spend|spent|fees?)"
)
_PRICED = re.compile(r"[r(]?[$€£]\)|\b(?:gratis|gratuit[oa]s?|de graca|sem custo|free|no charge)\b")
_HEAD = 6  # the noun that is asked for stands among the first words
_CODE_NOUNS = re.compile(r"\b(?:part|codigo|code|modelo|model)\b")
# Words of asking that the lexical search keeps, because they cost it nothing.
_IDLE = frozenset(
    ["gente", "vez", "many", "much", "often", "per", "s", "reais", "happens", "exato", "exata", "exatamente"]
)
# Behind these a verb follows: "como eu abro", "quanto custa", "who calibrates".
_BEFORE_VERBS = frozenset(
    ["eu", "me", "gente", "voce", "nos", "se", "ele", "ela", "eles", "i", "we", "you", "they", "he", "she", "it", "quanto",
     "quando", "como", "onde", "quem", "who", "where", "when", "why", "how", "nao", "not"]
)  # fmt: skip
_VERB = re.compile(r".{2,}(?:ar|er|ir|ou|eu|iu|mos|ram|ava|avam|iam|ndo|aria|eria|iria|asse|esse|isse)")
_AMOUNT = re.compile(r"(\d+(?:[.,]\d+)?)([a-z]+)")
_DONE = re.compile(r".{2,}[ai]d[oa]s?")
_COUNTING = frozenset(["quantos", "quantas", "many"])
_TIME_WORDS = frozenset(["tempo", "time", "long"])
# "segunda" alone is more often "second" than Monday.
_WEEKDAY = re.compile(
    r"\b(?:(?:segunda|terca|quarta|quinta|sexta)s?[- ]feiras?|(?:na|nas|as|toda) (?:segunda|terca|quarta|quinta|sexta)s?"
    r"(?=\s*(?:[.,;!?)]|$|e\b|as\b|das\b))|sabados?|domingos?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b"
)
# "classe D", "level 3": a short mark behind a sorting noun is a name.
_SORTED = re.compile(
    r"\b(classe|n[ií]vel|tipo|categoria|grupo|faixa|zona|grau|class|level|type|category|group|tier|grade|zone|band|"
    r"erro|error|falha|fault|alarme|alarm|c[oó]digo|code|aviso|warning|mensagem|message)\s+([b-df-np-z]|\d{1,4})(?![\w–-])",
    re.IGNORECASE,
)
_SECTION = re.compile(
    r"\b(?:se[cç][aã]o|section|item|artigo|article|art|cl[aá]usula|clause|cap[ií]tulo|chapter)\.?\s+$",
    re.IGNORECASE,
)
# "até o quinto dia útil", "no fim do mês", "every Friday morning"
_DAY_WORDS = re.compile(
    r"\b(?:(?:primeir|segund|terceir|quart|quint|sext|decim|ultim)[oa] (?:dia|semana|domingo|sabado)|dia util|fim do (?:mes|ano)|"
    r"(?:inicio|comeco|final) d[eo] (?:mes|ano)|(?:first|last|second|third|fifth|tenth) (?:working |business )?(?:day|week)|"
    r"end of the (?:month|year)|a cada|todo dia|todos os dias|every (?:day|week|month|year))\b"
)
# "quando o saldo passa de …", "until the debt is paid", "after the exam": a time that an event tells.
_EVENT = re.compile(
    r"\b(?:quando|assim que|logo que|enquanto|sempre que|apos|depois d[eoa]s?|antes d[eoa]s?|ate que|when|once|as soon as|until|"
    r"after|before|while|whenever)\s+\w"
)
_REASON_WORDS = re.compile(
    r"\b(?:porque|pois|por causa|devido|para que|uma vez que|ja que|visto que|por isso|because|since|due to|so that|"
    r"therefore|as a result|in order to|por conta d[eoa]|a fim de)\b"
)
_PROCEDURE_WORDS = re.compile(
    r"\b(?:dev[ea]m?|precisam?|e preciso|e necessario|basta|abr[aei]|preencha|envie|solicit\w+|ligue|use|siga|follow|"
    r"must|should|need to|open|send|fill|submit|check|press|wait|keep|stop|call|run|first|then|primeiro|depois|em seguida)\b"
)
_PLACE_WORDS = re.compile(r"\b(?:n[oa]s?|em|ao?|at|in|on|sala|predio|andar|rua|room|building|floor|street)\s")
_NAME = re.compile(r"(?<![.!?:•\-\n“\"(] )(?<!^)\b[A-ZÀ-Ý][\w'’-]*[a-zà-ÿ][\w'’-]*")
ROLE_WORDS = re.compile(
    r"\b(?:gerente|gerencia|diretor\w*|coordena\w*|presiden\w*|comite|conselho|equipe|setor|departamento|responsavel|"
    r"supervis\w*|chefe|lider\w*|tecnic[oa]s?|analista|operador\w*|secretari\w*|comissao|manager|director|board|committee|"
    r"team|department|officer|head|lead|supervisor|operator|technician|engineer|secretary|council|owner)\b"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question taken apart. `tokens` carry its topic; `exact` are codes and numbers that an answer must know."""

    text: str
    kind: Kind
    tokens: tuple[Token, ...]
    exact: tuple[Quantity, ...]
    names: tuple[str, ...]  # capitalised words inside the sentence, folded
    verbs: frozenset[str] = frozenset()  # topic words that look like verbs: by ending, or by the word before
    focus: str = ""  # the first other topic word behind the interrogative: what is asked about
    frames: frozenset[str] = frozenset()  # topic words that only say what shape the answer has
    unit: str = ""  # of the amount that is asked for: "quantos litros"


@lru_cache(maxsize=512)
def asked(question: str) -> Asked:
    """Take a question apart. An empty question asks for a "thing" and has no tokens."""
    kind = _kind(question)
    idle = LIGHT_VERBS | GENERIC_NOUNS | _IDLE | (_TIME_WORDS if kind == "duration" else frozenset())
    every = (_measure(token) for token in question_tokens(question))
    kept = tuple(t for t in every if t.surface not in idle and t.surface not in SHORTHAND)
    exact = tuple(q for q in quantities(question) if q.kind == "code" or (not q.weak and not q.spelled))
    names = tuple(dict.fromkeys(fold(m.group()) for m in _NAME.finditer(question.strip())))
    topic = kept or question_tokens(question)
    words = [token.word for token in tokenize(question)]
    verbs = frozenset(verb for before, verb in pairwise(words) if before in _BEFORE_VERBS)
    if detect_language(question) != "en":  # a sorter and a ladder are no infinitives
        verbs |= frozenset(
            token.surface for token in topic if token.kind == "word" and _VERB.fullmatch(token.surface)
        )
    verbs |= _participles(words, topic)
    frames = frozenset(token.surface for token in topic) & FRAME_NOUNS
    if len(frames) == len(topic):
        frames = frozenset()  # "qual o valor total?": nothing else says what it is about
    focus = _focus(topic, words, verbs | frames)
    return Asked(question, kind, topic, exact, names, verbs, focus, frames, _unit(words, kind))


def _measure(token: Token) -> Token:
    """ "10kg" is an amount, not a code."""
    match = _AMOUNT.fullmatch(token.surface) if token.kind == "code" else None
    return exact_token(match[1]) if match and match[2] in UNITS else token


def _participles(words: list[str], topic: tuple[Token, ...]) -> frozenset[str]:
    """ "agulhas usadas": what was done to a thing is said in many ways."""
    nouns = frozenset(token.surface for token in topic)
    return frozenset(
        word
        for before, word in pairwise(words)
        if before in nouns and word in nouns and _DONE.fullmatch(word)
    )


def _focus(topic: tuple[Token, ...], words: list[str], verbs: frozenset[str]) -> str:
    """Behind the interrogative; without one the head of a bare phrase ("limite de hotel"), not a sentence's subject."""
    at = next((i for i, word in enumerate(words) if word in INTERROGATIVES), None)
    behind = frozenset(words[:1] if at is None else words[at + 1 :]) - verbs
    return next((token.surface for token in topic if token.surface in behind), "")


def _unit(words: list[str], kind: Kind) -> str:
    """What is counted, where it is a measure and no thing; spans of time may be told in any unit of time."""
    counted = (word for before, word in pairwise(words) if before in _COUNTING)
    unit = next((UNITS[word] for word in counted if word in UNITS), "")
    return unit if kind == "number" and unit not in _TIME_UNITS else ""


def _kind(question: str) -> Kind:
    """The first interrogative that expects something definite; else a definition; else the first noun that does."""
    tokens = tokenize(question)
    for name in kinds_of(tokens):
        if name in _EXPECTED:
            expected = _EXPECTED[name]
            return "money" if name == "how_much" and _is_paid(tokens) else expected
    if asks_definition(question):
        return "definition"
    folded = " ".join(token.word for token in tokens[:_HEAD])
    if _CODE_NOUNS.search(folded):
        return "thing"
    found = [(m.start(), kind) for kind, pattern in _NOUNS if (m := pattern.search(folded))]
    return min(found)[1] if found else "thing"


def _is_paid(tokens: Sequence[WordToken]) -> bool:
    return any(_PAYING.fullmatch(token.word) for token in tokens)


def offers(text: str, kind: Kind, unit: str = "", *, events: bool = True) -> bool:
    """Whether a piece of text holds anything of the asked kind: a number, a date, a name ...

    A "thing", a "list" or a definition may be anything, so every text offers it.

    Args:
        unit: that a number must have, where the question names one.
        events: whether "when the debt is paid" tells a date as well.
    """
    if unit:
        return any(q.unit == unit for q in quantities(text))
    if kind in ("number", "money", "duration", "date"):
        return _offers_quantity(text, kind) or (
            events and kind == "date" and _EVENT.search(fold(text)) is not None
        )
    folded = fold(text)
    if kind == "person":
        return bool(ROLE_WORDS.search(folded) or _NAME.search(text))
    if kind == "place":
        return bool(_PLACE_WORDS.search(folded))
    if kind == "reason":
        return bool(_REASON_WORDS.search(folded))
    if kind == "procedure":
        return bool(_PROCEDURE_WORDS.search(folded))
    return True


def _offers_quantity(text: str, kind: Kind) -> bool:
    found = [q for q in quantities(text) if not q.weak]
    if kind == "number":
        return any(q.values and q.kind != "date" for q in found)
    if kind == "money":
        paid = any(
            q.kind in ("money", "percent") or (q.values and q.kind == "number" and not q.unit) for q in found
        )
        return paid or _PRICED.search(fold(text)) is not None
    if kind == "duration":
        return any(q.unit in _TIME_UNITS or q.kind == "date" for q in found)
    folded = fold(text)
    return bool(_WEEKDAY.search(folded) or _DAY_WORDS.search(folded)) or any(
        q.kind in ("date", "time") or q.unit in ("hour", "day", "year") or _is_year(q) for q in found
    )


def _is_year(quantity: Quantity) -> bool:
    return quantity.kind == "number" and any(1900 <= v <= 2100 and v.is_integer() for v in quantity.values)


def unknown_codes(question: Asked, texts: Sequence[str]) -> tuple[str, ...]:
    """Codes, section numbers, years and classes of the question that no text mentions, as typed.

    Amounts are left out: they are the question's own parameters, not names of things.
    """
    exact = [q for q in question.exact if q.kind == "code" or _is_name(question.text, q)]
    unknown = [q.text for q in exact if not any(mentions(text, q.text) for text in texts)]
    for match in _SORTED.finditer(question.text):
        if not any(_has_mark(text, match[1], match[2]) for text in texts):
            unknown.append(" ".join(match.group().split()))
    return tuple(dict.fromkeys(unknown))


def _is_name(text: str, quantity: Quantity) -> bool:
    """A year, or the number of a section."""
    is_year = re.fullmatch(r"(?:19|20)\d\d", quantity.text) is not None
    return is_year or _SECTION.search(text[: quantity.start]) is not None


def _has_mark(text: str, noun: str, mark: str) -> bool:
    """A text that has the noun and the mark; a letter counts as a capital, so that "a)" or a unit does not."""
    stands = re.search(rf"(?<![\w-]){re.escape(mark.upper())}(?![\w)-]|['’]\w)", text) is not None
    return stands and fold(noun) in fold(text)
