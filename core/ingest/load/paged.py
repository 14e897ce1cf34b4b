"""Pages of words laid out as a document: reading order, headings, tables joined over page breaks.

The words come from a text layer or from OCR; the layout is the same.
"""

from collections.abc import Sequence
from dataclasses import replace

from core.ingest.load.pdf.edges import strip_edges
from core.ingest.load.pdf.facts import Facts
from core.ingest.load.pdf.layout import Flow, Item, read_order
from core.ingest.load.pdf.lines import group_lines, large_height
from core.ingest.load.pdf.prose import Piece, joined, pieces
from core.ingest.load.pdf.ruled import Found
from core.ingest.load.pdf.words import Page
from core.ingest.load.reading import Reading
from core.ingest.load.scans import Scan
from core.ingest.load.tabular import add_table
from core.ingest.notes import note
from core.ingest.tables.cells import same_cells
from core.ingest.tables.heads import header_depth
from core.language import detect_language
from core.normalize import fold
from core.types import Block, Language, Loaded, Rejected

_ENDED = frozenset('.!?:;”"»…')
_SAME_EDGE = 6.0  # points that the columns of a continued table may shift


def add_pages(
    media: str,
    pages: Sequence[Page],
    *,
    scans: Sequence[Scan],
    unread: Sequence[int],
    total: int,
    facts: Facts | None = None,
) -> Loaded:
    """Lay out pages of words, wherever the words come from.

    Args:
        scans: the pages that OCR read.
        unread: numbers of pages that show something nobody could read.
    """
    facts = facts or Facts()
    reading = Reading(media)
    stripped, running = strip_edges(pages)
    orders = [(page, read_order(page)) for page in stripped]
    joins = _join_tables(orders)
    _add(reading, orders, facts)
    language = detect_language("\n".join(b.text for b in reading.items if isinstance(b, Block))[:20_000])
    if joins:
        reading.assumptions.append(note("joined_pages", pages=_listed(joins)).say(language))
    _tell(reading, language, running, scans, unread)
    return reading.loaded(title=facts.title, date=facts.date, pages=total)


# --- tables over page breaks -----------------------------------------------------------------------


def _join_tables(orders: list[tuple[Page, list[Item]]]) -> list[int]:
    """A table that ends one page and goes on at the top of the next becomes one table; returns those pages."""
    joins: list[int] = []
    last: tuple[int, Found] | None = None  # index of the page it began on
    for at, (page, items) in enumerate(orders):
        first = items[0] if items else None
        if last is not None and isinstance(first, Found) and _continues(last[1], first):
            owner = orders[last[0]][1]
            whole = _appended(last[1], first)
            owner[-1] = whole
            items.pop(0)
            joins.append(page.number)
            last = (last[0], whole) if not items else None
        else:
            last = None
        if items and isinstance(items[-1], Found):
            last = (at, items[-1])
    return joins


def _continues(table: Found, part: Found) -> bool:
    """Same columns at the same places, and either the header again or no header at all."""
    if len(table.rows[0]) != len(part.rows[0]):
        return False
    placed = abs(table.x0 - part.x0) <= _SAME_EDGE and abs(table.x1 - part.x1) <= _SAME_EDGE
    if same_cells(table.rows[0], part.rows[0]):
        return True
    return (placed or not table.ruled) and ((table.ruled and placed) or header_depth(part.rows) == 0)


def _appended(table: Found, part: Found) -> Found:
    skip = 1 if same_cells(table.rows[0], part.rows[0]) else 0
    lift = len(table.rows) - skip
    moved = tuple((a + lift, b, c + lift, d) for a, b, c, d in part.merges if a >= skip)
    return replace(table, rows=table.rows + part.rows[skip:], merges=table.merges + moved)


# --- blocks ----------------------------------------------------------------------------------------


def _add(reading: Reading, orders: Sequence[tuple[Page, list[Item]]], facts: Facts) -> None:
    """Blocks and grids of all pages in reading order."""
    large = large_height(word for page, _ in orders for word in page.words)
    cut = [
        (
            page,
            [pieces(item.lines, large, facts.outline) if isinstance(item, Flow) else item for item in items],
        )
        for page, items in orders
    ]
    heads = [
        p for _, items in cut for item in items if isinstance(item, list) for p in item if p.kind == "heading"
    ]
    levels = _levels(heads)
    reading.title = _title(cut, heads, large)
    for page, items in cut:
        for item in items:
            if isinstance(item, list):
                rest = item[1:] if item and _goes_on(reading, item[0]) else item
                for piece in rest:
                    _add_piece(reading, piece, page.number, levels, facts)
            else:
                _add_found(reading, item, page.number)
        aside = joined([line.text for line in group_lines(page.aside)])
        reading.text("note", aside, page=page.number, part="margin")


def _goes_on(reading: Reading, piece: Piece) -> bool:
    """Whether a piece is the rest of the paragraph above a column's or a page's end; if so it is joined to it."""
    last = reading.items[-1] if reading.items else None
    if not isinstance(last, Block) or last.kind not in ("paragraph", "list") or piece.kind != "paragraph":
        return False
    if last.locator.part or last.text[-1:] in _ENDED or not piece.text[:1].islower():
        return False
    reading.items[-1] = replace(last, text=joined([last.text, piece.text]))
    return True


def _add_piece(
    reading: Reading, piece: Piece, page: int, levels: dict[tuple[float, bool], int], facts: Facts
) -> None:
    if piece.kind != "heading":
        reading.text(piece.kind, piece.text, page=page)
    elif reading.title and piece.text == reading.title and not reading.items:
        reading.name(piece.text, page=page)
    else:
        reading.heading(piece.text, _level(piece, levels, facts), page=page)


def _add_found(reading: Reading, table: Found, page: int) -> None:
    """A table; a paragraph right above it that names it is its caption."""
    caption = ""
    above = reading.items[-1] if reading.items else None
    if isinstance(above, Block) and above.kind == "paragraph" and _is_caption(above.text):
        caption = above.text
        reading.items.pop()
    add_table(reading, table.rows, merges=table.merges, page=page, caption=caption)


def _is_caption(text: str) -> bool:
    return len(text) <= 200 and text.lower().startswith(("tabela ", "table ", "quadro ", "tab. "))


def _levels(heads: Sequence[Piece]) -> dict[tuple[float, bool], int]:
    """Heading levels by letter size, largest first; bold before plain of one size."""
    sizes = sorted({_size(piece) for piece in heads}, key=lambda size: (-size[0], not size[1]))
    return {size: min(rank, 6) for rank, size in enumerate(sizes, start=1)}


def _size(piece: Piece) -> tuple[float, bool]:
    return round(piece.height), piece.bold


def _level(piece: Piece, levels: dict[tuple[float, bool], int], facts: Facts) -> int:
    """The outline's level, else the number's depth under larger headings, else the letters' size."""
    own = facts.outline.get(fold(piece.text))
    if own is not None:
        return min(own, 6)
    return levels.get(_size(piece), 1)


def _title(
    cut: Sequence[tuple[Page, list[list[Piece] | Found]]], heads: Sequence[Piece], large: float
) -> str:
    """The largest heading of all, if it is the only one of its size and stands at the top of the first page."""
    first = next((items for _, items in cut if items), [])
    top = [piece for item in first if isinstance(item, list) for piece in item][:6]
    candidate = next((piece for piece in top if piece.kind == "heading" and piece.height >= large), None)
    if candidate is None:
        return ""
    rivals = [
        piece
        for piece in heads
        if piece.height >= candidate.height - 0.5 and (candidate.number or not piece.number)
    ]
    return candidate.text if len(rivals) == 1 else ""


def _tell(
    reading: Reading,
    language: Language,
    running: Sequence[tuple[int, str, str]],
    scans: Sequence[Scan],
    unread: Sequence[int],
) -> None:
    """Running heads once, what OCR read and how surely, and pages that could not be read."""
    for page, part, text in running:
        reading.text("paragraph", text, page=page, part=part)
    if running:
        reading.assumptions.append(note("repeated_edges").say(language))
    if scans:
        shown = _listed([scan.page.number for scan in scans])
        mean = round(100 * sum(scan.confidence for scan in scans) / len(scans))
        reading.assumptions.append(note("ocr_pages", pages=shown, confidence=mean).say(language))
    for number in unread:
        where = note("where_page", page=number).say(language)
        reading.rejected.append(Rejected(where, note("no_text_pages").say(language)))


def _listed(numbers: Sequence[int]) -> str:
    """The first numbers of a list: '2, 3, 4 …'."""
    return ", ".join(map(str, numbers[:20])) + (" …" if len(numbers) > 20 else "")
