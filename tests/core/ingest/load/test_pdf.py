import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from core.errors import EncryptedFile, NoTextLayer, OversizedFile
from core.ports import ReadLimits
from tests.core.ingest.load.making import (
    SpokenOcr,
    blocks,
    drawn_table,
    grids,
    lines,
    pdf,
    read,
    rows,
    spoken,
    tables,
    texts,
)

LONG = "O relatório mensal descreve os resultados que a unidade obteve no período"
PRICES = (
    ("Produto", "Qtd", "Preço (R$)"),
    ("porca", "3", "1.234,50"),
    ("prego", "4", "2,75"),
    ("cola", "5", "9,00"),
)


def test_headings_are_found_by_their_letters_and_carry_levels() -> None:
    def page(canvas: Canvas) -> None:
        at = lines(canvas, 780, "Manual da Qualidade", size=22, bold=True, gap=2)
        for number, name in enumerate(("Objetivo", "Alcance"), start=1):
            at = lines(canvas, at, f"{number}. {name}", size=14, bold=True, gap=1.6)
            at = lines(canvas, at, LONG, "e o que falta fazer até o fim do ano.") - 14

    loaded = read(pdf(page), "a.pdf")

    assert loaded.title == "Manual da Qualidade"
    assert texts(loaded, "heading") == ["1. Objetivo", "2. Alcance"]
    assert texts(loaded, "paragraph")[0] == f"{LONG} e o que falta fazer até o fim do ano."


@pytest.mark.parametrize("ruled", [True, False])
def test_a_table_becomes_typed_rows_with_or_without_lines(ruled: bool) -> None:
    def page(canvas: Canvas) -> None:
        lines(canvas, 780, f"{LONG}.", "Segue a tabela de preços que vale para este ano em todas as lojas.")
        drawn_table(canvas, PRICES, 60, 600, ruled=ruled)
        lines(canvas, 560, "Os preços valem até o fim do ano e não incluem o frete nem a montagem.")

    loaded = read(pdf(page), "a.pdf")

    assert rows(tables(loaded)[0]) == [("porca", 3, 1234.5), ("prego", 4, 2.75), ("cola", 5, 9.0)]
    assert [type(item).__name__ for item in loaded.items] == ["Block", "Grid", "Block"]


def test_cells_without_a_line_between_them_are_merged() -> None:
    cells = (("Região", "2024", ""), ("", "Q1", "Q2"), ("Norte", "1", "2"), ("Sul", "3", "4"))
    loaded = read(pdf(lambda c: drawn_table(c, cells, 60, 600, ruled=True, spans=[((0, 0), (0, 1)), ((1, 0), (2, 0))])), "a.pdf")  # fmt: skip

    assert [column.name for column in tables(loaded)[0].columns] == ["Região", "2024 Q1", "2024 Q2"]


def test_two_columns_are_read_one_after_the_other() -> None:
    left = [f"esquerda {at} com texto que enche bem a linha" for at in range(12)]
    right = [f"direita {at} com texto que enche bem a linha" for at in range(12)]

    def page(canvas: Canvas) -> None:
        lines(canvas, 790, "Um título que atravessa as duas colunas da página inteira sem parar", size=12)
        lines(canvas, 750, *left, x=50, size=10)
        lines(canvas, 750, *right, x=310, size=10)

    text = "\n".join(texts(read(pdf(page), "a.pdf")))

    assert (
        text.index("atravessa")
        < text.index("esquerda 0")
        < text.index("esquerda 11")
        < text.index("direita 0")
    )


def test_a_table_that_goes_on_over_pages_is_one_table() -> None:
    def page(first: int) -> object:
        cells = [("Código", "Cliente", "Valor"), *((f"{at:03d}", f"Cliente {at}", f"{at},50") for at in range(first, first + 20))]  # fmt: skip
        return lambda canvas: drawn_table(canvas, cells, 60, 400, ruled=True)

    loaded = read(pdf(page(0), page(20), page(40)), "a.pdf")  # type: ignore[arg-type]

    assert len(tables(loaded)) == 1
    assert [row[0] for row in tables(loaded)[0].rows] == [f"{at:03d}" for at in range(60)]
    assert any("2, 3" in told for told in loaded.assumptions)


def test_rows_at_the_foot_of_every_page_are_no_running_line() -> None:
    def page(number: int) -> object:
        def draw(canvas: Canvas) -> None:
            for at in range(40):
                lines(canvas, 800 - 19 * at, f"Item {number}{at:02d}", x=60)
                lines(canvas, 800 - 19 * at, f"{number}{at:02d},50", x=300)

        return draw

    text = str(read(pdf(*(page(n) for n in range(1, 5))), "a.pdf").items)  # type: ignore[arg-type]

    assert all(f"Item {n}{at:02d}" in text for n in range(1, 5) for at in (0, 39))


def test_running_heads_are_kept_once_and_page_numbers_not_at_all() -> None:
    def page(number: int) -> object:
        def draw(canvas: Canvas) -> None:
            lines(canvas, 815, "ACME Ltda · Documento interno", size=8)
            lines(
                canvas,
                700,
                f"Conteúdo da folha {number} sobre o assunto {number * 7}.",
                "Segue o texto da folha.",
            )
            lines(canvas, 30, f"Página {number} de 3", size=8)

        return draw

    loaded = read(pdf(page(1), page(2), page(3)), "a.pdf")  # type: ignore[arg-type]

    assert [b.locator.part for b in blocks(loaded) if "ACME" in b.text] == ["header"]
    assert not any("Página" in text for text in texts(loaded))
    assert sum("Conteúdo da folha" in text for text in texts(loaded)) == 3


def test_a_sentence_cut_by_the_page_is_whole_again() -> None:
    def first(canvas: Canvas) -> None:
        lines(
            canvas, 100, f"{LONG} e guarda todas as", "amostras até o fim do prazo que a norma manda, sempre"
        )

    def second(canvas: Canvas) -> None:
        lines(canvas, 780, "na presença de um analista.", "Outra frase começa aqui.")

    assert "sempre na presença de um analista." in texts(read(pdf(first, second), "a.pdf"))[0]


def test_a_turned_page_is_read_upright() -> None:
    def page(canvas: Canvas) -> None:
        canvas.setPageRotation(90)
        canvas.translate(0, 842)
        canvas.rotate(-90)
        lines(canvas, 500, "Primeira linha do texto", "Segunda linha do texto", "Terceira linha do texto")

    def sideways(canvas: Canvas) -> None:
        canvas.rotate(90)
        lines(canvas, -100, "Primeira linha do texto", "Segunda linha do texto", "Terceira linha do texto")

    for draw in (page, sideways):
        text = " ".join(texts(read(pdf(draw), "a.pdf"))[0].split())
        assert text == "Primeira linha do texto Segunda linha do texto Terceira linha do texto"


def test_labels_and_values_in_a_receipt_stay_lines() -> None:
    def page(canvas: Canvas) -> None:
        for at, (label, value) in enumerate(
            (("SUBTOTAL", "R$ 863,91"), ("Imposto", "R$ 66,23"), ("TOTAL", "R$ 930,14"))
        ):
            lines(canvas, 700 - 16 * at, label, x=60)
            lines(canvas, 700 - 16 * at, value, x=200)

    assert texts(read(pdf(page), "a.pdf")) == ["SUBTOTAL R$ 863,91\nImposto R$ 66,23\nTOTAL R$ 930,14"]


def test_words_cut_at_line_ends_are_joined() -> None:
    from core.ingest.load.pdf.prose import joined

    assert joined(["a opera\u00ad", "ção segue"]) == "a operação segue"
    assert joined(["para fazê-", "lo agora"]) == "para fazê-lo agora"
    assert joined(["uma linha", "e outra"]) == "uma linha e outra"


def test_a_password_is_reported_and_never_read_as_empty() -> None:
    locked = pdf(lambda c: lines(c, 700, "segredo"), encrypt=StandardEncryption("abc", "dono"))  # type: ignore[arg-type, return-value]

    with pytest.raises(EncryptedFile) as refusal:
        read(locked, "a.pdf")

    assert "senha" in refusal.value.say("pt")


def test_a_pdf_that_anyone_may_open_is_read_despite_its_owner_password() -> None:
    open_to_all = pdf(lambda c: lines(c, 700, "texto aberto"), encrypt=StandardEncryption("", "dono"))  # type: ignore[arg-type, return-value]

    assert texts(read(open_to_all, "a.pdf")) == ["texto aberto"]


def test_pages_without_text_are_refused_without_ocr_and_read_with_it() -> None:
    blank = pdf(lambda c: c.rect(50, 50, 400, 400))
    ocr = SpokenOcr(spoken("Aviso da diretoria", 60), spoken("O portão fecha às 22 horas.", 100))

    with pytest.raises(NoTextLayer) as refusal:
        read(blank, "a.pdf")
    assert "1" in refusal.value.say("pt")

    loaded = read(blank, "a.pdf", ocr)
    assert "O portão fecha às 22 horas." in " ".join(texts(loaded))
    assert any("OCR" in told and "97" in told for told in loaded.assumptions)


def test_a_page_nobody_can_read_is_listed_beside_those_that_were() -> None:
    loaded = read(pdf(lambda c: lines(c, 700, f"{LONG}."), lambda c: c.rect(50, 50, 400, 400)), "a.pdf")  # type: ignore[arg-type, return-value]

    assert loaded.rejected[0].where == "página 2"
    assert loaded.pages == 2


def test_too_many_pages_are_refused() -> None:
    with pytest.raises(OversizedFile):
        read(pdf(*[lambda c: c.drawString(50, 700, "x")] * 4), "a.pdf", limits=ReadLimits(max_pages=3))


def test_a_caption_above_a_table_belongs_to_it() -> None:
    def page(canvas: Canvas) -> None:
        lines(canvas, 740, "Tabela 1 - Preços por produto")
        drawn_table(canvas, PRICES, 60, 640, ruled=True)

    loaded = read(pdf(page), "a.pdf")

    assert grids(loaded)[0].caption == "Tabela 1 - Preços por produto"
    assert not texts(loaded)
