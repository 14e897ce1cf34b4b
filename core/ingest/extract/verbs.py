"""Verb phrases: where a sentence says what one thing does to another, and in which voice."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from core.ingest.extract.lexicon import Grammar
from core.ingest.extract.nouns import is_determiner, is_preposition
from core.ingest.extract.tokens import Token

Kind = Literal["active", "passive", "copula", "participle"]
_AUXILIARIES = frozenset(["be", "been", "being", "ser", "sido", "estar"])


@dataclass(frozen=True, slots=True)
class Verb:
    """Tokens `start` to `end` say it; `text` is the phrase as written, in lower case."""

    kind: Kind
    start: int
    end: int
    text: str
    core: str  # the folded main word
    shared: int | None = None  # "… and delivered to": index of the verb whose subject it shares


def find_verbs(tokens: Sequence[Token], grammar: Grammar) -> tuple[Verb, ...]:
    """All relation verb phrases of a sentence, in order, without overlap."""
    found: list[Verb] = []
    at = 0
    while at < len(tokens):
        verb = _verb_at(tokens, at, grammar, found)
        if verb is None:
            at += 1
        else:
            found.append(verb)
            at = verb.end
    return tuple(found)


def _verb_at(tokens: Sequence[Token], at: int, grammar: Grammar, before: Sequence[Verb]) -> Verb | None:
    token = tokens[at]
    if not token.is_word or token.is_anchor:
        return None
    if is_copula(token, grammar):
        return _copula_or_passive(tokens, at, grammar, before)
    if is_participle(token.word, grammar) and _is_lone_participle(tokens, at, grammar, before):
        shared = _shares_with(tokens, at, before, grammar)
        return Verb("participle", at, at + 1, token.text.lower(), token.word, shared)
    if _is_active(tokens, at, grammar):
        return _active(tokens, at, grammar, before)
    return None


def is_copula(token: Token, grammar: Grammar) -> bool:
    """`é` and `está` are told from `e` and `esta` by their accents."""
    if token.word in ("e", "esta"):
        return token.text.lower() in ("é", "está")
    return token.word in grammar.copulas


def is_participle(word: str, grammar: Grammar) -> bool:
    return word in grammar.participles or (len(word) > 4 and word.endswith(grammar.participle_endings))


def is_adverb(token: Token, grammar: Grammar) -> bool:
    """A listed adverb, or one by its ending (-mente, -ly)."""
    ending = any(token.word.endswith(end) and len(token.word) > len(end) + 2 for end in grammar.prefixed)
    return token.word in grammar.adverbs or (ending and not token.is_anchor and token.is_word)


def _skip_adverbs(tokens: Sequence[Token], at: int, grammar: Grammar) -> int:
    while at < len(tokens) and is_adverb(tokens[at], grammar):
        at += 1
    return at


def _opening(tokens: Sequence[Token], at: int, grammar: Grammar, floor: int) -> int:
    """Include "não", "só", "pode", "must" and the like that stand right before the verb."""
    while at > floor and (is_adverb(tokens[at - 1], grammar) or tokens[at - 1].word in grammar.modals):
        at -= 1
    return at


def _written(tokens: Sequence[Token], start: int, end: int) -> str:
    return " ".join(token.text.lower() for token in tokens[start:end])


def _copula_or_passive(tokens: Sequence[Token], at: int, grammar: Grammar, before: Sequence[Verb]) -> Verb:
    end = _skip_adverbs(tokens, at + 1, grammar)
    while end < len(tokens) and tokens[end].word in _AUXILIARIES:
        end = _skip_adverbs(tokens, end + 1, grammar)
    start = _opening(tokens, at, grammar, before[-1].end if before else 0)
    if end < len(tokens) and is_participle(tokens[end].word, grammar) and not tokens[end].is_anchor:
        return Verb("passive", start, end + 1, _written(tokens, start, end + 1), tokens[end].word)
    return Verb("copula", start, at + 1, _written(tokens, start, at + 1), tokens[at].word)


def _is_lone_participle(tokens: Sequence[Token], at: int, grammar: Grammar, before: Sequence[Verb]) -> bool:
    """A participle with its agent ("mantido pela …"), or one that goes on with an earlier passive ("e guardado em")."""
    following = tokens[at + 1].word if at + 1 < len(tokens) else ""
    if following in grammar.agents:
        return True
    return _shares_with(tokens, at, before, grammar) is not None and following in grammar.prepositions


def _shares_with(tokens: Sequence[Token], at: int, before: Sequence[Verb], grammar: Grammar) -> int | None:
    """The earlier passive that a participle behind `e`/`and` goes on with: the last whose ending agrees."""
    back = at - 1
    while back > 0 and is_adverb(tokens[back], grammar):
        back -= 1
    if back <= 0 or tokens[back].word not in grammar.conjunctions:
        return None
    passives = [k for k, verb in enumerate(before) if verb.kind in ("passive", "participle")]
    agreeing = [k for k in passives if before[k].core[-2:] == tokens[at].word[-2:]]
    return agreeing[-1] if agreeing else (passives[-1] if passives else None)


def _is_active(tokens: Sequence[Token], at: int, grammar: Grammar) -> bool:
    """A finite form used as a verb: not behind an article or preposition, and something follows it."""
    token = tokens[at]
    base = token.word.removesuffix("-se")
    if base not in grammar.verbs or at + 1 >= len(tokens):
        return False
    if at > 0:
        previous = tokens[at - 1]
        article = is_determiner(previous, grammar) and not previous.is_anchor
        pronoun = previous.word in grammar.pronouns and previous.word not in (
            "este",
            "esta",
            "esse",
            "essa",
            "this",
            "these",
        )
        if (article and not pronoun) or is_preposition(previous, grammar):
            return False
        if previous.is_number:
            return False
    follower = _skip_adverbs(tokens, at + 1, grammar)
    if follower >= len(tokens):
        return False
    after = tokens[follower]
    if is_copula(after, grammar) or (after.word in grammar.verbs and not after.is_anchor):
        return False  # "a compra exige …": a noun
    if not _agrees(tokens, at, grammar):
        return False
    if at == 0 and after.word in grammar.inner:
        return False  # "Compra de terras …": a noun
    return (
        after.is_anchor
        or after.is_amount
        or after.is_number
        or is_determiner(after, grammar)
        or is_preposition(after, grammar)
        or (
            (at > 0 or (follower + 1 < len(tokens) and tokens[follower + 1].is_anchor))
            and after.is_word
            and after.word not in grammar.stops
            and after.word not in grammar.conjunctions
        )
        or after.text in (":", '"', "“")
    )


def _agrees(tokens: Sequence[Token], at: int, grammar: Grammar) -> bool:
    """English base forms are nouns as often as verbs: they need a plural subject, an auxiliary or a name list."""
    word = tokens[at].word
    if at > 0 and tokens[at - 1].word.endswith(("'s", "’s")):
        return False
    is_base = word + "s" in grammar.verbs or word + "es" in grammar.verbs
    if "the" not in grammar.determiners or not is_base:
        return True
    if at == 0:
        return False  # an imperative
    before = tokens[at - 1]
    return (
        before.word.endswith("s")
        or before.word in grammar.modals
        or is_adverb(before, grammar)
        or before.is_name
    )


def _active(tokens: Sequence[Token], at: int, grammar: Grammar, before: Sequence[Verb]) -> Verb:
    floor = before[-1].end if before else 0
    start = _opening(tokens, at, grammar, floor)
    end = _skip_adverbs(tokens, at + 1, grammar)
    core = tokens[at].word.removesuffix("-se")
    return Verb("active", start, end, _written(tokens, start, end), core)
