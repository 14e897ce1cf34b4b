"""The chain that a clause's description leads along, over everything that was found for it, and what it is worth."""

from collections.abc import Mapping
from dataclasses import replace

from core.answer.chain import Chain
from core.answer.follow import Followed, follow
from core.answer.units import score_units
from core.asked import asked
from core.evidence import Evidence, Signal
from core.forms import read_form
from core.topic import passage_text, topic_of

SURE = 0.6  # of the topic that a chain must say to make weak evidence enough
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
    leads = tuple(
        f"{hop.label}: […] " if hop.label else f"{hop.before.text} " if hop.before is not None else ""
        for hop in followed.hops
    )
    return Chain(tuple(hop.unit for hop in followed.hops), followed.score, leads)


def strengthened(evidence: Evidence) -> Evidence:
    """Weak evidence that holds a whole chain is enough: each link says its part of the question, none says it all.

    A figure over many rows is no chain.
    """
    if not evidence.verdict.weak or set(read_form(evidence.clause.text).aggregates) - _ONE:
        return evidence
    followed = described(evidence)
    if (
        followed is None
        or not followed.whole
        or followed.loose
        or followed.cover < SURE
        or len(followed.hops) < 2
    ):
        return evidence
    points = max(evidence.verdict.threshold - evidence.verdict.score, 0.0)
    signals = (*evidence.verdict.signals, Signal("chain", followed.cover, points))
    score = evidence.verdict.score + points
    verdict = replace(evidence.verdict, weak=False, reason="enough", score=score, signals=signals)
    return replace(evidence, verdict=verdict)
