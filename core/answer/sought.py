"""What a question seeks, word by word, from the known thing at its far end to what is asked for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.analyze import Token, word_token
from core.answer.relations import ANYONE, relations_of_word
from core.asked import Asked
from core.lexicon import FUNCTION_WORDS, INTERROGATIVES, LIGHT_VERBS, WHO
from core.tokens import Token as WordToken
from core.tokens import tokenize
from core.topic import HALF, Topic

LIGHT = 0.5  # weight of a light verb that names a relation ("made by"), beside the lightest topic word
DESCRIBED = 0.5  # of its weight has a word that only opens a description: "the machine that ..."
_WHERE = frozenset(["onde", "aonde", "where", "cade"])
_OPENS = frozenset(["que", "onde", "com", "cujo", "cuja", "that", "which", "who", "where", "with", "whose"])
_AT = frozenset(
    ["na", "no", "nas", "nos", "em", "da", "do", "at", "in", "from"]
)  # "who at the firm is in charge"
_SPEAKERS = frozenset(
    ["i", "you", "he", "she", "it", "we", "they", "one"]
)  # "who do I ask for": their verb follows
_SEVERAL = re.compile(
    r"\b(?:quais|quem sao|(?:who|what|which) are|(?:which|what) (?!is\b|was\b|does\b)\w+[^s\W]s)\b"
)
_OWNED = frozenset(
    ["his", "her", "its", "their", "seu", "sua", "seus", "suas"]
)  # ", and his phone": asked as well
_DO = frozenset(["do", "does", "did"])


@dataclass(frozen=True, slots=True)
class Sought:
    """A word of the question."""

    depth: int  # how far from what is asked it stands; 0 is what is asked for
    weight: float
    terms: frozenset[str]
    relations: frozenset[str]
    kin: frozenset[str] = frozenset()  # terms of words that mean much the same
    code: bool = False
    part: int = 0  # how many descriptions ("the person who ...") lie between it and what is asked


@dataclass(frozen=True, slots=True)
class Fit:
    """Words of the question that a word of a document says, by their places: the same word, or another wording."""

    same: frozenset[int] = frozenset()
    alike: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.same or self.alike)

    def without(self, places: frozenset[int]) -> "Fit":
        return Fit(self.same - places, self.alike - places)


@dataclass(frozen=True, slots=True)
class _Typed:
    spot: int  # among the typed words
    original: Token
    meant: Token
    weight: float


def fit(sought: Sequence[Sought], token: Token) -> Fit:
    """What a word of a document says of the question."""
    sure, relations = frozenset(token.sure), relations_of_word(token.surface)
    same = frozenset(at for at, word in enumerate(sought) if not word.terms.isdisjoint(sure))
    alike = frozenset(
        at
        for at, word in enumerate(sought)
        if not (word.relations.isdisjoint(relations) and word.kin.isdisjoint(sure))
    )
    return Fit(same, alike - same)


def asks_several(question: Asked) -> bool:
    """Whether the question asks for more than one thing: "quais fornecedores", "which firms", "who are", a list."""
    typed = " ".join(token.word for token in tokenize(question.text))
    return question.kind == "list" or _SEVERAL.search(typed) is not None


def sought_in(question: Asked, topic: Topic) -> tuple[Sought, ...]:
    """The topic's words as often as they are typed, from the far end to what is asked for.

    What stands behind the interrogative comes first in a question and last in its chain; what stands before it
    ("alarm A-31: who ...") is known. "Who does X report to" asks for the verb at the end, "where" for a place.
    """
    tokens = tokenize(question.text)
    typed = [token.word for token in tokens]
    asks = next((i for i, word in enumerate(typed) if word in INTERROGATIVES), -1)
    found = [
        Sought(
            depth, word.weight, frozenset(word.meant.sure),
            relations_of_word(word.meant.surface) | relations_of_word(word.original.surface),
            _kin(topic, word.meant), word.meant.kind == "code", _part(word.spot, typed, asks),
        )
        for depth, word in enumerate(_ordered(_typed(question, topic, typed), tokens, asks), start=1)
    ]  # fmt: skip
    if asks >= 0 and typed[asks] in _WHERE and found:
        mean = sum(word.weight for word in found) / len(found)
        found.insert(0, Sought(0, mean, frozenset(), frozenset(["is_at", "in_town"])))
    return tuple(reversed(found))


def _ordered(words: Sequence[_Typed], tokens: Sequence[WordToken], asks: int) -> list[_Typed]:
    """From what is asked for to the far end."""
    typed = [token.word for token in tokens]
    places = _places(tokens)
    after = sorted((w for w in words if w.spot > asks), key=lambda w: (places[w.spot], w.original.surface))
    before = sorted((w for w in words if w.spot <= asks), key=lambda w: (-w.spot, w.original.surface))
    turned = _DO | (_AT if asks >= 0 and typed[asks] in WHO else frozenset())
    said = typed[asks + 1 : asks + 3]
    if asks >= 0 and said[:1] and said[0] in turned and _SPEAKERS.isdisjoint(said[1:]) and after:
        last = max(after, key=lambda w: w.spot)
        after = [last, *(w for w in after if w is not last)]
    also = [w for w in after[1:] if typed[w.spot - 1] in _OWNED]
    return [*after[:1], *also, *(w for w in after[1:] if w not in also), *before]


def _places(tokens: Sequence[WordToken]) -> list[int]:
    """Where each word would stand if "the technician's boss" were "the boss of the technician"; one more for words nowhere."""
    order = list(range(len(tokens) + 1))
    for at, token in enumerate(tokens):
        if not token.raw.endswith(("'s", "’s")) or token.word in INTERROGATIVES:
            continue
        start = at
        while start and tokens[start - 1].word not in FUNCTION_WORDS | INTERROGATIVES:
            start -= 1
        end = next((i for i in range(at + 1, len(tokens)) if tokens[i].word in FUNCTION_WORDS), len(tokens))
        order[start:end] = [*order[at + 1 : end], *order[start : at + 1]]
    return [order.index(spot) for spot in range(len(order))]


def _typed(question: Asked, topic: Topic, typed: Sequence[str]) -> list[_Typed]:
    """Topic words that describe something, and light verbs that name a relation which no other word names."""
    found = [
        _Typed(spot, original, token, weight)
        for original, (token, weight) in _aligned(question, topic)
        if not {original.surface, token.surface} & ANYONE
        for spot in _spots(original.surface, typed)
    ]
    held = {surface for word in found for surface in (word.original.surface, word.meant.surface)}
    named = frozenset[str]().union(*map(relations_of_word, held))
    light = LIGHT * min((word.weight for word in found), default=0.0)
    found += [
        _Typed(spot, word_token(word), word_token(word), light)
        for spot, word in enumerate(typed)
        if word in LIGHT_VERBS
        and word not in held
        and relations_of_word(word) - named
        and not relations_of_word(_object(typed, spot))
    ]
    told = [_Typed(w.spot, w.original, w.meant, w.weight * _telling(w.spot, typed)) for w in found]
    return [word for word in told if word.weight] or found


def _object(typed: Sequence[str], spot: int) -> str:
    """The next word that is no function word: "faz a manutenção" is maintaining, not making."""
    return next((word for word in typed[spot + 1 :] if word not in FUNCTION_WORDS), "")


def _aligned(question: Asked, topic: Topic) -> list[tuple[Token, tuple[Token, float]]]:
    """The words as typed beside the topic's, which leaves out frames that no text says."""
    found: list[tuple[Token, tuple[Token, float]]] = []
    for token in question.tokens:
        rest = topic.words[len(found) :]
        if rest and (token.surface not in question.frames or rest[0][0].surface == token.surface):
            found.append((token, rest[0]))
    return found


def _part(spot: int, typed: Sequence[str], asks: int) -> int:
    """How many words that stand for a described thing are between the interrogative and a word; all, for one before it."""
    between = typed[asks + 1 : spot] if spot > asks else typed[asks + 1 :]
    return sum(word in ANYONE for word in between)


def _kin(topic: Topic, token: Token) -> frozenset[str]:
    relatives = topic.kin.of.get(token.surface, ())
    return frozenset[str]().union(*(one.terms for one in relatives if one.degree >= HALF))


def _telling(spot: int, typed: Sequence[str]) -> float:
    """The kind of a code ("alarm A-31") tells nothing, the head of a description ("the machine that ...") little."""
    following = typed[spot + 1] if spot + 1 < len(typed) else ""
    if any(map(str.isdigit, following)) and any(map(str.isalpha, following)):
        return 0.0
    return DESCRIBED if following in _OPENS else 1.0


def _spots(surface: str, typed: Sequence[str]) -> list[int]:
    """Where a topic word stands among the typed ones; a part of a joined word stands where that does."""
    flat = _letters(surface)
    same = [i for i, word in enumerate(typed) if word == surface or _letters(word) == flat]
    return same or [next((i for i, word in enumerate(typed) if surface in word), len(typed))]


def _letters(word: str) -> str:
    return "".join(filter(str.isalnum, word))
