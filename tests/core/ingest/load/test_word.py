from typing import Any

from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from docx.shared import Pt

from tests.core.ingest.load.making import blocks, docx, read, rows, tables, texts

BOX = f'<w:r {nsdecls("w")} xmlns:v="urn:schemas-microsoft-com:vml"><w:pict><v:shape><v:textbox><w:txbxContent><w:p><w:r><w:t>CAIXA-42</w:t></w:r></w:p></w:txbxContent></v:textbox></v:shape></w:pict></w:r>'
INSERTED = f'<w:ins {nsdecls("w")} w:id="1" w:author="a"><w:r><w:t>30 dias</w:t></w:r></w:ins>'
DELETED = f'<w:del {nsdecls("w")} w:id="2" w:author="a"><w:r><w:delText>15 dias</w:delText></w:r></w:del>'


def test_text_hides_in_no_place() -> None:
    def build(document: Any) -> None:
        document.add_paragraph("corpo visível")
        late = document.add_paragraph("Prazo: ")
        late._p.append(parse_xml(DELETED))
        late._p.append(parse_xml(INSERTED))
        document.add_paragraph()._p.append(parse_xml(BOX))
        document.sections[0].header.paragraphs[0].text = "CABECALHO-9"
        document.sections[0].footer.paragraphs[0].text = "RODAPE-8"

    loaded = read(docx(build), "a.docx")

    assert texts(loaded) == ["corpo visível", "Prazo: 30 dias", "CAIXA-42", "CABECALHO-9", "RODAPE-8"]
    assert [block.locator.part for block in blocks(loaded)] == ["", "", "text box", "header", "footer"]
    assert any("1" in told for told in loaded.assumptions)


def test_comments_follow_the_paragraph_they_belong_to() -> None:
    def build(document: Any) -> None:
        paragraph = document.add_paragraph("Valor aprovado")
        document.add_comment(paragraph.runs, text="conferir com a controladoria", author="Ana", initials="A")
        document.add_paragraph("Depois")

    loaded = read(docx(build), "a.docx")

    assert texts(loaded) == ["Valor aprovado", "conferir com a controladoria", "Depois"]
    assert blocks(loaded)[1].locator.part == "comment"


def test_headings_form_a_trail_and_the_title_is_the_documents() -> None:
    def build(document: Any) -> None:
        document.add_heading("Política de férias", 0)
        document.add_heading("Prazos", 1)
        document.add_heading("Pedido", 2)
        document.add_paragraph("Com 45 dias de antecedência.")

    loaded = read(docx(build), "a.docx")

    assert loaded.title == "Política de férias"
    assert [(b.text, b.level) for b in blocks(loaded) if b.kind == "heading"] == [
        ("Prazos", 1),
        ("Pedido", 2),
    ]
    assert blocks(loaded)[-1].locator.section == "Pedido"


def test_bold_lines_are_headings_where_no_style_says_so() -> None:
    def build(document: Any) -> None:
        document.add_paragraph().add_run("Objetivo").bold = True
        document.add_paragraph("Este texto explica.")

    assert texts(read(docx(build), "a.docx"), "heading") == ["Objetivo"]


def test_numbers_that_word_only_prints_are_part_of_the_text() -> None:
    def build(document: Any) -> None:
        for text in ("abrir", "medir", "fechar"):
            document.add_paragraph(text, style="List Number")
        document.add_paragraph("ponto", style="List Bullet")

    assert texts(read(docx(build), "a.docx"), "list") == ["1. abrir", "2. medir", "3. fechar", "ponto"]


def test_a_table_keeps_its_place_and_its_merged_cells() -> None:
    def build(document: Any) -> None:
        document.add_paragraph("antes")
        table = document.add_table(rows=3, cols=3)
        for at, values in enumerate((("Área", "Pessoa", "Horas"), ("TI", "Ana", "10"), ("", "Bia", "20"))):
            for column, value in enumerate(values):
                table.cell(at, column).text = value
        table.cell(1, 0).merge(table.cell(2, 0))
        document.add_paragraph("depois")

    loaded = read(docx(build), "a.docx")

    assert [type(item).__name__ for item in loaded.items] == ["Block", "Grid", "Block"]
    assert rows(tables(loaded)[0]) == [("TI", "Ana", 10), ("TI", "Bia", 20)]


def test_a_table_inside_a_cell_is_a_table_of_its_own() -> None:
    def build(document: Any) -> None:
        outer = document.add_table(rows=2, cols=3)
        for at, value in enumerate(("a", "b", "c", "d", "e", "f")):
            outer.cell(at // 3, at % 3).text = value
        inner = outer.cell(1, 1).add_table(rows=2, cols=2)
        for at, value in enumerate(("Item", "Preço", "porca", "2,50")):
            inner.cell(at // 2, at % 2).text = value

    found = tables(read(docx(build), "a.docx"))

    assert found[0].rows == (("d", "e", "f"),)
    assert found[1].rows == (("porca", 2.5),)


def test_labels_with_values_are_text_and_not_a_table_without_a_header() -> None:
    def build(document: Any) -> None:
        table = document.add_table(rows=4, cols=2)
        for at, pair in enumerate(
            (("Contratante", "ACME"), ("Valor", "R$ 1.000,00"), ("Início", "01/02/2025"), ("Fiscal", "Ana"))
        ):
            table.cell(at, 0).text, table.cell(at, 1).text = pair

    loaded = read(docx(build), "a.docx")

    assert not tables(loaded)
    assert "Valor: R$ 1.000,00" in texts(loaded)[0]


def test_a_table_of_one_row_is_a_line_of_text() -> None:
    def build(document: Any) -> None:
        table = document.add_table(rows=1, cols=2)
        table.cell(0, 0).text, table.cell(0, 1).text = "chave", "TABELA-7"

    assert texts(read(docx(build), "a.docx")) == ["chave: TABELA-7"]


def test_footnotes_follow_the_paragraph_they_belong_to() -> None:
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.opc.packuri import PackURI
    from docx.opc.part import Part

    note = f'<w:footnotes {nsdecls("w")}><w:footnote w:id="2"><w:p><w:r><w:t>salvo feriados</w:t></w:r></w:p></w:footnote></w:footnotes>'
    mark = f'<w:r {nsdecls("w")}><w:footnoteReference w:id="2"/></w:r>'

    def build(document: Any) -> None:
        document.add_paragraph("Entrega em dois dias")._p.append(parse_xml(mark))
        document.add_paragraph("Depois")
        kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
        part = Part(PackURI("/word/footnotes.xml"), kind, note.encode(), document.part.package)
        document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)

    loaded = read(docx(build), "a.docx")

    assert texts(loaded) == ["Entrega em dois dias", "salvo feriados", "Depois"]
    assert blocks(loaded)[1].locator.part == "footnote"


def test_a_document_without_any_text_is_empty() -> None:
    import pytest

    from core.errors import EmptyFile

    with pytest.raises(EmptyFile):
        read(docx(lambda document: document.add_paragraph("")), "a.docx")


def test_a_font_size_alone_makes_no_heading() -> None:
    def build(document: Any) -> None:
        document.add_paragraph().add_run("Texto grande mas comum.").font.size = Pt(20)

    assert not texts(read(docx(build), "a.docx"), "heading")
