"""Is what was found enough to answer from? Named points add up, and the sum is compared with one threshold.

Text and relations earn points for nearness (cosine of the best passage between two marks of the embedder), lead
(how far it stands out from the tenth), cover (the share of the question's topic that a passage speaks about) and
togetherness (the share that one sentence says, with the one before and the heading above). They lose points for
topic words that nothing found mentions, for a number or date that is asked for but stands nowhere near the topic,
and for codes and years that do not occur. A query result with a confident plan is evidence by itself.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core.asked import Asked, asked, offers, unknown_codes
from core.contrast import displaced
from core.defining import defines
from core.sentences import sentences
from core.settings import Thresholds
from core.topic import NO_KIN, Kin, Topic, passage_text, terms_of, topic_of
from core.types import Clause, Found, Language, Passage
from core.vectors import rounded

# They add up to 1. `polyrag eval evidence` prints what a fit gives on sets of any trade.
NEAR_POINTS, LEAD_POINTS, COVER_POINTS, TOGETHER_POINTS = 0.30, 0.20, 0.15, 0.35
MISSING_POINTS, FOCUS_POINTS, KIND_POINTS, EXACT_POINTS = -0.10, -0.10, -0.50, -0.50
OTHER_POINTS = -0.20  # something else than what is asked about stands in its place
# Points more where tables were asked and have no answer, though they know at least half of the question's words:
# prose near a figure is seldom the figure. Tables that know a quarter of the words or less change nothing.
FIGURE_BAR, FIGURE_LOW, FIGURE_FULL = 0.25, 0.25, 0.50
FOREIGN_COVER = (
    0.75  # words do not match across languages: passages in another one count as covering this much …
)
FOREIGN_NEAR = 0.2  # … where the nearness is at least this; less nearness, less cover
CHAIN_PASSAGES = 10  # a chain may lead over passages that no single search ranks high
RESERVE = 16  # passages beside them in which a chain may go on
_CHAIN = 4  # passages that together may hold a chain of relations
_TOP = 3
_WINDOWS = 5  # passages whose sentences are searched for the kind of answer
_TOLD = (
    "person",
    "reason",
    "procedure",
    "place",
    "date",
    "duration",
    "definition",
)  # prose tells these better than rows do
_NO_FIGURE = ("reason", "procedure", "place", "list", "definition")
_MEASURED = ("number", "money", "duration", "date")  # kinds whose presence can be told for sure

# What a long table is, not what it says: found by it, a question is for the tables.
_PROFILE = re.compile(r"(?:Tabela com \d+ linhas\. colunas|Table with \d+ rows\. columns): ")

Reason = Literal["rows", "enough", "nothing", "unknown_code", "off_topic", "no_such_value", "thin"]


@dataclass(frozen=True, slots=True)
class Signal:
    """One named value of the arithmetic and the points it gave or took."""

    name: str
    value: float
    points: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a clause can be answered from what was found, and the arithmetic that says so."""

    weak: bool
    reason: Reason
    score: float
    threshold: float
    signals: tuple[Signal, ...] = ()
    missing: tuple[str, ...] = ()  # codes and topic words of the question that nothing found mentions
    unknown: tuple[str, ...] = ()  # the codes among them, as typed
    rows: bool = False  # there are query results that can be trusted


@dataclass(frozen=True, slots=True)
class Evidence:
    """One clause with the passages an answer may use, best first, and the verdict on them."""

    clause: Clause
    number: int  # of the clause, from 0
    passages: tuple[Passage, ...]
    verdict: Verdict
    language: Language = "und"  # of the question
    kin: Kin = NO_KIN
    reserve: tuple[Passage, ...] = ()  # what else was found, in any store: a link of a chain may stand there

    @property
    def rows(self) -> tuple[Passage, ...]:
        """Passages that are query results."""
        return tuple(passage for passage in self.passages if passage.result is not None)

    @property
    def prose(self) -> tuple[Passage, ...]:
        return tuple(passage for passage in self.passages if passage.result is None)


def gather(
    clause: Clause,
    number: int,
    passages: Sequence[Passage],
    trial: Mapping[str, Found],
    thresholds: Thresholds,
    *,
    language: Language = "und",
    limit: int = 6,
    kin: Kin = NO_KIN,
) -> Evidence:
    """Choose a clause's evidence and judge it.

    Args:
        clause: the question and what its stores found.
        number: the clause's place in the message, from 0.
        passages: its one ranked list, query results included, best first.
        trial: what every store's trial retrieval found, for its signals; stores that were not asked are absent.
        thresholds: the embedder's marks.
        language: of the question.
        limit: passages that may be used at most.
        kin: words of the passages that mean what words of the question mean.
    """
    usable = tuple(passage for passage in passages if has_rows(passage) or _is_prose(passage))
    verdict = _judge(clause, usable, trial, thresholds, language, kin)
    limit = max(limit, CHAIN_PASSAGES) if "graph" in clause.decision.routes else limit
    kept = tuple(replace(passage, clause=number) for passage in usable[:limit])
    return Evidence(clause, number, kept, verdict, language, kin, _reserve(kept, trial, number))


def _reserve(kept: Sequence[Passage], trial: Mapping[str, Found], number: int) -> tuple[Passage, ...]:
    """The best of what the trial retrievals found besides, each passage once."""
    known = {passage.chunk_id for passage in kept}
    others = [
        p for found in trial.values() for p in found.passages if p.chunk_id not in known and _is_prose(p)
    ]
    ordered = sorted(others, key=lambda p: (p.rank, p.chunk_id, p.store))
    single = {passage.chunk_id: passage for passage in reversed(ordered)}
    best = sorted(single.values(), key=lambda p: (p.rank, p.chunk_id))[:RESERVE]
    return tuple(replace(passage, clause=number) for passage in best)


def _is_prose(passage: Passage) -> bool:
    return passage.result is None and _PROFILE.search(passage.text) is None


def has_rows(passage: Passage) -> bool:
    """Whether a query result says anything: a row with a value that is not null."""
    rows = passage.result.rows if passage.result is not None else ()
    return any(value is not None for row in rows for value in row)


def _judge(
    clause: Clause,
    passages: Sequence[Passage],
    trial: Mapping[str, Found],
    thresholds: Thresholds,
    language: Language,
    kin: Kin,
) -> Verdict:
    question = asked(clause.text)
    rows = [passage for passage in passages if has_rows(passage)]
    prose = [passage for passage in passages if passage.result is None]
    unknown = unknown_codes(question, [_searched(passage) for passage in (*rows, *prose)])
    plan = max((found.signal("plan") for found in trial.values()), default=0.0)
    sure = (
        bool(rows)
        and not unknown
        and (plan >= thresholds.abstain_plan or any(_by_model(row) for row in rows))
    )
    if prose and (not sure or question.kind in _TOLD):
        chained = "graph" in clause.decision.routes
        figure = "relational" in clause.decision.routes and not rows and question.kind not in _NO_FIGURE
        extra = _figure_bar(trial) if figure else 0.0
        told = _weigh(question, prose, trial, thresholds, language, kin, chained=chained, extra=extra)
        if not sure or not told.weak:
            return replace(told, rows=sure)
    if sure:
        points = (Signal("plan", rounded(plan), 1.0),)
        return Verdict(False, "rows", 1.0, thresholds.abstain_score, points, rows=True)
    reason: Reason = "unknown_code" if unknown else "nothing"
    return Verdict(True, reason, 0.0, thresholds.abstain_score, (), unknown, unknown)


def _figure_bar(trial: Mapping[str, Found]) -> float:
    """By how much of the question the tables know: their columns, their values."""
    known = [dict(found.signals)["link"] for found in trial.values() if "link" in dict(found.signals)]
    link = max(known, default=FIGURE_FULL)
    return rounded(FIGURE_BAR * _clip((link - FIGURE_LOW) / (FIGURE_FULL - FIGURE_LOW)))


def _searched(passage: Passage) -> str:
    """All that a passage says about what it is: of a query result also the statement that it answers."""
    return passage_text(passage) + (f"\n{passage.result.sql}" if passage.result is not None else "")


def _by_model(row: Passage) -> bool:
    return row.result is not None and row.result.by_model


def _weigh(
    question: Asked,
    prose: Sequence[Passage],
    trial: Mapping[str, Found],
    thresholds: Thresholds,
    language: Language,
    kin: Kin,
    *,
    chained: bool,
    extra: float,
) -> Verdict:
    """Add up the points of prose evidence."""
    texts = [passage_text(passage) for passage in prose]
    topic = topic_of(question, texts, kin)
    held = [terms_of(text) for text in texts]
    foreign = _foreign(prose[: _WINDOWS if chained else _TOP], language)
    cover = max((topic.share(terms) for terms in held[:_TOP]), default=0.0)
    if chained:
        cover = max(cover, topic.share(frozenset().union(*held[:_CHAIN])))
    missing = topic.missing(frozenset().union(*held)) if foreign < 1 else ()
    unknown = unknown_codes(question, texts)
    absent = 1.0 - topic.share(frozenset().union(*held)) if topic.words else 0.0
    lacking = _lacking(topic, held, chained=chained) if foreign < 1 else frozenset()
    others = displaced(question, lacking, texts, language)
    windows = [window for passage in prose[:_WINDOWS] for window in _windows(topic, passage)]
    together = max((share for share, _ in windows), default=0.0)
    far = _kind_distance(question, topic, windows)
    dense = max((found.signal("dense_top") for found in trial.values()), default=0.0)
    gap = max((found.signal("dense_gap") for found in trial.values()), default=0.0)
    span = max(thresholds.answer_dense - thresholds.abstain_dense, 1e-6)
    near = _clip((dense - thresholds.abstain_dense) / span)
    across = FOREIGN_COVER * foreign * _clip(near / FOREIGN_NEAR)
    signals = (
        _signal("near", near, NEAR_POINTS),
        _signal("lead", _clip(gap / (span / 2)), LEAD_POINTS),
        _signal("cover", max(cover, across), COVER_POINTS),
        _signal("together", max(together, across), TOGETHER_POINTS),
        _signal("missing", absent * (1 - foreign), MISSING_POINTS),
        _signal("focus", float(question.focus in missing) * (1 - foreign), FOCUS_POINTS),
        _signal("kind", far * (1 - foreign), KIND_POINTS),
        _signal("exact", float(bool(unknown)), EXACT_POINTS),
        _signal("other", float(bool(others)), OTHER_POINTS),
    )
    score = rounded(sum(signal.points for signal in signals))
    adrift = dense < thresholds.abstain_dense and cover < thresholds.abstain_coverage
    bar = rounded(thresholds.abstain_score + extra)
    weak = adrift or score < bar
    reason = _reason(weak, signals)
    return Verdict(
        weak, reason, score, bar, signals, tuple(dict.fromkeys((*unknown, *others, *missing))), unknown
    )


def _lacking(topic: Topic, held: Sequence[frozenset[str]], *, chained: bool) -> frozenset[str]:
    """Topic words that the passage which says most lacks; of a chain, those that none of its passages holds."""
    best = max(held[:_TOP], key=topic.share, default=frozenset[str]())
    terms = frozenset[str]().union(*held) if chained else best
    return frozenset(t.surface for t, _ in topic.words if t.kind == "word" and not topic.holds(t, terms))


def _signal(name: str, value: float, points: float) -> Signal:
    return Signal(name, rounded(value), rounded(value * points))


def _clip(value: float) -> float:
    return min(1.0, max(0.0, value))


def _reason(weak: bool, signals: Sequence[Signal]) -> Reason:
    """The deduction that cost most names the reason; without one the evidence is just too thin."""
    if not weak:
        return "enough"
    names: dict[str, Reason] = {
        "exact": "unknown_code", "missing": "off_topic", "focus": "off_topic", "kind": "no_such_value", "other": "off_topic",
    }  # fmt: skip
    worst = min((s for s in signals if s.name in names), key=lambda s: (s.points, s.name))
    return names[worst.name] if worst.points < -0.05 else "thin"


def _foreign(passages: Sequence[Passage], language: Language) -> float:
    """How far the best passages are surely in another language than the question, in [0, 1].

    The square root of their share: one among three already shows that the answer may not share a word with it.
    """
    if language == "und" or not passages:
        return 0.0
    return math.sqrt(sum(passage.language not in (language, "und") for passage in passages) / len(passages))


def _kind_distance(question: Asked, topic: Topic, windows: Sequence[tuple[float, str]]) -> float:
    """How much further from the topic than the best sentence the asked number or date stands, in [0, 1].

    0: a sentence that speaks about the topic holds a value of the asked kind; 1: no value stands anywhere near. A
    definition may also be read from what is said about a thing, so that one counts half.
    """
    if question.kind == "definition":
        terms = [token.surface for token, _ in topic.words]
        return 0.5 * _distance([(share, defines(text, terms)) for share, text in windows])
    if question.kind not in _MEASURED:
        return 0.0
    return _distance([(share, offers(text, question.kind, question.unit)) for share, text in windows])


def _distance(told: Sequence[tuple[float, bool]]) -> float:
    best = max((share for share, _ in told), default=0.0)
    near = max((share for share, holds in told if holds), default=0.0)
    return 1.0 - near / best if best else 0.0


def _windows(topic: Topic, passage: Passage) -> list[tuple[float, str]]:
    """Each sentence with the share of the topic in it, its predecessor and the heading above."""
    pieces = sentences(passage.text)
    above = terms_of(passage.headings[-1]) if passage.headings else frozenset()
    found = []
    for at, piece in enumerate(pieces):
        own = terms_of(piece)
        before = terms_of(pieces[at - 1]) if at else frozenset()
        says = any(topic.holds(token, own) for token, _ in topic.words)
        share = topic.share(own | before | above)
        found.append((share if says else share / 2, piece))
    return found


def order_for_prompt(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Ranks 1, 3, 5, ... then ..., 4, 2: best first, second best last, where a model reads most closely.

    Query results stand in front of all prose, in the order they came.
    """
    rows = [passage for passage in passages if passage.result is not None]
    prose = sorted((p for p in passages if p.result is None), key=lambda p: (p.rank, p.chunk_id))
    return (*rows, *prose[0::2], *reversed(prose[1::2]))
