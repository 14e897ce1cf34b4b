"""Follow-up questions of a thread, resolved by grammar against the question before.

"e no Nordeste?" puts Nordeste where the earlier question said Sudeste; "quem aprova isso?" gets the earlier topic;
a full question stays as it is. No model takes part, so the reply can say "understood as …" and be right about it.
"""

from core.asking import Words, asked_length, question_at, request_length
from core.lexicon import INTERROGATIVES, LIGHT_VERBS, word_set
from core.refill import POINTING, VAGUE, append, content_places, only_slots, point, said, swap
from core.slots import PREPOSITION_CLASS, slots_of
from core.smalltalk import smalltalk
from core.tokens import is_content, tokenize
from core.topics import topic_of
from core.types import Turn
from core.vocabulary import NO_VOCABULARY, Vocabulary

_LEADS = (
    ("e", "quanto"), ("what", "about"), ("how", "about"), ("e", "sobre"), ("and", "about"),
    ("e",), ("and",), ("mas",), ("but",), ("agora",), ("now",), ("entao",), ("so",), ("or",), ("ou",), ("tambem",), ("also",),
    ("ok",), ("certo",), ("beleza",), ("then",), ("ah",),
)  # fmt: skip
_MORE = word_set(
    "mais detalhes detalhe detalhar more details detail explique explica explain melhor better further elaborate assim continue continua fale tell me sobre about isso that it quero conte give"
)
_ASKS_MORE = word_set(
    "detalhes detalhe detalhar details detail explique explica explain elaborate continue continua assim more"
)


def depends_on_history(text: str, vocabulary: Vocabulary = NO_VOCABULARY) -> bool:
    """The message means nothing sure without the question before it."""
    tokens = tokenize(text)
    if not tokens:
        return False
    body = _without_lead(tokens)
    if not body or _asks_more(body) or _pronouns(body):
        return True
    led = len(body) < len(tokens)
    if _is_fragment(body):
        slots = slots_of(body, vocabulary)
        of_something = body[0].word in VAGUE and len(body) > 1 and body[1].word in PREPOSITION_CLASS
        return led or body[0].word in PREPOSITION_CLASS or of_something or only_slots(body, slots)
    return _is_bare_question(body, led)


def resolve_followup(
    text: str, history: tuple[Turn, ...], vocabulary: Vocabulary = NO_VOCABULARY
) -> str | None:
    """The message as a full question, or None if it is one already or nothing came before.

    Args:
        history: earlier turns, oldest first; questions as understood then.
        vocabulary: names of the view, so that a value replaces its neighbour of the same column.
    """
    asked = (turn.question for turn in reversed(history) if not smalltalk(turn.question))
    previous = next((question for question in asked if topic_of(question)), "")
    if not previous or not depends_on_history(text, vocabulary):
        return None
    body = _without_lead(tokenize(text))
    if not body or _asks_more(body):
        return previous
    if pronouns := _pronouns(body):
        return point(text, body, pronouns, previous)
    swapped = swap(body, text, previous, vocabulary)
    if swapped:
        return swapped
    return (
        f"{said(text, body)} ({topic_of(previous)})"
        if not _is_fragment(body)
        else append(text, body, previous)
    )


def resolve_ellipsis(text: str, previous: str, vocabulary: Vocabulary = NO_VOCABULARY) -> str | None:
    """Inside one message: "… e a de abril?" with the earlier question's words; None unless a slot is filled anew."""
    body = _without_lead(tokenize(text))
    if not body or _pronouns(body) or not (_is_fragment(body) or _is_bare_question(body, True)):
        return None
    return swap(body, text, previous, vocabulary)


# --- what kind of follow-up ----------------------------------------------------------------------------------


def _without_lead(tokens: Words) -> Words:
    words = tuple(t.word for t in tokens)
    for lead in _LEADS:
        if words[: len(lead)] == lead and tokens[0].raw.casefold() not in {"é", "eh"}:
            rest = tokens[len(lead) :]
            if lead == ("e", "quanto") and (not rest or rest[0].word not in {"a", "ao", "aos", "as", "o"}):
                continue
            return _without_lead(rest) if len(rest) > 1 else rest
    return tokens


def _asks_more(body: Words) -> bool:
    """ "mais detalhes", "explique melhor", "tell me more": the same question again, wider."""
    return all(t.word in _MORE | {"e", "please", "por", "favor", "como"} for t in body) and any(
        t.word in _ASKS_MORE for t in body
    )


def _pronouns(body: Words) -> list[int]:
    """Places of pronouns whose antecedent is not in the message itself."""
    places = []
    for at, token in enumerate(body):
        named = [t for t in body[:at] if is_content(t.word) and t.word not in LIGHT_VERBS]
        named_before = len(named) + any(t.raw[:1].isupper() for t in named)
        rest = [t.word for t in body[at + 1 :]]
        joins = token.word == "that" and bool(rest)  # "the language that is used"
        dummy = token.word == "it" and len(rest) > 1 and bool({"to", "that"} & set(rest))
        if token.word in POINTING and named_before <= 1 and not joins and not dummy:
            places.append(at)
    return places


def _is_fragment(body: Words) -> bool:
    """No interrogative, no request: "no Nordeste", "o de abril", "and for managers"."""
    return question_at(body) < 0 and not any(t.word in INTERROGATIVES for t in body) and len(body) <= 8


def _is_bare_question(body: Words, led: bool) -> bool:
    """ "por quê?", "e quem aprova?", "e quantos em abril?": an interrogative with almost nothing behind it."""
    at = question_at(body)
    if at != 0:
        return False
    rest = body[at + (asked_length(body, at) or request_length(body, at)) :]
    return len(content_places(rest)) <= (1 if led else 0) and len(rest) <= 6
