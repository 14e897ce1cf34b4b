"""Several questions in one message: found by grammar, each made searchable on its own.

A message is cut at `?`, `;`, line breaks, and at conjunctions and commas, but only where both sides are questions or
requests of their own. "e" for a misspelt "é" and joined noun phrases ("janeiro e fevereiro") never cut. A dependent
second question ("… e quem aprova?") takes the topic of the first along.
"""

import re
from dataclasses import dataclass, replace

from core.asking import asks, is_courtesy
from core.comparisons import comparison
from core.followup import resolve_ellipsis
from core.joints import is_complete, opens_question
from core.lexicon import word_set
from core.tokens import Token, tokenize
from core.topics import needs_topic, only_specifies, topic_of
from core.vocabulary import NO_VOCABULARY, Vocabulary


@dataclass(frozen=True, slots=True)
class ClauseText:
    """One clause as it is searched. Clauses of one comparison share a group; others have none."""

    text: str
    group: int = -1


def split_clauses(text: str, vocabulary: Vocabulary = NO_VOCABULARY) -> tuple[str, ...]:
    """The questions of a message, in order; at least one, even where nothing is asked."""
    return tuple(clause.text for clause in read_clauses(text, vocabulary))


def read_clauses(text: str, vocabulary: Vocabulary = NO_VOCABULARY) -> tuple[ClauseText, ...]:
    """The questions of a message, with comparisons opened into one clause a compared thing."""
    asked = _questions(text)
    parts = [part for question in asked for part in _cut(question.text)]
    if len(parts) < 2:
        parts, contexts = [_without_courtesy(text)], [""]
    else:
        contexts = [
            c for question in asked for c in (question.context, *[""] * (len(_cut(question.text)) - 1))
        ]
    clauses: list[ClauseText] = []
    for group, part in enumerate(_carry(parts, contexts, vocabulary)):
        compared = comparison(part)
        clauses += [ClauseText(thing, group) for thing in compared.things] if compared else [ClauseText(part)]
    return tuple(replace(clause, text=_tidy(clause.text)) for clause in clauses)


def seed_clauses(text: str) -> tuple[str, ...]:
    """The seed's rule: cut at marks and conjunctions, keep the cut if every part holds a question word or request."""
    parts = [
        p.strip()
        for p in re.split(r"[?;\n]+|\s+(?:e|também|além disso|and|also)\s+", text, flags=re.I)
        if p.strip()
    ]
    return tuple(parts) if len(parts) > 1 and all(asks(tokenize(part)) for part in parts) else (text.strip(),)


# --- marks ---------------------------------------------------------------------------------------------

_QUOTED = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|`[^`\n]*`|(?<!\w)'[^'\n]*'(?!\w)|https?://\S+")
_MARK = re.compile(r"(?<! )[?!]+|[?!]+(?![?!]*[a-z])|;|\n+|\.(?=\s|$)")
_NUMBERED = re.compile(r"(?<=\s)(?=\(?[2-9][.)]\s)")  # "1) … 2) …" in one line
_BULLET = re.compile(r"^\s*(?:[-•*–]|\(?\d{1,2}[.)])\s+")
_ABBREVIATED = re.compile(
    r"(?i:\b(?:sr|sra|dr|dra|art|no|n|ex|etc|mr|mrs|ms|vs|inc|ltd|ltda|approx|aprox|pag|p|tel|dept|fig))$|\b[A-Z]$"
)


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    marked: bool  # it ended in a question mark


@dataclass(frozen=True, slots=True)
class _Question:
    text: str
    context: str  # the sentences before it that ask nothing


def _questions(text: str) -> list[_Question]:
    """Sentences that ask something, each with the sentences of context before it."""
    found: list[_Question] = []
    context = ""
    for sentence in _sentences(text):
        if is_courtesy(sentence.text) or sentence.text.endswith(":"):
            continue  # "preciso saber:" only announces
        if found and not sentence.marked and only_specifies(sentence.text, found[-1].text):
            found[-1] = _Question(f"{found[-1].text}. {sentence.text}", found[-1].context)
        elif asks(tokenize(sentence.text), marked=sentence.marked):
            found.append(_Question(sentence.text, context))
            context = ""
        else:
            context = f"{context} {sentence.text}.".strip()
    return found


def _sentences(text: str) -> list[_Sentence]:
    masked = _QUOTED.sub(lambda m: "x" * len(m.group()), text)
    found: list[_Sentence] = []
    start = 0
    for mark in _marks(masked):
        if mark.group() == "." and _ABBREVIATED.search(masked[start : mark.start()]):
            continue
        found.append(_Sentence(_BULLET.sub("", text[start : mark.start()]).strip(), "?" in mark.group()))
        start = mark.end()
    found.append(_Sentence(_BULLET.sub("", text[start:]).strip(), False))
    return [sentence for sentence in found if sentence.text]


def _marks(masked: str) -> list[re.Match[str]]:
    marks = list(_MARK.finditer(masked))
    if re.match(r"\s*\(?1[.)]\s", masked):
        marks += _NUMBERED.finditer(masked)
    return sorted(marks, key=lambda mark: mark.start())


def _without_courtesy(text: str) -> str:
    """The message without greetings and thanks around its one question."""
    spans = [(m.start(), m.end()) for m in re.finditer(r"[^.!?\n]+[.!?\n]*", text)]
    kept = [text[a:b] for a, b in spans if not is_courtesy(text[a:b].strip(" .!?\n"))]
    return "".join(kept).strip() or text.strip()


# --- conjunctions ------------------------------------------------------------------------------------------

_JOINS = word_set("e and tambem also plus mas but alem besides moreover furthermore")
_SKIPPED = (
    ("alem", "disso"), ("alem", "do", "mais"), ("in", "addition"), ("by", "the", "way"),
    ("e",), ("and",), ("tambem",), ("also",), ("plus",), ("mas",), ("but",), ("entao",), ("then",), ("ai",), ("depois",),
    ("ainda",), ("finally",), ("besides",), ("moreover",), ("furthermore",),
)  # fmt: skip


def _cut(segment: str) -> list[str]:
    """Cut one sentence where both sides are questions of their own."""
    masked = _QUOTED.sub(lambda m: "x" * len(m.group()), segment)
    tokens = tokenize(masked)
    parts: list[str] = []
    start = 0
    at = 1
    while at < len(tokens):
        right = _after_join(masked, tokens, at)
        if (
            right
            and is_complete(tokens[start:at], tokens[right:], comma=right == at)
            and opens_question(tokens[right:], tokens[start:at], comma=right == at)
        ):
            parts.append(segment[tokens[start].start : tokens[at].start])
            start, at = right, right
        at += 1
    first = tokens[start].start if start else 0
    return [_without_joint(part.strip(" ,-/&+–—")) for part in [*parts, segment[first:]]]


def _without_joint(part: str) -> str:
    """ "além disso, qual a validade": the connecting words join nothing once the part stands alone."""
    tokens = tokenize(part)
    first = _skip(part, tokens, 0) if tokens else 0
    return part[tokens[first].start :] if 0 < first < len(tokens) else part


def _after_join(text: str, tokens: tuple[Token, ...], at: int) -> int:
    """Where the right side starts if there is a joint before token `at`; 0 if there is none."""
    gap = text[tokens[at - 1].end : tokens[at].start]
    if tokens[at].word in _JOINS and not _is_verb_e(text, tokens[at]):
        end = _skip(text, tokens, at)
        return end if at < end < len(tokens) else 0
    return at if re.search(r"[,&+:–—]|\s[-/]\s", gap) else 0


def _skip(text: str, tokens: tuple[Token, ...], at: int) -> int:
    """The place after all connecting words that start at `at`: "e, além disso," is one joint."""
    words = tuple(t.word for t in tokens[at : at + 3])
    for skipped in _SKIPPED:
        if words[: len(skipped)] == skipped and not _is_verb_e(text, tokens[at]):
            return _skip(text, tokens, at + len(skipped))
    return at


def _is_verb_e(text: str, token: Token) -> bool:
    """ "é", "eh" and the "e" of "e/ou" are no conjunction."""
    return token.word == "e" and (token.raw.casefold() != "e" or text[token.end : token.end + 1] == "/")


# --- dependent questions --------------------------------------------------------------------------------------


def _carry(parts: list[str], contexts: list[str], vocabulary: Vocabulary) -> list[str]:
    """Give each dependent question the topic it leans on, and each question the context written before it."""
    carried: list[str] = []
    topic = context = ""
    for at, part in enumerate(parts):
        context = contexts[at] or context
        own, leans = topic_of(part), at > 0 and needs_topic(tokenize(part))
        resolved = resolve_ellipsis(part, parts[at - 1], vocabulary) if at else None
        if resolved:
            part = resolved
        elif at == 0 and len(parts) > 1 and not own and not context:
            part = _with_topic(part, topic_of(parts[1]))  # "o que é e como funciona a glosa?"
        elif leans:
            part = _with_topic(part, f"{context} {topic}".strip())
        topic = own if own and not leans else topic
        carried.append(f"{contexts[at]} {part}".strip())
    return carried


def _with_topic(part: str, topic: str) -> str:
    return f"{part} ({topic})" if topic else part


def _tidy(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip(" ,;")
