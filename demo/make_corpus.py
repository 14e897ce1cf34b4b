"""Write the built files of the demo corpus: spreadsheets, PDF and DOCX.

The plain files under `corpus/` (md, txt) are their own source. The others come from the prose in
`sources/`, the lists there, and figures drawn here with one fixed seed, so that a run gives the same bytes again:
time stamps inside archives and PDF metadata are fixed.

    python demo/make_corpus.py            # into demo/corpus
    python demo/make_corpus.py OTHER_DIR  # somewhere else, to compare
"""

from __future__ import annotations

import csv
import io
import random
import re
import sys
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from xml.sax.saxutils import escape

from docx import Document
from openpyxl import Workbook
from openpyxl.styles import Alignment, Font
from openpyxl.worksheet.worksheet import Worksheet
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.lib.units import cm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

HERE = Path(__file__).resolve().parent
SEED = 20260630
STAMP = datetime(2026, 7, 3, 9, 0, 0)
MONTHS = ("janeiro", "fevereiro", "março", "abril", "maio", "junho")
MONEY = '"R$" #,##0.00'

# product -> (line, kg per batch, cost per kg, price per kg)
PRODUCTS: dict[str, tuple[str, float, float, float]] = {
    "Leite Integral Tarumim": ("L1", 31000, 2.95, 4.35),
    "Leite Desnatado Tarumim": ("L1", 12500, 2.80, 4.20),
    "Iogurte Serrano": ("L2", 8200, 5.10, 9.40),
    "Bebida Láctea Pitanguinha": ("L2", 6900, 3.05, 5.15),
    "Manteiga Pedra Alva": ("L3", 2300, 24.80, 38.90),
    "Creme de Leite Aurélia": ("L3", 3100, 9.60, 14.70),
    "Requeijão Ribeirão": ("L4", 2700, 14.20, 23.50),
    "Doce de Leite Fogo Baixo": ("L4", 1900, 11.30, 21.80),
    "Queijo Minas Manso": ("L5", 2450, 17.90, 29.60),
    "Queijo Tarumim Reserva": ("L6", 1150, 31.50, 62.00),
}
REGIONS = {"Capital": 0.41, "Interior": 0.27, "Litoral": 0.19, "Serra": 0.13}


def brl(value: float, digits: int = 2) -> str:
    """1234.5 -> "1.234,50": thousands dot and decimal comma, as Brazilian systems export."""
    return f"{value:,.{digits}f}".translate(str.maketrans(",.", ".,"))


# --- flat files


def production_rows(dice: random.Random) -> Iterator[list[str]]:
    """One batch per product and week, 5 January to 26 June 2026."""
    yield [
        "Data",
        "Linha",
        "Produto",
        "Turno",
        "Lote",
        "Volume (kg)",
        "Perdas (kg)",
        "Parada (min)",
        "Custo total",
    ]
    lot = 41870
    for week in range(25):
        for place, (product, (line, batch, cost, _)) in enumerate(PRODUCTS.items()):
            day = date(2026, 1, 5) + timedelta(days=7 * week + place % 5)
            volume = round(batch * dice.uniform(0.86, 1.12), 1)
            loss = round(volume * dice.uniform(0.004, 0.021), 1)
            stop = dice.choice((0, 0, 0, 10, 15, 20, 35, 50, 95))
            lot += dice.randint(1, 9)
            yield [
                day.strftime("%d/%m/%Y"),
                line,
                product,
                dice.choice(("Manhã", "Tarde", "Noite")),
                f"{lot:07d}",
                brl(volume, 1),
                brl(loss, 1),
                str(stop),
                "R$ " + brl(volume * cost * dice.uniform(0.97, 1.04)),
            ]


def bonus(count: int) -> float:
    """R$ per litre by bacterial count in thousands, as article 9 of the members' rules says."""
    return 0.12 if count <= 10 else 0.08 if count <= 50 else 0.04 if count <= 100 else 0.0


def payment_rows(dice: random.Random) -> Iterator[list[str]]:
    """One payment per farm and month, January to June 2026; the base price moves by month."""
    yield ["Matrícula", "Propriedade", "Município", "Fechamento", "Litros", "Gordura (%)", "CBT (mil UFC/mL)",
           "Preço por litro (R$)", "Valor pago (R$)"]  # fmt: skip
    base = dict(zip(range(1, 7), (2.31, 2.28, 2.35, 2.44, 2.52, 2.58), strict=True))
    ends = (31, 28, 31, 30, 31, 30)
    number = 113
    for town, farm in list_source("propriedades.csv"):
        number += dice.randint(3, 29)
        size, fat = dice.uniform(1600, 21000), dice.uniform(3.2, 4.3)
        count = dice.choice((7, 22, 40, 75, 130, 210))
        for month in range(1, 7):
            litres = round(size * dice.uniform(0.88, 1.08))
            cells = max(4, round(count * dice.uniform(0.7, 1.35)))
            price = round(base[month] + bonus(cells) + dice.choice((0, 0, 0.02)), 2)
            yield [f"{number:05d}", farm, town, f"{ends[month - 1]:02d}/{month:02d}/2026", brl(litres, 0),
                   brl(fat + dice.uniform(-0.15, 0.15), 2), str(cells), brl(price), brl(litres * price)]  # fmt: skip


def list_source(name: str) -> list[list[str]]:
    """The data rows of a list under `sources/`."""
    with (HERE / "sources" / name).open(encoding="utf-8", newline="") as lines:
        return list(csv.reader(lines))[1:]


def delimited(rows: Iterator[list[str]], mark: str) -> str:
    return "\r\n".join(mark.join(row) for row in rows) + "\r\n"


# --- spreadsheets


def put(sheet: Worksheet, rows: Sequence[Sequence[object]]) -> None:
    for row in rows:
        sheet.append(list(row))


def dress(sheet: Worksheet, header: Sequence[int], widths: Sequence[int], money: Sequence[int]) -> None:
    """Bold header rows, column widths, and the money format below the header."""
    for row in header:
        for cell in sheet[row]:
            cell.font = Font(bold=True)
            cell.alignment = Alignment(horizontal="center", wrap_text=True)
    for index, width in enumerate(widths):
        sheet.column_dimensions["ABCDEFGHIJKL"[index]].width = width
    for column in money:
        for (cell,) in sheet.iter_rows(min_row=header[-1] + 1, min_col=column, max_col=column):
            cell.number_format = MONEY


def sales_book(dice: random.Random) -> Workbook:
    """Sales by month, region and product under three title rows, a totals row, and the targets sheet."""
    rows: list[list[object]] = []
    for month, season in zip(MONTHS, (1.0, 0.94, 1.03, 0.98, 1.06, 1.11), strict=True):
        for region, share in REGIONS.items():
            for product, (_, batch, _, price) in PRODUCTS.items():
                kilos = round(batch * 4.1 * share * season * dice.uniform(0.85, 1.15))
                income = round(kilos * price * dice.uniform(0.96, 1.03), 2)
                rows.append(
                    [month, region, product, kilos, income, round(income * dice.uniform(0.0, 0.024), 2)]
                )
    book = Workbook()
    sheet = book.active
    sheet.title = "Vendas"
    put(
        sheet,
        [["Cootarumim – Vendas por mês, região e produto"], ["1º semestre de 2026 · fonte: Comercial"], []],
    )
    put(sheet, [["Mês", "Região", "Produto", "Quantidade (kg)", "Receita (R$)", "Devoluções (R$)"], *rows])
    totals = [round(sum(float(str(row[column])) for row in rows), 2) for column in (3, 4, 5)]
    put(sheet, [["Total", None, None, *totals]])
    dress(sheet, [4], (12, 12, 28, 16, 18, 18), (5, 6))
    sheet["A1"].font = Font(bold=True, size=14)

    goals = book.create_sheet("Metas 2026")
    put(goals, [["Metas de receita por produto"], []])
    put(goals, [["Produto", "Meta 1º semestre (R$)", "Meta 2º semestre (R$)", "Carteira"]])
    desks = ("Varejo", "Varejo", "Varejo", "Merenda", "Varejo", "Food service", "Food service", "Exportação",
             "Varejo", "Exportação")  # fmt: skip
    targets: list[list[object]] = []
    for (product, (_, batch, _, price)), desk in zip(PRODUCTS.items(), desks, strict=True):
        goal = round(batch * 4.1 * 6.2 * price, -4)
        targets.append([product, goal, round(goal * 1.08, -4), desk])
    put(goals, targets)
    put(goals, [["Total", *(sum(float(str(row[column])) for row in targets) for column in (1, 2)), None]])
    dress(goals, [3], (28, 22, 22, 16), (2, 3))
    return book


def maintenance_book(dice: random.Random) -> Workbook:
    """Work orders under a two-row header with merged groups, a totals row, and the parts sheet."""
    book = Workbook()
    sheet = book.active
    sheet.title = "Ordens"
    put(sheet, [["Ordens de manutenção – 1º semestre de 2026"], ["Exportado do sistema em 03/07/2026"]])
    put(sheet, [["Ordem", "Abertura", "Equipamento", "Oficina", "Prioridade", "Planejado", None, "Realizado", None,
                 "Situação"], [None, None, None, None, None, "Horas", "Custo (R$)", "Horas", "Custo (R$)", None]])  # fmt: skip
    workshop = dict(list_source("equipamentos.csv"))
    day, sums = date(2026, 1, 5), [0.0, 0.0, 0.0, 0.0]
    for number in range(1, 97):
        day += timedelta(days=dice.choice((0, 1, 2, 2, 3)) if day < date(2026, 6, 28) else 0)
        machine = dice.choice(sorted(workshop))
        hours = dice.choice((1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0))
        cost = round(hours * 95 + dice.uniform(60, 2400), 2)
        still_open = number > 84 and dice.random() < 0.6
        state = "Aberta" if still_open else dice.choice(("Concluída",) * 8 + ("Cancelada",))
        real = [0.0, 0.0]
        if state == "Concluída":
            real = [round(hours * dice.uniform(0.7, 1.6), 1), round(cost * dice.uniform(0.75, 1.5), 2)]
        put(sheet, [[f"OS-2026-{number:04d}", day, machine, workshop[machine], dice.choice(("P1", "P2", "P2", "P3")),
                     hours, cost, *real, state]])  # fmt: skip
        sheet.cell(sheet.max_row, 2).number_format = "dd/mm/yyyy"
        sums = [total + value for total, value in zip(sums, (hours, cost, *real), strict=True)]
    put(sheet, [["Total geral", None, None, None, None, *(round(total, 2) for total in sums), None]])
    dress(sheet, [3, 4], (14, 12, 14, 14, 11, 9, 14, 9, 14, 12), (7, 9))
    for block in ("A3:A4", "B3:B4", "C3:C4", "D3:D4", "E3:E4", "F3:G3", "H3:I3", "J3:J4"):
        sheet.merge_cells(block)

    stock = book.create_sheet("Peças")
    put(stock, [["Peça", "Descrição", "Equipamento", "Estoque", "Mínimo", "Preço unitário (R$)"]])
    for *names, in_stock, least, price in list_source("pecas.csv"):
        put(stock, [[*names, int(in_stock), int(least), float(price)]])
    dress(stock, [1], (12, 28, 14, 10, 10, 20), (6,))
    return book


def jobs_book() -> Workbook:
    """Restricted: job table with base pay under title rows, and planned leave."""
    book = Workbook()
    sheet = book.active
    sheet.title = "Cargos"
    put(sheet, [["Tabela de cargos e salários 2026"], ["Restrito – RH"], []])
    put(
        sheet,
        [["Cargo", "Área", "Nível", "Quadro", "Salário base (R$)", "Adicional (%)", "Folha mensal (R$)"]],
    )
    everyone, payroll = 0, 0.0
    for job, area, level, people, pay, extra in list_source("cargos.csv"):
        cost = round(int(people) * float(pay) * (1 + int(extra) / 100), 2)
        put(sheet, [[job, area, level, int(people), float(pay), int(extra), cost]])
        everyone, payroll = everyone + int(people), payroll + cost
    put(sheet, [["Total", None, None, everyone, None, None, round(payroll, 2)]])
    dress(sheet, [4], (32, 16, 9, 9, 18, 14, 20), (5, 7))
    leave = book.create_sheet("Férias programadas")
    put(leave, [["Nome", "Cargo", "Início", "Fim", "Dias"]])
    for name, job, start, days in list_source("ferias.csv"):
        first = date.fromisoformat(start)
        put(leave, [[name, job, first, first + timedelta(days=int(days) - 1), int(days)]])
        for column in (3, 4):
            leave.cell(leave.max_row, column).number_format = "dd/mm/yyyy"
    dress(leave, [1], (22, 30, 12, 12, 8), ())
    return book


# --- prose sources: "#" headings, blank-line paragraphs, "|" tables


@dataclass(frozen=True, slots=True)
class Block:
    kind: str  # "h1", "h2", "p" or "table"
    text: str
    rows: tuple[tuple[str, ...], ...] = ()


def read_source(name: str) -> list[Block]:
    """The small part of Markdown that the sources use; anything else would be a paragraph."""
    blocks: list[Block] = []
    for part in re.split(r"\n\s*\n", (HERE / "sources" / name).read_text("utf-8").strip()):
        if part.startswith("## "):
            blocks.append(Block("h2", part[3:]))
        elif part.startswith("# "):
            blocks.append(Block("h1", part[2:]))
        elif part.startswith("|"):
            rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in part.splitlines()]
            blocks.append(Block("table", "", (rows[0], *rows[2:])))
        else:
            blocks.append(Block("p", part))
    return blocks


def pdf_bytes(name: str, title: str, code: str) -> bytes:
    """A4 with a running header and page numbers; `invariant` fixes date and id in the metadata."""
    styles = getSampleStyleSheet()
    story: list[Flowable] = []
    for block in read_source(name):
        if block.kind == "table":
            cells = [[Paragraph(escape(cell), styles["BodyText"]) for cell in row] for row in block.rows]
            look = [
                ("GRID", (0, 0), (-1, -1), 0.5, colors.grey),
                ("BACKGROUND", (0, 0), (-1, 0), colors.whitesmoke),
            ]
            story += [Table(cells, repeatRows=1, hAlign="LEFT", style=TableStyle(look)), Spacer(0, 0.3 * cm)]
        else:
            style = {"h1": "Title", "h2": "Heading2", "p": "BodyText"}[block.kind]
            story.append(Paragraph(escape(block.text), styles[style]))

    def furniture(canvas: Canvas, page: SimpleDocTemplate) -> None:
        canvas.setFont("Helvetica", 8)
        canvas.drawString(2 * cm, A4[1] - 1.2 * cm, f"Cootarumim · {code}")
        canvas.drawRightString(A4[0] - 2 * cm, 1.2 * cm, f"Página {page.page}")

    out = io.BytesIO()
    SimpleDocTemplate(
        out, pagesize=A4, title=title, author="Cootarumim", invariant=1, pageCompression=0, lang="pt-BR"
    ).build(story, onFirstPage=furniture, onLaterPages=furniture)
    return out.getvalue()


def docx_bytes(name: str, header: str, footer: str) -> bytes:
    document = Document()
    for block in read_source(name):
        if block.kind == "table":
            table = document.add_table(rows=0, cols=len(block.rows[0]), style="Table Grid")
            for row in block.rows:
                for cell, text in zip(table.add_row().cells, row, strict=True):
                    cell.text = text
        elif block.kind == "p":
            document.add_paragraph(block.text)
        else:
            document.add_heading(block.text, level=int(block.kind[1]))
    document.sections[0].header.paragraphs[0].text = header
    document.sections[0].footer.paragraphs[0].text = footer
    facts = document.core_properties
    facts.author, facts.title, facts.created, facts.modified = (
        "Cootarumim",
        read_source(name)[0].text,
        STAMP,
        STAMP,
    )
    out = io.BytesIO()
    document.save(out)
    return fixed_archive(out.getvalue())


def book_bytes(book: Workbook) -> bytes:
    book.properties.creator, book.properties.created = "Cootarumim", STAMP
    out = io.BytesIO()
    book.save(out)
    return fixed_archive(out.getvalue())


def fixed_archive(data: bytes) -> bytes:
    """The same archive with fixed time stamps; openpyxl also stamps `modified` with the time of saving."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for item in old.infolist():
            body = old.read(item)
            if item.filename == "docProps/core.xml":
                stamp = STAMP.strftime("%Y-%m-%dT%H:%M:%SZ").encode()
                body = re.sub(rb"(<dcterms:modified[^>]*>)[^<]*", rb"\g<1>" + stamp, body)
            entry = zipfile.ZipInfo(item.filename, STAMP.timetuple()[:6])
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
            new.writestr(entry, body)
    return out.getvalue()


def build() -> dict[str, bytes]:
    """Every built file by its path inside the corpus; one seed per file, so that one may change alone."""
    production = delimited(production_rows(random.Random(SEED)), ";")
    payments = delimited(payment_rows(random.Random(SEED + 1)), "\t")
    return {
        "producao/producao_2026.csv": production.encode("cp1252"),
        "campo/pagamento_leite_2026.tsv": payments.encode("utf-8"),
        "geral/vendas_2026.xlsx": book_bytes(sales_book(random.Random(SEED + 2))),
        "manutencao/ordens_manutencao_2026.xlsx": book_bytes(maintenance_book(random.Random(SEED + 3))),
        "rh/cargos_e_salarios_2026.xlsx": book_bytes(jobs_book()),
        "producao/manual_da_qualidade.pdf": pdf_bytes("manual_da_qualidade.md", "Manual da Qualidade", "MQ-001 rev. 11"),
        "campo/regulamento_do_cooperado.pdf": pdf_bytes(
            "regulamento_do_cooperado.md", "Regulamento do Cooperado", "REG-COOP-01"
        ),
        "geral/politica_viagens_reembolso.docx": docx_bytes(
            "politica_viagens_reembolso.md", "Cootarumim · POL-ADM-004 · revisão 3", "Uso interno. Cópia impressa não controlada."
        ),
    }  # fmt: skip


def main(target: Path) -> None:
    for name, data in build().items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(data)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "corpus")
