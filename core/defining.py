"""Questions for a definition, and sentences that define: "Clipping: the loss …", "entende-se por obra leve …"."""

import re
from collections.abc import Sequence

from core.normalize import fold

_ASKS = re.compile(
    r"\b(?:o ?que|oq|q)\s+(?:e|eh|sao|seria|seriam|significa\w*|quer(?:em)? dizer|se entende por)\s+"
    r"(?!preciso\b|necessari|permitid|proibid|obrigatori|possivel\b|que\b|melhor\b|pior\b|\w+[ai]d[oa]s?\b)|"
    r"\b(?:definic(?:ao|oes)|significados?|conceitos?|definition|definitions|meaning|concept)\s+(?:d[eoa]s?|of|for)\b|"
    r"\b(?:what|wat|wht)(?:\s+(?:is|are)|'?s)\s+an?\s|\bwhat\s+(?:does|do|is|are)\s.{2,60}\s(?:means?|meant|stand for|refer to)\b|"
    r"^\W*(?:define|defina)\s|^\W*what(?:\s+(?:is|are)|'?s)\s+(?!the\b|my\b|our\b|your\b)\S+(?:\s\S+)?\W*$"
)
# Behind a term: what makes the sentence say what the term is.
_SAYS = r"[\"'”’*_)]*\s*(?:\([^)]{1,40}\)\s*)?(?::|\s[–—-]\s|\s(?:is|are|means|refers|denotes|e|sao|significa|consiste|designa|denomina-se)\b)"
_NAMED = re.compile(
    r"\b(?:entende-se por|considera-se|chama-se|chamamos|define-se|defined as|known as|called|we call|by)\s"
)
_REACH = 40  # characters before the term: an article, a list mark, a condition


def asks_definition(question: str) -> bool:
    """Whether a question asks what a thing is or what a word means."""
    return _ASKS.search(fold(question)) is not None


def defines(text: str, words: Sequence[str]) -> bool:
    """Whether a sentence says what something is: one of the words opens it and a sign of defining follows.

    Args:
        words: of the term, folded.
    """
    folded = fold(text)
    for word in words:
        for match in re.finditer(rf"\b{re.escape(word)}\w{{0,2}}(?:\s+\w+)?", folded):
            opens = match.start() <= _REACH or _NAMED.search(folded[: match.start()])
            if opens and re.match(
                _SAYS, folded[match.start() + len(word) :].lstrip("abcdefghijklmnopqrstuvwxyz")
            ):
                return True
            if opens and re.match(_SAYS, folded[match.end() :]):
                return True
    return _NAMED.search(folded) is not None and any(word in folded for word in words)
