"""Which passage of a new cut says what a passage of the old one said: by the runs of words that they share."""

from collections import Counter
from collections.abc import Mapping

from core.normalize import words

RUN = 3  # words in a row that count as one shared thing
SHARE = 0.3  # of an old passage's runs that its successor must hold


def passage_moves(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str]:
    """Old id -> new id, for the old ids that are no more and whose text is still there for a good part.

    Args:
        before: id -> text of the old passages, in reading order.
        after: id -> text of the new ones, in reading order; of equal shares the earlier one wins.
    """
    order = list(after)
    holders: dict[tuple[str, ...], list[int]] = {}
    for place, text in enumerate(after.values()):
        for run in dict.fromkeys(_runs(text)):
            holders.setdefault(run, []).append(place)
    found: dict[str, str] = {}
    for old, text in before.items():
        runs = dict.fromkeys(_runs(text))
        if old in after or not runs:
            continue
        shared = Counter(place for run in runs for place in holders.get(run, ()))
        if shared:
            best = min(shared, key=lambda place: (-shared[place], place))
            if shared[best] >= SHARE * len(runs):
                found[old] = order[best]
    return found


def _runs(text: str) -> list[tuple[str, ...]]:
    known = words(text)
    return [tuple(known[at : at + RUN]) for at in range(max(1, len(known) - RUN + 1))] if known else []
