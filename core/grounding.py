"""Does an answer say only what the evidence says? Every number, date, code and proper name must occur there.

Writing does not matter: accents, thousands separators, number words, date formats and translated months and
weekdays are compared by value. A number may be a rounding of one in the evidence. What the question itself names
may be repeated.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.lexicon import FUNCTION_WORDS, WEEKDAYS
from core.normalize import fold
from core.numbers import Quantity, covers_date, mentions, quantities, same_value
from core.numbers.flat import composed
from core.sentences import sentences

ROUNDING = 0.05  # a rounding may differ by this share of the number
_GAP = 3  # words that may stand between two parts of a name: "Ana Souza" for "Ana Maria de Souza"
_CITATION = re.compile(r"\s?\[\^?\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*\]")
_INDEX = re.compile(r"^[ \t]*(?:[-*•]\s+)?\(?\d{1,3}[.)](?=\s)", re.MULTILINE)
_MARKUP = re.compile(r"[*_`#>|]+")
_NAME = re.compile(r"[A-ZÀ-Ý][\w'’.&-]*\w|[A-ZÀ-Ý](?!\w)(?=\s+[A-ZÀ-Ý])|[A-ZÀ-Ý]\w*", re.UNICODE)
_CONNECTOR = re.compile(r"\s+(?:(?:de|da|do|das|dos|del|di|of|the|von|van)\s+){0,2}")
_WORD = re.compile(r"[^\W_]+")
_FREE = frozenset(
    ["i", "portugues", "portuguese", "ingles", "english", "ok", "sim", "nao", "yes", "no", "brasil", "brazil"]
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Known:
    """What the evidence and the question say, ready for look-up."""

    texts: tuple[str, ...]  # composed
    words: tuple[tuple[str, ...], ...]  # folded words of each text
    quantities: tuple[Quantity, ...]
    weekdays: frozenset[int]


def ungrounded(answer: str, evidence_texts: Sequence[str], question: str = "") -> tuple[str, ...]:
    """Numbers, dates, codes and names of an answer that neither evidence nor question holds, in reading order.

    List indices, citation marks and the capital at the start of a sentence are not claims.
    """
    known = _known((*evidence_texts, question))
    text = _MARKUP.sub(" ", _INDEX.sub(" ", _CITATION.sub("", composed(answer))))
    claims = [(q.start, q.text) for q in quantities(text) if not q.weak and not _is_known(q, known)]
    blotted = _blotted(text)
    claims += [(start, name) for start, name in _names(blotted) if not _knows_name(name, known)]
    return tuple(dict.fromkeys(claim for _, claim in sorted(claims)))


def _known(texts: Sequence[str]) -> _Known:
    plain = tuple(composed(text) for text in texts)
    words = tuple(tuple(_WORD.findall(fold(text))) for text in plain)
    days = frozenset(number for day, number in WEEKDAYS.items() if _has_day(day, words))
    return _Known(plain, words, tuple(q for text in plain for q in quantities(text)), days)


def _has_day(day: str, words: tuple[tuple[str, ...], ...]) -> bool:
    return any(day.split("-")[0] in own for own in words)


# --- numbers, dates, codes ----------------------------------------------------------------------------


def _is_known(claim: Quantity, known: _Known) -> bool:
    if claim.kind == "code":
        return any(mentions(text, claim.text) for text in known.texts)
    if claim.dates and _knows_date(claim, known):
        return True
    fits = [q for q in known.quantities if _same_number(q, claim) or _rounds_to(q, claim)]
    return any(_same_unit(q, claim) for q in fits) or (not claim.dates and _is_part_of_date(claim, known))


def _knows_date(claim: Quantity, known: _Known) -> bool:
    dates = [date for q in known.quantities for date in q.dates]
    years = {f"{value:.0f}" for q in known.quantities for value in q.values} | {d[:4] for d in dates}
    for date in claim.dates:
        if any(covers_date(own, date) for own in dates):
            return True
        year, _, rest = date.partition("-")
        if year in years and rest and any(covers_date(own, f"--{rest}") for own in dates):
            return True  # the day stands in one place and the year in another, as in dated minutes
    return False


def _same_number(known: Quantity, claim: Quantity) -> bool:
    shares = [value / 100 for value in claim.values] if claim.kind == "percent" else []
    return any(same_value(abs(a), abs(b)) for a in known.values for b in (*claim.values, *shares))


def _rounds_to(known: Quantity, claim: Quantity) -> bool:
    """Whether the claim is the known number at the precision that the claim shows."""
    if claim.step <= 0 or claim.spelled:
        return False
    return any(
        abs(a - b) <= ROUNDING * abs(a) and abs(round(a / claim.step) * claim.step - b) < claim.step * 1e-6
        for a in known.values
        for b in claim.values
    )


def _same_unit(known: Quantity, claim: Quantity) -> bool:
    """Thirty days are not thirty hours; a number without a unit may be either."""
    return not known.unit or not claim.unit or known.unit == claim.unit


def _is_part_of_date(claim: Quantity, known: _Known) -> bool:
    """A bare year or day that a date in the evidence holds: "em 2026", "dia 15"."""
    if claim.unit or claim.kind != "number":
        return False
    parts = {part.lstrip("0") for q in known.quantities for d in q.dates for part in d.split("-")}
    return any(f"{value:.0f}" in parts and value.is_integer() for value in claim.values)


# --- names ------------------------------------------------------------------------------------------------


def _blotted(text: str) -> str:
    """The text with its quantities blanked, so that "Março" or "E-4021" is not read as a name."""
    chars = list(text)
    for quantity in quantities(text):
        if not quantity.weak:
            chars[quantity.start : quantity.end] = " " * (quantity.end - quantity.start)
    return "".join(chars)


def _names(text: str) -> Iterator[tuple[int, str]]:
    """Runs of capitalised words with their places. The first word of a sentence opens a name only if more follow."""
    for start, sentence in _starts(text):
        for at, run in _runs(sentence):
            opening = not re.search(r"\w", sentence[:at])
            words = run.split()
            if opening and fold(words[0]) in FUNCTION_WORDS:
                run = run[len(words[0]) :].lstrip()
                at, opening = sentence.find(run, at), False
            if run and not (opening and len(run.split()) == 1):
                yield start + at, ("^" if opening else "") + run


def _starts(text: str) -> Iterator[tuple[int, str]]:
    """Sentences and their places; what follows a colon, a dash or an opening quote starts like a sentence."""
    at = 0
    for sentence in sentences(text):
        start = text.index(sentence, at)
        at = start + len(sentence)
        place = 0
        for piece in re.split(r"((?<=[:;—–])\s|\s[-—–]\s|[\"“”«»(])", sentence):
            if re.search(r"\w", piece):
                yield start + place, piece
            place += len(piece)


def _runs(sentence: str) -> Iterator[tuple[int, str]]:
    matches = list(_NAME.finditer(sentence))
    at = 0
    while at < len(matches):
        last = at
        while last + 1 < len(matches) and _CONNECTOR.fullmatch(
            sentence, matches[last].end(), matches[last + 1].start()
        ):
            last += 1
        yield matches[at].start(), sentence[matches[at].start() : matches[last].end()]
        at = last + 1


def _knows_name(name: str, known: _Known) -> bool:
    """Whether the words of a name stand together in one text; a sentence's first word may be no part of it."""
    opening = name.startswith("^")
    words = [w for w in _WORD.findall(fold(name.removeprefix("^"))) if w not in FUNCTION_WORDS and len(w) > 1]
    words = [w for w in words if w not in _FREE and not _is_known_day(w, known)]
    if not words or any(_in_order(words, own) for own in known.words):
        return True
    return opening and len(words) > 1 and any(_in_order(words[1:], own) for own in known.words)


def _is_known_day(word: str, known: _Known) -> bool:
    numbers = {n for day, n in WEEKDAYS.items() if day.split("-")[0] in (word, word.removesuffix("s"))}
    return not numbers.isdisjoint(known.weekdays)


def _in_order(words: Sequence[str], own: Sequence[str]) -> bool:
    """Whether the words occur in this order with at most `_GAP` others between two neighbours."""
    return any(word == words[0] and _follows(words[1:], own, start) for start, word in enumerate(own))


def _follows(words: Sequence[str], own: Sequence[str], at: int) -> bool:
    for word in words:
        window = own[at + 1 : at + 2 + _GAP]
        if word not in window:
            return False
        at += 1 + window.index(word)
    return True
