"""Word documents in document order, with all the places where text hides.

Text boxes, tracked insertions, footnotes, comments, headers, footers and nested tables are read; deleted text is not.
The XML is walked directly because python-docx's paragraphs leave out insertions, text boxes and content controls.
"""

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from docx import Document
from docx.document import Document as DocxDocument
from docx.opc.constants import RELATIONSHIP_TYPE as RELATION
from docx.oxml.ns import qn
from lxml import etree

from core.ingest.load.archive import open_archive, read_member
from core.ingest.load.numbering import Numbering
from core.ingest.load.pictured import Pictures
from core.ingest.load.reading import Reading
from core.ingest.load.sheets import document_date
from core.ingest.load.sniff import kind_of_bytes
from core.ingest.load.tabular import add_table
from core.ingest.load.wordparts import (
    NOTE_PARTS,
    Style,
    list_of,
    note_texts,
    numbering_of,
    plain_text,
    property_of,
    read_styles,
    related,
)
from core.ingest.notes import note
from core.ingest.tables.heads import Merge
from core.language import detect_language
from core.ports import Ocr, ReadLimits
from core.types import Block, Loaded

_MATH_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_ALTERNATIVE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_DELETED = frozenset([qn("w:del"), qn("w:moveFrom")])
_WRAPPERS = frozenset(
    [
        qn("w:sdt"),
        qn("w:sdtContent"),
        qn("w:ins"),
        qn("w:moveTo"),
        qn("w:customXml"),
        qn("w:smartTag"),
        _ALTERNATIVE,
        "{http://schemas.openxmlformats.org/markup-compatibility/2006}Choice",
    ]
)
_BREAKS = {
    qn("w:tab"): "\t",
    qn("w:br"): "\n",
    qn("w:cr"): "\n",
    qn("w:noBreakHyphen"): "-",
    qn("w:ptab"): "\t",
}
_NOTES = {
    qn("w:footnoteReference"): "footnote",
    qn("w:endnoteReference"): "endnote",
    qn("w:commentReference"): "comment",
}
_GENERIC_TITLE = re.compile(
    r"(?:microsoft word.*|word document|documento?\d*|untitled|sem t[íi]tulo|title|t[íi]tulo)", re.IGNORECASE
)
_PICTURES = {
    "{http://schemas.openxmlformats.org/drawingml/2006/main}blip": qn("r:embed"),
    "{urn:schemas-microsoft-com:vml}imagedata": qn("r:id"),
}
_FAKE_HEADING = 90  # characters


class WordParser:
    """Reads docx."""

    name = "docx"
    kinds: tuple[str, ...] = ("docx",)

    def accepts(self, data: bytes, name: str) -> float:
        return 1.0 if kind_of_bytes(data, name) == "docx" else 0.0

    def read(self, data: bytes, name: str, limits: ReadLimits, ocr: Ocr | None = None) -> Loaded:
        with open_archive(data, limits) as archive:
            made = document_date(read_member(archive, "docProps/core.xml"))
        document = Document(io.BytesIO(data))
        reading = Reading("docx")
        pictures = Pictures(reading, ocr)
        walk = _Walk(
            reading,
            read_styles(document),
            numbering_of(document),
            note_texts(document),
            pictures,
            document.part.related_parts,
        )
        walk.body(document.element.body)
        _edges(document, walk)
        pictures.close()
        told = detect_language("\n".join(b.text for b in reading.items if isinstance(b, Block))[:20_000])
        if walk.deleted:
            reading.assumptions.append(note("deleted_text", count=walk.deleted).say(told))
        title = (document.core_properties.title or "").strip()
        return reading.loaded(title="" if _GENERIC_TITLE.fullmatch(title) else title, date=made)


@dataclass(slots=True)
class _Text:
    """One paragraph taken apart."""

    text: str = ""
    boxes: list[etree._Element] = field(default_factory=list)  # text boxes anchored here
    notes: list[tuple[str, str]] = field(default_factory=list)  # (kind, id) of footnotes and comments
    bold: bool = False  # every run is bold


@dataclass(slots=True)
class _Walk:
    """Walks body elements into a reading."""

    reading: Reading
    styles: dict[str, Style]
    numbering: Numbering
    notes: dict[tuple[str, str], str]
    pictures: Pictures
    parts: Mapping[str, Any]  # what relation ids of the main part lead to
    deleted: int = 0
    headed: bool = False  # real heading styles occur
    waiting: list[str] = field(default_factory=list)  # relation ids of pictures met and not yet read

    def body(self, element: etree._Element, part: str = "") -> None:
        """Paragraphs and tables of a body, a text box, a header or a cell, in order."""
        self.headed = self.headed or (not part and self._has_headings(element))
        for child in _blocks(element):
            if child.tag == qn("w:p"):
                self.paragraph(child, part)
            else:
                self.table(child, part)
            self.show(part)

    def show(self, part: str) -> None:
        """Read the pictures met since; those of page headers and notes belong to other parts and are decoration."""
        met, self.waiting = self.waiting, []
        for relation in met if part in ("", "text box") else ():
            target = self.parts.get(relation)
            if target is not None and target.content_type.startswith("image/"):
                self.pictures.add(target.blob)

    def paragraph(self, element: etree._Element, part: str) -> None:
        found = self.take(element)
        style = self.styles.get(property_of(element, "w:pStyle"), Style())
        level = property_of(element, "w:outlineLvl")
        number = list_of(element) or style.number
        label = self.numbering.label(*number) if number and found.text.strip() else ""
        text = f"{label} {found.text}" if label else found.text
        if part:
            self.reading.text("note" if part in NOTE_PARTS else "paragraph", text, part=part)
        elif style.kind == "title":
            self.reading.name(text)
        elif style.kind == "heading" or (level.isdigit() and int(level) < 9):
            self.reading.heading(text, style.level or int(level) + 1)
        elif not self.headed and found.bold and _stands_out(text):
            self.reading.heading(text, 2)
        else:
            self.reading.text("list" if number else style.kind, text)
        for box in found.boxes:
            self.body(box, part or "text box")
        for kind, identity in found.notes:
            self.reading.text("note", self.notes.get((kind, identity), ""), part=kind)

    def table(self, element: etree._Element, part: str) -> None:
        """One table; tables inside its cells follow it."""
        rows, merges, nested, marks = _cells(element, self)
        bold_row, bold_column = marks
        header = _marked_headers(element)
        if header is None and bold_row and len(rows) > 1:
            header = 1
        add_table(
            self.reading,
            rows,
            merges=merges,
            part=part,
            header_rows=header,
            labelled=header is None and bold_column and not bold_row,
        )
        for inner in nested:
            self.table(inner, part)

    def take(self, element: etree._Element) -> _Text:
        """The visible text of a paragraph and what is anchored in it."""
        found = _Text()
        pieces: list[str] = []
        bold: list[bool] = []
        self._collect(element, found, pieces, bold)
        found.text = "".join(pieces)
        found.bold = bool(bold) and all(bold)
        return found

    def _collect(self, element: etree._Element, found: _Text, pieces: list[str], bold: list[bool]) -> None:
        for child in element:
            tag = child.tag
            if tag in _DELETED:
                self.deleted += 1
            elif tag in (qn("w:t"), _MATH_TEXT):
                pieces.append(child.text or "")
                if (child.text or "").strip():
                    bold.append(_is_bold(child.getparent()))
            elif tag in _BREAKS:
                pieces.append("" if child.get(qn("w:type")) in ("page", "column") else _BREAKS[tag])
            elif tag == qn("w:txbxContent"):
                found.boxes.append(child)
            elif tag in _PICTURES:
                self.waiting.append(child.get(_PICTURES[tag], ""))
            elif tag in _NOTES:
                found.notes.append((_NOTES[tag], child.get(qn("w:id"), "")))
            elif tag not in (
                _FALLBACK,
                qn("w:instrText"),
                qn("w:delText"),
                qn("w:pPr"),
                qn("w:rPr"),
            ) and isinstance(tag, str):
                self._collect(child, found, pieces, bold)

    def _has_headings(self, element: etree._Element) -> bool:
        used = {mark.get(qn("w:val"), "") for mark in element.iter(qn("w:pStyle"))}
        return any(self.styles.get(name, Style()).kind == "heading" for name in used)


# --- structure -------------------------------------------------------------------------------------


def _blocks(element: etree._Element) -> Iterator[etree._Element]:
    """Paragraphs and tables, also those inside content controls and tracked insertions."""
    for child in element:
        if child.tag in (qn("w:p"), qn("w:tbl")):
            yield child
        elif child.tag in _WRAPPERS:
            yield from _blocks(child)


def _inner(element: etree._Element, tag: str) -> Iterator[etree._Element]:
    """Rows of a table or cells of a row, also inside content controls; deleted rows are left out."""
    for child in element:
        if child.tag == tag:
            if child.find(f"{qn('w:trPr')}/{qn('w:del')}") is None:
                yield child
        elif child.tag in _WRAPPERS:
            yield from _inner(child, tag)


def _cells(
    table: etree._Element, walk: _Walk
) -> tuple[list[list[str | None]], list[Merge], list[etree._Element], tuple[bool, bool]]:
    """Rows of cell texts, merges, nested tables, and whether the first row and the first column are bold."""
    rows: list[list[str | None]] = []
    spans: list[Merge] = []
    open_merges: dict[int, Merge] = {}  # by first column
    nested: list[etree._Element] = []
    bold: dict[tuple[int, int], bool] = {}
    for at, row in enumerate(_inner(table, qn("w:tr"))):
        cells: list[str | None] = [None] * _skipped(row, "w:gridBefore")
        for tc in _inner(row, qn("w:tc")):
            width = int(property_of(tc, "w:gridSpan", "w:tcPr") or 1)
            merge = tc.find(f"{qn('w:tcPr')}/{qn('w:vMerge')}")
            column = len(cells)
            right = column + width - 1
            if merge is not None and merge.get(qn("w:val")) != "restart" and column in open_merges:
                top, left, _, last = open_merges[column]
                open_merges[column] = (top, left, at, last)
                cells += [None] * width
                continue
            if column in open_merges:
                spans.append(open_merges.pop(column))
            if merge is not None or width > 1:
                open_merges[column] = (at, column, at, right)
            text, is_bold = _cell_text(tc, walk, nested)
            bold[at, column] = is_bold
            cells += [text, *([None] * (width - 1))]
        rows.append(cells)
    spans += open_merges.values()
    first = [value for (row, _), value in bold.items() if row == 0]
    rest = [value for (row, _), value in bold.items() if row > 0]
    below = [value for (row, column), value in bold.items() if column == 0]
    marks = (
        bool(first) and all(first) and not all(rest or [True]),
        bool(below) and all(below) and not all(first),
    )
    return rows, sorted(s for s in spans if s[0] != s[2] or s[1] != s[3]), nested, marks


def _cell_text(tc: etree._Element, walk: _Walk, nested: list[etree._Element]) -> tuple[str | None, bool]:
    lines: list[str] = []
    bold: list[bool] = []
    for block in _blocks(tc):
        if block.tag == qn("w:tbl"):
            nested.append(block)
            continue
        found = walk.take(block)
        lines.append(found.text)
        if found.text.strip():
            bold.append(found.bold)
        lines += ["\n".join(walk.take(p).text for p in box.iter(qn("w:p"))) for box in found.boxes]
        lines += [walk.notes.get(reference, "") for reference in found.notes]
    return "\n".join(line for line in lines if line.strip()) or None, bool(bold) and all(bold)


def _skipped(row: etree._Element, tag: str) -> int:
    mark = row.find(f"{qn('w:trPr')}/{qn(tag)}")
    return int(mark.get(qn("w:val"), "0")) if mark is not None else 0


def _marked_headers(table: etree._Element) -> int | None:
    """Rows at the top that Word repeats on every page."""
    count = 0
    for row in _inner(table, qn("w:tr")):
        if row.find(f"{qn('w:trPr')}/{qn('w:tblHeader')}") is None:
            break
        count += 1
    return count or None


def _is_bold(run: etree._Element | None) -> bool:
    mark = run.find(f"{qn('w:rPr')}/{qn('w:b')}") if run is not None else None
    return mark is not None and mark.get(qn("w:val"), "1") not in ("0", "false")


def _stands_out(text: str) -> bool:
    """A bold line of its own that reads like a heading."""
    text = text.strip()
    return (
        0 < len(text) <= _FAKE_HEADING
        and "\n" not in text
        and text[-1] not in ".;,!?"
        and any(map(str.isalpha, text))
    )


def _edges(document: DocxDocument, walk: _Walk) -> None:
    """Page headers and footers, each text once, after the body."""
    seen: set[str] = set()
    for part, relation in (("header", RELATION.HEADER), ("footer", RELATION.FOOTER)):
        for root in related(document, relation):
            text = " ".join(" ".join(plain_text(p).split()) for p in root.iter(qn("w:p"))).strip()
            if text and text not in seen:
                seen.add(text)
                walk.body(root, part)
    orphans: Sequence[tuple[str, str]] = [key for key in walk.notes if not _anchored(document, key)]
    for kind, identity in orphans:
        walk.reading.text("note", walk.notes[kind, identity], part=kind)


def _anchored(document: DocxDocument, key: tuple[str, str]) -> bool:
    kind, identity = key
    tag = next(tag for tag, name in _NOTES.items() if name == kind)
    return any(mark.get(qn("w:id")) == identity for mark in document.element.body.iter(tag))
