"""From raw grids to typed tables. Nothing is dropped in silence: each decision leaves a note, each lost cell a line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from core.ingest.notes import Note, note
from core.ingest.tables.body import Body, lay_out
from core.ingest.tables.cells import WIDEST
from core.ingest.tables.columns import Typed, as_text, type_columns
from core.ingest.tables.frames import Lines, Region
from core.ingest.tables.headers import Header, keys_for, read_header
from core.ingest.tables.regions import find_regions
from core.ingest.tables.totals import find_totals
from core.language import detect_language
from core.types import Block, Column, Grid, Language, Loaded, Locator, Rejected, Table

_REPORTED = 200  # bad cells listed one by one for a table; the count says the rest
_SHARED = frozenset(["comma_decimal", "dot_decimal", "day_first", "month_first", "months", "leading_zeros"])
_PROSE = 20_000  # characters of prose that decide a document's language


def build_tables(loaded: Loaded, document: str) -> tuple[Table, ...]:
    """Type every grid of a document, in reading order.

    Args:
        loaded: what a reader made of the bytes.
        document: SHA-256 of the bytes.
    Returns: tables whose locator is that of their grid; ids differ even where several stand in one grid.
    """
    language = _language(loaded)
    tables: list[Table] = []
    for item in loaded.items:
        if isinstance(item, Grid):
            for grid in _single(item):
                table = _table(grid, document, language, len(tables))
                if table is not None:
                    tables.append(table)
    return tuple(tables)


def _language(loaded: Loaded) -> Language:
    """The document's language: its prose first, then what its tables say in headers and texts."""
    prose = "\n".join(item.text for item in loaded.items if isinstance(item, Block))[:_PROSE]
    language = detect_language(prose)
    if language != "und":
        return language
    cells: list[str] = [loaded.title]
    for item in loaded.items:
        if isinstance(item, Grid):
            cells.append(item.caption)
            cells += [cell for row in item.rows[:20] for cell in row if isinstance(cell, str)]
    return detect_language(" . ".join(cells)[:_PROSE])


def _single(grid: Grid) -> Iterator[Grid]:
    """Grids of one table each. A reader that knows the header has cut already."""
    if grid.header_rows is not None:
        yield grid
        return
    captions: list[str] = []
    regions: list[Region] = []
    for part in find_regions(grid.rows, grid.merges):
        if isinstance(part, Region):
            regions.append(part)
        elif isinstance(part, Lines):
            captions += part.texts
    caption = " · ".join(dict.fromkeys(text for text in (grid.caption, *captions) if text))
    for region in regions:
        units = grid.units[region.column : region.column + len(region.rows[0])]
        yield replace(
            grid,
            rows=region.rows,
            caption=caption,
            merges=region.merges,
            header_rows=region.header_rows,
            units=units,
        )


@dataclass(frozen=True, slots=True)
class _Context:
    """What the steps of one table share."""

    body: Body
    headers: tuple[Header, ...]
    locator: Locator
    language: Language

    def where(self, row: int) -> int:
        """The source row of a body row, as people count."""
        return (self.locator.row or 1) + self.body.sources[row]


def _table(grid: Grid, document: str, language: Language, ordinal: int) -> Table | None:
    """Lay out, type, mark totals. None for a grid without a column, or with more than a table may have."""
    if len(grid.rows[0]) > WIDEST:
        return None
    body = lay_out(grid, language)
    if not body.names:
        return None
    units = (
        body.units or (grid.units if len(grid.units) == len(body.names) else ()) or ("",) * len(body.names)
    )
    headers = tuple(read_header(name, unit) for name, unit in zip(body.names, units, strict=True))
    typed = type_columns(body.columns, headers, language=language, decimal=grid.decimal)
    context = _Context(body, headers, grid.locator, language)
    columns = tuple(
        Column(header.name, key, column.type, column.unit or header.unit)
        for header, key, column in zip(headers, keys_for(body.names), typed, strict=True)
    )
    values = [column.values for column in typed]
    totals = find_totals(values, [column.type in ("integer", "real") for column in typed], body.columns)
    notes = [*body.notes, *(n for column in typed for n in column.notes), *_total_notes(context, totals)]
    return Table(
        id=_id(document, grid.locator, columns, ordinal),
        document=document,
        locator=grid.locator,
        caption=" · ".join(text for text in (grid.caption, *body.captions) if text),
        headings=grid.headings,
        columns=columns,
        rows=tuple(zip(*values, strict=True)),
        totals=totals,
        rejected=tuple(_bad_cells(context, typed)),
        assumptions=tuple(dict.fromkeys(n.say(language) for n in _gathered(notes))),
    )


def _id(document: str, locator: Locator, columns: Sequence[Column], ordinal: int) -> str:
    """128 bits of SHA-256 over document, place and columns; the ordinal tells tables of one grid apart."""
    parts = [document, str(ordinal), str(locator), str(locator.ordinal)]
    parts += [f"{column.name}\x1f{column.key}\x1f{column.type}" for column in columns]
    return sha256("\x1e".join(parts).encode()).hexdigest()[:32]


def _gathered(notes: Sequence[Note]) -> list[Note]:
    """Notes that say the same about several columns become one."""
    first: dict[str, Note] = {}
    gathered: list[Note] = []
    for told in notes:
        facts = dict(told.facts)
        if told.key not in _SHARED:
            gathered.append(told)
        elif told.key in first:
            known = dict(first[told.key].facts)
            merged = note(told.key, **{**known, "column": f"{known['column']}”, “{facts['column']}"})
            gathered[gathered.index(first[told.key])] = merged
            first[told.key] = merged
        else:
            first[told.key] = told
            gathered.append(told)
    return gathered


def _total_notes(context: _Context, totals: frozenset[int]) -> list[Note]:
    if not totals:
        return []
    labels = []
    for row in sorted(totals):
        cells = (as_text(column[row]) for column in context.body.columns)
        labels.append(next((text for text in cells if text), f"#{context.where(row)}"))
    shown = ", ".join(dict.fromkeys(labels[:6])) + (" …" if len(labels) > 6 else "")
    return [note("totals", count=len(totals), labels=shown)]


def _bad_cells(context: _Context, typed: Sequence[Typed]) -> Iterator[Rejected]:
    """Cells that became empty, with place, reason and what stood there."""
    told = 0
    for header, column in zip(context.headers, typed, strict=True):
        kind = "date" if column.type in ("date", "datetime") else "number"
        reason = note("bad_cell", kind=note(kind).say(context.language)).say(context.language)
        for row, text in column.bad:
            told += 1
            if told > _REPORTED:
                return
            where = note("where", row=context.where(row), column=header.name).say(context.language)
            yield Rejected(where, reason, text)
