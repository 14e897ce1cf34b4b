"""HTML pages: headings, paragraphs, lists, code and tables of the visible body."""

import re
from collections.abc import Iterator
from typing import Any

from lxml import etree, html

from core.errors import EmptyFile
from core.ingest.load.decode import clean, decode
from core.ingest.load.reading import BlockKind, Reading
from core.ingest.load.sniff import kind_of_bytes
from core.ingest.load.tabular import add_table
from core.ingest.tables.heads import Merge
from core.language import listed
from core.ports import Ocr, ReadLimits
from core.types import Loaded, RawCell

_SKIPPED = frozenset(
    [
        "script",
        "style",
        "noscript",
        "template",
        "head",
        "svg",
        "canvas",
        "iframe",
        "object",
        "select",
        "option",
        "button",
        "input",
        "textarea",
        "nav",
    ]
)
_BLOCKS = frozenset(
    listed("""address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure
    footer header hr html legend li main ol p section summary ul caption""")
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_SPACE = re.compile(r"[ \t\r\n\f]+")
_CHARSET = re.compile(rb"<meta[^>]+charset=[\"']?\s*([\w-]+)", re.IGNORECASE)
_DATES = (
    "article:modified_time",
    "article:published_time",
    "last-modified",
    "date",
    "dcterms.modified",
    "dc.date",
)
_DEEPEST = 200


class WebParser:
    """Reads HTML files that really are HTML files."""

    name = "html"
    kinds: tuple[str, ...] = ("html",)

    def accepts(self, data: bytes, name: str) -> float:
        return 0.9 if kind_of_bytes(data, name) == "html" else 0.0

    def read(self, data: bytes, name: str, limits: ReadLimits, ocr: Ocr | None = None) -> Loaded:
        reading = Reading("html")
        root = parse_page(data)
        title = " ".join((root.findtext(".//title") or "").split())
        read_page(reading, root)
        return reading.loaded(title=title, date=_date(root))


def parse_page(data: bytes | str) -> Any:
    """The page as a tree. Raises: EmptyFile."""
    text = data if isinstance(data, str) else _text(data)
    text = clean(re.sub(r"^\s*<\?xml[^>]*>", "", text))
    try:
        return html.document_fromstring(text)
    except (etree.ParserError, ValueError) as err:
        raise EmptyFile(f"html: {err}") from err


def read_page(reading: Reading, root: Any) -> None:
    """Add what a browser would show of a page."""
    body = root.find("body")
    _Walk(reading).element(body if body is not None else root, 0)


def _text(data: bytes) -> str:
    """A declared character set is believed when the bytes agree with it."""
    declared = _CHARSET.search(data[:4096])
    if declared:
        try:
            return data.decode(declared[1].decode("ascii"))
        except (LookupError, UnicodeDecodeError):
            return decode(data).text
    return decode(data).text


def _date(root: Any) -> str:
    for meta in root.iter("meta"):
        name = (meta.get("property") or meta.get("name") or meta.get("http-equiv") or "").lower()
        match = re.match(r"\d{4}-\d{2}-\d{2}", meta.get("content") or "")
        if name in _DATES and match:
            return match.group()
    return ""


class _Walk:
    """Gathers inline text until a block begins or ends."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.inline: list[str] = []
        self.kind: BlockKind = "paragraph"

    def element(self, node: Any, depth: int) -> None:
        tag = node.tag if isinstance(node.tag, str) else ""
        if tag in _SKIPPED or not tag or _hidden(node):
            return
        if depth > _DEEPEST:
            self.take(node.text_content())
            return
        if tag in _HEADINGS:
            self.flush()
            self.reading.heading(_flat(node), _HEADINGS[tag])
        elif tag == "table":
            self.flush()
            self.table(node, depth)
        elif tag == "pre":
            self.flush()
            self.reading.text("code", node.text_content())
        elif tag == "br":
            self.inline.append("\n")
        else:
            self.inside(node, tag, depth)

    def inside(self, node: Any, tag: str, depth: int) -> None:
        block = tag in _BLOCKS
        before = self.kind
        if block:
            self.flush()
            self.kind = (
                "list" if tag in ("li", "dd") else "caption" if tag in ("figcaption", "caption") else before
            )
        self.take(node.text)
        for child in node:
            self.element(child, depth + 1)
            self.take(child.tail)
        if block:
            self.flush()
            self.kind = before

    def take(self, text: str | None) -> None:
        if text:
            self.inline.append(_SPACE.sub(" ", text))

    def flush(self) -> None:
        text = re.sub(r" *\n *", "\n", re.sub(" {2,}", " ", "".join(self.inline))).strip()
        self.inline = []
        self.reading.text(self.kind, text)

    def table(self, node: Any, depth: int) -> None:
        """A table of data is a grid; one that lays out a page is its contents."""
        rows = list(_rows(node))
        nested = [inner for row in rows for cell in row for inner in cell.iter("table")]
        headings = any(True for row in rows for cell in row for _ in cell.iter("h1", "h2", "h3", "h4"))
        if nested or headings or max((len(row) for row in rows), default=0) < 2:
            for row in rows:
                for cell in row:
                    self.inside(cell, "div", depth + 1)
            return
        cells, merges = _grid(rows)
        caption = node.find("caption")
        top = 0
        for row in rows:
            if not row or any(cell.tag != "th" for cell in row):
                break
            top += 1
        labelled = top == 0 and all(row and row[0].tag == "th" for row in rows)
        add_table(
            self.reading,
            cells,
            merges=merges,
            caption=_flat(caption) if caption is not None else "",
            header_rows=top if 0 < top < len(rows) else None,
            labelled=labelled,
        )


def _hidden(node: Any) -> bool:
    style = (node.get("style") or "").replace(" ", "").lower()
    return node.get("hidden") is not None or "display:none" in style or node.get("aria-hidden") == "true"


def _flat(node: Any) -> str:
    return " ".join(node.text_content().split())


def _rows(table: Any) -> Iterator[list[Any]]:
    """Cells of the table's own rows, head first."""
    for section in table:
        tag = section.tag if isinstance(section.tag, str) else ""
        if tag == "tr":
            yield [cell for cell in section if cell.tag in ("td", "th")]
        elif tag in ("thead", "tbody", "tfoot"):
            yield from (
                [cell for cell in row if cell.tag in ("td", "th")] for row in section if row.tag == "tr"
            )


def _grid(rows: list[list[Any]]) -> tuple[list[list[RawCell]], list[Merge]]:
    """Cell texts in a rectangle, with the ranges that one cell covers."""
    taken: dict[tuple[int, int], str | None] = {}
    merges: list[Merge] = []
    for at, row in enumerate(rows):
        column = 0
        for cell in row:
            while (at, column) in taken:
                column += 1
            across, down = _span(cell, "colspan", 200), min(_span(cell, "rowspan", 5_000), len(rows) - at)
            for r in range(at, at + down):
                for c in range(column, column + across):
                    taken[r, c] = None
            for br in cell.iter("br"):
                br.tail = "\n" + (br.tail or "")
            lines = (" ".join(line.split()) for line in cell.text_content().split("\n"))
            taken[at, column] = "\n".join(line for line in lines if line)
            if across > 1 or down > 1:
                merges.append((at, column, at + down - 1, column + across - 1))
            column += across
    width = max((column for _, column in taken), default=-1) + 1
    return [[taken.get((r, c)) for c in range(width)] for r in range(len(rows))], merges


def _span(cell: Any, name: str, most: int) -> int:
    value = cell.get(name) or "1"
    return min(max(int(value), 1), most) if value.strip().isdecimal() else 1
