"""One small file of every kind that is read, made here from fixed words: what the fuzzer breaks and the guide shows."""

import io
import re
import zipfile
from collections.abc import Callable
from email.message import EmailMessage
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from eval.making import old_workbook, outlook, pdf_of

ROWS = (
    ("produto", "região", "unidades", "valor", "data"),
    ("parafuso", "Norte", 12, 1234.5, "03/02/2025"),
    ("porca", "Sul", 7, 98.7, "14/02/2025"),
    ("arruela", "Sul", 40, 12.25, "20/03/2025"),
    ("prego", "Leste", 3, 5.0, "21/03/2025"),
)
PROSE = (
    "A oficina térmica mantém a caldeira C-2 a cada trinta dias. Despesas acima de R$ 5.000,00 dependem da diretoria.",
    "Quem aprova as compras é Ana Dias. O sistema Alfa substitui o sistema Beta desde 2024.",
)
_ARCHIVED = {"odt": "text", "odp": "presentation", "ods": "spreadsheet"}
_SPACES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in (("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"), ("presentation", "presentation"))
)  # fmt: skip


def samples() -> dict[str, bytes]:
    """File name to bytes, one of each kind; the same bytes in every run of one installation."""
    made = {f"amostra.{kind}": make() for kind, make in _MAKERS.items()}
    made["amostra.zip"] = zipped({name: made[name] for name in ("amostra.csv", "amostra.md", "amostra.eml")})
    return made


def picture(*written: str, kind: str = "PNG", pages: int = 1) -> bytes:
    """A picture of text; a TIFF may have several pages."""
    image = Image.new("RGB", (640, 60 + 40 * len(written)), "white")
    pen = ImageDraw.Draw(image)
    for at, line in enumerate(written):
        pen.text((20, 20 + 40 * at), line, fill="black", font=ImageFont.load_default(22))
    buffer = io.BytesIO()
    more = {"save_all": True, "append_images": [image] * (pages - 1)} if pages > 1 else {}
    image.save(buffer, kind, **more)
    return buffer.getvalue()


def zipped(members: dict[str, bytes]) -> bytes:
    """An archive whose bytes depend on its members only."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, (2025, 1, 1, 0, 0, 0)), content)
    return buffer.getvalue()


def _steady(office: bytes) -> bytes:
    """An office file without the time at which its library wrote it."""
    with zipfile.ZipFile(io.BytesIO(office)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    about = members.get("docProps/core.xml", b"")
    members["docProps/core.xml"] = re.sub(rb"\d{4}-\d\d-\d\dT[\d:]+Z", b"2025-01-01T00:00:00Z", about)
    return zipped(members)


def _text(separator: str, decimal: str) -> bytes:
    lines = [separator.join(str(cell).replace(".", decimal) for cell in row) for row in ROWS]
    return "\n".join(lines).encode()


def _markdown() -> bytes:
    head, *rows = [" | ".join(map(str, row)) for row in ROWS]
    rule = "|".join(["---"] * len(ROWS[0]))
    table = "\n".join([f"| {head} |", f"|{rule}|", *(f"| {row} |" for row in rows)])
    return f"# Manual\n\n{PROSE[0]}\n\n## Compras\n\n- um\n- dois\n\n{PROSE[1]}\n\n{table}\n".encode()


def _page() -> bytes:
    cells = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in ROWS)
    return f"<!DOCTYPE html><html><head><title>Manual</title></head><body><h1>Manual</h1><p>{PROSE[0]}</p><table>{cells}</table></body></html>".encode()


def _mail() -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "ana@example.org", "bia@example.org", "Compras"
    message["Date"] = "Mon, 03 Mar 2025 10:00:00 -0300"
    message.set_content("\n\n".join(PROSE), cte="quoted-printable")
    message.add_attachment(_text(";", ","), maintype="text", subtype="csv", filename="lista.csv")
    message.set_boundary("=-=-fixed-=-=")
    return message.as_bytes()


def _book() -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    for row in ROWS:
        sheet.append(row)
    sheet.merge_cells("B3:B4")
    sheet.add_image(openpyxl.drawing.image.Image(io.BytesIO(picture(PROSE[0]))), "H2")
    buffer = io.BytesIO()
    book.save(buffer)
    return _steady(buffer.getvalue())


def _document() -> bytes:
    from docx import Document

    document = Document()
    document.add_heading("Manual", 1)
    document.add_paragraph(PROSE[0])
    _fill(document.add_table(len(ROWS), len(ROWS[0])))
    document.add_paragraph(PROSE[1], style="List Bullet")
    document.add_picture(io.BytesIO(picture(PROSE[1])))
    buffer = io.BytesIO()
    document.save(buffer)
    return _steady(buffer.getvalue())


def _show() -> bytes:
    from pptx import Presentation
    from pptx.util import Inches

    show = Presentation()
    slide = show.slides.add_slide(show.slide_layouts[5])
    slide.shapes.title.text = "Metas"
    box = (Inches(1), Inches(2), Inches(6), Inches(2))
    _fill(slide.shapes.add_table(len(ROWS), len(ROWS[0]), *box).table)
    slide.shapes.add_picture(io.BytesIO(picture(PROSE[0])), Inches(1), Inches(5))
    slide.notes_slide.notes_text_frame.text = PROSE[1]
    buffer = io.BytesIO()
    show.save(buffer)
    return _steady(buffer.getvalue())


def _fill(table: Any) -> None:
    for y, row in enumerate(ROWS):
        for x, value in enumerate(row):
            table.cell(y, x).text = str(value)


def _pdf() -> bytes:
    def shown(text: str) -> str:
        plain = text.encode("latin-1", "replace").decode("latin-1")
        return "".join(f"\\{sign}" if sign in "()\\" else sign if sign.isascii() else f"\\{ord(sign):03o}" for sign in plain)  # fmt: skip

    lines = [f"BT /F1 11 Tf 60 {780 - 16 * at} Td ({shown(line)}) Tj ET" for at, line in enumerate(PROSE)]
    cells = [
        f"BT /F1 10 Tf {60 + 90 * x} {700 - 18 * y} Td ({shown(str(cell))}) Tj ET"
        for y, row in enumerate(ROWS)
        for x, cell in enumerate(row)
    ]
    return pdf_of([" ".join(lines), " ".join([*cells, "60 690 m 500 690 l S"])])


def _open_document(kind: str) -> bytes:
    table = "".join(
        "<table:table-row>"
        + "".join(f"<table:table-cell office:value-type='string'><text:p>{cell}</text:p></table:table-cell>" for cell in row)
        + "</table:table-row>"
        for row in ROWS
    )  # fmt: skip
    table = f'<table:table table:name="Dados">{table}</table:table>'
    text = f'<text:h text:outline-level="1">Manual</text:h><text:p>{PROSE[0]}</text:p>'
    frame = f"<draw:frame><draw:text-box>{text}</draw:text-box></draw:frame>"
    bodies = {"text": text + table, "spreadsheet": table, "presentation": f"<draw:page>{frame}</draw:page>"}
    name = _ARCHIVED[kind]
    content = f"<office:document-content {_SPACES}><office:body><office:{name}>{bodies[name]}</office:{name}></office:body></office:document-content>"
    kind_line = f"application/vnd.oasis.opendocument.{name}".encode()
    manifest = b'<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"></manifest:manifest>'
    return zipped({"mimetype": kind_line, "content.xml": content.encode(), "META-INF/manifest.xml": manifest})


def _rich() -> bytes:
    def shown(text: object) -> str:
        return "".join(f"\\'{ord(c):02x}" if 127 < ord(c) < 256 else c for c in str(text))

    rows = "".join(
        "\\trowd" + "".join(f"\\cellx{1000 * (x + 1)}" for x in range(len(row)))
        + "\\intbl " + "".join(f"{shown(cell)}\\cell " for cell in row) + "\\row\n"
        for row in ROWS
    )  # fmt: skip
    return f"{{\\rtf1\\ansi\\ansicpg1252{{\\fonttbl{{\\f0 Arial;}}}}\\pard\\outlinelevel0 Manual\\par\\pard {shown(PROSE[0])}{{\\footnote {shown(PROSE[1])}}}\\par\n{rows}\\pard Fim.\\par}}".encode()


def _code() -> bytes:
    return b'"""Contas."""\n\n\nclass Conta:\n    def saldo(self):\n        return 1\n\n\ndef soma(a, b):\n    return a + b\n'


_MAKERS: dict[str, Callable[[], bytes]] = {
    "csv": lambda: _text(";", ","),
    "tsv": lambda: _text("\t", "."),
    "txt": lambda: ("MANUAL\n\n" + "\n\n".join(PROSE)).encode("cp1252"),
    "md": _markdown,
    "html": _page,
    "json": lambda: b'{"loja": "X", "vendas": [{"mes": "jan", "v": 1.5}, {"mes": "fev", "v": 2}]}',
    "jsonl": lambda: b'{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n{"a": 3}\n',
    "eml": _mail,
    "msg": lambda: outlook(
        subject="Compras", sender="ana@example.org", body=PROSE[0], attachments={"l.csv": _text(";", ",")}
    ),
    "rtf": _rich,
    "py": _code,
    "sql": lambda: b"-- clientes\nCREATE TABLE clientes (id int);\nINSERT INTO clientes VALUES (1);\n",
    "xlsx": _book,
    "xls": lambda: old_workbook([[cell if isinstance(cell, str) else float(cell) for cell in row] for row in ROWS]),
    "ods": lambda: _open_document("ods"),
    "odt": lambda: _open_document("odt"),
    "odp": lambda: _open_document("odp"),
    "docx": _document,
    "pptx": _show,
    "pdf": _pdf,
    "png": lambda: picture(*PROSE),
    "jpg": lambda: picture(PROSE[0], kind="JPEG"),
    "webp": lambda: picture(PROSE[0], kind="WEBP"),
    "tiff": lambda: picture(PROSE[0], kind="TIFF", pages=2),
}  # fmt: skip
