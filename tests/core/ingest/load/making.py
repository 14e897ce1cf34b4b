"""Small files of every kind, made by the libraries that people's programs use too."""

import io
import zipfile
from collections.abc import Callable, Sequence
from typing import Any

import openpyxl
from docx import Document
from PIL import Image, ImageDraw, ImageFont
from pptx import Presentation
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Table, TableStyle

from core.ingest.load import BUILTIN_PARSERS, read_file
from core.ingest.tables import build_tables
from core.ports import Ocr, OcrLine, ReadLimits
from core.types import Block, Grid, Loaded
from core.types import Table as TypedTable


def read(
    data: bytes | str, name: str = "file.txt", ocr: Ocr | None = None, limits: ReadLimits | None = None
) -> Loaded:
    """Read with the built-in parsers."""
    raw = data.encode() if isinstance(data, str) else data
    return read_file(raw, name, BUILTIN_PARSERS, limits or ReadLimits(), ocr)


def tables(loaded: Loaded) -> tuple[TypedTable, ...]:
    return build_tables(loaded, "doc")


def texts(loaded: Loaded, kind: str = "") -> list[str]:
    """Texts of the blocks of a kind, or of all."""
    return [i.text for i in loaded.items if isinstance(i, Block) and (not kind or i.kind == kind)]


def blocks(loaded: Loaded) -> list[Block]:
    return [item for item in loaded.items if isinstance(item, Block)]


def grids(loaded: Loaded) -> list[Grid]:
    return [item for item in loaded.items if isinstance(item, Grid)]


def rows(table: TypedTable) -> list[tuple[Any, ...]]:
    """Data rows without totals."""
    return [row for at, row in enumerate(table.rows) if at not in table.totals]


def xlsx(build: Callable[[Any], None]) -> bytes:
    """A workbook; `build` gets it with one empty sheet."""
    book = openpyxl.Workbook()
    build(book)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def sheet(*cells: Sequence[Any]) -> bytes:
    """A workbook of one sheet with these rows."""

    def build(book: Any) -> None:
        for row in cells:
            book.active.append(list(row))

    return xlsx(build)


def docx(build: Callable[[Any], None]) -> bytes:
    document = Document()
    build(document)
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def pptx(build: Callable[[Any], None]) -> bytes:
    show = Presentation()
    build(show)
    buffer = io.BytesIO()
    show.save(buffer)
    return buffer.getvalue()


def pdf(*pages: Callable[[Canvas], None], encrypt: Any = None, outline: bool = False) -> bytes:
    """One drawing function a page."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, encrypt=encrypt, invariant=True)
    for draw in pages:
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def lines(
    canvas: Canvas,
    start: float,
    *written: str,
    x: float = 60,
    size: float = 11,
    bold: bool = False,
    gap: float = 1.25,
) -> float:
    """Write lines downwards from `start`; returns where the next one would stand."""
    canvas.setFont("Helvetica-Bold" if bold else "Helvetica", size)
    for line in written:
        canvas.drawString(x, start, line)
        start -= size * gap
    return start


def drawn_table(
    canvas: Canvas,
    cells: Sequence[Sequence[str]],
    x: float,
    y: float,
    *,
    ruled: bool,
    spans: Sequence[Any] = (),
) -> None:
    """A table whose lower left corner is (x, y)."""
    table = Table([list(row) for row in cells])
    style: list[Any] = [("SPAN", first, last) for first, last in spans]
    if ruled:
        style.append(("GRID", (0, 0), (-1, -1), 0.5, colors.black))
    table.setStyle(TableStyle(style))
    table.wrapOn(canvas, 500, 700)
    table.drawOn(canvas, x, y)


def picture(width: int = 400, height: int = 200, kind: str = "PNG") -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (width, height), "white").save(buffer, kind)
    return buffer.getvalue()


def zipped(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


class SpokenOcr:
    """Reads every picture as the lines it was told; sideways pictures only when they are turned."""

    name = "spoken"

    def __init__(self, *said: OcrLine) -> None:
        self.said = said
        self.asked = 0

    def read(self, image: bytes) -> tuple[OcrLine, ...]:
        self.asked += 1
        return self.said


def spoken(text: str, top: float, left: float = 40, confidence: float = 0.97) -> OcrLine:
    """A line 20 pixels high, 10 a letter."""
    return OcrLine(text, confidence, (left, top, left + 10 * len(text), top + 20))


def drawn_text(*written: str, width: int = 700, height: int = 0) -> bytes:
    """A picture of text as a screenshot shows it."""
    image = Image.new("RGB", (width, height or 60 + 40 * len(written)), "white")
    pen = ImageDraw.Draw(image)
    for at, line in enumerate(written):
        pen.text((20, 20 + 40 * at), line, fill="black", font=ImageFont.load_default(24))
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()
