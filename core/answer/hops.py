"""What a sentence can stand in a chain for: the things it names, its words, and what it leans on.

A sentence that opens with "It", stands behind a label ("Fogmaq: ...") or under a heading speaks about a thing that
its own words do not name.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from core.analyze import Token, word_token
from core.analyze import tokens as read_tokens
from core.answer.units import Unit, is_row
from core.lexicon import FUNCTION_WORDS, INTERROGATIVES
from core.normalize import words
from core.numbers import quantities

tokens = lru_cache(maxsize=8192)(read_tokens)  # the same passages are found again and again
_WORD = r"(?:[A-ZÀ-Ý][\w’'-]+|[B-DF-NP-Z]\b)"  # "O", "A" and "E" open sentences
_JOINT = r"(?:[ ]+(?:de|da|do|das|dos|of|the|e|&))"
_NAME = re.compile(rf"{_WORD}(?:{_JOINT}{{0,2}}[ ]+(?:{_WORD}|\d[\w-]*(?:[.,]\d+)*))*")
_OPENER = re.compile(rf"\W*({_WORD})")
_CAPITAL = re.compile(r"[A-ZÀ-Ý\d][\w’'-]*")
_POSSESSIVE = re.compile(r"['’]s\b")
_LEANS = re.compile(
    r"^\W*(?:it|its|their|they|he|she|his|her|this|these|el[ae]s?|sua|seu|suas|seus|ess[ae]s?|est[ae]s?)\b"
    r"|\b(?:del[ae]s?|nel[ae]s?|their|theirs|them|there|both|ambos|ambas|l[aá])\b",
    re.IGNORECASE,
)
_LABEL = re.compile(r"\s*(?:[-*•]\s+|\d+[.)]\s+)?\**([^\W_][^:;.\n–—|]{1,60}?)\**\s*(?::\**|\s[–—-])\s")
_INNER = re.compile(
    r"[ ][A-ZÀ-Ý]|^[\w’'-]+[ ]\d"
)  # a second capital, or a number right behind the first word
_DIAL = re.compile(r"(?<![\w/.-])(?:\+\d{1,3}[ ]?)?\(?\d{2,5}\)?[ ]\d{3,5}[- ]?\d{3,5}(?!\w)")
_WHO_IS_WHO = re.compile(
    rf"(?:[-*•]\s+|\d+[.)]\s+)?\**[^\W_][^:;.\n–—|]{{1,40}}\**\s*(?::\**|\s[–—-])\s+(?:[A-Z]\w{{0,4}}\.\s)?{_WORD}(?:\s{_WORD}){{1,3}}[.;]?"
)
_STANDS = re.compile(r"\b(?:is|are|está|estão|é|fica|ficam)\s+(?:in|at|em|na|no)\s+(?:the\s+)?[A-ZÀ-Ý]")
_PLACED = (word_token("located"),)
_PHONE, _HOLDER = (word_token("telefone"),), (word_token("responsavel"),)
_PIECES = re.compile(r"[;,.](?=\s)")
_STARTS = re.compile(r"(?:^|[.!?:;•*|(\n])[\s*\"“(]*$")
_LONGEST = 7  # words of a name
_MIN_COMMON, _COMMON = 8, 0.34  # a name in more of the sentences than this ties nothing together
_COMMON_PAIR = 4


@dataclass(frozen=True, slots=True)
class Hop:
    """A sentence with what it speaks about."""

    unit: Unit
    words: tuple[Token, ...]  # of itself, its label and the sentence it leans on
    above: tuple[Token, ...]  # of its heading
    names: frozenset[
        str
    ]  # things it is about ("name ...", "code ..."), rare pairs of words ("pair ..."), its paragraph
    own: frozenset[str]  # names that its own words, its label and its heading say
    headed: frozenset[str]  # names that only its heading says
    before: Unit | None = None  # the sentence it leans on
    label: str = ""  # what its line begins with, where that is not in the sentence
    parts: tuple[tuple[frozenset[str], tuple[Token, ...]], ...] = ()  # names and words between commas

    @property
    def key(self) -> tuple[str, int]:
        return self.unit.key


def hops_of(units: Sequence[Unit], question: str) -> tuple[tuple[Hop, ...], frozenset[str]]:
    """Every sentence as a hop, in the units' order, and the names that the question itself says.

    Names that most sentences say, and pairs of words of the question, tie nothing together.
    """
    by_key = {unit.key: unit for unit in units}
    known = _known(units)
    alias = _aliases(known)
    hops = [_hop(unit, by_key, known, alias) for unit in units]
    counts = Counter(name for hop in hops for name in hop.names)
    most = max(_MIN_COMMON, int(_COMMON * len(hops)))
    dropped = {n for n, count in counts.items() if count > (_COMMON_PAIR if n.startswith("pair ") else most)}
    dropped |= _pairs(question)
    return tuple(replace(hop, names=hop.names - dropped) for hop in hops), _said(
        question, known, alias, free=True
    )


def _hop(
    unit: Unit, units: Mapping[tuple[str, int], Unit], known: frozenset[str], alias: Mapping[str, str]
) -> Hop:
    before, label = _leaning(unit, units, known)
    around = [label, *unit.passage.headings[-1:]]
    own = _said("\n".join([unit.text, *around]), known, alias)
    outer = _said(before.text, known, alias) if before is not None else frozenset[str]()
    whole = [unit.text, label, before.text if before is not None else ""]
    said = tuple(token for text in whole for token in tokens(text)) + _unsaid(unit.text)
    above = tuple(token for text in unit.passage.headings[-1:] for token in tokens(text))
    inner = _said(f"{unit.text}\n{label}", known, alias) | outer
    pairs = frozenset[str]() if is_row(unit.text) else _pairs(unit.text)
    pieces = [unit.text] if is_row(unit.text) else _PIECES.split(unit.text)
    parts = tuple((_said(piece, known, alias), tokens(piece)) for piece in pieces if piece.strip())
    return Hop(
        unit, said, above, own | outer | pairs | _neighbours(unit), own, own - inner, before, label, parts
    )


def _unsaid(text: str) -> tuple[Token, ...]:
    """Words that a number to dial, a line such as "- Grinding – Osmar Ubaldo", or "is in Sheffield" leaves out."""
    holder = _WHO_IS_WHO.fullmatch(text.strip()) is not None
    return _PHONE * bool(_DIAL.search(text)) + _HOLDER * holder + _PLACED * bool(_STANDS.search(text))


def _neighbours(unit: Unit) -> frozenset[str]:
    """What ties a sentence to the ones before and behind it in its paragraph."""
    chunk, line = unit.passage.chunk_id, unit.passage.text.find("\n", unit.end)
    last = not unit.passage.text[unit.end : line if line >= 0 else None].strip()
    found = [] if last else [unit.index]
    return frozenset(f"next {chunk} {at}" for at in ([unit.index - 1] if unit.is_inner else []) + found)


def _leaning(
    unit: Unit, units: Mapping[tuple[str, int], Unit], known: frozenset[str]
) -> tuple[Unit | None, str]:
    """The sentence that a sentence leans on, and the name that labels its line."""
    if is_row(unit.text):
        return None, ""
    before = units.get((unit.passage.chunk_id, unit.index - 1)) if unit.index else None
    if before is not None and (not _LEANS.search(unit.text) or is_row(before.text)):
        before = None
    line = unit.passage.text[unit.passage.text.rfind("\n", 0, unit.start) + 1 :]
    match = _LABEL.match(line) if unit.is_inner else None
    label = match[1].strip(" *") if match else ""
    own = _LABEL.match(unit.text)
    if not _labels(label, known) or (own and _labels(own[1], known)) or _other_code(label, unit.text):
        label = ""
    return before, label


def _labels(label: str, known: frozenset[str]) -> bool:
    return label[:1].isupper() and " ".join(words(label)) in known


def _other_code(label: str, text: str) -> bool:
    """ "Alarm A-12: ... Alarm A-31 ...": the line goes on with another thing."""
    mine = {q.key for q in quantities(text) if q.kind == "code"}
    return bool(mine) and any(q.kind == "code" and q.key not in mine for q in quantities(label))


# --- names -----------------------------------------------------------------------------------------


def _known(units: Sequence[Unit]) -> frozenset[str]:
    """Names that sentences, headings and rows write, their words joined by spaces."""
    texts = sorted({unit.text for unit in units} | {h for u in units for h in u.passage.headings[-1:]})
    found = frozenset[str]().union(*(_written(text) for text in texts))
    longer: Counter[str] = Counter()
    for name in found:
        longer.update({name.split()[0], name.split()[-1]} if " " in name and " e " not in name else ())
    openers = {words(m[1])[0] for text in texts if (m := _OPENER.match(text)) and words(m[1])}
    return found | {word for word in openers if longer[word] == 1}


@lru_cache(maxsize=8192)
def _written(text: str) -> frozenset[str]:
    """The values of a row; else capitalised names, whole and by the parts that "e" or "&" joins."""
    if is_row(text):
        values = (part.partition(": ")[2] for part in text.split("; "))
        return frozenset(_bare(words(v)) for v in values if re.search(r"[^\W\d_]{3}", v)) - {""}
    text = _POSSESSIVE.sub("", text)
    found = set()
    for match in _NAME.finditer(text):
        for piece in {match.group(), *re.split(r"[ ]+(?:e|&)[ ]+", match.group())}:
            said = words(piece)
            name = _bare(said)
            lone = len(said) == 1 or not _INNER.search(piece)
            opens = lone and piece == match.group() and _STARTS.search(text[: match.start()])
            if name and not opens:
                found |= {name} | _family(name)
    return frozenset(found)


def _bare(said: Iterable[str]) -> str:
    """A name without articles and prepositions at its beginning; "" for what is no name."""
    left = list(said)
    while left and (left[0] in FUNCTION_WORDS or left[0] in INTERROGATIVES):
        left.pop(0)
    return " ".join(left) if len(left) <= _LONGEST and any(len(word) > 2 for word in left) else ""


def _family(name: str) -> set[str]:
    """ "Braseiro 12" is one of the Braseiros."""
    first, _, rest = name.partition(" ")
    return {first} if rest.isdigit() and len(first) > 5 else set()


def _said(
    text: str, known: frozenset[str], alias: Mapping[str, str], *, free: bool = False
) -> frozenset[str]:
    """Codes and known names that a text says, longest first, under their long names too.

    Args: free: names of one word need no capital, as in a question.
    """
    codes, said, capital, row = _read(text)
    found, lengths = set(codes), _lengths(known)
    free = free or row
    at = 0
    while at < len(said):
        for length in lengths.get(said[at], ()):
            name = " ".join(said[at : at + length]) if at + length <= len(said) else ""
            if name in known and (length > 1 or free or said[at] in capital):
                for one in {name, *(_bare(part.split()) for part in name.split(" e "))} - {""}:
                    found |= {f"name {one}", f"name {alias.get(one, one)}"}
                at += length - 1
                break
        at += 1
    return frozenset(found)


@lru_cache(maxsize=8192)
def _read(text: str) -> tuple[frozenset[str], tuple[str, ...], frozenset[str], bool]:
    """Of a text: its codes, its words, those that it writes with a capital, and whether it is a row."""
    codes = frozenset(f"code {q.key}" for q in quantities(text) if q.kind == "code")
    bare = _POSSESSIVE.sub("", text)
    capital = frozenset(word for match in _CAPITAL.finditer(bare) for word in words(match.group()))
    return codes, words(bare), capital, is_row(bare)


@lru_cache(maxsize=8)
def _lengths(known: frozenset[str]) -> dict[str, tuple[int, ...]]:
    """First word of a name -> how many words the names have that begin with it, the longest first."""
    found: dict[str, set[int]] = defaultdict(set)
    for name in known:
        first, _, rest = name.partition(" ")
        found[first].add(1 + len(rest.split(" ")) if rest else 1)
    return {first: tuple(sorted(own, reverse=True)) for first, own in found.items()}


def _aliases(known: frozenset[str]) -> dict[str, str]:
    """Short names and the one long name each may stand for: "Ivone", "Achterberg", "Van Dorst"."""
    longer: dict[str, set[str]] = defaultdict(set)
    for name in known:
        said = name.split() if " e " not in name else []
        for length in range(1, len(said)):
            longer[" ".join(said[:length])].add(name)
            longer[" ".join(said[-length:])].add(name)
    return {short: min(names) for short, names in longer.items() if short in known and len(names) == 1}


@lru_cache(maxsize=8192)
def _pairs(text: str) -> frozenset[str]:
    stems = [t.terms[1][0] if len(t.terms) > 2 else t.terms[0][0] for t in tokens(text) if t.kind == "word"]
    return frozenset(f"pair {a} {b}" for a, b in pairwise(stems))
