"""Sentences and rows that may answer a question, scored by arithmetic that can be named."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.asked import KIND_POINTS, Asked, offers
from core.defining import defines
from core.evidence import CHAIN_PASSAGES
from core.numbers import mentions
from core.sentences import sentence_spans
from core.topic import Topic, terms_of
from core.types import Passage
from core.vectors import rounded

OWN, CONTEXT = 1.0, 0.4  # topic held by the sentence itself; by its heading and the sentence before
RANK = 0.5  # the best passage's bonus, halved with every four ranks
CODE = 0.8  # a code of the question stands in the sentence
COSINE = 0.8  # the nearest sentence's bonus, when sentence vectors are at hand
ASKING, SHORT = -0.6, -0.25  # a question answers nothing; a scrap says little
EVENT = 0.4  # of the points for a date, to a sentence that tells the time by an event
_SCRAP = 25  # characters
_ITEM = 400
_LEANING = re.compile(
    r"(?:el[ae]s?|is[st]o|ess[ae]s?|est[ae]s?|nesse caso|neste caso|nela|nele|they|it|its|their|these|those|this|he|she)\b",
    re.IGNORECASE,
)
_CODED = re.compile(r"[A-Z]{1,4}-?\d[\w.-]*(?:[ \t]{2,}|\t)\S")
_LIST = re.compile(r"\s*(?:[-*•‣▪–—·]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)])\s+\S")


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, list item or table row of a passage, where it stands and what it scored."""

    passage: Passage
    start: int
    end: int
    index: int  # among the passage's units
    score: float
    covered: tuple[str, ...] = ()  # topic words it holds, folded

    @property
    def text(self) -> str:
        return self.passage.text[self.start : self.end]

    @property
    def key(self) -> tuple[str, int]:
        return self.passage.chunk_id, self.index

    @property
    def is_item(self) -> bool:
        return _LIST.match(self.text) is not None

    @property
    def is_inner(self) -> bool:
        """Whether another sentence of the same line stands before it."""
        return bool(self.passage.text[: self.start].rpartition("\n")[2].strip())

    @property
    def leans_back(self) -> bool:
        """Whether it starts with a word that only the sentence before explains."""
        return _LEANING.match(self.text) is not None

    @property
    def is_entry(self) -> bool:
        """A list item or a `column: value; …` row."""
        return self.is_item or is_row(self.text)

    @property
    def opens_list(self) -> bool:
        return self.text.rstrip().endswith(":")


def is_row(text: str) -> bool:
    """Whether a line is a table row, `column: value; column: value`."""
    return len(re.findall(r"(?:^|; )[^:;]{1,60}: ", text)) > 1


@lru_cache(maxsize=2048)
def spans_of(text: str) -> tuple[tuple[int, int], ...]:
    """Where sentences, rows and list items start and end; the sentences of a short item stay together."""
    merged: list[tuple[int, int]] = []
    for start, end in (part for span in sentence_spans(text) for part in _rows_apart(text, *span)):
        line = text.rfind("\n", 0, start) + 1
        if merged and merged[-1][0] >= line and _LIST.match(text[line:]) and end - merged[-1][0] <= _ITEM:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return tuple(merged)


def _rows_apart(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Rows of a table whose columns are written small, and lines that a code opens, look like one wrapped line."""
    lines = text[start:end].split("\n")
    rows = [is_row(line) or _CODED.match(line) is not None for line in lines]
    if len(lines) == 1 or not any(rows):
        return [(start, end)]
    found: list[tuple[int, int]] = []
    at = start
    for number, line in enumerate(lines):
        if found and not rows[number] and not rows[number - 1]:
            found[-1] = (found[-1][0], at + len(line))
        else:
            found.append((at, at + len(line)))
        at += len(line) + 1
    return [(a, b) for a, b in found if text[a:b].strip()]


def units_of(passage: Passage) -> tuple[tuple[int, int], ...]:
    """Where a passage's sentences, items and rows start and end."""
    return spans_of(passage.text)


def candidate_texts(passages: Sequence[Passage], limit: int) -> tuple[str, ...]:
    """Sentences worth a vector: those of the best passages, in order, each once."""
    texts = [p.text[a:b] for p in passages[:CHAIN_PASSAGES] if p.result is None for a, b in units_of(p)]
    return tuple(dict.fromkeys(text for text in texts if len(text) >= _SCRAP))[:limit]


def score_units(
    question: Asked,
    topic: Topic,
    passages: Sequence[Passage],
    cosines: Mapping[str, float] | None = None,
    *,
    limit: int = CHAIN_PASSAGES,
) -> tuple[Unit, ...]:
    """All units of the best passages, best first.

    Args:
        question, topic: what is asked, with the weight of each word.
        passages: prose, best first.
        cosines: similarity of unit texts with the question, where known.
        limit: passages at most.
    """
    low, high = _range(cosines)
    found = []
    for place, passage in enumerate(passages[:limit]):
        spans = units_of(passage)
        above = terms_of("\n".join(passage.headings[-1:]))
        before: frozenset[str] = frozenset()
        for index, (start, end) in enumerate(spans):
            text = passage.text[start:end]
            own = terms_of(text)
            near = (cosines[text] - low) / (high - low) if cosines and text in cosines else 0.0
            score = (
                _score(question, topic, text, own, above | before)
                + RANK * 2.0 ** (-place / 4)
                + COSINE * near
            )
            covered = tuple(token.surface for token, _ in topic.words if topic.holds(token, own))
            found.append(Unit(passage, start, end, index, rounded(score), covered))
            before = own
    return tuple(sorted(found, key=lambda u: (-u.score, u.passage.rank, u.passage.chunk_id, u.index)))


def _range(cosines: Mapping[str, float] | None) -> tuple[float, float]:
    values = sorted(cosines.values()) if cosines else [0.0]
    return values[0], max(values[-1], values[0] + 1e-6)


def holds_code(question: Asked, text: str) -> bool:
    """Whether a text holds a code that the question names."""
    return any(q.kind == "code" and mentions(text, q.text) for q in question.exact)


def _score(question: Asked, topic: Topic, text: str, own: frozenset[str], around: frozenset[str]) -> float:
    share = topic.share(own)
    score = OWN * share + CONTEXT * (topic.share(own | around) - share)
    score += KIND_POINTS.get(question.kind, 0.0) * _says_kind(question, topic, text)
    if holds_code(question, text):
        score += CODE
    if text.rstrip().endswith("?"):
        score += ASKING
    return score + (SHORT if _is_scrap(text) else 0.0)


def _says_kind(question: Asked, topic: Topic, text: str) -> float:
    """How far a text holds what is asked for: 1 something of the kind, less an event where a date is asked."""
    if question.kind == "definition":
        return float(defines(text, [token.surface for token, _ in topic.words]))
    if offers(text, question.kind, question.unit, events=False):
        return 1.0
    return EVENT if offers(text, question.kind, question.unit) else 0.0


def _is_scrap(text: str) -> bool:
    """A heading, a caption, a word or two: nothing that could be a sentence or a row."""
    return (
        len(text) < _SCRAP or text.isupper() or (len(text) < 2 * _SCRAP and not re.search(r"[.!?;:\d]", text))
    )
