"""Noun phrases: which words before and behind a verb name one thing, and what that thing is called."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.ingest.extract.lexicon import Grammar
from core.ingest.extract.tokens import Token
from core.language import listed
from core.normalize import canonical_name

LONGEST = 9  # words of a name; longer ones are clauses
HEAD = 6  # words of the common noun, its preposition and article before a name
COMMON = 6  # words of a phrase without any proper name or code
_JOINERS = frozenset(["&", "-", "–"])
_QUOTES = frozenset("\"'“”‘’«»*_`")
_REFERENCES = frozenset(
    listed(
        "secao anexo artigo art item tabela figura pagina capitulo clausula paragrafo section annex appendix article "
        "table figure page chapter clause paragraph"
    )
)
_TITLES = frozenset(["dr.", "dra.", "sr.", "sra.", "prof.", "profa.", "mr.", "mrs.", "ms.", "eng."])


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase. `head` is a common noun with its preposition that belongs to the relation: "despesas da"."""

    name: str  # canonical
    anchored: bool  # holds a proper name, a code, a numbered thing or an amount
    start: int  # token indices
    end: int
    head: str = ""
    definite: bool = False
    determiner: str = ""
    article: str = ""  # the article, or the preposition that has melted with it: tells the gender
    plural: bool = False
    name_start: int = 0
    owner: "Phrase | None" = None  # "linha L1 da Fábrica Pedra Alva": the thing this one belongs to
    joint: str = ""  # the preposition before the owner

    @property
    def words(self) -> int:
        return len(self.name.split())


def is_preposition(token: Token, grammar: Grammar) -> bool:
    """Folding makes `à` an article; its accent tells that a preposition has melted into it."""
    return not token.is_anchor and (token.word in grammar.prepositions or token.text.lower() in ("à", "às"))


def is_determiner(token: Token, grammar: Grammar) -> bool:
    return token.word in grammar.determiners and not token.is_code and token.text.lower() not in ("à", "às")


def is_noun_token(token: Token, grammar: Grammar) -> bool:
    """Whether a token may stand inside a noun phrase (prepositions are judged apart)."""
    if token.is_anchor or token.is_amount or token.is_number:
        return True
    return token.is_word and token.word not in grammar.stops and token.word not in grammar.conjunctions


def read_phrase(
    tokens: Sequence[Token], start: int, stop: int, grammar: Grammar, *, whole: bool = False
) -> Phrase | None:
    """The noun phrase that begins at `start` and ends before `stop` at the latest, or None.

    Determiners are skipped. The phrase goes on over `de`/`of`, and over any other preposition only from a common
    noun to a proper name ("approval from the Agronomy Committee"), where the noun becomes the relation's head.
    With `whole` any preposition may stand inside: what comes before a verb is known to be one phrase.
    """
    first = _skip_determiners(tokens, start, stop, grammar)
    end = first
    while end < stop and end - first < LONGEST + 3:
        token = tokens[end]
        if (token.text in _QUOTES and end + 1 < stop) or (
            token.text in _JOINERS and end > first and end + 1 < stop and tokens[end + 1].is_anchor
        ):
            end += 1
        elif is_preposition(token, grammar):
            beyond = end + 1
            if beyond < stop and tokens[beyond].word in grammar.inner and token.word not in grammar.inner:
                beyond += 1  # "acima de"
            beyond = _skip_determiners(tokens, beyond, stop, grammar)
            goes_on = beyond < stop and _opens(tokens[beyond], grammar) and end > first
            barrier = token.word in grammar.barriers and not (beyond < stop and _is_measure(tokens[beyond]))
            inside = not barrier and (
                whole
                or token.word in grammar.inner
                or _reaches_name(tokens, first, end, beyond, grammar)
                or _within_name(tokens, first, end, beyond)
            )
            if not goes_on or not inside:
                break
            end = beyond
        elif token.word == "nao" and start < first == end and end + 1 < stop:
            end += 1  # "toda não conformidade": behind an article it negates a noun
        elif _is_name_link(tokens, end, first, stop):
            end += 1
        elif token.word == "a" and end + 1 < stop and tokens[end + 1].is_amount:
            end += 1  # "superior a R$ 500 mil"
        elif is_noun_token(token, grammar) and not (is_determiner(token, grammar) and not token.is_anchor):
            end += 1
        else:
            break
    return make_phrase(tokens, start, first, end, grammar)


def _is_measure(token: Token) -> bool:
    return token.is_amount or token.is_number


def _opens(token: Token, grammar: Grammar) -> bool:
    return is_noun_token(token, grammar) and not is_preposition(token, grammar)


def _within_name(tokens: Sequence[Token], first: int, at: int, beyond: int) -> bool:
    """ "Diretoria de Relações com o Cooperado": a long title goes on over `com`, `para`, `for`, `with`."""
    titled = (
        tokens[at - 1].is_name
        and tokens[beyond].is_name
        and tokens[at].word in ("com", "para", "for", "with")
    )
    return titled and any(token.word in ("de", "da", "do", "of") for token in tokens[first:at])


def _reaches_name(tokens: Sequence[Token], first: int, end: int, beyond: int, grammar: Grammar) -> bool:
    """From a common noun over a preposition to something with a name."""
    if any(token.is_anchor or token.is_amount for token in tokens[first:end]):
        return False
    ahead = tokens[beyond : beyond + 3]
    return bool(ahead) and (
        ahead[0].is_anchor or (len(ahead) > 1 and not ahead[0].is_number and ahead[1].is_anchor)
    )


def _is_name_link(tokens: Sequence[Token], at: int, first: int, stop: int) -> bool:
    """`e`/`and`/`&` inside a name: "Frio e Utilidades", "Kestrel & Moor" (a name on both sides, none before the first)."""
    return (
        tokens[at].word in ("e", "and", "&")
        and first < at < stop - 1
        and tokens[at - 1].is_name
        and tokens[at + 1].is_name
        and at + 2 - first <= LONGEST
        and _part_of_name(tokens, at, first, stop)
    )


def _part_of_name(tokens: Sequence[Token], at: int, first: int, stop: int) -> bool:
    """A single capitalised word behind `e`, after `de`: one name rather than two things."""
    if tokens[at].text == "&":
        return True
    single = at + 2 >= stop or not tokens[at + 2].is_anchor
    linked = any(token.word in ("de", "da", "do", "das", "dos", "of") for token in tokens[first:at])
    return single and (linked or (tokens[first].is_name and at - first == 1))


def _skip_determiners(tokens: Sequence[Token], start: int, stop: int, grammar: Grammar) -> int:
    at = start
    while at < stop and (tokens[at].text in _QUOTES or is_determiner(tokens[at], grammar)):
        at += 1
    return at


def make_phrase(tokens: Sequence[Token], start: int, first: int, end: int, grammar: Grammar) -> Phrase | None:
    """A phrase from token bounds, trimmed, with its common-noun head and its owner taken apart."""
    while (
        end > first
        and (
            tokens[end - 1].word in grammar.prepositions | grammar.adverbs | grammar.determiners
            or not (tokens[end - 1].is_word or tokens[end - 1].is_number or tokens[end - 1].is_amount)
        )
        and not tokens[end - 1].is_anchor
    ):
        end -= 1
    if end <= first:
        return None
    determiner = tokens[first - 1].word if first > start else ""
    lower, split = _head_end(tokens, first, end, grammar)
    phrase = _named(tokens, lower, end, grammar)
    if phrase is None:
        return None
    return replace(
        phrase,
        start=start,
        head=" ".join(token.text.lower() for token in tokens[first:lower]) if split else "",
        definite=bool(determiner),
        determiner=determiner,
        article=tokens[lower - 1].word if lower > 0 else "",
        plural=_is_plural(tokens[first]),
    )


def _is_plural(token: Token) -> bool:
    return not token.is_anchor and token.word.endswith("s")


def _head_end(tokens: Sequence[Token], first: int, end: int, grammar: Grammar) -> tuple[int, bool]:
    """Where the named thing begins behind a common noun and a preposition: "despesas da | Oficina Térmica"."""
    at = first
    while at < end and not tokens[at].is_anchor and not tokens[at].is_amount:
        at += 1
    if at >= end or at == first:
        return first, False
    begin = at
    while begin > first and not (
        is_preposition(tokens[begin - 1], grammar) or is_determiner(tokens[begin - 1], grammar)
    ):
        begin -= 1  # common nouns right before the name belong to it: "sistema Themis"
    if begin <= first or tokens[at].is_amount or at - first > HEAD:
        return first, False
    if begin < at and tokens[begin - 1].word in ("de", "of"):
        return first, False  # "câmara de maturação CM-2" is one thing, "vapor do TC-60" are two
    return begin, True


def _named(tokens: Sequence[Token], first: int, end: int, grammar: Grammar) -> Phrase | None:
    """The name of the thing: a proper name without the noun before it, a code with it; an owner is cut off."""
    cut, owner, joint = _owner(tokens, first, end, grammar)
    inside = tokens[first:cut]
    begin = first
    names = [i for i in range(first, cut) if tokens[i].is_name]
    if names and not any(token.is_code for token in inside) and tokens[first].word not in _TITLES:
        begin = _proper_start(tokens, first, names[0], grammar)
    words = tokens[begin:cut]
    text = " ".join(token.text for token in words if token.text not in _QUOTES)
    anchored = any(token.is_anchor or token.is_amount for token in words) or _is_numbered(words)
    name = canonical_name(text)
    too_long = len(name.split()) > (LONGEST if anchored else COMMON)
    if not name or too_long or _is_reference(words) or not any(char.isalpha() for char in name):
        return None
    until = end if owner is None else cut
    return Phrase(name, anchored, first, until, name_start=begin, owner=owner, joint=joint)


def _is_reference(words: Sequence[Token]) -> bool:
    """ "Anexo II", "seção 6", "tabela": a part of the document rather than a thing; "Anexo Lume" is a thing."""
    if words[0].word not in _REFERENCES:
        return False
    return len(words) == 1 or words[1].is_number or len(words[1].text) == 1 or words[1].text.isupper()


def _proper_start(tokens: Sequence[Token], first: int, name: int, grammar: Grammar) -> int:
    """Common nouns before a proper name are dropped when the name can stand alone."""
    common = tokens[first:name]
    if not common or any(token.word in grammar.prepositions or token.is_number for token in common):
        return first
    if common[0].text[0].isupper():  # the sentence's first word may itself be part of the name
        return first
    return name


def _is_numbered(words: Sequence[Token]) -> bool:
    """ "linha 3", "severity 2", "9º ano": a common noun beside a number names one thing; "30 dias" does not."""
    return len(words) > 1 and words[-1].is_number and words[0].is_word and "%" not in words[-1].text


def _owner(
    tokens: Sequence[Token], first: int, end: int, grammar: Grammar
) -> tuple[int, "Phrase | None", str]:
    """A code followed by `de`/`of` and a name: two things, the second holds the first."""
    codes = [
        i for i in range(first, end) if tokens[i].is_code and any(char.isdigit() for char in tokens[i].text)
    ]
    if not codes or codes[0] + 2 >= end or tokens[codes[0] + 1].word not in grammar.inner:
        return end, None, ""
    cut = codes[0] + 1
    begin = _skip_determiners(tokens, cut + 1, end, grammar)
    owner = _named(tokens, begin, end, grammar)
    if owner is None or not owner.anchored:
        return end if owner is None else cut, None, ""
    return cut, owner, tokens[cut].text.lower()
