"""What ties sentences together, and whether one of them names somebody."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from core.analyze import tokens
from core.answer.units import Unit, is_row
from core.asked import ROLE_WORDS, Asked
from core.normalize import fold
from core.numbers import quantities

_COMMON = 0.34  # a link in more than this share of the units ties nothing together
_MIN_COMMON = 8
_ARTICLES = frozenset(["o", "a", "os", "as", "the", "an", "um", "uma"])
_NUMBERED = re.compile(r"\s+\d")  # "Braseiro 12": a model, nobody
_THE, _NOUN = re.compile(r"\b[Tt]he\s+$"), re.compile(r"\s+[a-z]{3,}")  # "the Heron sorter"
_OF_A_THING = re.compile(
    r"\b(?:[oa]s?|[dn][oa]s?|pel[oa]s?|aos?|à|uma?)\s+[a-zà-ÿ-]{3,}\s+$", re.IGNORECASE
)  # "a sala Cedro"
_NAME = re.compile(
    r"[A-ZÀ-Ý][\w'’-]*(?:(?:\s+(?:de|da|do|das|dos|of|the|e|&)){0,2}\s+[A-ZÀ-Ý0-9][\w'’-]*)*", re.UNICODE
)


def links_of(text: str) -> frozenset[str]:
    """What a sentence can be tied by: codes, capitalised names, and pairs of neighbouring content words (stems).

    Of a `column: value; …` row the values count, whole; its columns are the same in every row.
    """
    found = {f"code {q.key}" for q in quantities(text) if q.kind == "code"}
    if is_row(text):
        values = [fold(part.partition(": ")[2]) for part in text.split("; ")]
        return frozenset(found | {f"name {value}" for value in values if re.search(r"[^\W\d_]{3}", value)})
    for match in _NAME.finditer(text):
        said = fold(match.group()).split()
        words = [w for w in said if w not in _ARTICLES]
        if words and (len(words) > 1 or match.start() > 0 or len(words) < len(said)):
            found.add("name " + " ".join(words))
            bare = [w for w in words if not w.isdigit()]
            if bare and len(bare) < len(words):
                found.add("name " + " ".join(bare))  # "Braseiro 12" is one of the Braseiros
    stems = [token.terms[1][0] if len(token.terms) > 2 else token.terms[0][0] for token in tokens(text)]
    found.update(f"pair {a} {b}" for a, b in pairwise(stems))
    return frozenset(found)


def _opening(text: str, known: frozenset[str]) -> frozenset[str]:
    """The word that opens a sentence is a name where another sentence says it inside: "Brightgear is run by ..."."""
    match = _NAME.match(text.lstrip("-*• "))
    link = f"name {fold(match.group())}" if match else ""
    return frozenset([link]) if link in known else frozenset()


def useful_links(
    units: Sequence[Unit], asked_links: frozenset[str]
) -> Mapping[tuple[str, int], frozenset[str]]:
    """Links that lead on: not those the question itself names, not those that half of the sentences share."""
    links = {unit.key: links_of(unit.text) for unit in units}
    known = frozenset[str]().union(*links.values())
    links = {unit.key: (links[unit.key] | _opening(unit.text, known)) - asked_links for unit in units}
    counts = Counter(link for own in links.values() for link in own)
    most = max(_MIN_COMMON, int(_COMMON * len(units)))
    return {key: frozenset(link for link in own if counts[link] <= most) for key, own in links.items()}


def names_somebody(text: str, question: Asked) -> bool:
    """Whether a text says a role, or a name that the question does not say and that is of no thing."""
    return bool(ROLE_WORDS.search(fold(text))) or bool(somebodies(text, question))


def somebodies(text: str, question: Asked) -> tuple[str, ...]:
    """Fresh names that may be of people or firms: no models, no numbers, not "the Heron sorter" or "a sala Cedro"."""
    own = {fold(word).strip("?!.,;:") for word in question.text.split()}
    found = []
    for match in _NAME.finditer(text):
        said = [word for word in fold(match.group()).split() if word not in _ARTICLES]
        before, after = text[: match.start()], text[match.end() :]
        numbered = any(char.isdigit() for char in match.group()) or _NUMBERED.match(after)
        opens = match.start() == 0 and len(said) == 1
        thing = (_THE.search(before) and _NOUN.match(after)) or (
            len(said) == 1 and _OF_A_THING.search(before)
        )
        if any(word not in own for word in said) and not numbered and not opens and not thing:
            found.append(" ".join(said))
    return tuple(found)
