"""Pictures inside documents."""

from io import BytesIO
from typing import Any

import pytest
from docx.shared import Inches
from openpyxl.drawing.image import Image as SheetImage
from pptx.util import Inches as SlideInches
from reportlab.lib.utils import ImageReader

from core.errors import NoTextLayer
from core.ingest.load import pictured
from core.ingest.load.ocr import RapidOcr
from core.ingest.load.pdf.words import PdfFile
from tests.core.ingest.load.making import (
    SpokenOcr,
    docx,
    drawn_text,
    grids,
    lines,
    pdf,
    picture,
    pptx,
    read,
    rows,
    spoken,
    tables,
    texts,
    xlsx,
)

SHOT = drawn_text("O fornecedor Alfa entrega em nove dias")
SAID = SpokenOcr(spoken("O fornecedor Alfa entrega em nove dias.", 40))
PRICES = (("Produto", "Qtd", "Valor"), ("porca", "3", "2,50"), ("prego", "4", "1,25"), ("cola", "5", "9,00"))


def with_picture(document: Any, data: bytes = SHOT) -> None:
    document.add_paragraph("Antes da figura.")
    document.add_picture(BytesIO(data), width=Inches(4))
    document.add_paragraph("Depois da figura.")


def test_a_picture_in_a_word_file_is_read_where_it_stands_and_told_with_its_confidence() -> None:
    loaded = read(docx(with_picture), "a.docx", SAID)

    assert texts(loaded) == [
        "Antes da figura.",
        "O fornecedor Alfa entrega em nove dias.",
        "Depois da figura.",
    ]
    assert loaded.items[1].locator.part == "picture"
    assert any("97 %" in told for told in loaded.assumptions)


def test_a_table_in_a_picture_becomes_a_table() -> None:
    ocr = SpokenOcr(*(spoken(cell, 40 + 40 * y, 40 + 200 * x) for y, line in enumerate(PRICES) for x, cell in enumerate(line)))  # fmt: skip
    loaded = read(docx(with_picture), "a.docx", ocr)

    assert rows(tables(loaded)[0]) == [("porca", 3, 2.5), ("prego", 4, 1.25), ("cola", 5, 9.0)]
    assert grids(loaded)[0].locator.part == "picture"


def test_a_picture_in_a_table_cell_is_read_after_the_table() -> None:
    def build(document: Any) -> None:
        cells = document.add_table(3, 3).rows
        for y, row in enumerate(cells):
            for x, cell in enumerate(row.cells):
                cell.text = f"c{y}{x}"
        cells[1].cells[1].paragraphs[0].add_run().add_picture(BytesIO(SHOT), width=Inches(1))

    loaded = read(docx(build), "a.docx", SAID)

    assert len(grids(loaded)) == 1
    assert texts(loaded) == ["O fornecedor Alfa entrega em nove dias."]


def test_without_ocr_the_uploader_is_told_how_many_pictures_were_not_read() -> None:
    loaded = read(docx(with_picture), "a.docx")

    assert texts(loaded) == ["Antes da figura.", "Depois da figura."]
    assert [one.where for one in loaded.rejected] == ["1 figura(s)"]


def test_a_document_of_pictures_alone_is_refused_without_ocr_and_not_called_empty() -> None:
    with pytest.raises(NoTextLayer):
        read(docx(lambda d: d.add_picture(BytesIO(SHOT), width=Inches(4))), "a.docx")


@pytest.mark.parametrize("logo", [drawn_text("x", width=40, height=40), picture(900, 50), picture(600, 400)])
def test_small_thin_and_plain_pictures_are_decoration(logo: bytes) -> None:
    loaded = read(docx(lambda document: with_picture(document, logo)), "a.docx", SAID)

    assert texts(loaded) == ["Antes da figura.", "Depois da figura."]
    assert loaded.rejected == ()
    assert loaded.assumptions == ()


def test_the_same_picture_on_every_page_is_read_once_and_too_many_are_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pictured, "MOST", 2)

    def build(document: Any) -> None:
        for number in (1, 1, 1, 2, 3, 4):
            with_picture(document, drawn_text(f"figura numero {number}"))

    ocr = SpokenOcr(spoken("Uma linha de texto clara.", 40))
    loaded = read(docx(build), "a.docx", ocr)

    assert ocr.asked == 2
    assert [one.where for one in loaded.rejected] == ["2 figura(s)"]


def test_pictures_on_slides_and_sheets_are_read_with_their_place() -> None:
    def slides(show: Any) -> None:
        show.slides.add_slide(show.slide_layouts[6])
        slide = show.slides.add_slide(show.slide_layouts[6])
        slide.shapes.add_picture(BytesIO(SHOT), SlideInches(1), SlideInches(1))

    def book(workbook: Any) -> None:
        sheet = workbook.active
        sheet.title = "Compras"
        for row in (("produto", "qtd"), ("porca", 3), ("prego", 4)):
            sheet.append(row)
        sheet.add_image(SheetImage(BytesIO(SHOT)), "E2")

    on_slide = read(pptx(slides), "a.pptx", SAID)
    on_sheet = read(xlsx(book), "a.xlsx", SAID)

    assert [(i.locator.page, i.locator.part) for i in on_slide.items] == [(2, "picture")]
    assert rows(tables(on_sheet)[0]) == [("porca", 3), ("prego", 4)]
    assert (on_sheet.items[-1].locator.sheet, texts(on_sheet)) == (
        "Compras",
        ["O fornecedor Alfa entrega em nove dias."],
    )


def mixed(canvas: Any) -> None:
    """A page with text, and below it a scanned letter."""
    lines(canvas, 780, "1. Fornecedores", size=16, bold=True)
    lines(canvas, 740, "O contrato com os fornecedores vale por dois anos e pode ser", "renovado uma vez.")
    canvas.drawImage(ImageReader(BytesIO(SHOT)), 60, 500, 400, 60)


def test_a_page_with_text_and_a_scanned_picture_gives_both() -> None:
    loaded = read(
        pdf(mixed, lambda c: lines(c, 780, "Segunda pagina com outro assunto qualquer.")), "a.pdf", SAID
    )

    assert [text for text in texts(loaded) if "fornecedor" in text.lower()] == [
        "1. Fornecedores",
        "O contrato com os fornecedores vale por dois anos e pode ser renovado uma vez.",
        "O fornecedor Alfa entrega em nove dias.",
    ]
    figure = next(item for item in loaded.items if item.locator.part == "picture")
    assert figure.locator.page == 1
    assert loaded.items[-1].locator.page == 2
    assert [item.locator.ordinal for item in loaded.items] == list(range(len(loaded.items)))


def test_without_ocr_pictures_of_a_pdf_are_counted_once_a_place_and_no_page_is_rendered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def rendered(*_: object, **__: object) -> bytes:
        raise AssertionError("rendered for nothing")

    monkeypatch.setattr(PdfFile, "picture", rendered)
    loaded = read(pdf(mixed, mixed, mixed), "a.pdf")

    assert [one.where for one in loaded.rejected] == ["1 figura(s)"]


def test_a_picture_under_a_text_layer_of_its_own_is_not_read_twice() -> None:
    def searchable(canvas: Any) -> None:
        canvas.drawImage(ImageReader(BytesIO(SHOT)), 40, 100, 500, 650)
        for at in range(20):
            lines(canvas, 720 - 30 * at, f"Linha {at} do texto que a camada de texto traz por inteiro, sim.")

    ocr = SpokenOcr(spoken("outra leitura", 40))
    read(pdf(searchable), "a.pdf", ocr)

    assert ocr.asked == 0


def test_a_scan_with_a_printed_stamp_over_it_is_still_read() -> None:
    def stamped(canvas: Any) -> None:
        canvas.drawImage(ImageReader(BytesIO(SHOT)), 40, 60, 500, 720)
        lines(canvas, 30, "Processo 12345 folha 7, assinado digitalmente por Ana Dias em 2024")
        lines(canvas, 770, "Copia fiel do documento original conferida na origem")

    loaded = read(pdf(stamped), "a.pdf", SAID)

    assert "O fornecedor Alfa entrega em nove dias." in texts(loaded)


@pytest.mark.slow
def test_the_embedded_ocr_reads_a_screenshot_in_a_word_file() -> None:
    loaded = read(docx(lambda d: with_picture(d, drawn_text("Pedido 4821 entregue"))), "a.docx", RapidOcr())

    assert any("4821" in text for text in texts(loaded))
