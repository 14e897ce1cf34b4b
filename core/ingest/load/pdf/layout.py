"""Reading order of a page: tables, columns of prose, lines."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from statistics import median

from core.ingest.load.pdf.aligned import aligned_tables
from core.ingest.load.pdf.lines import Line, group_lines
from core.ingest.load.pdf.ruled import Found, ruled_tables
from core.ingest.load.pdf.words import Page, Word

_BIN = 2.0  # points
_GUTTER = 7.0  # points: the narrowest blank between two columns of prose
_SPACE = 0.42  # of a line's height: no wider than between words
_CROSSING = 0.25  # share of lines that may run across it: titles, wide figures
_DEEPEST = 3  # columns inside columns


@dataclass(frozen=True, slots=True)
class Flow:
    """Lines of one column, top to bottom, in one piece."""

    lines: tuple[Line, ...]


Item = Flow | Found


def read_order(page: Page) -> list[Item]:
    """The flows and tables of a page in the order people read them."""
    ruled, words = ruled_tables(page.words, page.rules)
    placed = [table for table in ruled if _spans_page(table, page)]
    inside = [table for table in ruled if table not in placed]
    items: list[Item] = []
    top = 0.0
    for table in sorted(placed, key=_place):
        above = [word for word in words if top <= word.middle < table.top]
        items += _region(above, [t for t in inside if top <= t.top < table.top], 0)
        items.append(table)
        top = max(top, table.top)
    rest = [word for word in words if word.middle >= top]
    items += _region(rest, [t for t in inside if t.top >= top], 0)
    return items


def _spans_page(table: Found, page: Page) -> bool:
    """Whether nothing stands beside a table, so that it parts the page."""
    beside = [
        w
        for w in page.words
        if table.top < w.middle < table.bottom and (w.x1 <= table.x0 or w.x0 >= table.x1)
    ]
    return len(beside) <= 2


def _place(table: Found) -> tuple[float, float]:
    return table.top, table.x0


def _region(words: Sequence[Word], tables: Sequence[Found], depth: int) -> list[Item]:
    """One region of the page: columns of prose one after the other, or lines and tables from top to bottom."""
    items: list[Item] = []
    if not words:
        ordered: list[Found] = sorted(tables, key=_place)
        items.extend(ordered)
        return items
    lines = group_lines(words)
    gutter = _gutter(lines) if depth < _DEEPEST else None
    if gutter is None:
        return _merged(list(_stacked(lines)), tables)
    left: list[Word] = []
    right: list[Word] = []
    waiting = sorted(tables, key=_place)

    def close(bottom: float) -> None:
        here = [t for t in waiting if t.top < bottom]
        waiting[:] = [t for t in waiting if t.top >= bottom]
        items.extend(_region(left, [t for t in here if t.x0 < gutter], depth + 1))
        items.extend(_region(right, [t for t in here if t.x0 >= gutter], depth + 1))
        left.clear()
        right.clear()

    across: list[Line] = []
    for line in lines:
        if any(word.x0 < gutter - _BIN and word.x1 > gutter + _BIN for word in line.words) or _bridges(
            line, gutter
        ):
            if left or right:
                close(line.top)
            across.append(line)
            continue
        if across:
            items += _stacked(across)
            across = []
        left += [word for word in line.words if word.x1 <= gutter + _BIN]
        right += [word for word in line.words if word.x1 > gutter + _BIN]
    if across:
        items += _stacked(across)
    close(float("inf"))
    return items


def _bridges(line: Line, gutter: float) -> bool:
    """Whether words stand so close around the gutter that the line runs through it."""
    before = max((word.x1 for word in line.words if word.x1 <= gutter + _BIN), default=None)
    after = min((word.x0 for word in line.words if word.x1 > gutter + _BIN), default=None)
    return before is not None and after is not None and after - before < _SPACE * line.height


def _stacked(lines: Sequence[Line]) -> Iterator[Item]:
    flow: list[Line] = []
    for piece in aligned_tables(lines):
        if isinstance(piece, Line):
            flow.append(piece)
            continue
        if flow:
            yield Flow(tuple(flow))
            flow = []
        yield piece
    if flow:
        yield Flow(tuple(flow))


def _merged(items: list[Item], tables: Sequence[Found]) -> list[Item]:
    """Put tables found elsewhere between the lines above and below them."""
    for table in sorted(tables, key=_place):
        split: list[Item] = []
        placed = False
        for item in items:
            if placed or not isinstance(item, Flow):
                if not placed and isinstance(item, Found) and item.top > table.top:
                    split.append(table)
                    placed = True
                split.append(item)
                continue
            above = tuple(line for line in item.lines if line.top < table.top)
            below = item.lines[len(above) :]
            if above:
                split.append(Flow(above))
            if below:
                split += [table, Flow(below)]
                placed = True
        items = split if placed else [*split, table]
    return items


def _gutter(lines: Sequence[Line]) -> float | None:
    """The x of a blank strip with running text on both sides; None where there is none.

    In one column of prose every x is covered by words in most lines; between two columns hardly any is.
    """
    if len(lines) < 8:
        return None
    x0, x1 = min(line.x0 for line in lines), max(line.x1 for line in lines)
    bins = int((x1 - x0) / _BIN) + 1
    change = [0] * (bins + 2)  # of the number of words that cover a bin, from the bin before
    for line in lines:
        for word in line.words:
            first, last = int((word.x0 - x0) / _BIN), min(int((word.x1 - x0) / _BIN) + 1, bins)
            if first < last:
                change[first] += 1
                change[last] -= 1
    covered = list(accumulate(change))
    strip = _widest_blank(covered, int(0.2 * bins), int(0.8 * bins), _CROSSING * len(lines))
    height = median(line.height for line in lines)
    if strip is None or (strip[1] - strip[0]) * _BIN < max(_GUTTER, 0.4 * height):
        return None
    gutter = x0 + (strip[0] + strip[1]) / 2 * _BIN
    left = [[word for word in line.words if word.x1 <= gutter + _BIN] for line in lines]
    right = [[word for word in line.words if word.x0 >= gutter - _BIN] for line in lines]
    return gutter if _is_prose(left, gutter - x0) and _is_prose(right, x1 - gutter) else None


def _widest_blank(covered: Sequence[int], first: int, last: int, allowed: float) -> tuple[int, int] | None:
    """The longest run of bins that few lines cover."""
    best: tuple[int, int] | None = None
    start: int | None = None
    for at in range(first, last + 2):
        blank = at <= last and covered[at] <= allowed
        if blank and start is None:
            start = at
        elif not blank and start is not None:
            if best is None or at - start > best[1] - best[0]:
                best = (start, at)
            start = None
    return best


def _is_prose(parts: Sequence[Sequence[Word]], width: float) -> bool:
    """Long pieces of several words that fill their column, hardly any of them figures."""
    parts = [part for part in parts if part]
    if len(parts) < 4:
        return False
    words = sum(map(len, parts)) / len(parts)
    fill = sum(part[-1].x1 - part[0].x0 for part in parts) / (len(parts) * width)
    gaps = sum(b.x0 - a.x1 > 1.5 * b.height for part in parts for a, b in pairwise(part)) / len(parts)
    return words >= 3.5 and fill >= 0.5 and gaps < 0.4
