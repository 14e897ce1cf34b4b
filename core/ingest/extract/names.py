"""What a passage calls things: names and codes it mentions, and second names it gives them."""

import re
from collections.abc import Iterator, Sequence

from core.ingest.extract.lexicon import Grammar
from core.ingest.extract.nouns import make_phrase, read_phrase
from core.ingest.extract.tokens import Token
from core.normalize import canonical_name, fold

ALSO_CALLED = "also called"  # the relation that joins two names of one thing
_SHORT_NAME = re.compile(r"[A-Z][A-Za-z0-9]*(?:[-/&][A-Za-z0-9]+)*")
_LINKS = frozenset(["de", "da", "do", "das", "dos", "of", "e", "and", "&", "the"])
_NAMING = (
    ("tambem", "chamado", "de"), ("tambem", "chamada", "de"), ("conhecido", "como"), ("conhecida", "como"),
    ("tambem", "conhecido", "como"), ("tambem", "conhecida", "como"), ("doravante",), ("apelidado", "de"),
    ("apelidada", "de"), ("also", "known", "as"), ("known", "as"), ("also", "called"), ("hereinafter",), ("formerly",),
)  # fmt: skip


def aliases(tokens: Sequence[Token], grammar: Grammar) -> Iterator[tuple[str, str]]:
    """Pairs (name, other name) that a sentence declares: "Unidade Norte (UN-2)", "UN-2 (Unidade Norte)", "conhecido como"."""
    for at, token in enumerate(tokens):
        if token.text == "(":
            close = next((i for i in range(at + 1, min(at + 9, len(tokens))) if tokens[i].text == ")"), None)
            if close is not None:
                yield from _bracketed(tokens, at, close, grammar)
        for words in _NAMING:
            if tuple(t.word for t in tokens[at : at + len(words)]) == words:
                yield from _named_so(tokens, at, at + len(words), grammar)
                break


def _bracketed(tokens: Sequence[Token], at: int, close: int, grammar: Grammar) -> Iterator[tuple[str, str]]:
    inside = tokens[at + 1 : close]
    before = _name_before(tokens, at, grammar)
    if not before or not inside:
        return
    text = " ".join(token.text for token in inside)
    short = len(inside) == 1 and (inside[0].is_code or inside[0].is_name or inside[0].text.isupper())
    if short and _SHORT_NAME.fullmatch(text) and (_has_digit(text) or _initials(before, text)):
        yield canonical_name(before), canonical_name(text)
    elif _is_code_text(before) and sum(token.is_anchor for token in inside) and inside[0].text[0].isupper():
        phrase = make_phrase(tokens, at + 1, at + 1, close, grammar)
        if (
            phrase is not None
            and phrase.end == close
            and (_has_digit(before) or _initials(phrase.name, before))
        ):
            yield canonical_name(before), phrase.name


def _has_digit(text: str) -> bool:
    return any(char.isdigit() for char in text)


def _is_code_text(text: str) -> bool:
    return " " not in text and (_has_digit(text) or text.isupper())


def _initials(name: str, short: str) -> bool:
    """Whether the letters of a short name occur in order at the beginnings of the long name's parts."""
    letters = [char for char in fold(short) if char.isalpha()]
    words = [word for word in fold(name).replace("-", " ").split() if word not in _LINKS]
    if not letters or not words or len(letters) < 2 or letters[0] != words[0][0]:
        return False
    position, text = 0, " ".join(words)
    for letter in letters:
        position = text.find(letter, position) + 1
        if position == 0:
            return False
    return len(letters) >= min(len(words), 2)


def _name_before(tokens: Sequence[Token], end: int, grammar: Grammar) -> str:
    """The proper name, or common noun with article, that stands right before `end`."""
    begin = end
    while begin > 0 and (tokens[begin - 1].is_anchor or _links(tokens, begin - 1)):
        begin -= 1
    if (
        begin < end
        and begin > 0
        and tokens[begin - 1].is_word
        and tokens[begin - 1].text[0].isupper()
        and begin == 1
    ):
        begin -= 1  # the sentence's first word belongs to the name
    if begin == 1 and tokens[0].text[0].isupper() and tokens[0].word not in grammar.determiners:
        begin = 0
    while begin < end and tokens[begin].word in _LINKS | grammar.determiners:
        begin += 1
    if begin == end:
        single = tokens[end - 1] if end else None
        if single is not None and end == 1 and single.text[0].isupper():
            return single.text
        return ""
    return " ".join(token.text for token in tokens[begin:end])


def _links(tokens: Sequence[Token], at: int) -> bool:
    inside = tokens[at].word in _LINKS and at > 0
    return inside and tokens[at - 1].text[:1].isupper()


def _named_so(tokens: Sequence[Token], start: int, end: int, grammar: Grammar) -> Iterator[tuple[str, str]]:
    left = start
    while left > 0 and (
        tokens[left - 1].text in ",("
        or tokens[left - 1].word in grammar.copulas
        or tokens[left - 1].text == "é"
    ):
        left -= 1
    before = _name_before(tokens, left, grammar)
    phrase = read_phrase(tokens, end, len(tokens), grammar)
    if before and phrase is not None and phrase.anchored and canonical_name(before) != phrase.name:
        yield canonical_name(before), phrase.name


def mentions(tokens: Sequence[Token], grammar: Grammar) -> Iterator[str]:
    """Canonical proper names (two words or more, or one inside a sentence) and codes of a sentence."""
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.is_code:
            yield canonical_name(token.text)
            at += 1
            continue
        if not (
            token.is_name or (at == 0 and token.text[:1].isupper() and token.word not in grammar.determiners)
        ):
            at += 1
            continue
        end = at + 1
        while end < len(tokens) and (
            tokens[end].is_name
            or (tokens[end].word in _LINKS and end + 1 < len(tokens) and tokens[end + 1].is_name)
            or (tokens[end].text == "&" and end + 1 < len(tokens) and tokens[end + 1].is_name)
        ):
            end += 1
        if token.is_name or end > at + 1:
            yield canonical_name(" ".join(t.text for t in tokens[at:end]))
        at = end
