"""Passages: whole sentences, list items and table rows under one heading, with the heading trail beside them.

A passage never cuts a sentence or a table row and never crosses a heading: a heading says what the next lines are
about, and a passage under two of them is about neither. Only a single sentence longer than a passage may be is
divided, at a clause or a word.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from core.ingest.packing import Span, pack_blocks, pack_lines, quoted
from core.ingest.tabletext import SHEET_MEDIA, grid_lines, is_profiled, profile, row_lines
from core.language import detect_language
from core.normalize import fold
from core.types import Block, Chunk, Grid, Language, Loaded, Locator, Table

NOWHERE = Locator()
SAMPLE = 20_000  # characters that tell a document's language


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks, or the lines of a table, under one heading trail."""

    trail: tuple[str, ...]
    blocks: tuple[Block, ...] = ()
    lines: tuple[str, ...] = ()
    caption: str = ""
    locator: Locator = NOWHERE


@dataclass(frozen=True, slots=True)
class Piece:
    """The text of one passage and where it stands."""

    text: str
    locator: Locator
    kind: str  # "prose", "table" or "code"


def build_chunks(
    loaded: Loaded, tables: tuple[Table, ...], document: str, *, characters: int
) -> tuple[Chunk, ...]:
    """Cut a document into passages, in reading order.

    Args:
        loaded: what a reader made of the bytes.
        tables: the typed tables that were lifted out of the same document.
        document: SHA-256 of the bytes.
        characters: the length a passage aims at; one that would leave a scrap behind may grow, to 1,500 at most.
    Returns: passages; `locator.ordinal` numbers them from 0, so that neighbours differ by 1.
    """
    blocks = [item for item in loaded.items if isinstance(item, Block) and item.text.strip()]
    title = loaded.title or next((block.text for block in blocks if block.kind == "title"), "")
    main = detect_language("\n".join(block.text for block in blocks)[:SAMPLE])
    chunks: list[Chunk] = []
    for section in _sections(loaded, tables, title, main):
        for piece in _pieces(section, characters):
            chunks.append(_chunk(piece, section, len(chunks), document, title, loaded.date, main))
    return tuple(chunks)


def _chunk(
    piece: Piece, section: Section, number: int, document: str, title: str, date: str, main: Language
) -> Chunk:
    """A passage with its identity. One in no clear language is taken to be in its document's."""
    spoken = detect_language(piece.text)
    named = piece.locator.section or (section.trail[-1] if section.trail else "")
    place = replace(piece.locator, ordinal=number, section=named)
    return Chunk(
        id=chunk_id(document, place, piece.text),
        document=document,
        locator=place,
        text=piece.text,
        title=title,
        headings=section.trail,
        language=main if spoken == "und" else spoken,
        kind="table" if piece.kind == "table" else "code" if piece.kind == "code" else "prose",
        date=date,
    )


def chunk_id(document: str, locator: Locator, text: str) -> str:
    """128 bits of SHA-256 over document, place and text, hex: the same bytes give the same ids everywhere."""
    place = (locator.page, locator.section, locator.sheet, locator.row, locator.part, locator.ordinal)
    return sha256("\x1f".join([document, *map(str, place), text]).encode()).hexdigest()[:32]


# --- sections --------------------------------------------------------------------------------------


def _sections(loaded: Loaded, tables: tuple[Table, ...], title: str, language: Language) -> Iterator[Section]:
    """Runs of blocks under one heading, and tables as sections of their own."""
    items = [item for item in loaded.items if isinstance(item, Grid) or item.text.strip()]
    bare = _bare_headings(items)
    left = list(tables)
    trail: list[Block] = []
    run: list[Block] = []
    for index, item in enumerate(items):
        is_title = isinstance(item, Block) and fold(item.text) == fold(title)
        if isinstance(item, Block) and item.kind == "title" and is_title and len(items) > 1:
            continue
        kept = [above for above in trail if _depth(above) < _depth(item)] if _is_heading(item) else trail
        goes_on = (
            run and not isinstance(item, Grid) and _same_run(run[-1], item, kept == trail, index in bare)
        )
        if run and not goes_on:
            yield Section(_names(trail, title), tuple(run))
            run = []
        if isinstance(item, Grid):
            mine = [table for table in left if table.locator == item.locator]
            left = [table for table in left if table.locator != item.locator]
            yield from _table_sections(item, mine, loaded.media, _names(trail, title), title, language)
        elif _is_heading(item) and index not in bare:
            trail = [*kept, item]
        elif not (_is_heading(item) and is_title and len(items) > 1):
            trail = kept
            run.append(item)
    if run:
        yield Section(_names(trail, title), tuple(run))
    yield from _table_sections(None, left, loaded.media, _names(trail, title), title, language)


def _is_heading(item: Block | Grid) -> bool:
    return isinstance(item, Block) and item.kind == "heading"


def _depth(item: Block | Grid) -> int:
    return max(item.level, 1) if isinstance(item, Block) else 0


def _bare_headings(items: Sequence[Block | Grid]) -> frozenset[int]:
    """Indices of headings with nothing under them; no trail will carry those, so they are kept as text."""
    return frozenset(
        index
        for index, item in enumerate(items)
        if _is_heading(item)
        and (
            index + 1 == len(items)
            or (_is_heading(items[index + 1]) and _depth(items[index + 1]) <= _depth(item))
        )
    )


def _same_run(before: Block, after: Block, same_trail: bool, after_is_bare: bool) -> bool:
    """Bare headings gather among themselves; footnotes, comments, notes and sheets do not mix with the body."""
    if _is_heading(after) or _is_heading(before):
        return after_is_bare and _is_heading(before) and same_trail
    one, two = before.locator, after.locator
    return (one.part, one.sheet) == (two.part, two.sheet)


def _names(trail: Sequence[Block], title: str) -> tuple[str, ...]:
    """The headings in force; a document's own title is kept apart."""
    names = (" ".join(block.text.split()) for block in trail)
    return tuple(name for name in names if fold(name) != fold(title))


def _table_sections(
    grid: Grid | None,
    tables: Sequence[Table],
    media: str,
    trail: tuple[str, ...],
    title: str,
    language: Language,
) -> Iterator[Section]:
    """The tables made of one grid; a grid that gave none is kept as plain rows, so that nothing is lost."""
    if grid is not None and not tables:
        yield Section(trail, lines=grid_lines(grid), caption=grid.caption, locator=grid.locator)
    for table in tables:
        above = tuple(heading for heading in table.headings if fold(heading) != fold(title)) or trail
        if is_profiled(table, _media_of(table.locator, media)):
            yield Section(above, lines=(profile(table, language),), locator=table.locator)
        else:
            lines = row_lines(table, grid, _tongue(table, language))
            yield Section(above, lines=lines, caption=table.caption, locator=table.locator)


def _media_of(place: Locator, media: str) -> str:
    """What a table was read from: inside an archive or a mail, the member's own kind."""
    endings = (step.rsplit(".", 1)[-1].lower() for step in place.part.split(" · ") if "." in step)
    return next((ending for ending in endings if ending in SHEET_MEDIA), media)


def _tongue(table: Table, language: Language) -> Language:
    """The document's language; a sheet without prose speaks through its column names."""
    names = " ".join([table.caption, *(column.name for column in table.columns)])
    return detect_language(names) if language == "und" else language


# --- passages --------------------------------------------------------------------------------------


def _pieces(section: Section, characters: int) -> Iterator[Piece]:
    if section.lines:
        for text in pack_lines(section.lines, section.caption, characters):
            yield Piece(text, section.locator, "table")
    for spans in pack_blocks(section.blocks, characters):
        yield Piece(quoted(spans), spans[0].block.locator, _kind(spans))


def _kind(spans: Sequence[Span]) -> str:
    return "code" if all(span.block.kind == "code" for span in spans) else "prose"
