"""What a question is about, and whether it can be understood alone."""

import re

from core.analyze import question_tokens
from core.asking import COPULAS, DETERMINERS, Words, asked_length, question_at, request_length
from core.lexicon import GENERIC_NOUNS, LIGHT_VERBS, PRONOUNS, word_set
from core.tokens import is_content, tokenize

TOPIC_WORDS = 14  # a carried topic is a reminder, not a second question


def needs_topic(tokens: Words) -> bool:
    """A question that cannot be searched alone: it points back, or it holds at most one word of content."""
    words = [t.word for t in tokens]
    pointing = any(w in PRONOUNS - {"that", "this"} for w in words) or words[-1:] in (["that"], ["this"])
    said = [
        w for w in words if is_content(w) and w not in LIGHT_VERBS | GENERIC_NOUNS | PRONOUNS | _PARTICLES
    ]
    return pointing or len(said) <= 1


def only_specifies(request: str, question: str) -> bool:
    """ "Which shop sells most? Give me the shop name." asks once: the request adds no word of its own."""
    tokens = tokenize(request)
    if not tokens or question_at(tokens) != 0 or asked_length(tokens, 0):
        return False
    known = {term for token in question_tokens(question) for term in token.sure}
    fresh = [
        t
        for t in question_tokens(" ".join(t.word for t in tokens[1:]))
        if not known & set(t.sure) and t.surface not in _SAYS_NOTHING
    ]
    return not fresh


_SAYS_NOTHING = word_set("nome nomes name names valor valores id resposta answer numero number possui")


def topic_of(text: str) -> str:
    """What a question is about: its words after the interrogative phrase, without copula, articles and "do I"."""
    tokens = tokenize(re.sub(r"\s*\([^)]*\)\s*(?=[?.!]*$)", "", text))
    at = max(question_at(tokens), 0)
    start = at + (asked_length(tokens, at) or request_length(tokens, at)) if tokens else 0
    while start < len(tokens) and tokens[start].word in _NO_TOPIC:
        start += asked_length(tokens, start) or 1
    body = tokens[start : start + TOPIC_WORDS]
    if not any(is_content(t.word) for t in body):
        return ""
    for cut in range(1, len(body) - 1):
        if body[cut].word in {"do", "does", "did", "can", "should"} and body[cut + 1].word in _I:
            head, tail = (
                text[body[0].start : body[cut - 1].end],
                text[body[cut + 1].end : body[-1].end].strip(),
            )
            light = all(not is_content(t.word) or t.word in LIGHT_VERBS for t in body[cut + 2 :])
            return head if light else f"{head} {tail}"
    return text[body[0].start : body[-1].end]


_NO_TOPIC = COPULAS | DETERMINERS | LIGHT_VERBS | word_set("do does did e")
_PARTICLES = word_set("off up out down back away")
_I = word_set("i you he she it we they")
