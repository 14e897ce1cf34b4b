"""One ranking out of several. Pure arithmetic over scores; every tie goes to the smaller chunk id."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from math import exp, fsum, log

import numpy as np
import numpy.typing as npt

from core.types import Found, Passage
from core.vectors import rounded, rounded_all

RRF_K = 60
DENSE_FLOOR, COVERAGE_GAIN = 0.2, 0.5  # lexical weight = floor + gain * coverage, so 0.2 to 0.7
EXACT_BONUS = 3.0  # standard deviations that a passage gains by holding every exact code of the question
LEAD, LEAD_WEIGHT = "text", 0.7  # when several stores found passages; the others share the rest
_PRIOR = 10  # a group of passages smaller than this leans on the statistics of all groups

Floats = npt.NDArray[np.float64]
Ranking = tuple[tuple[str, float], ...]  # (chunk id, score), best first


@dataclass(frozen=True, slots=True)
class Candidates:
    """The passages of one language as two searches saw them."""

    dense: Mapping[str, float]  # chunk id -> cosine
    lexical: Mapping[str, float]  # chunk id -> BM25 score, above 0
    coverage: float  # [0, 1], share of the question's IDF mass in the lexically best of them
    exact: Mapping[str, float] = field(
        default_factory=dict
    )  # chunk id -> [0, 1], how much of the question's exact codes it holds


def lexical_weight(coverage: float, best: float) -> float:
    """How much words count beside meaning in a group of passages, in [0, 0.7].

    A question whose words stand in one passage was written with that passage's words; one whose words stand
    nowhere (another language, a paraphrase) is left to the embedding. Measured: no fixed weight is right for both.
    Where another group covers the question better, this one's words are chance and count less still.

    Args:
        coverage: of the lexically best passage of the group, in [0, 1].
        best: the highest coverage of all groups.
    """
    weight = DENSE_FLOOR + COVERAGE_GAIN * coverage
    return weight * coverage / best if best > 0 else weight


def fuse(groups: Sequence[Candidates]) -> Ranking:
    """Fuse dense and lexical scores of passages in several languages.

    Both scores are standardised within each language before they are weighted and added, because an embedder
    puts a question nearer to any passage of its own language than to the right one of another, and words hardly
    ever match across languages. Missing from a list: the minimum of the dense one, 0 in the lexical one. Passages
    that hold the question's exact codes come before those that only resemble it.

    Returns: all candidates with their standardised score (unit: standard deviations), best first.
    """
    kept = [group for group in groups if group.dense or group.lexical]
    names = [sorted({*group.dense, *group.lexical}) for group in kept]
    dense = [
        _column(group.dense, ids, min(group.dense.values(), default=0.0))
        for group, ids in zip(kept, names, strict=True)
    ]
    lexical = [_column(g.lexical, ids, 0.0) for g, ids in zip(kept, names, strict=True)]
    best = max((group.coverage for group in kept), default=0.0)
    scores: dict[str, float] = {}
    for group, ids, near, match in zip(
        kept,
        names,
        standardised(dense, own_spread=False),
        standardised(lexical, own_spread=True),
        strict=True,
    ):
        weight = lexical_weight(group.coverage, best)
        bonus = EXACT_BONUS * _column(group.exact, ids, 0.0)
        scores.update(zip(ids, (weight * match + (1.0 - weight) * near + bonus).tolist(), strict=True))
    return ranking(scores)


def standardised(groups: Sequence[Floats], *, own_spread: bool) -> list[Floats]:
    """Scores of each group minus the group's mean, over a standard deviation.

    A mean (and, with `own_spread`, a deviation) of a small group is drawn towards that of all groups as if ten
    passages of everything had been added to it; without, the deviation within groups is shared by all.
    No spread at all gives zeros.
    """
    if not groups:
        return []
    total = sum(map(len, groups))
    centre = fsum(fsum(group) for group in groups) / total
    spreads = [_variance(group) for group in groups]
    within = fsum(len(group) * spread for group, spread in zip(groups, spreads, strict=True)) / total
    result = []
    for group, spread in zip(groups, spreads, strict=True):
        share = len(group) / (len(group) + _PRIOR) if len(groups) > 1 else 1.0
        mean = share * fsum(group) / len(group) + (1 - share) * centre
        variance = share * spread + (1 - share) * within if own_spread else within
        result.append((group - mean) / variance**0.5 if variance > 1e-12 else np.zeros_like(group))
    return result


def _variance(group: Floats) -> float:
    return fsum((group - fsum(group) / len(group)) ** 2) / len(group)


def ranking(scores: Mapping[str, float]) -> Ranking:
    """Rounded to six decimals, best first, ties by id."""
    exact = zip(scores, rounded_all(scores.values()), strict=True)
    return tuple(sorted(exact, key=lambda pair: (-pair[1], pair[0])))


def rrf(rankings: Sequence[Sequence[str]], weights: Sequence[float], *, k: int = RRF_K) -> Ranking:
    """Weighted reciprocal rank fusion: a chunk scores the sum of weight / (k + rank) over the rankings.

    Source: Cormack, Clarke, Buettcher, "Reciprocal Rank Fusion", SIGIR 2009; k = 60 as in the paper.
    """
    total: dict[str, float] = {}
    for names, weight in zip(rankings, weights, strict=True):
        for rank, name in enumerate(names, start=1):
            total[name] = total.get(name, 0.0) + weight / (k + rank)
    return ranking(total)


def squash(score: float) -> float:
    """Standard deviations to (0, 1): the logistic function, for scores that people read."""
    return rounded(1.0 / (1.0 + exp(-max(-60.0, min(60.0, score)))))


def diversified(ranked: Ranking, twins: frozenset[tuple[str, str]], *, balance: float) -> Ranking:
    """Maximal marginal relevance where only near duplicates count as similar.

    A passage with a twin before it loses (1 - balance) / balance, so that it stands behind what else answers.

    Args:
        ranked: scores in (0, 1).
        twins: pairs (a, b), a before b in `ranked`, that say the same.
        balance: the lambda of MMR in (0, 1]; 1 changes nothing.
    Source: Carbonell, Goldstein, "The use of MMR", SIGIR 1998.
    """
    if balance <= 0:
        return ranked
    loss = (1.0 - balance) / balance
    second = {later for _, later in twins}
    return ranking({name: max(0.0, score - loss * (name in second)) for name, score in ranked})


def freshness(score: float, written: str, today: str, *, half_life_days: float) -> float:
    """Weigh a score in (0, 1) by the age of its document: 0.7 of it stays, 0.3 halves every half-life.

    Undated passages count as one half-life old. A half-life of 0, or no date of today, changes nothing.
    """
    if half_life_days <= 0 or not today:
        return score
    try:
        days = max(0, (date.fromisoformat(today[:10]) - date.fromisoformat(written[:10])).days)
    except ValueError:
        days = round(half_life_days)
    return rounded(score * (0.7 + 0.3 * 0.5 ** (days / half_life_days)))


def merge(found: Sequence[tuple[str, Found]], limit: int, *, sure_plan: float = 0.5) -> tuple[Passage, ...]:
    """One list out of what the stores of a clause found; ranks count from 1.

    Rows of a confident plan come first, rows of a doubtful one last. What a single store found keeps its scores.
    Scores of different stores mean different things, so they are standardised within their store and added, the
    text store's counting most: what two stores agree on rises, and a store of relations cannot push its noise past
    a passage that answers. (Measured against best-score-wins and reciprocal ranks.)
    """
    first = [p for _, f in found for p in f.passages if p.result and f.signal("plan", 1.0) >= sure_plan]
    last = [p for _, f in found for p in f.passages if p.result and f.signal("plan", 1.0) < sure_plan]
    prose = {name: [p for p in f.passages if not p.result] for name, f in sorted(found)}
    lists = {name: passages for name, passages in prose.items() if passages}
    middle = _agreed(lists) if len(lists) > 1 else [p for passages in lists.values() for p in passages]
    ordered = [*first, *middle, *last][:limit]
    return tuple(replace(passage, rank=rank) for rank, passage in enumerate(ordered, start=1))


def stitch(
    passages: Sequence[Passage], following: Mapping[str, str], *, characters: int
) -> tuple[Passage, ...]:
    """Join passages that stand next to each other in their document, so that a prompt reads them as one.

    The joined passage takes the place and the name of the better one.

    Args:
        passages: best first.
        following: chunk id -> id of the chunk right after it in the document.
        characters: a joined text is never longer.
    """
    prose = {p.chunk_id: p for p in passages if p.result is None}
    inner = {following[name] for name in prose if name in following}
    joined: dict[str, Passage] = {}
    for start in (name for name in prose if name not in inner):
        for run in _runs(start, prose, following, characters):
            best = min(run, key=lambda p: (p.rank, p.chunk_id))
            joined[best.chunk_id] = replace(best, text="\n".join(p.text for p in run))
    return tuple(joined.get(p.chunk_id, p) for p in passages if p.result or p.chunk_id in joined)


def _runs(
    start: str, prose: Mapping[str, Passage], following: Mapping[str, str], characters: int
) -> list[list[Passage]]:
    """Neighbours from `start` on, cut into runs that are short enough."""
    runs = [[prose[start]]]
    name = following.get(start, "")
    while name in prose:
        if sum(len(p.text) + 1 for p in runs[-1]) + len(prose[name].text) > characters:
            runs.append([])
        runs[-1].append(prose[name])
        name = following.get(name, "")
    return runs


def _agreed(lists: Mapping[str, Sequence[Passage]]) -> list[Passage]:
    """Every chunk once, under the store that ranks it best, with the weighted sum of its standings."""
    others = sum(name != LEAD for name in lists)
    total: dict[str, float] = {}
    standings = {name: _standing(passages) for name, passages in lists.items()}
    every = sorted({chunk_id for standing in standings.values() for chunk_id in standing})
    for name, standing in standings.items():
        weight = LEAD_WEIGHT if name == LEAD else (1 - LEAD_WEIGHT) / others
        worst = min(standing.values())
        for chunk_id in every:
            total[chunk_id] = total.get(chunk_id, 0.0) + weight * standing.get(chunk_id, worst)
    best: dict[str, Passage] = {}
    for passage in sorted(
        (p for ps in lists.values() for p in ps), key=lambda p: (p.rank, p.store != LEAD, p.store)
    ):
        best.setdefault(passage.chunk_id, passage)
    return [replace(best[chunk_id], score=squash(score)) for chunk_id, score in ranking(total)]


def _standing(passages: Sequence[Passage]) -> dict[str, float]:
    """Standard scores of a list; scores in (0, 1) were squashed, which hides what stands out."""
    raw = [p.score for p in passages]
    if all(0.0 < score < 1.0 for score in raw):
        raw = [log(score / (1.0 - score)) for score in raw]
    (scores,) = standardised([np.array(raw, np.float64)], own_spread=True)
    return {passage.chunk_id: score for passage, score in zip(passages, scores.tolist(), strict=True)}


def _column(scores: Mapping[str, float], names: Sequence[str], missing: float) -> Floats:
    return np.array([scores.get(name, missing) for name in names], np.float64)
