"""How strongly the text store answered: the named signals of a search, and which passages repeat each other."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.analyze import word_token
from core.fuse import Ranking
from core.stores.text.engine import Hit, Point
from core.stores.text.lexicon import Asked, term_key
from core.vectors import rounded, row_dots

_DIGITS = re.compile(r"\d+")
_SAME_TERMS = 0.9  # Jaccard of the terms of near duplicates
_NAME = re.compile(r"(?<=[^\s.!?:])\s+([A-ZÀ-Ý]\w+)")  # capitalised inside a sentence
_NAMES = (
    "agree", "codes", "coverage", "covered", "covered_three", "dense_at", "dense_gap", "dense_mean_gap", "dense_top",
    "exact", "fused_gap", "fused_gap10", "fused_top", "known", "lexical_gap", "lexical_norm", "lexical_top",
    "names", "second",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Search:
    """What both searches found for one question in one view."""

    asked: Asked
    dense: tuple[Hit, ...]  # all languages, best first
    lexical: tuple[Hit, ...]
    ranked: Ranking  # standardised scores, best first
    points: Mapping[str, Point]  # the lexically best of each language and the head of `ranked`


def signals(search: Search | None, question: str) -> tuple[tuple[str, float], ...]:
    """Named evidence, sorted by name; all 0 where nothing was found.

    agree: 1 if the nearest passage is also the best by words.
    codes: number of exact codes in the question; exact: share of their weight that the best passage holds.
    coverage: share of the question's IDF mass in the lexically best passage; words unknown in view weigh most.
    covered, covered_three: the same in the best passage after fusion, in the best three together.
    dense_top, dense_at: cosine of the nearest passage, of the best after fusion.
    dense_gap, dense_mean_gap: dense_top minus the 10th, minus the mean of the list.
    fused_top, fused_gap, fused_gap10: standardised score of the best, its lead over the 2nd and the 10th (unbounded).
    known: share of the question's IDF mass whose words occur in view at all.
    lexical_top: BM25 of the best (unbounded); lexical_norm: over the question's IDF mass; lexical_gap: its relative lead.
    names: share of the question's capitalised names that the best passage holds (0 if it has none).
    second: `covered` of the second passage.
    """
    values = dict.fromkeys(_NAMES, 0.0)
    if search is not None and search.ranked:
        values.update(_dense_signals(search))
        values.update(_lexical_signals(search))
        values.update(_passage_signals(search, question))
    return tuple((name, rounded(value)) for name, value in sorted(values.items()))


def _dense_signals(search: Search) -> dict[str, float]:
    scores = [hit.score for hit in search.dense]
    if not scores:
        return {}
    at = {hit.chunk_id: hit.score for hit in search.dense}.get(search.ranked[0][0], scores[-1])
    return {
        "dense_top": scores[0],
        "dense_at": at,
        "dense_gap": scores[0] - scores[min(9, len(scores) - 1)],
        "dense_mean_gap": scores[0] - sum(scores) / len(scores),
    }


def _lexical_signals(search: Search) -> dict[str, float]:
    asked, scores = search.asked, [hit.score for hit in search.lexical]
    values = {"known": asked.known_share, "codes": float(sum(t.kind == "code" for t in asked.tokens))}
    if scores:
        best = search.points[search.lexical[0].chunk_id]
        runner_up = scores[1] if len(scores) > 1 else 0.0
        values |= {
            "agree": float(bool(search.dense) and search.dense[0].chunk_id == best.chunk_id),
            "coverage": asked.covered(best.lexical.keys),
            "lexical_top": scores[0],
            "lexical_norm": scores[0] / sum(asked.weights),
            "lexical_gap": (scores[0] - runner_up) / scores[0],
        }
    return values


def _passage_signals(search: Search, question: str) -> dict[str, float]:
    asked, scores = search.asked, [score for _, score in search.ranked]
    keys = [search.points[name].lexical.keys for name, _ in search.ranked[:3]]
    held = frozenset(keys[0])
    names = [not held.isdisjoint(map(term_key, word_token(n.lower()).sure)) for n in _NAME.findall(question)]
    return {
        "covered": asked.covered(held),
        "covered_three": asked.covered(key for own in keys for key in own),
        "second": asked.covered(keys[1]) if len(keys) > 1 else 0.0,
        "exact": sum(share for key, share in asked.codes() if key in held),
        "names": sum(names) / len(names) if names else 0.0,
        "fused_top": scores[0],
        "fused_gap": scores[0] - scores[min(1, len(scores) - 1)],
        "fused_gap10": scores[0] - scores[min(9, len(scores) - 1)],
    }


def near_duplicates(points: Sequence[Point], *, cosine: float) -> frozenset[tuple[str, str]]:
    """Pairs of passages that say the same: near vectors, nearly the same words, exactly the same figures.

    Args:
        points: best first; a pair is named in this order.
    """
    if len(points) < 2:
        return frozenset()
    matrix = np.stack([point.dense for point in points]).astype(np.float64)  # once, not for every row
    pairs = set()
    for i, first in enumerate(points[:-1]):
        near = np.flatnonzero(row_dots(matrix[i + 1 :], matrix[i]) >= cosine)
        for second in (points[i + 1 + int(j)] for j in near):
            if _same_words(first, second):
                pairs.add((first.chunk_id, second.chunk_id))
    return frozenset(pairs)


def _same_words(first: Point, second: Point) -> bool:
    if sorted(_DIGITS.findall(first.payload["text"])) != sorted(_DIGITS.findall(second.payload["text"])):
        return False
    one, other = frozenset(first.lexical.keys), frozenset(second.lexical.keys)
    return len(one & other) >= _SAME_TERMS * len(one | other)
