"""Words into lines and lines into segments: pieces that stand close together."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from operator import sub
from statistics import median

from core.ingest.load.pdf.words import Word

_SAME_LINE = 0.45  # of a word's height that middles may differ
_WIDE_GAP = 0.85  # of a line's height: more than a word space, even in justified text
_LARGER = 1.12  # a heading's letters against most text's
_SELDOM = 0.3  # share of all letters that large ones may be
_LEADER = re.compile(r"[.·…_]{4,}")
BULLET = re.compile(
    r"(?:[•◦▪‣●○■□◆►➢–—*·-]|\d{1,3}[.)]|\(?(?:\d{1,2}|[a-zA-Z]|[ivxIVX]{1,5})[.)]|\.\d{1,2})(?:\s|$)"
)


@dataclass(frozen=True, slots=True)
class Segment:
    """Words of one line that stand close together."""

    words: tuple[Word, ...]

    @property
    def x0(self) -> float:
        return self.words[0].x0

    @property
    def x1(self) -> float:
        return max(word.x1 for word in self.words)

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text, left to right."""

    words: tuple[Word, ...]
    x0: float
    x1: float
    top: float
    bottom: float
    height: float  # median height of its words: stands for the font size
    text: str
    bold: bool  # all its words are

    @property
    def leaders(self) -> bool:
        """Dots that lead to a page number, as in a table of contents."""
        return any(_LEADER.search(word.text) for word in self.words)


def group_lines(words: Iterable[Word]) -> list[Line]:
    """Words that share a baseline, top to bottom."""
    rows: list[list[Word]] = []
    middle = height = 0.0
    for word in sorted(words, key=lambda w: (w.top + w.bottom, w.x0, w.text)):
        own_middle, own_height = (word.top + word.bottom) / 2, word.bottom - word.top
        reach = _SAME_LINE * (own_height if own_height < height else height)
        if rows and -reach <= own_middle - middle <= reach:
            rows[-1].append(word)
        else:
            rows.append([word])
            middle, height = own_middle, own_height
    return [_line(row) for row in rows]


def _line(words: list[Word]) -> Line:
    words.sort(key=lambda w: (w.x0, w.x1, w.text))
    x0, tops, x1, bottoms, texts, bolds = zip(*words, strict=True)
    return Line(
        tuple(words),
        x0[0],
        max(x1),
        min(tops),
        max(bottoms),
        median(map(sub, bottoms, tops)),
        " ".join(texts),
        all(bolds),
    )


def segments(line: Line) -> tuple[Segment, ...]:
    """Cut a line where the gap is wider than a space between words."""
    wide = _WIDE_GAP * line.height
    cuts: list[int] = []
    reach = line.words[0].x1
    for at, word in enumerate(line.words):
        if word.x0 - reach > wide:
            cuts.append(at)
        if word.x1 > reach:
            reach = word.x1
    if not cuts:
        return (Segment(line.words),)
    return tuple(Segment(line.words[a:b]) for a, b in pairwise((0, *cuts, len(line.words))))


def has_gap(line: Line) -> bool:
    """Whether a line falls into pieces that may be cells; a bullet and its text do not."""
    parts = segments(line)
    if len(parts) == 1 or line.leaders:
        return False
    return not (len(parts) == 2 and BULLET.fullmatch(parts[0].text))


def large_height(words: Iterable[Word]) -> float:
    """The letters' height from which on a line stands out: well above most text, and seldom.

    Where small print is most of the text, what is larger is text as well.
    """
    exact: dict[float, int] = {}
    for word in words:
        height = word.bottom - word.top
        exact[height] = exact.get(height, 0) + len(word.text)
    counts: dict[float, int] = {}
    for height, letters in exact.items():
        size = round(height * 2) / 2
        counts[size] = counts.get(size, 0) + letters
    body = max(sorted(counts), key=lambda size: counts[size], default=0.0)
    total = sum(counts.values())
    above = 0
    threshold = float("inf")
    for size in sorted(counts, reverse=True):
        above += counts[size]
        seldom = _SELDOM if size < 1.4 * body else 2 * _SELDOM
        if size <= _LARGER * body or above > seldom * total:
            break
        threshold = size
    return threshold - 0.3
