"""Small files of every kind, made by the libraries that people's programs use too."""

import io
import struct
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


def outlook(*, subject: str, sender: str, body: str, attachments: dict[str, bytes]) -> bytes:
    """A mail as Outlook saves it: properties in streams of a compound file."""
    wide = "utf-16-le"
    tree: dict[str, Any] = _properties(
        32,
        {
            0x001A: "IPM.Note".encode(wide),
            0x0037: subject.encode(wide),
            0x0C1F: sender.encode(wide),
            0x1000: body.encode(wide),
        },
    )
    for number, (name, data) in enumerate(attachments.items()):
        tree[f"__attach_version1.0_#{number:08X}"] = _properties(
            8, {0x3707: name.encode(wide)}, {0x3701: data}
        )
    return compound(tree)


def _properties(
    head: int, strings: dict[int, bytes], binary: dict[int, bytes] | None = None
) -> dict[str, Any]:
    streams: dict[str, Any] = {}
    listing = bytes(head)
    for kind, values in ((0x001F, strings), (0x0102, binary or {})):
        for identity, value in values.items():
            listing += struct.pack("<HHIII", kind, identity, 6, len(value), 0)
            streams[f"__substg1.0_{identity:04X}{kind:04X}"] = value
    return {"__properties_version1.0": listing, **streams}


def compound(tree: dict[str, Any]) -> bytes:
    """A compound file (OLE2, version 3): dictionaries are folders, bytes are streams."""
    entries: list[list[Any]] = [["Root Entry", 5, _FREE, 0, 0]]  # name, kind, child, start, size
    right: dict[int, int] = {}
    small, sectors, chain = b"", [], []  # type: ignore[var-annotated]
    minis: list[int] = []

    def store(data: bytes) -> int:
        first = len(sectors)
        pieces = [data[at : at + 512].ljust(512, b"\0") for at in range(0, len(data), 512)]
        sectors.extend(pieces)
        chain.extend([*range(first + 1, first + len(pieces)), _END])
        return first

    def add(folder: dict[str, Any], parent: int) -> None:
        nonlocal small
        before = 0
        for name, content in folder.items():
            at = len(entries)
            entries.append([name, 1 if isinstance(content, dict) else 2, _FREE, 0, 0])
            if before:
                right[before] = at
            else:
                entries[parent][2] = at
            before = at
            if isinstance(content, dict):
                add(content, at)
            elif len(content) >= 4096:
                entries[at][3:] = [store(content), len(content)]
            else:
                first, count = len(small) // 64, -(-len(content) // 64)
                entries[at][3:] = [first if count else _END, len(content)]
                minis.extend([*range(first + 1, first + count), _END][: count or 0])
                small += content.ljust(count * 64, b"\0")

    add(tree, 0)
    entries[0][3:] = [store(small) if small else _END, len(small)]
    mini_start = store(struct.pack(f"<{len(minis)}I", *minis)) if minis else _END
    mini_sectors = -(-len(minis) * 4 // 512)
    listing = b""
    for at, (name, kind, child, start, size) in enumerate(entries):
        raw = (name + "\0").encode("utf-16-le")
        listing += raw.ljust(64, b"\0") + struct.pack(
            "<HBBIII", len(raw), kind, 1, _FREE, right.get(at, _FREE), child
        )
        listing += bytes(36) + struct.pack("<IQ", start, size)
    directory = store(listing)
    table = len(sectors)
    count = 1
    while len(chain) + count > 128 * count:
        count += 1
    fat = [*chain, *[0xFFFFFFFD] * count]
    fat += [_FREE] * (128 * count - len(fat))
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    head += struct.pack("<IIIIIIIII", 0, count, directory, 0, 4096, mini_start, mini_sectors, _END, 0)
    head += struct.pack("<109I", *(table + at if at < count else _FREE for at in range(109)))
    return head + b"".join(sectors) + struct.pack(f"<{len(fat)}I", *fat)


_FREE, _END = 0xFFFFFFFF, 0xFFFFFFFE


def drawn_text(*written: str, width: int = 700, height: int = 0) -> bytes:
    """A picture of text as a screenshot shows it."""
    image = Image.new("RGB", (width, height or 60 + 40 * len(written)), "white")
    pen = ImageDraw.Draw(image)
    for at, line in enumerate(written):
        pen.text((20, 20 + 40 * at), line, fill="black", font=ImageFont.load_default(24))
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()
