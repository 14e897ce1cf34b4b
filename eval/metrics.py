"""The verdicts on one answer and the shares over many. Pure functions; definitions as in the design's report."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from core.normalize import fold
from core.numbers import holds, quantities
from eval.sets import EvalQuestion, Facts

DEPTHS = (1, 5, 10, 20)


def routing(gold: frozenset[str], routes: Iterable[str]) -> bool:
    """Every store that had to be consulted was."""
    return gold <= set(routes)


def routing_exact(gold: frozenset[str], routes: Iterable[str]) -> bool:
    """... and none besides."""
    return gold == set(routes)


def evidence_ranks(quotes: Sequence[str], passages: Sequence[str]) -> tuple[int | None, ...]:
    """For each quote the rank (from 1) of the first passage that holds it whole, None when none does.

    Case, accents and spaces are folded. Passages come in served order.
    """
    folded = [fold(passage) for passage in passages]
    ranks: list[int | None] = []
    for quote in quotes:
        needle = fold(quote)
        ranks.append(next((i for i, text in enumerate(folded, start=1) if needle and needle in text), None))
    return tuple(ranks)


def recall_at(ranks: Sequence[int | None], depth: int) -> float:
    """Share of quotes found within the first `depth` passages."""
    return sum(1 for rank in ranks if rank is not None and rank <= depth) / len(ranks)


def reciprocal_rank(ranks: Sequence[int | None]) -> float:
    """1 / rank of the first quote found, 0 when none is."""
    found = [rank for rank in ranks if rank is not None]
    return 1 / min(found) if found else 0.0


def facts_found(facts: Facts, answer: str) -> tuple[bool, ...]:
    """For each group whether one of its alternatives stands in the answer; numbers are compared by value."""
    return tuple(any(holds(answer, alternative) for alternative in group) for group in facts)


def rows_match(gold: Sequence[Sequence[Any]], rows: Sequence[Sequence[Any]], *, ordered: bool) -> bool:
    """As many rows, and each gold row's values all in one result row of its own; further columns are allowed."""
    if len(gold) != len(rows):
        return False
    if ordered:
        return all(_row_holds(row, wanted) for wanted, row in zip(gold, rows, strict=True))
    return _assign([[_row_holds(row, wanted) for row in rows] for wanted in gold])


def _assign(fits: list[list[bool]]) -> bool:
    """Whether every gold row can have a result row of its own (augmenting paths)."""
    owner: dict[int, int] = {}

    def place(gold: int, tried: set[int]) -> bool:
        for row, fit in enumerate(fits[gold]):
            if fit and row not in tried:
                tried.add(row)
                if row not in owner or place(owner[row], tried):
                    owner[row] = gold
                    return True
        return False

    return all(place(gold, set()) for gold in range(len(fits)))


def _row_holds(row: Sequence[Any], wanted: Sequence[Any]) -> bool:
    """Every wanted value in a cell of its own."""
    return _assign([[_same(value, cell) for cell in row] for value in wanted])


def _same(wanted: Any, cell: Any) -> bool:
    if wanted is None or cell is None:
        return wanted is None and cell is None
    a, b = _number(wanted), _number(cell)
    if a is not None and b is not None:
        return math.isclose(round(a, 2), round(b, 2), abs_tol=0.0051)
    return fold(_text(wanted)) == fold(_text(cell))


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, int | float):
        return float(value)
    if not isinstance(value, str):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def _text(value: Any) -> str:
    if isinstance(value, datetime | date):
        return value.isoformat()
    text = str(value)
    return (
        text[:10]
        if len(text) >= 19 and text[4:5] == "-" and text[10] in "T " and text[11:19] == "00:00:00"
        else text
    )


_THOUSANDS = re.compile(r"(?<=\d)[.,](?=\d{3}(?:\D|$))")


def leaked(question: EvalQuestion, shown: Iterable[str]) -> tuple[str, ...]:
    """Forbidden strings that stand anywhere in what was shown, other than the question's own."""
    own = fold(question.text)
    text = "\n".join(fold(part) for part in shown)
    candidates = [f for f in question.forbidden if fold(f) and fold(f) not in own]
    return tuple(f for f in candidates if _stands_in(f, text))


def _stands_in(forbidden: str, text: str) -> bool:
    """A number counts by value and bounds, anything else as folded text. "6,000" is no 6 with three places."""
    if quantities(forbidden) and not any(char.isalpha() for char in forbidden):
        return holds(text, _THOUSANDS.sub("", forbidden))
    return fold(forbidden) in text


def mean(values: Iterable[float]) -> float | None:
    """The mean, None of nothing: a share over no questions is not a figure."""
    listed = list(values)
    return round(sum(listed) / len(listed), 4) if listed else None


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """p50 and p95 by nearest rank, in the unit of the values."""
    ordered = sorted(values)

    def at(share: float) -> float:
        return round(ordered[max(0, math.ceil(share * len(ordered)) - 1)], 3)

    return {"p50": at(0.5), "p95": at(0.95)} if ordered else {}


def precision_recall(
    abstained: Mapping[str, bool], answerable: Mapping[str, bool]
) -> dict[str, float | None]:
    """Of the abstentions the share that was right, and of the unanswerable questions the share that was caught."""
    said = [key for key, value in abstained.items() if value]
    unanswerable = [key for key, value in answerable.items() if not value]
    return {
        "precision": mean(float(not answerable[key]) for key in said),
        "recall": mean(float(abstained[key]) for key in unanswerable),
    }
