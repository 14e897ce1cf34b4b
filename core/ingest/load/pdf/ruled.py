"""Tables drawn with lines: cells between ruled lines."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.ingest.load.pdf.lines import group_lines, has_gap
from core.ingest.load.pdf.words import Rule, Word
from core.ingest.tables.heads import Merge

_NEAR = 3.0  # points within which lines meet
_MOST_RULES = 800  # on one page, after pieces are put together


@dataclass(frozen=True, slots=True)
class Found:
    """A table and where it stands on its page."""

    rows: tuple[tuple[str | None, ...], ...]
    merges: tuple[Merge, ...]
    top: float
    bottom: float
    x0: float
    x1: float
    ruled: bool


def ruled_tables(words: Sequence[Word], rules: Sequence[Rule]) -> tuple[list[Found], list[Word]]:
    """Tables drawn with lines, and the words outside them."""
    left = list(words)
    found: list[Found] = []
    for group in _groups(rules):
        xs, ys = _edges(group)
        if len(xs) < 3 or len(ys) < 3:
            continue  # a frame or an underline
        inside = [w for w in left if xs[0] <= (w.x0 + w.x1) / 2 <= xs[-1] and ys[0] <= w.middle <= ys[-1]]
        table = _ruled(inside, group, xs, ys)
        if table is not None:
            found.append(table)
            taken = set(map(id, inside))
            left = [word for word in left if id(word) not in taken]
    return found, left


def _groups(rules: Sequence[Rule]) -> list[list[Rule]]:
    """Rules that touch each other, directly or through others."""
    rules = _whole([rule for rule in rules if max(rule.x1 - rule.x0, rule.y1 - rule.y0) > 6])
    if len(rules) > _MOST_RULES:
        return []  # a drawing
    groups: list[tuple[list[Rule], list[float]]] = []
    for rule in sorted(rules, key=lambda r: (r.y0, r.x0, r.y1, r.x1)):
        joined: list[Rule] = [rule]
        box = [rule.x0, rule.y0, rule.x1, rule.y1]
        apart: list[tuple[list[Rule], list[float]]] = []
        for members, bounds in groups:
            if _touch(rule, bounds) and any(_touch(rule, member) for member in members):
                joined += members
                box = [
                    min(box[0], bounds[0]),
                    min(box[1], bounds[1]),
                    max(box[2], bounds[2]),
                    max(box[3], bounds[3]),
                ]
            else:
                apart.append((members, bounds))
        groups = [*apart, (joined, box)]
    return [members for members, _ in groups if len(members) >= 4]


def _whole(rules: Sequence[Rule]) -> list[Rule]:
    """Rules drawn in pieces, cell by cell, put together."""
    whole: list[Rule] = []
    for rule in sorted((r for r in rules if r.horizontal), key=lambda r: (round(r.y0), r.x0, r.x1)):
        last = whole[-1] if whole else None
        if last is not None and abs(last.y0 - rule.y0) <= 1.5 and rule.x0 <= last.x1 + _NEAR:
            whole[-1] = Rule(last.x0, min(last.y0, rule.y0), max(last.x1, rule.x1), max(last.y1, rule.y1))
        else:
            whole.append(rule)
    level = len(whole)
    for rule in sorted((r for r in rules if not r.horizontal), key=lambda r: (round(r.x0), r.y0, r.y1)):
        last = whole[-1] if len(whole) > level else None
        if last is not None and abs(last.x0 - rule.x0) <= 1.5 and rule.y0 <= last.y1 + _NEAR:
            whole[-1] = Rule(min(last.x0, rule.x0), last.y0, max(last.x1, rule.x1), max(last.y1, rule.y1))
        else:
            whole.append(rule)
    return whole


def _touch(rule: Sequence[float], other: Sequence[float]) -> bool:
    return (
        rule[0] <= other[2] + _NEAR
        and other[0] <= rule[2] + _NEAR
        and rule[1] <= other[3] + _NEAR
        and other[1] <= rule[3] + _NEAR
    )


def _edges(group: Sequence[Rule]) -> tuple[list[float], list[float]]:
    """The distinct x of upright and y of level rules."""
    xs = [(rule.x0 + rule.x1) / 2 for rule in group if not rule.horizontal]
    ys = [(rule.y0 + rule.y1) / 2 for rule in group if rule.horizontal]
    if xs and ys:
        level = [rule for rule in group if rule.horizontal]
        upright = [rule for rule in group if not rule.horizontal]
        xs += [min(rule.x0 for rule in level), max(rule.x1 for rule in level)]
        ys += [min(rule.y0 for rule in upright), max(rule.y1 for rule in upright)]
    return _distinct(xs), _distinct(ys)


def _distinct(values: Sequence[float]) -> list[float]:
    kept: list[float] = []
    for value in sorted(values):
        if not kept or value - kept[-1] > _NEAR:
            kept.append(value)
    return kept


def _ruled(
    words: Sequence[Word], group: Sequence[Rule], xs: Sequence[float], ys: Sequence[float]
) -> Found | None:
    """Words by cell; cells without a line between them are merged."""
    width, height = len(xs) - 1, len(ys) - 1
    upright = [rule for rule in group if not rule.horizontal]
    level = [rule for rule in group if rule.horizontal]
    wall = [[_crossed(upright, xs[c + 1], ys[r], ys[r + 1]) for c in range(width)] for r in range(height)]
    floor = [[_floored(level, ys[r + 1], xs[c], xs[c + 1]) for c in range(width)] for r in range(height)]
    owner: dict[tuple[int, int], tuple[int, int]] = {}
    merges: list[Merge] = []
    for row in range(height):
        for column in range(width):
            if (row, column) in owner:
                continue
            right = column
            while right + 1 < width and not wall[row][right] and (row, right + 1) not in owner:
                right += 1
            bottom = row
            while bottom + 1 < height and not any(floor[bottom][c] for c in range(column, right + 1)):
                if any((bottom + 1, c) in owner for c in range(column, right + 1)):
                    break
                bottom += 1
            owner.update(
                {(r, c): (row, column) for r in range(row, bottom + 1) for c in range(column, right + 1)}
            )
            if (bottom, right) != (row, column):
                merges.append((row, column, bottom, right))
    cells: dict[tuple[int, int], list[Word]] = {}
    for word in words:
        row, column = _slot(ys, word.middle), _slot(xs, (word.x0 + word.x1) / 2)
        cells.setdefault(owner[row, column], []).append(word)
    if len(cells) < 3 or any(_is_frame(inside) for inside in cells.values()):
        return None
    rows = tuple(
        tuple(_text(cells.get((row, column), [])) for column in range(width)) for row in range(height)
    )
    return Found(rows, tuple(merges), ys[0], ys[-1], xs[0], xs[-1], ruled=True)


def _is_frame(words: Sequence[Word]) -> bool:
    """Whether a cell holds a layout of its own: the lines are frames around parts of a page, not a table's."""
    return len(words) > 8 and sum(has_gap(line) for line in group_lines(words)) >= 3


def _crossed(rules: Sequence[Rule], x: float, top: float, bottom: float) -> bool:
    middle = (top + bottom) / 2
    return any(abs((r.x0 + r.x1) / 2 - x) <= _NEAR and r.y0 - 1 <= middle <= r.y1 + 1 for r in rules)


def _floored(rules: Sequence[Rule], y: float, left: float, right: float) -> bool:
    middle = (left + right) / 2
    return any(abs((r.y0 + r.y1) / 2 - y) <= _NEAR and r.x0 - 1 <= middle <= r.x1 + 1 for r in rules)


def _slot(edges: Sequence[float], value: float) -> int:
    return min(max(sum(edge <= value for edge in edges) - 1, 0), len(edges) - 2)


def _text(words: Sequence[Word]) -> str | None:
    """The lines of one cell joined; a word cut at a line's end is whole again."""
    text = " ".join(line.text for line in group_lines(words))
    return text.replace("\u00ad ", "").replace("\u00ad", "-") or None
