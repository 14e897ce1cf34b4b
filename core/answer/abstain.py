"""Saying that the answer was not found: what was searched, what is missing, what would help."""

import re

from core.analyze import tokens
from core.answer.phrases import known, listed, say
from core.asked import asked
from core.evidence import Evidence
from core.harmless import fenceless
from core.normalize import fold
from core.types import Language

_WORDS = 3


def not_found(
    evidence: Evidence, language: Language, documents: int | None = None, *, by_model: bool = False
) -> str:
    """The paragraph for a clause without an answer.

    Args:
        evidence: whose verdict is weak, or whose passages the model found no answer in (`by_model`).
        documents: how many documents could be searched.
    """
    parts = [
        say("not_found", language),
        _why(evidence, language, by_model),
        _searched(evidence, language, documents),
    ]
    return " ".join([*(part for part in parts if part), say("help", language)])


def _why(evidence: Evidence, language: Language, by_model: bool) -> str:
    if by_model:
        return say("why_model", language)
    reason = evidence.verdict.reason
    unknown = evidence.verdict.unknown
    missing = list(unknown) or [as_typed(evidence.clause.text, word) for word in evidence.verdict.missing]
    missing = list({fold(word): word for word in reversed(missing)}.values())[::-1][:_WORDS]
    kind = f"kind_{asked(evidence.clause.text).kind}"
    if reason in ("unknown_code", "off_topic") and missing:
        return say(f"why_{reason}", language, missing=listed([f"“{word}”" for word in missing], language))
    if reason == "no_such_value" and known(kind):
        return say("why_no_such_value", language, kind=say(kind, language))
    return say("why_nothing" if reason == "nothing" else "why_thin", language)


def _searched(evidence: Evidence, language: Language, documents: int | None) -> str:
    names = [f"store_{route}" for route in evidence.clause.decision.routes]
    stores = [say(name, language) for name in dict.fromkeys(names) if known(name)]
    if not stores:
        return ""
    if documents is None:
        return say("searched", language, stores=listed(stores, language))
    return say("searched_n", language, stores=listed(stores, language), n=documents)


def as_typed(question: str, word: str) -> str:
    """A folded word, or a number by its value, as the question spells it."""
    for match in re.finditer(r"\d\S*", question):  # "18.400,00" is read as 18400.00
        typed = match.group().rstrip('.,;:?!"”)')
        if word in {token.surface for token in tokens(typed) if token.kind == "number"}:
            return fenceless(typed)
    for match in re.finditer(r"[^\s,;:?!\"“”()]+(?:\([a-z0-9]{1,3}\))?", question):
        if fold(match.group()).strip(".") == word or re.sub(r"[\W_]", "", fold(match.group())) == word:
            return fenceless(match.group().strip("."))
    return fenceless(word)
