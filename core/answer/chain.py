"""Chains of sentences over several passages: each hop shares a name with the one before, and all say what is asked."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.answer.links import links_of, names_somebody, somebodies, useful_links
from core.answer.units import CODE, OWN, Unit, holds_code
from core.asked import KIND_POINTS, Asked, offers
from core.lexicon import INTERROGATIVES
from core.tokens import tokenize
from core.topic import Topic, holds_token, terms_of
from core.types import Language
from core.vectors import rounded

LONGEST = 5  # hops
BEAM = 3  # partial chains kept for every sentence they may end with
NAME_HOP, PAIR_HOP = 0.08, 0.35  # what a hop costs: over a name or code, over a pair of words
UNIT_WEIGHT = 0.15  # of the hops' own scores, averaged: rank, kind and nearness count beside cover
END_WEIGHT, FOREIGN_END = 0.25, 1.0  # of the last hop's own score: all there is where words cannot match
FOCUS, ANCHOR = 0.2, 0.2  # the last hop says what is asked for, the first one what is known
PERSON = 0.2  # the last hop names a person in full where somebody is asked for: worth one hop more
FOREIGN_ALONE = 0.6  # topic in one sentence from which on another language is no reason to look for a chain
GAIN = 0.1  # topic that a chain must hold beyond the best single sentence
_FIRST = 5  # passages whose language decides whether words can match
_DEFINITE = ("number", "money", "duration", "date")


@dataclass(frozen=True, slots=True)
class Chain:
    """Hops in order, from what the question names to what it asks for."""

    units: tuple[Unit, ...]
    score: float
    leads: tuple[str, ...] = ()  # what stands before each hop's own words and says what they are about
    also: tuple[tuple[str, Unit], ...] = ()  # further ends, each with what stands before it

    def lead(self, at: int) -> str:
        return self.leads[at] if self.leads else ""


@dataclass(frozen=True, slots=True)
class _Ends:
    """What the last and the first hop of a chain should say, as topic words."""

    focus: frozenset[str]
    anchor: frozenset[str]
    about: Mapping[tuple[str, int], frozenset[str]]  # unit -> topic words that it or its heading says
    foreign: frozenset[str] = frozenset()  # chunk ids a chain must end in; empty: anywhere
    first: tuple[str, int] | None = None  # the unit it must start at; None: any
    named: bool = False  # over names and codes alone
    said: bool = False  # the last hop must hold what is asked for

    def may_end(self, unit: Unit) -> bool:
        return not self.foreign or unit.passage.chunk_id in self.foreign


def best_chain(
    question: Asked, topic: Topic, units: Sequence[Unit], *, language: Language = "und", related: bool = True
) -> Chain | None:
    """The chain of two or more hops that says most of what is asked, or None where one sentence says as much.

    Where the best sentence does not hold what is asked for (a name, a number, the thing behind the interrogative), a
    chain that ends in it need not say more than that sentence.

    Where words find none and passages are in another language than the question, only names and codes can match:
    the chain then starts at one of them and ends at the best sentence in the other language that it leads to.

    Args:
        units: scored sentences, items and rows of the passages that the relations led to, best first.
        language: of the question.
        related: relations were asked; without, a chain is only looked for where the best sentence lacks something.
    """
    if not units:
        return None
    best = max(units, key=lambda u: (topic.share(terms_of(u.text)), u.score))
    alone = topic.share(terms_of(best.text))
    ends = _ends(question, topic, units)
    open_end = not _says_it(question, best, ends, units)
    if not related:
        return _going_on(question, topic, units, best) if open_end else None
    chain = None
    if open_end:
        chain = _search(question, topic, units, replace(ends, said=True), least=alone)
    chain = chain or _search(question, topic, units, ends, least=alone + GAIN)
    passages = sorted(
        {u.passage.chunk_id: u.passage for u in units}.values(), key=lambda p: (p.rank, p.chunk_id)
    )
    other = [p.chunk_id for p in passages[:_FIRST] if p.language not in (language, "und")]
    if (
        chain is not None
        or language == "und"
        or 2 * len(other) < len(passages[:_FIRST])
        or alone > FOREIGN_ALONE
    ):
        return chain
    abroad = frozenset(p.chunk_id for p in passages if p.language not in (language, "und"))
    return _search(question, topic, units, _ends(question, topic, units, abroad), least=0.0)


def _going_on(question: Asked, topic: Topic, units: Sequence[Unit], best: Unit) -> Chain | None:
    """Where only texts were asked: from a sentence that holds the question's code or name, over names, to what is asked."""
    anchored = holds_code(question, best.text) or (question.kind == "person" and bool(best.covered))
    if not anchored:
        return None
    ends = replace(_ends(question, topic, units), first=best.key, named=True, said=True)
    return _search(question, topic, units, ends, least=topic.share(terms_of(best.text)))


def _says_it(question: Asked, unit: Unit, ends: "_Ends", units: Sequence[Unit]) -> bool:
    """Whether a sentence holds what is asked for: a value or name of the asked kind, and the word behind the interrogative.

    That word counts only if any sentence says it.
    """
    said = any(not ends.focus.isdisjoint(ends.about[other.key]) for other in units)
    if said and ends.focus.isdisjoint(ends.about[unit.key]):
        return False
    if question.kind == "person":
        return names_somebody(unit.text, question)
    return question.kind not in _DEFINITE or offers(unit.text, question.kind)


def _search(
    question: Asked, topic: Topic, units: Sequence[Unit], ends: "_Ends", *, least: float
) -> Chain | None:
    """The best chain whose hops together hold at least this share of the topic."""
    links = useful_links(units, links_of(question.text))
    if ends.named:
        links = {key: frozenset(x for x in own if not x.startswith("pair ")) for key, own in links.items()}
    paths = [_Path((unit,), 0.0) for unit in units if unit.covered and ends.first in (None, unit.key)]
    if ends.foreign:
        paths = [path for path in paths if not ends.anchor.isdisjoint(path.units[0].covered)]
    found: list[tuple[float, _Path]] = []
    while paths:
        scored = sorted(
            ((_value(question, topic, ends, path), path) for path in paths), key=lambda p: (-p[0], p[1].keys)
        )
        whole = [
            (value, path)
            for value, path in scored
            if len(path.units) > 1
            and ends.may_end(path.units[-1])
            and (not ends.said or _says_it(question, path.units[-1], ends, units))
        ]
        found += whole[:1]
        if len(scored[0][1].units) == LONGEST:
            break
        paths = [longer for path in _kept(scored) for longer in _longer(path, units, links)]
    best = min(found, key=lambda p: (-p[0], len(p[1].units), p[1].keys), default=None)
    if best is None or _held(topic, best[1]) < least:
        return None
    return Chain(best[1].units, best[0])


@dataclass(frozen=True, slots=True)
class _Path:
    units: tuple[Unit, ...]
    cost: float

    @property
    def keys(self) -> list[tuple[str, int]]:
        return [unit.key for unit in self.units]


def _kept(scored: Sequence[tuple[float, _Path]]) -> list[_Path]:
    """The best partial chains for every sentence they end with: a poor middle may lead to a good end."""
    kept: list[_Path] = []
    ends: Counter[tuple[str, int]] = Counter()
    for _, path in scored:
        ends[path.keys[-1]] += 1
        if ends[path.keys[-1]] <= BEAM:
            kept.append(path)
    return kept


def _longer(
    path: _Path, units: Sequence[Unit], links: Mapping[tuple[str, int], frozenset[str]]
) -> list[_Path]:
    found = []
    for unit in units:
        shared = links[path.units[-1].key] & links[unit.key] if unit not in path.units else frozenset()
        if shared:
            named = any(not link.startswith("pair ") for link in shared)
            found.append(_Path((*path.units, unit), path.cost + (NAME_HOP if named else PAIR_HOP)))
    return found


def _ends(
    question: Asked, topic: Topic, units: Sequence[Unit], foreign: frozenset[str] = frozenset()
) -> _Ends:
    """The word after the interrogative is asked for; codes, names, or the word furthest from it that is said are known."""
    about = {
        unit.key: frozenset(t.surface for t, _ in topic.words if holds_token(t, _terms(unit)))
        for unit in units
    }
    words = [token.word for token in tokenize(question.text)]
    at = next((i for i, word in enumerate(words) if word in INTERROGATIVES), None)
    surfaces = [token.surface for token, _ in topic.words]
    if at is None or not surfaces:
        return _Ends(frozenset(), frozenset(), about, foreign)
    places = {word: i for i, word in reversed(list(enumerate(words)))}
    after = [s for s in surfaces if places.get(s, -1) > at]
    codes = frozenset(q.key for q in question.exact if q.kind == "code") | frozenset(question.names)
    said = frozenset(word for unit in units for word in unit.covered)
    furthest = max(
        [s for s in surfaces if s in said] or surfaces, key=lambda s: (abs(places.get(s, at) - at), s)
    )
    return _Ends(frozenset(after[:1]), codes or frozenset([furthest]), about, foreign)


def _held(topic: Topic, path: _Path) -> float:
    return topic.share(frozenset().union(*(_terms(unit) for unit in path.units)))


def _terms(unit: Unit) -> frozenset[str]:
    """What a hop speaks about: its own words and those of the heading it stands under."""
    return terms_of(unit.text) | terms_of("\n".join(unit.passage.headings[-1:]))


def _value(question: Asked, topic: Topic, ends: _Ends, path: _Path) -> float:
    """Topic held by all hops, the hops' own scores, fit of both ends, whether the last holds what is asked, minus cost."""
    first, last = path.units[0], path.units[-1]
    own = sum(unit.score for unit in path.units) / len(path.units)
    fit = FOCUS * (not ends.focus.isdisjoint(ends.about[last.key])) + ANCHOR * (
        not ends.anchor.isdisjoint(ends.about[first.key])
    )
    kind = KIND_POINTS.get(question.kind, 0.0) if offers(last.text, question.kind) else 0.0
    if question.kind == "person" and any(" " in name for name in somebodies(last.text, question)):
        kind += PERSON
    end = last.score - (CODE if holds_code(question, last.text) else 0.0)  # what is known is not the answer
    if ends.foreign:  # words that do match are the known name again, not the answer
        end -= OWN * topic.share(terms_of(last.text))
    weight = FOREIGN_END if ends.foreign else END_WEIGHT
    return rounded(_held(topic, path) + UNIT_WEIGHT * own + weight * end + fit + kind - path.cost)
