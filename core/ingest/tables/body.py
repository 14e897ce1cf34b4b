"""The rows of one table made regular: names from the header, merged cells filled, repeated headers and blanks out."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.ingest.notes import Note, note
from core.ingest.tables.cells import Row, column_kinds, filled, kind_of, same_cells
from core.ingest.tables.columns import as_text
from core.ingest.tables.heads import Merge, has_unit_row, header_names
from core.ingest.tables.totals import is_total_label
from core.types import Grid, Language, RawCell

_SAMPLE = 500


@dataclass(frozen=True, slots=True)
class Body:
    """One table as columns of raw cells."""

    names: tuple[str, ...]
    units: tuple[str, ...]  # from a unit row; empty if there is none
    columns: tuple[Sequence[RawCell], ...]
    sources: Sequence[int]  # for each row its index in the grid
    captions: tuple[str, ...] = ()  # texts of the grid that are no row
    notes: tuple[Note, ...] = ()


@dataclass(slots=True)
class _Draft:
    """A body while it is made regular."""

    rows: list[list[RawCell] | tuple[RawCell, ...]]
    sources: list[int]
    notes: list[Note]
    captions: list[str]


def lay_out(grid: Grid, language: Language) -> Body:
    """Split a grid of one table into names and columns."""
    depth = grid.header_rows or 0
    header = [tuple(row) for row in grid.rows[:depth]]
    unit_row = has_unit_row(grid.rows, depth)
    start = depth + (1 if unit_row else 0)
    draft = _Draft(list(grid.rows[start:]), list(range(start, len(grid.rows))), [], [])
    _fill_merges(draft, grid.merges, start)
    _drop_blank(draft)
    _drop_repeated_header(draft, header)
    _lift_notes(draft)
    names = header_names(header, grid.merges, language) if header else ()
    width = len(grid.rows[0]) if grid.rows else 0
    keep = [c for c in range(width) if (names and names[c]) or any(row[c] is not None for row in draft.rows)]
    units = tuple(as_text(grid.rows[depth][c]) or "" for c in keep) if unit_row else ()
    named = _names([names[c] if names else "" for c in keep], draft, depth)
    columns = _columns(draft, keep, width)
    group = _group_rows(draft, columns, keep, language)
    if group is not None:
        name, columns = group
        named, units = (name, *named), (("", *units) if units else ())
    elif depth:
        columns = _fill_down(draft, columns, named)
    return Body(
        named, tuple(unit.strip("()[] ") for unit in units), columns, draft.sources, tuple(draft.captions), tuple(draft.notes)
    )  # fmt: skip


def _columns(draft: _Draft, keep: Sequence[int], width: int) -> tuple[Sequence[RawCell], ...]:
    if not draft.rows:
        return tuple([] for _ in keep)
    if len(keep) == width:
        return tuple(zip(*draft.rows, strict=True))
    return tuple([row[c] for row in draft.rows] for c in keep)


def _fill_merges(draft: _Draft, merges: Sequence[Merge], start: int) -> None:
    """A merged cell's value holds for all its rows and columns; one merged over the whole row names a group."""
    told = False
    for top, left, bottom, right in merges:
        first = max(top, start)
        if bottom < first or top - start >= len(draft.rows):
            continue
        value = draft.rows[top - start][left] if top >= start else None
        if value is None or (right - left + 1 >= len(draft.rows[0]) > 1 and top == bottom):
            continue
        for at in range(first - start, min(bottom - start, len(draft.rows) - 1) + 1):
            row = list(draft.rows[at])
            row[left : right + 1] = [value] * (right - left + 1)
            draft.rows[at] = row
        told = True
    if told:
        draft.notes.append(note("filled_merges"))


def _drop_blank(draft: _Draft) -> None:
    kept = [at for at, row in enumerate(draft.rows) if filled(row)]
    if len(kept) < len(draft.rows):
        _keep(draft, kept)


def _drop_repeated_header(draft: _Draft, header: Sequence[Row]) -> None:
    """Headers printed again on every page or after every group."""
    if not header:
        return
    firsts = {str(cell).casefold() for row in header for cell in row[:1] if cell is not None}
    repeats = [
        at
        for at, row in enumerate(draft.rows)
        if isinstance(row[0], str)
        and row[0].casefold() in firsts
        and any(same_cells(row, names) for names in header)
    ]
    if repeats:
        gone = set(repeats)
        _keep(draft, [at for at in range(len(draft.rows)) if at not in gone])
        draft.notes.append(note("repeated_header", count=len(repeats)))


def _lift_notes(draft: _Draft) -> None:
    """A note under a table inside prose: one long text in the last row."""
    while len(draft.rows) > 1:
        cells = {str(cell) for cell in draft.rows[-1] if cell is not None}
        text = next(iter(cells))
        if len(draft.rows[-1]) < 2 or len(cells) > 1 or len(text) <= 50 or " " not in text:
            return
        draft.captions.insert(0, text)
        _keep(draft, list(range(len(draft.rows) - 1)))


def _keep(draft: _Draft, kept: Sequence[int]) -> None:
    draft.rows = [draft.rows[at] for at in kept]
    draft.sources = [draft.sources[at] for at in kept]


def _names(names: Sequence[str], draft: _Draft, depth: int) -> tuple[str, ...]:
    """A name for every column; what was assumed is noted."""
    full = tuple(name or f"column_{position}" for position, name in enumerate(names, start=1))
    if depth == 0:
        draft.notes.append(note("no_header"))
    elif unnamed := [name for name, given in zip(full, names, strict=True) if not given]:
        draft.notes.append(note("unnamed", names=", ".join(unnamed)))
    if depth > 1:
        example = max(full, key=lambda name: len(name.split()))
        draft.notes.append(note("joined_header", count=depth, example=example))
    if not draft.rows:
        draft.notes.append(note("no_rows"))
    return full


def _group_rows(
    draft: _Draft, columns: tuple[Sequence[RawCell], ...], keep: Sequence[int], language: Language
) -> tuple[str, tuple[Sequence[RawCell], ...]] | None:
    """Rows that hold only a group's name ("REGIÃO NORTE") become a column of their own.

    Asked for: three columns or more with figures, the name in the first one, rows with figures under each name.
    """
    height = len(draft.rows)
    if len(keep) < 3 or height < 3:
        return None
    kinds = column_kinds(draft.rows[:_SAMPLE], len(draft.rows[0]))
    figures = [c for c in keep if kinds[c] == "n"]
    lone = [at for at, row in enumerate(draft.rows) if _is_group(row, keep[0])]
    names = frozenset(lone)
    followed = [
        at for at in lone if at + 1 < height and any(draft.rows[at + 1][c] is not None for c in figures)
    ]
    if (
        not figures
        or lone != followed
        or not lone
        or (len(lone) < 2 and lone[0] != 0)
        or 2 * len(lone) > height
    ):
        return None
    group: RawCell = None
    groups: list[RawCell] = []
    for at, row in enumerate(draft.rows):
        group = row[keep[0]] if at in names else group
        total = any(isinstance(cell, str) and is_total_label(cell) for cell in row)
        groups.append(None if total else group)
    kept = [at for at in range(height) if at not in names]
    _keep(draft, kept)
    name = note("group").say(language)
    draft.notes.append(note("group_rows", column=name))
    return name, ([groups[at] for at in kept], *([column[at] for at in kept] for column in columns))


def _is_group(row: Row, first: int) -> bool:
    cell = row[first]
    return filled(row) == 1 and isinstance(cell, str) and kind_of(cell) == "t" and not is_total_label(cell)


def _fill_down(
    draft: _Draft, columns: tuple[Sequence[RawCell], ...], names: Sequence[str]
) -> tuple[Sequence[RawCell], ...]:
    """A first column that names a group once and leaves the rows below blank, as pivot tables are exported."""
    if len(columns) < 2 or not draft.rows or not _is_outline(columns):
        return columns
    above: RawCell = None
    full: list[RawCell] = []
    for at, cell in enumerate(columns[0]):
        above = cell if cell is not None else above
        labelled = any(isinstance(c[at], str) and is_total_label(str(c[at])) for c in columns[1:])
        full.append(cell if labelled else above)
    draft.notes.append(note("filled_down", column=names[0]))
    return (full, *columns[1:])


def _is_outline(columns: tuple[Sequence[RawCell], ...]) -> bool:
    first = columns[0]
    given = [cell for cell in first if cell is not None]
    blanks = [at for at, cell in enumerate(first) if cell is None]
    if first[0] is None or len(given) < 2 or 5 * len(blanks) < 2 * len(first):
        return False
    if any(kind_of(cell) != "t" for cell in given) or len(set(map(str, given))) < len(given):
        return False
    return all(2 * sum(column[at] is not None for column in columns[1:]) >= len(columns) - 1 for at in blanks)
