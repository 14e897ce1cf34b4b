import io
from email.message import EmailMessage
from typing import Any

import pytest
from PIL import Image
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from core.errors import DamagedFile, NoTextLayer
from core.ingest.load.ocr import straighten
from core.ports import OcrLine
from tests.core.ingest.load.making import SpokenOcr, blocks, picture, pptx, read, rows, spoken, tables, texts

# --- web pages -------------------------------------------------------------------------------------

PAGE = """<!DOCTYPE html><html><head><title>Regras</title><meta property="article:modified_time" content="2025-03-01T10:00"></head>
<body><nav>menu</nav><h1>Regras</h1><p>Um <b>texto</b> com<br>quebra.</p><ul><li>um</li><li>dois</li></ul>
<h2>Preços</h2><table><caption>Tabela de preços</caption><tr><th>Item</th><th>Valor</th></tr><tr><td>porca</td><td>2,50</td></tr>
<tr><td>prego</td><td>1,25</td></tr></table><table><tr><td><p>só leiaute</p></td></tr></table>
<p style="display: none">oculto</p><script>var x</script><pre>a  b</pre></body></html>"""


def test_a_web_page_is_read_as_a_browser_shows_it() -> None:
    loaded = read(PAGE, "p.html")

    assert loaded.title == "Regras"
    assert loaded.date == "2025-03-01"
    assert texts(loaded) == ["Regras", "Um texto com\nquebra.", "um", "dois", "Preços", "só leiaute", "a  b"]
    assert rows(tables(loaded)[0]) == [("porca", 2.5), ("prego", 1.25)]
    assert tables(loaded)[0].caption == "Tabela de preços"


def test_spans_of_a_web_table_hold_for_all_their_cells() -> None:
    page = """<html><body><table><tr><th rowspan=2>Região</th><th colspan=2>2024</th></tr><tr><th>Q1</th><th>Q2</th></tr>
    <tr><td>Norte</td><td>1</td><td>2</td></tr><tr><td>Sul</td><td>3</td><td>4</td></tr></table></body></html>"""
    table = tables(read(page, "p.html"))[0]

    assert [column.name for column in table.columns] == ["Região", "2024 Q1", "2024 Q2"]


def test_a_deeply_nested_page_loses_no_text() -> None:
    page = "<html><body>" + "<div>" * 240 + "fundo" + "</div>" * 240 + "</body></html>"

    assert "fundo" in " ".join(texts(read(page, "p.html")))


# --- records ---------------------------------------------------------------------------------------


def test_records_become_rows_and_inner_objects_columns() -> None:
    loaded = read(
        '[{"id":1,"nome":"Ana","end":{"cidade":"SP"}},{"id":2,"nome":"Bia","end":{"cidade":"RJ"}}]', "a.json"
    )

    assert [column.name for column in tables(loaded)[0].columns] == ["id", "nome", "end.cidade"]
    assert tables(loaded)[0].rows[1] == ("2", "Bia", "RJ")


def test_an_object_with_a_list_gives_text_and_a_table_named_after_it() -> None:
    loaded = read('{"empresa":"X","vendas":[{"mes":"jan","v":1.5},{"mes":"fev","v":2}]}', "a.json")

    assert texts(loaded) == ["empresa: X"]
    assert tables(loaded)[0].caption == "vendas"


def test_a_bad_line_among_records_is_reported_and_the_others_kept() -> None:
    loaded = read('{"a":1}\n{"a":2}\nestragada\n{"a":3}\n', "a.jsonl")

    assert len(tables(loaded)[0].rows) == 3
    assert loaded.rejected[0].text == "estragada"


def test_broken_json_is_damaged() -> None:
    with pytest.raises(DamagedFile):
        read('{"a": [1, 2', "a.json")


# --- slides ----------------------------------------------------------------------------------------


def test_slides_give_titles_texts_tables_charts_groups_and_notes() -> None:
    def build(show: Any) -> None:
        slide = show.slides.add_slide(show.slide_layouts[5])
        slide.shapes.title.text = "Resultados"
        cells = slide.shapes.add_table(2, 2, Inches(1), Inches(1.5), Inches(4), Inches(1)).table
        for at, value in enumerate(("Loja", "Vendas", "Centro", "10")):
            cells.cell(at // 2, at % 2).text = value
        data = CategoryChartData()
        data.categories = ["jan", "fev"]
        data.add_series("Receita", (4.3, 2.5))
        slide.shapes.add_chart(
            XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(3), Inches(4), Inches(2), data
        )
        group = slide.shapes.add_group_shape()
        inner = group.shapes.add_group_shape()
        inner.shapes.add_textbox(Inches(1), Inches(6), Inches(2), Inches(1)).text_frame.text = "no grupo"
        slide.notes_slide.notes_text_frame.text = "dizer devagar"

    loaded = read(pptx(build), "a.pptx")

    assert texts(loaded) == ["Resultados", "no grupo", "dizer devagar"]
    assert blocks(loaded)[-1].locator.part == "notes"
    assert [rows(table) for table in tables(loaded)] == [[("Centro", 10)], [("jan", 4.3), ("fev", 2.5)]]
    assert all(item.locator.page == 1 for item in loaded.items)


# --- mails -----------------------------------------------------------------------------------------


def test_a_mail_gives_its_head_its_body_and_names_an_attachment_that_cannot_be_read() -> None:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "ana@example.org", "bia@example.org", "Orçamento de março"
    mail["Date"] = "Mon, 03 Mar 2025 10:00:00 -0300"
    mail.set_content("Olá,\n\nO orçamento é de R$ 5.000,00.\n")
    mail.add_attachment(b"%PDF-1.4 x", maintype="application", subtype="pdf", filename="proposta.pdf")
    loaded = read(mail.as_bytes(), "m.eml")

    assert loaded.title == "Orçamento de março"
    assert loaded.date == "2025-03-03"
    assert "O orçamento é de R$ 5.000,00." in texts(loaded)
    assert "From: ana@example.org" in " ".join(texts(loaded))
    assert loaded.rejected[0].where == "proposta.pdf"


# --- pictures --------------------------------------------------------------------------------------


def test_a_picture_is_read_by_ocr_with_its_tables() -> None:
    cells = (
        ("Produto", "Qtd", "Valor"),
        ("porca", "3", "2,50"),
        ("prego", "4", "1,25"),
        ("cola", "5", "9,00"),
    )
    said = [spoken(cell, 40 + 40 * row, 40 + 200 * column) for row, line in enumerate(cells) for column, cell in enumerate(line)]  # fmt: skip
    loaded = read(picture(800, 300), "foto.png", SpokenOcr(*said))

    assert rows(tables(loaded)[0]) == [("porca", 3, 2.5), ("prego", 4, 1.25), ("cola", 5, 9.0)]


def test_doubtful_lines_are_dropped_and_a_picture_without_text_is_refused() -> None:
    with pytest.raises(NoTextLayer):
        read(picture(), "foto.png", SpokenOcr(spoken("ruído", 20, confidence=0.2)))


def test_other_directions_are_tried_when_lines_stand_on_end() -> None:
    class Turned:
        name = "turned"

        def read(self, image: bytes) -> tuple[OcrLine, ...]:
            width, height = Image.open(io.BytesIO(image)).size
            if width > height:
                return (OcrLine("texto em pé legível", 0.95, (10.0, 10.0, 200.0, 30.0)),)
            return (OcrLine("ilegível", 0.6, (10.0, 10.0, 30.0, 200.0)),)

    assert texts(read(picture(200, 400), "foto.png", Turned())) == ["texto em pé legível"]


def test_every_page_of_a_tiff_is_read() -> None:
    buffer = io.BytesIO()
    frames = [Image.new("RGB", (300, 200), "white") for _ in range(3)]
    frames[0].save(buffer, "TIFF", save_all=True, append_images=frames[1:])
    ocr = SpokenOcr(spoken("Uma folha com texto bastante claro", 40))
    loaded = read(buffer.getvalue(), "fax.tiff", ocr)

    assert loaded.pages == 3
    assert ocr.asked == 3


def test_a_page_that_lies_askew_is_set_straight() -> None:
    slope = 0.05
    boxes = [
        [(0.0, y), (400.0, y + 400 * slope), (400.0, y + 400 * slope + 20), (0.0, y + 20)]
        for y in (0.0, 30.0)
    ]
    levelled = straighten(boxes, (200.0, 200.0))

    assert all(abs((bottom - top) - 20) < 1 for _, top, _, bottom in levelled)
    assert abs((levelled[1][1] - levelled[0][1]) - 30) < 1


@pytest.mark.slow
def test_the_embedded_ocr_reads_a_drawn_word() -> None:
    from PIL import ImageDraw, ImageFont

    from core.ingest.load.ocr import RapidOcr

    image = Image.new("RGB", (500, 120), "white")
    ImageDraw.Draw(image).text((20, 30), "ESTOQUE 4821", fill="black", font=ImageFont.load_default(48))
    buffer = io.BytesIO()
    image.save(buffer, "PNG")

    assert "4821" in " ".join(line.text for line in RapidOcr().read(buffer.getvalue()))
