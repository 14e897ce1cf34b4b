"""The form of a question, by grammar: what kind of thing is asked, and every word that changes the answer.

Portuguese and English, typed in a hurry. Nothing here knows a trade or a corpus; names of the visible documents
come in as a Vocabulary.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from core.lexicon import (
    EN_AUXILIARIES,
    EN_SUBJECTS,
    FUNCTION_WORDS,
    MONTHS,
    NEGATIONS,
    OPPOSITES,
    PT_YES_NO,
    REQUESTS_EN,
    REQUESTS_PT,
    WEEKDAYS,
    word_set,
)
from core.quantities import codes_of, dates_of, numbers_of, units_of
from core.tokens import Token, content_words, is_content, tokenize
from core.vocabulary import NO_VOCABULARY, Mention, Vocabulary


@dataclass(frozen=True, slots=True)
class Form:
    """What a question asks and in which terms. All parts folded; sets are sorted, sequences keep their order."""

    kinds: tuple[
        str, ...
    ]  # "count", "how_much", "how_long", "who", "when", "where", "why", "how_to", "define", …
    aggregates: tuple[str, ...]  # "sum", "average", "max", "min", "share", "group", "rank", "growth"
    comparisons: tuple[str, ...]  # ">", "<", ">=", "<=", "between", "same", "different"
    negations: int  # how many negating words
    opposites: tuple[str, ...]  # "open+", "open-": which side of an opposition is named
    numbers: tuple[str, ...]  # by value, in order: "5000", "0.1"
    dates: tuple[str, ...]  # "m3", "y2025", "q1", "2025-03-31", "today", "last-month"
    units: tuple[str, ...]  # canonical, sorted
    codes: tuple[str, ...]  # "e-4021"
    names: tuple[Mention, ...]  # vocabulary names, then capitalised ones (kind "capital"), in order
    content: tuple[str, ...]  # words that carry topic, in order

    @property
    def is_question(self) -> bool:
        return bool(self.kinds)


# --- what is asked -----------------------------------------------------------------------------------

_TIME_NOUNS = (
    r"(?:dias?|horas?|minutos?|semanas?|mes(?:es)?|anos?|days?|hours?|minutes?|weeks?|months?|years?)"
)
_AMOUNT = r"(?:valor|preco|custo|montante|total|soma|amount|price|cost|value|sum|fee|taxa|salario|salary)"
_THE = r"(?:(?:e|eh|foi|era|sera|sao|is|was|are|were|will be) )?(?:o |a |os |as |the )?"

# Alternatives are tried in this order at every word, so the narrower kind comes first.
_KINDS = (
    ("why", r"(?:por ?que|porque|por qual (?:motivo|razao)|(?:o |os |the )?(?:motivos?|razao|causas?|reasons?|causes?)\b(?: (?:d[eoa]s?|for|of|why|behind))?|why|how come|o que (?:causou|causa|levou|motivou|provocou)|what (?:caused|causes|led))"),
    ("how_long", rf"(?:quanto tempo|(?:por )?quant[oa]s {_TIME_NOUNS}|how (?:long|often|old)|how many {_TIME_NOUNS}|com que frequencia)"),
    ("what_if", r"(?:e se|what if|what happens (?:if|when)|o que (?:acontece|ocorre) (?:se|quando))"),
    ("how_to", r"(?:como (?:eu |a gente |se |voce )?(?:devo|deve|devemos|faco|faz|fazer|fazemos|posso|pode|podemos|proceder|proceda|\w+(?:ar|er|ir|or)\b)|o que (?:eu )?(?:devo|preciso|precisa|tenho que|tenho de|deve|devemos|e preciso|e necessario)(?: (?:ser )?\w+(?:ar|er|ir))?|o que (?:eu )?(?:faco|fazer|fazemos)|quais (?:sao )?(?:os )?(?:passos|procedimentos|etapas)|qual (?:e )?(?:o )?(?:procedimento|processo|passo)|passo a passo|how (?:do|does|did|to|can|could|should|would|must)\b|what (?:are )?(?:the )?(?:steps|procedure|process)|what (?:should|must|do) (?:i|we|you|one) do|what to do)"),
    ("count", r"(?:quant[oa]s|(?:o |a |the )?(?:numero|quantidade|qtde?|contagem|number|count|quantity)(?: total)? (?:d[eoa]s?|of)|how many|conte\b|count\b|conta(?:r)? quant[oa]s)"),
    ("how_much", rf"(?:quanta|quanto(?! (?:a|ao|aos|as)\b)(?! mais\b)|how much|(?:qual|what|which) {_THE}{_AMOUNT}|how (?:high|big|large|heavy|far|fast|tall|wide))"),
    ("when", r"(?:quando|(?:em |a |de |ate )?que (?:dia|data|horas?|horario|mes|ano)|(?:qual|quais) (?:e |foi |era |sera |sao )?(?:o |a |os |as )?(?:dia|data|datas|horario|horarios)|when|(?:on )?(?:what|which) (?:date|day|time|month|year))"),
    ("where", r"(?:onde|aonde|cade|em (?:que|qual) (?:lugar|local|cidade|pais|estado|endereco)|qual (?:e )?o endereco|where|(?:in )?(?:what|which) (?:place|city|country|state))"),
    ("who", r"(?:quem|who|whom|whose)"),
    ("define", r"(?:o que (?:e|sao|significa|significam|quer dizer)|what (?:does|do) [\w.()/-]+(?: [\w.()/-]+)? (?:mean|stand for)|what (?:is|are) an?\b|defina|define\b|definicao d[eoa]s?|definition of|significado d[eoa]s?|meaning of)"),
    ("explain", r"(?:explique|explica|explicar|explain|descreva|descreve|descrever|describe|resuma|resume|resumir|summari[sz]e|detalhe|detalha|outline)"),
    ("compare", r"(?:compare|compara|comparar|comparacao|comparativo|comparison|diferencas? (?:entre|d[eoa]s?)|differences? (?:between|of)|versus|vs)"),
    ("list", r"(?:liste|lista|listar|list|mostre|mostra|mostrar|show|enumere|give|display)"),
    ("how", r"(?<!assim )(?<!bem )(?<!tal )(?<!tanto )(?:^como|(?<=e )como|(?<=saber )como|(?<=explique )como|como (?:funciona|e|sao|foi|esta|estao|fica|ficam|ficou|anda|vai|acontece|ocorre|deve)|how)"),
    ("which", r"(?:qual|quais|which|what|o que|que)"),
)  # fmt: skip
_KIND = re.compile("|".join(f"(?P<{name}>\\b{pattern}\\b)" for name, pattern in _KINDS))
_SERA = re.compile(r"^(?:sera que|voce sabe se|sabe se|do you know (?:if|whether)|is it (?:true|possible))\b")


def kinds_of(tokens: tuple[Token, ...]) -> tuple[str, ...]:
    """The kinds of question a text asks, in order, each once. Empty: it asks nothing."""
    text = " ".join(t.word for t in tokens)
    matches = list(_KIND.finditer(text))
    found = [str(match.lastgroup) for match in matches if not _is_relative(match, text)]
    if not found:
        found = [str(match.lastgroup) for match in matches if match.start() in _marked(tokens)][-1:]
    if not found and tokens and (_starts_yes_no(tokens) or _SERA.match(text)):
        return ("yes_no",)
    return tuple(dict.fromkeys(found))


def _marked(tokens: tuple[Token, ...]) -> frozenset[int]:
    """Where words behind a comma or stop begin in the joined text: "code E-12 shows up, who do we call"."""
    starts, at = set[int](), 0
    for token in tokens:
        if token.marked:
            starts.add(at)
        at += len(token.word) + 1
    return frozenset(starts)


def _is_relative(match: re.Match[str], text: str) -> bool:
    """ "que", "who" and "quando" after a noun join clauses; "the largest number of" counts nothing."""
    word, before = match.group(), text[: match.start()].split()
    if not before:
        return False
    if match.lastgroup == "count" and re.match(
        r"(?:o |a |the )?(?:num|quantid|qtd|contag|count|quant)", word
    ):
        return before[-1] in _DEGREES or before[-1] in _BEFORE_MEASURE
    if word in _RELATIVES:
        return before[-1] not in _BEFORE_ASKED
    return False


_RELATIVES = word_set("que quando when who whom whose which where onde")
_BEFORE_ASKED = word_set(
    "e and em de a com por para ate desde since until saber diga diz know me tell mas but from to in at with by for on o"
)
_DEGREES = word_set(
    "maior menor mais menos largest greatest most fewest highest smallest lowest least biggest maximum minimum maximo minimo "
    "average media medio cujo cuja cujos whose same mesmo"
)
_BEFORE_MEASURE = word_set("of by than que pelo pela por ao sobre com with order ordem to")


def _starts_yes_no(tokens: tuple[Token, ...]) -> bool:
    first, second = tokens[0].word, tokens[1].word if len(tokens) > 1 else ""
    if first in EN_AUXILIARIES and (second in EN_SUBJECTS or (second and second not in FUNCTION_WORDS)):
        return len(tokens) > 2
    if first in {"o", "a", "os", "as", "the"} | EN_SUBJECTS and first not in {"e"}:
        return False
    return first in PT_YES_NO and len(tokens) > 1


# --- words that change the answer -----------------------------------------------------------------------

_AGGREGATES = (
    ("average", r"(?:media|medio|medios|medias|average|avg|(?<!does )(?<!do )averages)"),
    ("share", r"(?:percentual|porcentagem|percentagem|proporcao|share|percent|percentage|proportion|%)"),
    ("growth", r"(?:crescimento|cresceu|variacao|variou|aumentou|caiu|evolucao|growth|grew|change in|increase|trend|tendencia)"),
    ("group", rf"(?:por (?:{_TIME_NOUNS}|cada|\w+(?:o|a|r|l|e))\b(?= (?:e|em|no|na|de|do|da|and|in)\b|$)|cada|each|per \w+|by (?:each )?\w+$|for each|for every)"),
    ("rank", r"(?:top \d+|ranking|rank|ordene|ordenad[oa]s?|sort(?:ed)?|order(?:ed)? by|(?:em )?ordem)"),
    ("max", r"(?:maior(?:es)?|(?<!no )maxim[oa]s?|mais \w+|highest|largest|biggest|most|maximum|max|top|best|longest|oldest|greatest|melhor(?:es)?|campea|campeao|lider(?:ou)?)"),
    ("min", r"(?:menor(?:es)?|(?<!no )minim[oa]s?|menos \w+|lowest|smallest|(?<!at )least|fewest|minimum|min|worst|shortest|youngest|cheapest|pior(?:es)?)"),
    ("sum", r"(?:total|totais|soma|somar|somatorio|ao todo|no total|somad[oa]s?|sum|totals|altogether|overall|in total|combined|acumulad[oa])"),
)  # fmt: skip
_AGGREGATE = re.compile("|".join(f"(?P<{name}>\\b{pattern})(?!\\w)" for name, pattern in _AGGREGATES))

_COMPARISONS = (
    (">=", r"(?:>=|pelo menos|no minimo|ao menos|a partir de|igual ou (?:maior|superior)|at least|or more|ou mais|no less than)"),
    ("<=", r"(?:<=|no maximo|ate (?=r?[$€£]|\d|\w+ (?:mil|reais|dias|horas))|at most|up to|or less|ou menos|no more than|nao mais (?:de|que))"),
    (">", r"(?:>|mais (?:de|do que|que)(?! \w+ (?:vend|compr))|acima d[eoa]s?|maior(?:es)? (?:do )?que|superior(?:es)? a|exced\w+|ultrapass\w+|pass\w+ de|above|over|more than|greater than|higher than|larger than|older than|longer than|exceed\w*|mais velh\w+ que)"),
    ("<", r"(?:<|menos (?:de|do que|que)|abaixo d[eoa]s?|menor(?:es)? (?:do )?que|inferior(?:es)? a|below|under|less than|fewer than|lower than|smaller than|younger than|shorter than)"),
    ("between", r"(?:entre|between)"),
    ("before", r"(?:antes d[eoa]s?|anterior(?:es)? a|before|prior to|earlier than)"),
    ("after", r"(?:depois d[eoa]s?|apos|posterior(?:es)? a|after|later than)"),
)  # fmt: skip
_COMPARISON = re.compile(
    "|".join(f"(?P<c{i}>(?<!\\w){pattern}(?!\\w))" for i, (_, pattern) in enumerate(_COMPARISONS))
)


@lru_cache(maxsize=16384)
def opposite_of(word: str) -> tuple[str, ...]:
    """The sides of oppositions a word names: "abrir" -> ("open+",)."""
    return tuple(side for side, exact, prefixes in _SIDES if word in exact or word.startswith(prefixes))


def _side(name: str, spellings: tuple[str, ...]) -> tuple[str, frozenset[str], tuple[str, ...]]:
    exact = frozenset(s for s in spellings if not s.endswith("*"))
    return name, exact, tuple(s[:-1] for s in spellings if s.endswith("*"))


_SIDES = (
    *(_side(f"{name}+", plus) for name, plus, _ in OPPOSITES),
    *(_side(f"{name}-", minus) for name, _, minus in OPPOSITES),
)


def names_of(tokens: tuple[Token, ...], vocabulary: Vocabulary) -> tuple[Mention, ...]:
    """Vocabulary names in any spelling, and capitalised words inside the sentence (kind "capital")."""
    found = list(vocabulary.mentions(tuple(t.word for t in tokens)))
    taken = {at for mention in found for at in range(mention.start, mention.end)}
    at = 0
    while at < len(tokens):
        end = at
        while end < len(tokens) and end not in taken and _is_capital(tokens, end, end > at):
            end += 1
        if end > at:
            found.append(Mention(" ".join(t.word for t in tokens[at:end]), "capital", "", at, end))
        at = max(end, at + 1)
    return tuple(sorted(found, key=lambda m: (m.start, m.end)))


def _is_capital(tokens: tuple[Token, ...], at: int, inside: bool) -> bool:
    token = tokens[at]
    if not token.raw[:1].isupper() or not token.raw.replace("-", "").replace("'", "").isalpha():
        return False  # codes and amounts are read by core.quantities
    if len(token.raw) == 1 and token.raw != "I" and at > 0 and not token.marked:
        return True  # "classe A", "plan B"
    if not is_content(token.word) or token.word in MONTHS or token.word in WEEKDAYS:
        return False
    if token.word in REQUESTS_PT | REQUESTS_EN or all(t.raw.isupper() for t in tokens):
        return False
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    followed = following is not None and following.raw[:1].isupper() and is_content(following.word)
    return inside or at > 0 or followed or (token.raw.isupper() and len(token.raw) > 1)


def read_form(text: str, vocabulary: Vocabulary = NO_VOCABULARY) -> Form:
    """The form of one question."""
    tokens = tokenize(text)
    joined = " ".join(t.word for t in tokens)
    return Form(
        kinds=kinds_of(tokens) or (("yes_no",) if text.rstrip().endswith("?") and tokens else ()),
        aggregates=tuple(dict.fromkeys(str(m.lastgroup) for m in _AGGREGATE.finditer(joined))),
        comparisons=tuple(
            sorted(_COMPARISONS[int(str(m.lastgroup)[1:])][0] for m in _COMPARISON.finditer(joined))
        ),
        negations=sum(t.word in NEGATIONS for t in tokens),
        opposites=tuple(sorted({side for t in tokens for side in opposite_of(t.word)})),
        numbers=numbers_of(tokens),
        dates=dates_of(tokens),
        units=units_of(tokens),
        codes=codes_of(tokens),
        names=names_of(tokens, vocabulary),
        content=content_words(tokens),
    )
