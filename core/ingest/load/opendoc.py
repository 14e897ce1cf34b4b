"""OpenDocument texts and presentations (odt, odp): headings, paragraphs, lists, notes, tables, slides in order."""

from collections.abc import Iterator

from lxml import etree

from core.errors import OversizedFile
from core.ingest.load.archive import open_archive, read_member
from core.ingest.load.reading import Reading
from core.ingest.load.sniff import kind_of_bytes
from core.ingest.load.tabular import add_table
from core.ingest.tables.heads import Merge
from core.ports import Ocr, ReadLimits
from core.types import Loaded, RawCell

_SPACES = {
    "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
    "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
    "draw": "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0",
    "presentation": "urn:oasis:names:tc:opendocument:xmlns:presentation:1.0",
    "dc": "http://purl.org/dc/elements/1.1/",
}
_REPEATED = 1_000  # a cell or row said to repeat more often than this is formatting to the edge of the page
_DEEPEST = 40


def _tag(name: str) -> str:
    prefix, local = name.split(":")
    return f"{{{_SPACES[prefix]}}}{local}"


_SKIPPED = frozenset(
    map(_tag, ("text:tracked-changes", "text:sequence-decls", "text:note-citation", "office:forms"))
)
_NOTE, _ANNOTATION, _FRAME_TEXT = _tag("text:note"), _tag("office:annotation"), _tag("draw:text-box")
_PARAGRAPH, _HEADING, _TABLE = _tag("text:p"), _tag("text:h"), _tag("table:table")
_PAGE, _NOTES, _ITEM = _tag("draw:page"), _tag("presentation:notes"), _tag("text:list-item")
_SPACE, _TAB, _BREAK = _tag("text:s"), _tag("text:tab"), _tag("text:line-break")


class OpenDocumentParser:
    """Reads odt and odp."""

    name = "odt"
    kinds: tuple[str, ...] = ("odt", "odp")

    def accepts(self, data: bytes, name: str) -> float:
        return 1.0 if kind_of_bytes(data, name) in ("odt", "odp") else 0.0

    def read(self, data: bytes, name: str, limits: ReadLimits, ocr: Ocr | None = None) -> Loaded:
        kind = kind_of_bytes(data, name)
        reading = Reading(kind)
        parser = etree.XMLParser(resolve_entities=False, no_network=True)
        with open_archive(data, limits) as archive:
            root = etree.fromstring(read_member(archive, "content.xml"), parser)
            about = read_member(archive, "meta.xml")
        pages = list(root.iter(_PAGE))
        if len(pages) > limits.max_pages:
            count = f"{len(pages)} pages"
            raise OversizedFile(count, size=count, limit=f"{limits.max_pages} pages")
        walk = _Walk(reading)
        body = root.find(f".//{_tag('office:body')}")
        walk.body(body if body is not None else root)
        meta = etree.fromstring(about, parser) if about else None
        title, date = _fact(meta, "dc:title"), _fact(meta, "dc:date")
        return reading.loaded(title=title, date=date[:10], pages=len(pages) or None)


def _fact(meta: etree._Element | None, name: str) -> str:
    found = next(meta.iter(_tag(name)), None) if meta is not None else None
    return (found.text or "") if found is not None else ""


class _Walk:
    """Walks body elements into a reading."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._page: int | None = None

    def body(self, element: etree._Element, part: str = "", *, item: bool = False, depth: int = 0) -> None:
        for child in element:
            tag = child.tag
            if tag in _SKIPPED or not isinstance(tag, str) or depth > _DEEPEST:
                continue
            if tag == _PAGE:
                self._slide(child, depth)
            elif tag == _TABLE:
                self._table(child, part)
            elif tag in (_PARAGRAPH, _HEADING):
                self._paragraph(child, part, item)
            else:
                inner = "notes" if tag == _NOTES else part
                self.body(child, inner, item=item or tag == _ITEM, depth=depth + 1)

    def _slide(self, element: etree._Element, depth: int) -> None:
        self._page = (self._page or 0) + 1
        self._reading.leave_headings()
        frames = list(element)
        title = next((f for f in frames if f.get(_tag("presentation:class")) == "title"), None)
        if title is not None:
            text = " ".join("".join(_pieces(p)) for p in title.iter(_PARAGRAPH))
            self._reading.heading(text, 1, page=self._page)
            element.remove(title)
        self.body(element, depth=depth + 1)

    def _paragraph(self, element: etree._Element, part: str, item: bool) -> None:
        text = "".join(_pieces(element))
        if element.tag == _HEADING and not part:
            level = element.get(_tag("text:outline-level"), "1")
            self._reading.heading(text, int(level) if level.isdigit() else 1, page=self._page)
        elif part == "notes":
            self._reading.text("note", text, page=self._page, part=part)
        else:
            self._reading.text("list" if item else "paragraph", text, page=self._page, part=part)
        for kind, inner in _beside(element):
            if kind == "text box":
                self.body(inner, part or kind)
            else:
                told = "\n".join("".join(_pieces(p)) for p in inner.iter(_PARAGRAPH))
                self._reading.text("note", told, page=self._page, part=kind)

    def _table(self, element: etree._Element, part: str) -> None:
        rows: list[list[RawCell]] = []
        merges: list[Merge] = []
        headers = 0
        for row in _rows(element):
            cells = _cells(row, len(rows), merges)
            if not any(cell is not None for cell in cells):
                continue
            marked = row.getparent() is not None and row.getparent().tag == _tag("table:table-header-rows")
            headers += marked and headers == len(rows)
            rows += [cells] * _times(row, "table:number-rows-repeated")
        add_table(self._reading, rows, merges=merges, page=self._page, part=part, header_rows=headers or None)


def _rows(table: etree._Element) -> Iterator[etree._Element]:
    """Rows of a table in order, those of its header and row groups included, not those of tables inside."""
    for child in table:
        if child.tag == _tag("table:table-row"):
            yield child
        elif isinstance(child.tag, str) and child.tag.startswith(_tag("table:table-")):
            yield from _rows(child)


def _cells(row: etree._Element, at: int, merges: list[Merge]) -> list[RawCell]:
    cells: list[RawCell] = []
    for cell in row:
        if cell.tag not in (_tag("table:table-cell"), _tag("table:covered-table-cell")):
            continue
        text = "\n".join("".join(_pieces(p)) for p in cell.iter(_PARAGRAPH, _HEADING)).strip() or None
        wide, high = _times(cell, "table:number-columns-spanned"), _times(cell, "table:number-rows-spanned")
        if wide > 1 or high > 1:
            merges.append((at, len(cells), at + high - 1, len(cells) + wide - 1))
        repeated = _times(cell, "table:number-columns-repeated")
        cells += [text] * (repeated if text is not None else min(repeated, _REPEATED))
    return cells


def _times(element: etree._Element, name: str) -> int:
    told = element.get(_tag(name), "1")
    return min(int(told), _REPEATED) if told.isdigit() and int(told) > 0 else 1


def _pieces(element: etree._Element) -> Iterator[str]:
    """The text of a paragraph without what is only anchored in it."""
    yield element.text or ""
    for child in element:
        if child.tag == _SPACE:
            count = child.get(_tag("text:c"), "1")
            yield " " * (min(int(count), 100) if count.isdigit() else 1)
        elif child.tag == _TAB:
            yield "\t"
        elif child.tag == _BREAK:
            yield "\n"
        elif child.tag not in (_NOTE, _ANNOTATION, _FRAME_TEXT) and isinstance(child.tag, str):
            yield from _pieces(child)
        yield child.tail or ""


def _beside(element: etree._Element) -> Iterator[tuple[str, etree._Element]]:
    """Footnotes, comments and text boxes anchored in a paragraph."""
    for child in element.iter(_NOTE, _ANNOTATION, _FRAME_TEXT):
        if child.tag == _NOTE:
            yield child.get(_tag("text:note-class"), "footnote"), child
        else:
            yield ("comment" if child.tag == _ANNOTATION else "text box"), child
