"""`polyrag eval evidence`: how well the points of core.evidence tell questions with an answer from those without.

Every set is asked and weighed, nothing is answered. Beside the points in force stands what a fit (ridge logistic
regression, each set counting alike) gives for the same signals, and how well a fit on the other sets tells each set:
points that only suit the sets they were chosen on would show there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bot.app import App
from core.ask import weigh
from core.evidence import Verdict
from core.router.fit import newton
from eval.run import Runner, Tell
from eval.sets import EvalSet

RIDGE = 1.0
BAR = "bar"  # points asked for beyond the threshold, as a signal of its own
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Weighed:
    """One question that prose alone could answer: its signals, its points over the bar, and the truth."""

    set: str
    id: str
    values: Mapping[str, float]
    over: float
    answerable: bool


async def weighed(app: App, found: EvalSet, runner: Runner, base: float, tell: Tell) -> tuple[Weighed, ...]:
    """The questions of one clause whose verdict rests on prose; query results are evidence by themselves."""
    examples = []
    for number, question in enumerate(found.questions, start=1):
        tell("weigh", number, len(found.questions))
        asked = await runner.question(question.text, question.channel, question.user, identity=question.id)
        evidence = await weigh(asked, app.ask_ports)
        if len(evidence) == 1 and "near" in _values(evidence[0].verdict, base):
            verdict = evidence[0].verdict
            values, over = _values(verdict, base), verdict.score - verdict.threshold
            examples.append(Weighed(found.name, question.id, values, over, question.answerable))
    return tuple(examples)


def _values(verdict: Verdict, base: float) -> dict[str, float]:
    values = {signal.name: signal.value for signal in verdict.signals}
    return values | {BAR: float(verdict.threshold > base)}


def evidence_report(examples: Sequence[Weighed]) -> dict[str, Any]:
    """Figures of the points in force, and of a fit; None where a set has questions of one kind alone."""
    sets = sorted({example.set for example in examples})
    names = sorted({name for example in examples for name in example.values} - {"chain"})
    held_out = {}
    for name in sets:
        rest = [example for example in examples if example.set != name]
        own = [example for example in examples if example.set == name]
        weights = fit(rest, names) if len({example.answerable for example in rest}) == 2 else None
        held_out[name] = None if weights is None else separation(own, _design(own, names) @ weights)
    return {
        "questions": len(examples),
        "points": {name: _figures([e for e in examples if e.set == name]) for name in sets},
        "overall": _figures(examples),
        "fit": _scaled(dict(zip(("bias", *names), fit(examples, names).tolist(), strict=True))),
        "fit_held_out": held_out,
    }


def fit(examples: Sequence[Weighed], names: Sequence[str]) -> Floats:
    """Weights of a bias and the named signals; every set counts alike, however many questions it brings."""
    sizes = {example.set: sum(e.set == example.set for e in examples) for example in examples}
    shares = np.array([len(examples) / (len(sizes) * sizes[e.set]) for e in examples], np.float64)
    truth = np.array([e.answerable for e in examples], np.float64)
    return newton(_design(examples, names), truth, shares, RIDGE)


def _design(examples: Sequence[Weighed], names: Sequence[str]) -> Floats:
    return np.array([[1.0, *(e.values.get(name, 0.0) for name in names)] for e in examples], np.float64)


def _scaled(weights: Mapping[str, float]) -> dict[str, float]:
    """As points: what speaks for an answer adds up to 1; the threshold at which both truths are as likely."""
    whole = sum(max(0.0, value) for name, value in weights.items() if name != "bias") or 1.0
    points = {name: round(value / whole, 2) for name, value in weights.items() if name != "bias"}
    return {**points, "threshold": round(-weights["bias"] / whole, 2)}


def _figures(examples: Sequence[Weighed]) -> dict[str, Any]:
    with_answer = [e.over for e in examples if e.answerable]
    without = [e.over for e in examples if not e.answerable]
    return {
        "answerable": len(with_answer),
        "refused": sum(over < 0 for over in with_answer),
        "unanswerable": len(without),
        "caught": sum(over < 0 for over in without),
        "separation": separation(examples, np.array([e.over for e in examples], np.float64)),
    }


def separation(examples: Sequence[Weighed], scores: Floats) -> float | None:
    """How often a question with an answer scores above one without (ties count half): 0.5 is chance, 1 is perfect."""
    truth = np.array([e.answerable for e in examples], bool)
    yes, no = scores[truth], scores[~truth]
    if not len(yes) or not len(no):
        return None
    above = (yes[:, None] > no[None, :]).mean() + 0.5 * (yes[:, None] == no[None, :]).mean()
    return round(float(above), 4)
