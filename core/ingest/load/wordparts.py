"""What stands beside the text in a Word file: styles, lists, footnotes, comments."""

import re
from dataclasses import dataclass

from docx.document import Document as DocxDocument
from docx.opc.constants import RELATIONSHIP_TYPE as RELATION
from docx.oxml.ns import qn
from lxml import etree

from core.ingest.load.numbering import Numbering, read_numbering
from core.ingest.load.reading import BlockKind

NOTE_PARTS = {"footnote": RELATION.FOOTNOTES, "endnote": RELATION.ENDNOTES, "comment": RELATION.COMMENTS}
_HEADING = re.compile(r"(?:heading|t[íi]tulo|cabe[çc]alho) ?(\d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Style:
    """What a paragraph style means."""

    kind: BlockKind = "paragraph"
    level: int = 0
    number: tuple[str, int] | None = None  # (list, level) that the style itself carries


def property_of(element: etree._Element, tag: str, holder: str = "w:pPr") -> str:
    mark = element.find(f"{qn(holder)}/{qn(tag)}")
    return mark.get(qn("w:val"), "") if mark is not None else ""


def list_of(element: etree._Element) -> tuple[str, int] | None:
    mark = element.find(f"{qn('w:pPr')}/{qn('w:numPr')}")
    if mark is None:
        return None
    number, level = mark.find(qn("w:numId")), mark.find(qn("w:ilvl"))
    identity = number.get(qn("w:val"), "") if number is not None else ""
    return (
        (identity, int(level.get(qn("w:val"), "0")) if level is not None else 0)
        if identity not in ("", "0")
        else None
    )


def read_styles(document: DocxDocument) -> dict[str, Style]:
    """Style ids to meanings; a style means what the style it is based on means, unless it says otherwise."""
    elements = {
        style.get(qn("w:styleId"), ""): style for style in document.styles.element.iter(qn("w:style"))
    }
    return {identity: _style(identity, elements) for identity in elements}


def _style(identity: str, elements: dict[str, etree._Element]) -> Style:
    meaning = Style()
    for _ in range(12):  # a loop of styles based on each other must end
        element = elements.get(identity)
        if element is None:
            break
        mark = element.find(qn("w:name"))
        name = mark.get(qn("w:val"), "") if mark is not None else ""
        outline = property_of(element, "w:outlineLvl")
        number = meaning.number or list_of(element)
        heading = _HEADING.fullmatch(name.strip())
        if heading:
            return Style("heading", int(heading[1]), number)
        if name.strip().lower() in ("title", "título"):
            return Style("title", 0, number)
        if outline.isdigit() and int(outline) < 9:
            return Style("heading", int(outline) + 1, number)
        kind: BlockKind = "caption" if name.lower() in ("caption", "legenda") else "list" if name.lower().startswith("list ") else meaning.kind  # fmt: skip
        meaning = Style(kind, 0, number)
        based = element.find(qn("w:basedOn"))
        identity = based.get(qn("w:val"), "") if based is not None else ""
    return meaning


def related(document: DocxDocument, kind: str) -> list[etree._Element]:
    """Roots of the related parts of one kind, in a fixed order."""
    relations = sorted(document.part.rels.items(), key=lambda item: (len(item[0]), item[0]))
    parts = [link.target_part for _, link in relations if link.reltype == kind and not link.is_external]
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    return [etree.fromstring(part.blob, parser) for part in parts]


def numbering_of(document: DocxDocument) -> Numbering:
    roots = related(document, RELATION.NUMBERING)
    return read_numbering(roots[0] if roots else None)


def note_texts(document: DocxDocument) -> dict[tuple[str, str], str]:
    """Texts of footnotes, endnotes and comments by kind and id."""
    texts: dict[tuple[str, str], str] = {}
    for kind, relation in NOTE_PARTS.items():
        for root in related(document, relation):
            for element in root:
                if element.get(qn("w:type"), "normal") == "normal":
                    lines = (plain_text(p) for p in element.iter(qn("w:p")))
                    texts[kind, element.get(qn("w:id"), "")] = "\n".join(
                        line for line in lines if line.strip()
                    )
    return texts


def plain_text(paragraph: etree._Element) -> str:
    return "".join(t.text or "" for t in paragraph.iter(qn("w:t")))
