"""Tables without lines: words that are aligned in columns."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from core.ingest.load.pdf.lines import BULLET, Line, has_gap, segments
from core.ingest.load.pdf.ruled import Found
from core.ingest.load.pdf.words import Word
from core.ingest.tables.cells import kind_of
from core.ingest.tables.frames import is_form, values_differ
from core.ingest.tables.heads import Merge, header_depth

_NEAR = 3.0  # points that the beginnings of a column's cells may differ
_NARROW_RIVER = 0.4  # of a line's height: blank between columns where many rows agree
_WIDE_RIVER = 0.85
_ROW_GAP = 2.6  # line heights: a larger gap ends a table


def aligned_tables(lines: Sequence[Line]) -> Iterator[Found | Line]:
    """Lines in order, with runs of lines whose words stand in columns replaced by tables."""
    at = 0
    while at < len(lines):
        end = _run_end(lines, at)
        table = _aligned(lines[at:end]) if end - at >= 2 else None
        if table is not None:
            yield table
            at = end
        else:
            yield from lines[at : max(end, at + 1)]
            at = max(end, at + 1)


def _run_end(lines: Sequence[Line], start: int) -> int:
    """The end of a run of lines with gaps; a line without one may stand between two that have one.

    Such a line must begin where a column does: a title set in the middle ends the run.
    """
    end = start
    starts: list[float] = []
    while end < len(lines):
        line = lines[end]
        if end > start and _parted(lines, end):
            break
        if has_gap(line):
            starts += [part.x0 for part in segments(line)]
            end += 1
            continue
        follows = end + 1 < len(lines) and has_gap(lines[end + 1]) and not _parted(lines, end + 1)
        run = lines[start : end + 1]
        width = max(other.x1 for other in run) - min(other.x0 for other in run)
        at_column = any(abs(line.x0 - x0) <= _NEAR for x0 in starts)
        if end == start or not follows or not at_column or line.x1 - line.x0 > 0.6 * width:
            break
        end += 1
    return end


def _parted(lines: Sequence[Line], at: int) -> bool:
    return lines[at].top - lines[at - 1].bottom > _ROW_GAP * lines[at].height


def _aligned(lines: Sequence[Line]) -> Found | None:
    """A table, if the blank rivers between words give columns and the cells look like cells."""
    columns = _columns(lines)
    if len(columns) < 2:
        return None
    rows, merges = _rows(lines, columns)
    if not _is_table(rows):
        return None
    return Found(
        tuple(tuple(row) for row in rows),
        tuple(merges),
        lines[0].top,
        lines[-1].bottom,
        columns[0][0],
        columns[-1][1],
        ruled=False,
    )


def _columns(lines: Sequence[Line]) -> list[tuple[float, float]]:
    """x ranges of text between rivers that no line crosses; a heading over several columns may cross."""
    counted = lines[1:] if len(lines) >= 4 else lines
    height = sorted(line.height for line in lines)[len(lines) // 2]
    narrowest = (_NARROW_RIVER if len(lines) >= 5 else _WIDE_RIVER) * height
    spans = sorted((word.x0, word.x1) for line in counted for word in line.words)
    columns: list[list[float]] = []
    for x0, x1 in spans:
        if columns and x0 - columns[-1][1] < narrowest:
            columns[-1][1] = max(columns[-1][1], x1)
        else:
            columns.append([x0, x1])
    return [(x0, x1) for x0, x1 in columns]


def _rows(
    lines: Sequence[Line], columns: Sequence[tuple[float, float]]
) -> tuple[list[list[str | None]], list[Merge]]:
    """Cells by column; lines that belong to one row are joined."""
    middles = [(left[1] + right[0]) / 2 for left, right in pairwise(columns)]
    rows: list[list[str | None]] = []
    merges: list[Merge] = []
    for number, line in enumerate(lines):
        cells: list[list[str]] = [[] for _ in columns]
        parts = segments(line)
        if number < 2 and len(parts) == len(columns):  # headers may be wider than what stands below them
            rows.append([part.text for part in parts])
            continue
        for part in parts:
            first, last = (sum(x > middle for middle in middles) for x in (part.x0, part.x1))
            if last > first and number < 2 and not _splits(part.words, middles):
                cells[first].append(part.text)
                merges.append((number, first, number, last))
                continue
            for word in part.words:
                cells[sum((word.x0 + word.x1) / 2 > middle for middle in middles)].append(word.text)
        rows.append(
            [" ".join(texts).replace("\u00ad ", "").replace("\u00ad", "-") or None for texts in cells]
        )
    groups = _groups_of_lines(lines, rows)
    if groups is None:
        groups = _continued(lines, rows)
    if any(len(group) > 1 for group in groups[:2]):
        merges = []
    return [_stacked([rows[at] for at in group]) for group in groups], merges


def _stacked(rows: Sequence[Sequence[str | None]]) -> list[str | None]:
    """The lines of one row, each column joined from top to bottom."""
    return [" ".join(text for text in column if text) or None for column in zip(*rows, strict=True)]


def _groups_of_lines(lines: Sequence[Line], rows: Sequence[Sequence[str | None]]) -> list[list[int]] | None:
    """Lines by row where rows stand clearly further apart than the lines within them; None where they do not.

    A label that is centred beside a text of two lines stands between them: only the gaps tell what belongs together.
    """
    gaps = [below.top - above.bottom for above, below in pairwise(lines)]
    height = sorted(line.height for line in lines)[len(lines) // 2]
    if len(gaps) < 3 or max(gaps) - min(gaps) < 0.3 * height:
        return None
    limit = (max(gaps) + min(gaps)) / 2
    groups: list[list[int]] = [[0]]
    for at, gap in enumerate(gaps, start=1):
        if gap > limit:
            groups.append([at])
        else:
            groups[-1].append(at)
    for group in groups:
        labels = sum(rows[at][0] is not None for at in group)
        figures = [sum(kind_of(rows[at][c]) in ("n", "d") for at in group) for c in range(len(rows[0]))]
        if labels != 1 or max(figures) > 1 or len(group) > 8:
            return None
    return groups if len(groups) < len(lines) else None


def _continued(lines: Sequence[Line], rows: Sequence[Sequence[str | None]]) -> list[list[int]]:
    """Lines by row: one that only goes on with texts of the row above is joined to it."""
    groups: list[list[int]] = []
    for at, row in enumerate(rows):
        above = _stacked([rows[other] for other in groups[-1]]) if groups else None
        if above is not None and _goes_on(rows[:at], above, row, lines[at], lines[at - 1]):
            groups[-1].append(at)
        else:
            groups.append([at])
    return groups


def _splits(words: Sequence[Word], middles: Sequence[float]) -> bool:
    """Whether a river runs between the words, so that they belong to different columns."""
    return any(left.x1 <= middle <= right.x0 for middle in middles for left, right in pairwise(words))


def _goes_on(
    earlier: Sequence[Sequence[str | None]],
    above: Sequence[str | None],
    row: Sequence[str | None],
    line: Line,
    line_above: Line,
) -> bool:
    """Whether a line is the rest of the cells above: close to them, no first cell, no figures."""
    if row[0] is not None or line.top - line_above.bottom > 0.35 * line.height:
        return False
    filled = [(at, text) for at, text in enumerate(row) if text is not None]
    if any(above[at] is None or kind_of(text) in ("n", "d") for at, text in filled):
        return False
    return not any(kind_of(other[at]) == "n" for at, _ in filled for other in earlier if other[at])


def _is_table(rows: Sequence[Sequence[str | None]]) -> bool:
    """Short cells in several rows; not a form, not a list, not prose in columns."""
    width = len(rows[0])
    cells = [cell for row in rows for cell in row if cell]
    if len(rows) < 2 or len(cells) < 0.4 * width * len(rows):
        return False
    words = sum(len(cell.split()) for cell in cells) / len(cells)
    figures = sum(kind_of(cell) in ("n", "d") for cell in cells) / len(cells)
    if words > 7 or (words > 4 and figures < 0.1 and width == 2):
        return False
    if (
        sum(bool(BULLET.match(row[0] + " ")) for row in rows if row[0]) > len(rows) / 2
        and width == 2
        and figures < 0.5
    ):
        return False
    if width > 2:
        return (len(rows) >= 3 or figures >= 0.3) and not _is_paired(rows)
    full = [row for row in rows if row[0] and row[1]]
    if [row[0] for row in full] == [str(at) for at in range(1, len(full) + 1)] and figures <= 0.5:
        return False  # a numbered list
    if len(full) < 3 or is_form(rows) or values_differ(rows):
        return False
    both = [kind_of(row[0]) for row in full]
    return both.count("n") > len(both) / 2 or (
        header_depth([tuple(row) for row in rows]) > 0 and figures >= 0.3
    )


def _is_paired(rows: Sequence[Sequence[str | None]]) -> bool:
    """Two or three forms side by side: label, value, label, value."""
    width = len(rows[0])
    body = rows[1:] if sum(cell is not None for cell in rows[0]) < width - 1 else rows
    if width not in (4, 6) or len(body) < 3:
        return False
    mixed = False
    for column in range(0, width, 2):
        labels = [row[column] for row in body if row[column]]
        kinds = {kind_of(row[column + 1]) for row in body if row[column + 1]}
        if len(set(labels)) < len(labels) or any(kind_of(label) != "t" for label in labels):
            return False
        mixed = mixed or ("t" in kinds and bool(kinds & {"n", "d"}))
    return mixed
