"""The chain that a clause's description leads along, over everything that was found for it, and what it is worth."""

from collections.abc import Mapping
from dataclasses import replace

from core.answer.chain import Chain
from core.answer.follow import Followed, follow
from core.answer.hops import Hop
from core.answer.units import score_units
from core.asked import asked
from core.evidence import Evidence, Signal
from core.forms import read_form
from core.topic import passage_text, topic_of

_TOLD_AT_ONCE = ("definition", "reason", "procedure")  # no fact that a chain could end in
_ONE = frozenset(["max", "min"])  # "the biggest customer" is one thing


def described(evidence: Evidence, cosines: Mapping[str, float] | None = None) -> Followed | None:
    """Follow the clause's description through its evidence and what else was found."""
    question = asked(evidence.clause.text)
    if question.kind in _TOLD_AT_ONCE:
        return None
    passages = (*evidence.prose, *evidence.reserve)
    topic = topic_of(question, [passage_text(passage) for passage in passages], evidence.kin)
    return follow(question, topic, score_units(question, topic, passages, cosines, limit=len(passages)))


def chain_of(followed: Followed) -> Chain:
    """A followed description as the chain that is shown: each hop with the words that say what it is about."""
    leads = tuple(_lead(hop) for hop in followed.hops)
    also = tuple((_lead(hop), hop.unit) for hop in followed.also)
    return Chain(tuple(hop.unit for hop in followed.hops), followed.score, leads, also)


def _lead(hop: Hop) -> str:
    if hop.label:
        return f"{hop.label}: […] "
    return f"{hop.before.text} " if hop.before is not None else ""


def strengthened(evidence: Evidence) -> Evidence:
    """Weak evidence that holds a whole chain is enough: each link says its part of the question, none says it all.

    Rows that only hold one of the links are shown after the chain. A figure over many rows is no chain.
    """
    verdict, routes = evidence.verdict, evidence.clause.decision.routes
    partly = verdict.reason == "rows" and "graph" in routes
    if not (verdict.weak or partly) or set(read_form(evidence.clause.text).aggregates) - _ONE:
        return evidence
    followed = described(evidence)
    if followed is None or not followed.whole or followed.loose or len(followed.hops) < 2:
        return evidence
    points = max(verdict.threshold - verdict.score, 0.0)
    signals = (*verdict.signals, Signal("chain", followed.cover, points))
    enough = replace(verdict, weak=False, reason="enough", score=verdict.score + points, signals=signals)
    return replace(evidence, verdict=enough)
