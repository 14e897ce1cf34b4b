"""PDF files: pages from their text layer, pages without one through OCR, and the pictures that stand among text."""

from collections.abc import Iterable
from dataclasses import replace

from core.errors import NoTextLayer, OversizedFile
from core.ingest.load.paged import add_pages
from core.ingest.load.pdf.facts import read_facts
from core.ingest.load.pdf.words import Page, PdfFile
from core.ingest.load.pictured import Pictures
from core.ingest.load.reading import Reading
from core.ingest.load.scans import RENDERED, Scan, read_scan
from core.ingest.load.sniff import kind_of_bytes
from core.normalize import fold
from core.ports import Ocr, Progress, ReadLimits
from core.types import Block, Grid, Loaded

_FEW_LETTERS = 12  # fewer letters under a picture of the page are no text layer
_PICTURED = 0.5  # share of a page that a picture must cover to be a scan


class PdfParser:
    """Reads PDF."""

    name = "pdf"
    kinds: tuple[str, ...] = ("pdf",)

    def accepts(self, data: bytes, name: str) -> float:
        return 1.0 if kind_of_bytes(data, name) == "pdf" else 0.0

    def read(self, data: bytes, name: str, limits: ReadLimits, ocr: Ocr | None = None) -> Loaded:
        facts = read_facts(data)
        with PdfFile(data) as file:
            if len(file) > limits.max_pages:
                count = f"{len(file)} pages"
                raise OversizedFile(count, size=count, limit=f"{limits.max_pages} pages")
            pages, scans, unread = _pages(file, ocr, limits.tell)
            if not any(page.words for page in pages):
                raise NoTextLayer(f"{len(pages)} pages", pages=len(pages))
            loaded = add_pages("pdf", pages, scans=scans, unread=unread, total=len(pages), facts=facts)
            return _with_figures(loaded, _figures(file, pages, ocr))


def _pages(file: PdfFile, ocr: Ocr | None, tell: Progress) -> tuple[list[Page], list[Scan], list[int]]:
    """All pages; those without a text layer through OCR, or listed as unread where they show something."""
    pages: list[Page] = []
    scans: list[Scan] = []
    unread: list[int] = []
    for number in range(1, len(file) + 1):
        page = file.page(number)
        if _needs_ocr(page):
            scan = None
            if ocr is not None:
                scan = read_scan(file.picture(number, longest=RENDERED), number, ocr)
            if scan is not None:
                scans.append(scan)
                page = scan.page
            elif page.pictures > 0 or page.rules:
                unread.append(number)
        pages.append(page)
        tell("read", number, len(file))
    return pages, scans, unread


def _needs_ocr(page: Page) -> bool:
    """No words; a handful under a picture of the page; or a text layer of unreadable signs."""
    text = "".join(word.text for word in page.words)
    if not text:
        return True
    if text.count("\ufffd") + sum(not word.text.isprintable() for word in page.words) > 0.3 * len(text):
        return True
    return page.pictures >= _PICTURED and len(text) < 200 and sum(map(str.isalnum, text)) < _FEW_LETTERS


# --- pictures among text ---------------------------------------------------------------------------


def _figures(file: PdfFile, pages: Iterable[Page], ocr: Ocr | None) -> Reading:
    """What the pictures on pages with text say; pages that OCR read whole have none."""
    found = Reading("pdf")
    pictures = Pictures(found, ocr)
    missed: set[tuple[int, ...]] = set()  # places: what stands at one place of many pages is one picture
    for page in pages:
        for box in page.figures:
            if not pictures.full:  # rendering a page costs as much as reading fifty
                pictures.add(file.picture(page.number, longest=RENDERED, box=box), page=page.number)
            elif (place := tuple(map(round, box))) not in missed:
                missed.add(place)
                pictures.miss()
    pictures.close(alone=False)
    return found


def _with_figures(loaded: Loaded, figures: Reading) -> Loaded:
    """The document with each picture's text after what else stands on its page, under the headings in force there."""
    items: list[Block | Grid] = []
    trail: dict[int, str] = {}
    left = list(figures.items)
    known = fold(" ".join(item.text for item in loaded.items if isinstance(item, Block)))
    for at, item in enumerate(loaded.items):
        if isinstance(item, Block) and item.kind == "heading":
            trail = {level: text for level, text in trail.items() if level < item.level} | {
                item.level: item.text
            }
        items.append(item)
        below = loaded.items[at + 1].locator.page if at + 1 < len(loaded.items) else None
        while left and (below is None or (left[0].locator.page or 0) < below):
            figure = left.pop(0)
            if isinstance(figure, Grid):
                items.append(replace(figure, headings=tuple(trail.values())))
            elif fold(figure.text) not in known:  # else it is text that was printed over the picture
                items.append(figure)
    numbered = tuple(
        replace(item, locator=replace(item.locator, ordinal=at)) for at, item in enumerate(items)
    )
    return replace(
        loaded,
        items=numbered,
        assumptions=(*loaded.assumptions, *figures.assumptions),
        rejected=(*loaded.rejected, *figures.rejected),
    )
