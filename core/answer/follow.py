"""Following a description link by link: from the thing a question names to the fact it asks for.

"Who manages the person who approves purchases of lab X?" is read from its far end: a sentence that says the known
thing and a relation of the question names a new thing; a sentence about that one says the next relation; the last one
says the relation that is asked for and holds something new of the asked kind. Relations match by word or by another
wording ("approver", "approves"); one word of a document never stands for two of the question.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.answer.hops import Hop, hops_of
from core.answer.links import somebodies
from core.answer.sought import Fit, Sought, asks_several, fit, sought_in
from core.answer.units import Unit
from core.asked import Asked, offers
from core.normalize import words
from core.topic import Topic
from core.vectors import rounded

LONGEST = 4  # hops
BEAM, WIDTH = 4, 80  # partial chains kept for every sentence they may end with; in all
BY_RELATION = 0.7  # of a word's weight, where another wording of its relation is said
HOP, BACKWARDS = 0.06, 0.12  # what a hop costs; one that goes back towards the far end
CROSSING = 0.15  # one that says both what a described thing is and what is asked of it
LOOSE, APART, BLIND = (
    0.15,
    0.06,
    0.2,
)  # over no name; over one that stands apart; saying nothing of the question
NEARER, OTHERWISE, KNOWN = (
    0.9,
    0.5,
    0.1,
)  # weight in a part of a sentence: of words further on, otherwise worded, known
AT_END, FRESH = 0.3, 0.3  # the last hop says what is asked for; holds something new of the asked kind
OWN = 0.08  # of the hops' own scores, averaged
NEAR, SEVERAL = 0.15, 4  # worth that a further end may lack beside the best one; further ends at most
COVER = 0.6  # of what is sought that a whole chain says
_LOOSE = ("pair ", "next ")
_DEFINITE = ("number", "money", "duration", "date")


@dataclass(frozen=True, slots=True)
class Followed:
    """Hops in order, from what the question names to what it asks for."""

    hops: tuple[Hop, ...]
    score: float
    cover: float  # of what is sought, in [0, 1]
    whole: bool  # the last hop says what is asked for and holds it, and no code of the question is left out
    loose: bool  # a hop goes over no name
    exact: bool  # the last hop says what is asked for in the question's own word
    also: tuple[Hop, ...] = ()  # where several things are asked for: the ends of chains that say as much


@dataclass(frozen=True, slots=True)
class _Plan:
    question: Asked
    words: tuple[Sought, ...]
    total: float
    anchors: frozenset[int]  # words that say what is known
    fits: Mapping[str, Fit]  # of the words of the documents, by surface
    said_by: Mapping[tuple[str, int], tuple[Fit, ...]]  # hop -> what its words say, where they say anything
    asked_names: frozenset[str]

    @property
    def focus(self) -> int:
        return len(self.words) - 1


@dataclass(frozen=True, slots=True)
class _Path:
    hops: tuple[Hop, ...] = ()
    said: Mapping[int, float] = field(default_factory=dict)  # word of the question -> share of its weight
    cost: float = 0.0
    depth: float = 99.0  # of the words that the last hop added, on average
    loose: bool = False  # one of its hops goes over no name
    blind: bool = False  # one of its hops says nothing of the question
    at_end: float = 0.0  # how surely the last hop says what is asked for
    apart: Mapping[str, float] = field(default_factory=dict)  # name -> how far from what the last hop says

    @property
    def keys(self) -> list[tuple[str, int]]:
        return [hop.key for hop in self.hops]


def follow(question: Asked, topic: Topic, units: Sequence[Unit]) -> Followed | None:
    """The best chain of one or more hops, or None where nothing that the question names is said anywhere.

    Args:
        units: scored sentences, items and rows.
    """
    hops, asked_names = hops_of(units, question.text)
    plan = _plan(question, topic, hops, asked_names)
    about: dict[str, list[Hop]] = defaultdict(list)
    for hop in hops:
        for name in hop.names:
            about[name].append(hop)
    starts = (path for hop in hops for path in _with(plan, _Path(), hop, 0.0))
    paths = [path for path in starts if not plan.anchors.isdisjoint(path.said)]
    found: list[tuple[float, _Path]] = []
    for _ in range(LONGEST):
        scored = sorted(((_value(plan, path), path) for path in paths), key=lambda p: (-p[0], p[1].keys))
        found += scored[:WIDTH]
        paths = [longer for path in _kept(scored) for longer in _longer(plan, path, about)]
    if not found:
        return None
    value, path = min(found, key=lambda p: (-p[0], len(p[1].hops), p[1].keys))
    cover = _cover(plan, path)
    whole = cover >= COVER and _is_whole(plan, path)
    also = _also(plan, value, path, found) if whole and asks_several(question) else ()
    return Followed(path.hops, value, cover, whole, path.loose, path.at_end == 1.0, also)


def _also(plan: _Plan, value: float, best: _Path, found: Sequence[tuple[float, _Path]]) -> tuple[Hop, ...]:
    """The ends of other chains as long as the best one that say as much of the question, best first."""
    alike: dict[tuple[str, int], Hop] = {}
    for other, path in sorted(found, key=lambda p: (-p[0], p[1].keys)):
        equal = len(path.hops) == len(best.hops) and path.said == best.said and path.loose == best.loose
        if equal and other >= value - NEAR and path.hops[-1] not in best.hops and _is_whole(plan, path):
            alike.setdefault(path.keys[-1], path.hops[-1])
    return tuple(alike.values())[:SEVERAL]


def _plan(question: Asked, topic: Topic, hops: Sequence[Hop], asked_names: frozenset[str]) -> _Plan:
    """Known are the codes and names of the question; without any, the furthest word that is said at all."""
    sought = sought_in(question, topic)
    every = {token.surface: token for hop in hops for token in (*hop.words, *hop.above)}
    fits = {surface: fit(sought, token) for surface, token in every.items()}
    said = frozenset[int]().union(*(own.same for own in fits.values()))
    named = {word for name in asked_names for word in name.partition(" ")[2].split()}
    known = [at for at in sorted(said) if sought[at].code or not sought[at].terms.isdisjoint(named)]
    known = known or [at for at in sorted(said) if at < len(sought) - 1][:1]
    total = sum(word.weight for word in sought) or 1.0
    said_by = {hop.key: _said_by(hop, fits, len(sought) - 1) for hop in hops}
    return _Plan(question, sought, total, frozenset(known), fits, said_by, asked_names)


def _said_by(hop: Hop, fits: Mapping[str, Fit], focus: int) -> tuple[Fit, ...]:
    """What each word of a sentence says; what is asked for must be said by the sentence itself, not its heading."""
    own = [fits[token.surface] for token in hop.words]
    above = [fits[token.surface].without(frozenset([focus])) for token in hop.above]
    return tuple(said for said in (*own, *above) if said)


def _kept(scored: Sequence[tuple[float, _Path]]) -> list[_Path]:
    """The best partial chains for every sentence they end with."""
    kept: list[_Path] = []
    ends: Counter[tuple[str, int]] = Counter()
    for _, path in scored:
        ends[path.keys[-1]] += 1
        if ends[path.keys[-1]] <= BEAM:
            kept.append(path)
    return kept[:WIDTH]


def _longer(plan: _Plan, path: _Path, about: Mapping[str, Sequence[Hop]]) -> list[_Path]:
    """One more hop over a thing that the question does not name, over the cheapest of several.

    Two sentences under one heading are not tied by its name, no more than neighbours are.
    """
    found: list[_Path] = []
    tried = set(path.keys)
    names = path.hops[-1].names - plan.asked_names
    last = path.hops[-1]
    ways = [
        (
            name.startswith(_LOOSE) or _under_one_heading(name, last, hop),
            path.apart.get(name, 0.0),
            name,
            hop,
        )
        for name in names
        for hop in about[name]
    ]
    for loose, apart, _, hop in sorted(ways, key=lambda way: (*way[:3], way[3].key)):
        if hop.key in tried:
            continue
        tried.add(hop.key)
        longer = _with(plan, path, hop, HOP + (LOOSE if loose else APART * apart))
        found += [replace(one, loose=path.loose or loose) for one in longer]
    return found


def _under_one_heading(name: str, one: Hop, other: Hop) -> bool:
    """Whether only the heading of a passage ties two sentences, or a heading that both stand under."""
    same = one.unit.passage.chunk_id == other.unit.passage.chunk_id
    sides = (name in one.headed, name in other.headed)
    return any(sides) if same else all(sides)


def _with(plan: _Plan, path: _Path, hop: Hop, cost: float) -> list[_Path]:
    """The chain with one more hop, once for each way to read it; none for a second one that says nothing."""
    hops, cost = (*path.hops, hop), path.cost + cost
    found = []
    for new in _readings(plan, path, hop):
        if new:
            depth = sum(plan.words[at].depth for at in new) / len(new)
            parts = {plan.words[at].part for at in new}
            longer = replace(
                path,
                hops=hops,
                said={**path.said, **new},
                cost=cost + BACKWARDS * (depth > path.depth) + CROSSING * (len(parts) - 1),
                depth=depth,
                at_end=new.get(plan.focus, 0.0),
                apart=_apart(plan, hop, new),
            )
            found.append(longer)
        elif path.hops and not path.blind:
            found.append(replace(path, hops=hops, cost=cost + BLIND, blind=True, at_end=0.0, apart={}))
    return found


def _readings(plan: _Plan, path: _Path, hop: Hop) -> list[dict[int, float]]:
    """What a hop says that the chain did not: its words are given out from the far end on.

    The same words first; and, where that reads differently, every word of the question in turn: of "Reports to" in
    "who does the technician's boss report to" the boss may be meant. And where a sentence says what a described thing
    is and what is asked of it, without the latter: a later one may say it better.
    """
    fits = plan.said_by[hop.key]
    left = [at for at in range(len(plan.words)) if at not in path.said]
    turns = [(at, True) for at in left], [(at, False) for at in left]
    strict = _given(fits, [*turns[0], *turns[1]])
    greedy = _given(fits, [turn for pair in zip(*turns, strict=True) for turn in pair])
    readings = [strict] if strict == greedy else [strict, greedy]
    crossing = [new for new in readings if plan.focus in new and len({plan.words[at].part for at in new}) > 1]
    return readings + [{at: share for at, share in new.items() if at != plan.focus} for new in crossing]


def _given(fits: Sequence[Fit], turns: Sequence[tuple[int, bool]]) -> dict[int, float]:
    """Words of the question with a word of the document each. Args: turns: (word of the question, the same word)."""
    new: dict[int, float] = {}
    used: set[int] = set()
    for at, same in turns:
        sides = (own.same if same else own.alike for own in fits)
        spot = next((i for i, side in enumerate(sides) if at in side and i not in used), None)
        if at not in new and spot is not None:
            used.add(spot)
            new[at] = 1.0 if same else BY_RELATION
    return new


def _apart(plan: _Plan, hop: Hop, new: Mapping[int, float]) -> Mapping[str, float]:
    """How far each name of a sentence stands from what the sentence says of the question, in [0, 1].

    "Sand is bought from A; lead comes from B": the part that says most tells which name is meant, the same words
    more than other wordings, those nearest to what is asked most, those of the known thing least.
    """
    order = sorted(new, key=lambda at: (at in plan.anchors, plan.words[at].depth))
    worth: dict[str, float] = {}
    for names, own in hop.parts:
        same = frozenset[int]().union(*(plan.fits[token.surface].same for token in own))
        alike = frozenset[int]().union(*(plan.fits[token.surface].alike for token in own))
        said = 0.0
        for rank, at in enumerate(order):
            share = KNOWN if at in plan.anchors else 1.0 if at in same else OTHERWISE
            said += plan.words[at].weight * NEARER**rank * share * (at in same or at in alike)
        worth.update({name: max(said, worth.get(name, 0.0)) for name in names})
    best = max(worth.values(), default=0.0) or 1.0
    return {name: rounded(1.0 - worth.get(name, 0.0) / best) for name in hop.names}


# --- what a chain is worth -----------------------------------------------------------------------------


def _cover(plan: _Plan, path: _Path) -> float:
    said = sum(plan.words[at].weight * share for at, share in sorted(path.said.items()))
    return rounded(said / plan.total)


def _value(plan: _Plan, path: _Path) -> float:
    """What is said, the hops' own scores, and whether the end says and holds what is asked, minus what the hops cost."""
    own = sum(hop.unit.score for hop in path.hops) / len(path.hops)
    end = AT_END * path.at_end + FRESH * _fresh(plan, path.hops)
    return rounded(_cover(plan, path) + OWN * own + end - path.cost)


def _fresh(plan: _Plan, hops: Sequence[Hop]) -> bool:
    """Whether the last hop holds something of the asked kind that neither the question nor an earlier hop says."""
    last, kind = hops[-1], plan.question.kind
    if kind in _DEFINITE:
        return offers(last.unit.text, kind)
    seen = {word for text in (plan.question.text, *(h.unit.text for h in hops[:-1])) for word in words(text)}
    if kind == "person":
        names = somebodies(last.unit.text, plan.question)
    else:
        names = tuple(name.partition(" ")[2] for name in sorted(last.own))
    return any(not seen.issuperset(words(name)) for name in names)


def _is_whole(plan: _Plan, path: _Path) -> bool:
    """It says and holds what is asked, leaves out no code, and takes no more steps than the question describes."""
    codes = {name for name in plan.asked_names if name.startswith("code ")}
    said = frozenset[str]().union(*(hop.own | hop.names for hop in path.hops))
    described = len(plan.words) - len(plan.anchors) + any(plan.words[at].code for at in plan.anchors)
    steps = len(path.hops) - path.blind
    return path.at_end > 0 and steps <= max(described, 1) and _fresh(plan, path.hops) and codes <= said
