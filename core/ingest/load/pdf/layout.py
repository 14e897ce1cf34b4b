"""Reading order of a page: tables, columns of prose, lines."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.ingest.load.pdf.lines import Line, Segment, group_lines, segments
from core.ingest.load.pdf.tables import Found, aligned_tables, ruled_tables
from core.ingest.load.pdf.words import Page, Word

_BIN = 2.0  # points
_GUTTER = 7.0  # points: the narrowest blank between two columns of prose
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
    if not words:
        return sorted(tables, key=_place)
    lines = group_lines(words)
    gutter = _gutter(lines) if depth < _DEEPEST else None
    if gutter is None:
        return _merged(list(_stacked(lines)), tables)
    items: list[Item] = []
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
    return any(part.x0 < gutter < part.x1 for part in segments(line))


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
    """The x of a blank strip with running text on both sides; None where there is none."""
    if len(lines) < 8:
        return None
    x0, x1 = min(line.x0 for line in lines), max(line.x1 for line in lines)
    bins = int((x1 - x0) / _BIN) + 1
    crossed = [0] * (bins + 1)
    parts = [segments(line) for line in lines]
    for line_parts in parts:
        for part in line_parts:
            for at in range(int((part.x0 - x0) / _BIN), min(int((part.x1 - x0) / _BIN) + 1, bins)):
                crossed[at] += 1
    allowed = _CROSSING * len(lines)
    best: tuple[float, float] | None = None
    start = None
    for at in range(int(0.2 * bins), int(0.8 * bins) + 2):
        blank = at <= int(0.8 * bins) and crossed[at] <= allowed
        if blank and start is None:
            start = at
        elif not blank and start is not None:
            width = (at - start) * _BIN
            if width >= _GUTTER and (best is None or width > best[1]):
                best = (x0 + (start + at) / 2 * _BIN, width)
            start = None
    if best is None:
        return None
    gutter = best[0]
    flat = [part for line_parts in parts for part in line_parts]
    left = [part for part in flat if part.x1 <= gutter]
    right = [part for part in flat if part.x0 >= gutter]
    return gutter if _is_prose(left, gutter - x0) and _is_prose(right, x1 - gutter) else None


def _is_prose(parts: Sequence[Segment], width: float) -> bool:
    """Long pieces of several words that fill their column."""
    if len(parts) < 4:
        return False
    words = sum(len(part.words) for part in parts) / len(parts)
    fill = sum(part.x1 - part.x0 for part in parts) / (len(parts) * width)
    return words >= 3.5 and fill >= 0.5
