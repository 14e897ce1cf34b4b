"""Words into lines and lines into segments: pieces that stand close together."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
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

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    @property
    def bold(self) -> bool:
        return all(word.bold for word in self.words)

    @property
    def leaders(self) -> bool:
        """Dots that lead to a page number, as in a table of contents."""
        return any(_LEADER.search(word.text) for word in self.words)


def group_lines(words: Iterable[Word]) -> list[Line]:
    """Words that share a baseline, top to bottom."""
    rows: list[list[Word]] = []
    middle = height = 0.0
    for word in sorted(words, key=lambda w: (w.top + w.bottom, w.x0, w.text)):
        near = rows and abs(word.middle - middle) <= _SAME_LINE * min(height, word.height)
        if near:
            rows[-1].append(word)
        else:
            rows.append([word])
            middle, height = word.middle, word.height
    return [_line(row) for row in rows]


def _line(words: list[Word]) -> Line:
    words.sort(key=lambda w: (w.x0, w.x1, w.text))
    return Line(
        tuple(words),
        words[0].x0,
        max(word.x1 for word in words),
        min(word.top for word in words),
        max(word.bottom for word in words),
        median(word.height for word in words),
    )


def segments(line: Line) -> tuple[Segment, ...]:
    """Cut a line where the gap is wider than a space between words."""
    parts: list[list[Word]] = [[line.words[0]]]
    reach = line.words[0].x1
    for word in line.words[1:]:
        if word.x0 - reach > _WIDE_GAP * line.height:
            parts.append([word])
        else:
            parts[-1].append(word)
        reach = max(reach, word.x1)
    return tuple(Segment(tuple(part)) for part in parts)


def has_gap(line: Line) -> bool:
    """Whether a line falls into pieces that may be cells; a bullet and its text do not."""
    if line.leaders:
        return False
    parts = segments(line)
    return len(parts) > 1 and not (len(parts) == 2 and BULLET.fullmatch(parts[0].text))


def large_height(words: Iterable[Word]) -> float:
    """The letters' height from which on a line stands out: well above most text, and seldom.

    Where small print is most of the text, what is larger is text as well.
    """
    counts: dict[float, int] = {}
    for word in words:
        size = round(word.height * 2) / 2
        counts[size] = counts.get(size, 0) + len(word.text)
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
