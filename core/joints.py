"""Both sides of a joint: is what stands before and after a conjunction or comma a question of its own?"""

import re

from core.asking import (
    AMBIGUOUS_REQUESTS,
    CONDITION,
    COPULAS,
    DETERMINERS,
    IMPERSONAL,
    INVERTED_PT,
    PREFIX,
    SUBORDINATE,
    Words,
    asked_length,
    opens_yes_no,
    question_at,
    request_length,
)
from core.lexicon import (
    EN_AUXILIARIES,
    EN_SUBJECTS,
    INTERROGATIVES,
    LIGHT_VERBS,
    PREPOSITIONS,
    PT_YES_NO,
    REQUESTS_EN,
    REQUESTS_PT,
    REQUESTS_TO_ME,
    word_set,
)
from core.tokens import is_content

_FIRST_PERSON = word_set(
    "posso podemos devo devemos preciso precisamos tenho temos consigo conseguimos estou"
)
_HE = word_set("ele ela eles elas")
_ENGLISH_ASKING = word_set("who whom whose which what when where why how")


def is_complete(left: Words, right: Words, *, comma: bool = False) -> bool:
    """The left side of a joint is a question of its own.

    "quando e onde será", "em qual canal e com quem falo" share one verb and stay together; "o que é e como
    funciona X" is cut, since the second names what the first asks about.
    """
    at = question_at(left)
    if at < 0 and not comma and _is_bare_topic(left):
        return True
    if at < 0 or (comma and _is_leading_clause(left, at)):
        return False
    length = asked_length(left, at)
    if not length:
        body = left[at + max(request_length(left, at), 1) :]
        return any(is_content(t.word) or t.word in INTERROGATIVES for t in body) or len(body) > 1
    wh, body = left[at + length - 1].word, left[at + length :]
    said = [t for t in body if t.word not in COPULAS]
    if not said:
        return bool(body) and wh in {"que", "what"} and len(right) > 2
    if len(said) == 1 and len(body) == 1 and wh not in {"quem", "who", "que"}:
        prepositional = left[at].word in PREPOSITIONS
        same = right[0].word == left[at].word and wh not in {"many", "quantos", "quantas"}
        return not prepositional and not same
    return True


def _is_bare_topic(left: Words) -> bool:
    """ "valor da anuidade e como pagar": the first question typed as a noun phrase, without its "qual é"."""
    start = 1 if left[0].word in {"o", "a", "os", "as", "the"} else 0
    words = [t.word for t in left[start:]]
    if (
        len(words) < 3
        or not is_content(words[0])
        or words[0] in _ADVERBS | LIGHT_VERBS
        or any(t.marked for t in left)
    ):
        return False
    noun = (
        2
        if words[1] in {"of", "for", "total", "medio", "media", "maximo", "maxima", "minimo"}
        and len(words) > 3
        else 1
    )
    return words[1] in _OF or words[noun] in _OF


_OF = word_set("de da do dos das of for para por")
_ADVERBS = word_set(
    "depois antes apesar acerca dentro fora perto longe alem atraves diante cerca because instead ahead outside"
)


def _is_leading_clause(left: Words, at: int) -> bool:
    end = at + max(asked_length(left, at), 1) - 1
    word, after = left[end].word, left[end + 1].word if end + 1 < len(left) else ""
    return word in SUBORDINATE and after not in EN_AUXILIARIES | INVERTED_PT


def opens_question(right: Words, left: Words, *, comma: bool = False) -> bool:
    """The right side of a joint starts a question of its own. `comma`: no conjunction stands between."""
    length = asked_length(right, 0)
    if length:
        return _opens_asked(right, left, length, comma=comma)
    text = " ".join(t.word for t in right[:8])
    if CONDITION.match(text):
        return (
            not comma
            and not any(t.word in {"se", "if", "caso"} for t in left)
            and len(right) > 2
            and left[0].word not in {"when", "quando"}
        )
    if right[0].word == "que":
        follows = right[1].word if len(right) > 1 else ""
        return (
            not comma
            and is_content(follows)
            and follows not in PT_YES_NO
            and not any(t.word == "que" for t in left[1:])
        )
    if _requests_here(right, text):
        return not _continues_request(right, left)
    return _opens_yes_no_after(right, left, text, comma=comma)


def _requests_here(right: Words, text: str) -> bool:
    word, following = right[0].word, right[1].word if len(right) > 1 else ""
    if PREFIX.match(text) or (word in {"me", "nos"} and following in REQUESTS_TO_ME):
        return True
    if word not in REQUESTS_PT | REQUESTS_EN or word in {"ordene", "some"} or not following:
        return False  # "e ordene por data" is about how the same rows are shown
    return word not in AMBIGUOUS_REQUESTS or following in DETERMINERS - {"that", "this"}


def _opens_asked(right: Words, left: Words, length: int, *, comma: bool) -> bool:
    word, after = right[length - 1].word, right[length].word if len(right) > length else ""
    if (
        word in {"which", "whom", "whose"}
        and (length > 1 or word == "whose")
        and (comma or _has_relative(left))
    ):
        return False  # "in which the character …"
    if word == "quanto" and after in {"mais", "menos", "maior"}:
        return False
    if word == "como" and comma:
        return after in LIGHT_VERBS or after in {"eu", "a", "se"} or after.endswith(("ar", "er", "ir"))
    if word in SUBORDINATE and comma:
        return after in EN_AUXILIARIES | INVERTED_PT
    if word == "which" and comma:
        return after not in EN_AUXILIARIES
    if word == "how" and after in {"about"}:
        return True
    return not (word in {"quem", "who"} and left[-1].word in {"para", "for", "entre", "between"})


def _has_relative(left: Words) -> bool:
    """A relative clause is open on the left: what follows "and" may go on with it."""
    at = max(question_at(left), 0)
    start = at + max(asked_length(left, at), 1)
    return any(
        t.word in {"that", "which", "whose", "cujo", "cuja", "cujos", "cujas"}
        or (t.word == "que" and left[i - 1].word not in {"o", "e"})
        for i, t in enumerate(left)
        if i >= start
    )


def _continues_request(right: Words, left: Words) -> bool:
    """ "how do I export and list the files": the verb belongs to the infinitive on the left; so does "show their age"."""
    word, following = right[0].word, right[1].word if len(right) > 1 else ""
    if word in REQUESTS_EN and following != "me":
        text = " ".join(t.word for t in left)
        if re.search(
            r"\bto \w+\b(?!.*\b(?:me|us)\b)|\bhow (?:do|can|should|could|would|to)\b|\b(?:can|should|must|may|do) (?:i|we|you|they|interns|employees)\b",
            text,
        ) and not PREFIX.match(text):
            return True
    return following in {"their", "its", "his", "her", "seus", "suas", "seu", "sua"}


def _opens_yes_no_after(right: Words, left: Words, text: str, *, comma: bool) -> bool:
    word = right[0].word
    if word in EN_AUXILIARIES:
        if right[1:] and right[1].word in EN_SUBJECTS and opens_yes_no(right):
            return True
        english = any(t.word in _ENGLISH_ASKING for t in left) or left[0].word in EN_AUXILIARIES
        plain = english and not comma and not _asks_for_subject(left) and word not in {"have", "has", "had"}
        return plain and len(right) > 2 and is_content(right[1].word)
    if word in _FIRST_PERSON or IMPERSONAL.match(text) or (word in _HE and not comma):
        return len(right) > 1
    plain = word in PT_YES_NO - {"e", "da", "esta", "era", "foi", "vai", "sao"} and len(right) > 1
    return plain and not _asks_for_subject(left) and not _has_relative(left)


def _asks_for_subject(left: Words) -> bool:
    """ "quem trabalha …", "which plan costs …": what follows "and" may be a second verb of that subject."""
    at = question_at(left)
    if at < 0:
        return True
    length = asked_length(left, at)
    word, body = left[at + max(length, 1) - 1].word, left[at + max(length, 1) :]
    if not length:
        return bool(request_length(left, at))  # "list the rooms that are free and have a view"
    if word in {"quem", "who", "whose"}:
        return True
    if word in {"qual", "quais", "which", "what", "que", "many", "quantos", "quantas", "quanto", "quanta"}:
        nominal = bool(body) and body[0].word in COPULAS | {
            "o",
            "a",
            "os",
            "as",
            "the",
            "do",
            "does",
            "did",
            "custa",
            "custam",
        }
        return not nominal and not any(t.word in {"do", "does", "did"} for t in body)
    return False
