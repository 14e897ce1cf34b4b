import random
from collections.abc import Sequence

import pytest

from core.ingest.chunk import build_chunks
from core.sentences import sentences
from core.types import Block, Column, Grid, Loaded, Locator, Table


def block(kind: str, text: str, level: int = 0, **place: object) -> Block:
    return Block(kind, text, Locator(**place), level)  # type: ignore[arg-type]


def loaded(
    *items: Block | Grid, title: str = "Guia da enfermaria", media: str = "md", date: str = ""
) -> Loaded:
    return Loaded(media, items, title, date)


def prose(count: int, word: str = "leito") -> str:
    return " ".join(f"O {word} número {i} recebe visita depois das {i % 12 + 8} horas." for i in range(count))


def texts(chunks: Sequence[object]) -> list[str]:
    return [chunk.text for chunk in chunks]  # type: ignore[attr-defined]


def test_a_passage_never_cuts_a_sentence() -> None:
    text = prose(60)

    chunks = build_chunks(loaded(block("paragraph", text)), (), "d", characters=400)

    assert len(chunks) > 3
    assert [s for chunk in chunks for s in sentences(chunk.text)] == list(sentences(text))
    assert all(len(chunk.text) <= 540 for chunk in chunks)


def test_a_passage_carries_title_and_heading_trail_but_quotes_only_the_text() -> None:
    chunks = build_chunks(
        loaded(
            block("heading", "Guia da enfermaria", 1),
            block("heading", "Visitas", 2),
            block("heading", "Horários", 3),
            block("paragraph", "Das 14h às 16h."),
        ),
        (),
        "d",
        characters=900,
    )

    assert [(c.text, c.headings, c.title) for c in chunks] == [
        ("Das 14h às 16h.", ("Visitas", "Horários"), "Guia da enfermaria")
    ]
    assert chunks[0].indexed == "Guia da enfermaria > Visitas > Horários\nDas 14h às 16h."
    assert chunks[0].locator.section == "Horários"


def test_short_paragraphs_under_one_heading_share_a_passage_and_headings_part_them() -> None:
    chunks = build_chunks(
        loaded(
            block("heading", "Entrada", 2),
            block("paragraph", "Mostre o crachá."),
            block("paragraph", "Lave as mãos."),
            block("heading", "Saída", 2),
            block("paragraph", "Devolva o crachá."),
        ),
        (),
        "d",
        characters=900,
    )

    assert texts(chunks) == ["Mostre o crachá.\nLave as mãos.", "Devolva o crachá."]


def test_list_items_stay_whole_and_with_their_lead_in() -> None:
    filler = prose(8)
    items = "\n".join(f"- item {i}. Tem duas frases e é seguido de outro." for i in range(12))
    chunks = build_chunks(
        loaded(block("paragraph", filler), block("paragraph", "Leve sempre:"), block("list", items)),
        (),
        "d",
        characters=500,
    )

    holder = next(chunk for chunk in chunks if "Leve sempre:" in chunk.text)
    assert "Leve sempre:\n- item 0. Tem duas frases" in holder.text
    assert [line for c in chunks for line in c.text.split("\n") if line.startswith("-")] == items.split("\n")


def test_a_sentence_longer_than_a_passage_is_divided_at_a_clause_and_loses_nothing() -> None:
    sentence = ", ".join(f"a cláusula {i} do contrato de locação" for i in range(120)) + "."

    chunks = build_chunks(loaded(block("paragraph", sentence)), (), "d", characters=900)

    assert all(len(chunk.text) <= 1_500 for chunk in chunks)
    assert all(chunk.text.endswith((",", ".")) for chunk in chunks)
    assert " ".join(texts(chunks)) == sentence


def test_text_without_any_space_still_respects_the_limit() -> None:
    chunks = build_chunks(loaded(block("paragraph", "x" * 4_000)), (), "d", characters=900)

    assert "".join(texts(chunks)) == "x" * 4_000
    assert max(len(chunk.text) for chunk in chunks) <= 1_500


def test_no_scrap_is_left_at_the_end_of_a_section() -> None:
    chunks = build_chunks(loaded(block("paragraph", prose(19))), (), "d", characters=900)

    assert min(len(chunk.text) for chunk in chunks) > 300


def test_a_heading_with_nothing_under_it_is_kept_as_text() -> None:
    chunks = build_chunks(
        loaded(
            block("heading", "Ramais", 2),
            block("heading", "Recepção 4120", 3),
            block("heading", "Farmácia 4131", 3),
            block("heading", "Fim", 2),
        ),
        (),
        "d",
        characters=900,
    )

    assert [(c.text, c.headings) for c in chunks] == [
        ("Recepção 4120\nFarmácia 4131", ("Ramais",)),
        ("Fim", ()),
    ]


def test_footnotes_do_not_mix_with_the_body() -> None:
    chunks = build_chunks(
        loaded(block("paragraph", "Corpo do texto."), block("note", "Nota de rodapé.", part="footnote")),
        (),
        "d",
        characters=900,
    )

    assert [(c.text, c.locator.part) for c in chunks] == [
        ("Corpo do texto.", ""),
        ("Nota de rodapé.", "footnote"),
    ]


def test_the_page_is_that_of_the_first_block() -> None:
    chunks = build_chunks(
        loaded(block("paragraph", "Começa aqui.", page=3), block("paragraph", "Acaba ali.", page=4)),
        (),
        "d",
        characters=900,
    )

    assert [(c.text, c.locator.page) for c in chunks] == [("Começa aqui.\nAcaba ali.", 3)]


def test_each_passage_has_its_own_language_and_the_undecided_take_the_documents() -> None:
    chunks = build_chunks(
        loaded(
            block("paragraph", "O médico de plantão assina a alta de cada paciente."),
            block("heading", "Summary", 2),
            block("paragraph", "The doctor on duty signs the discharge of each patient."),
            block("heading", "Codes", 2),
            block("paragraph", "E-4021 / E-4022"),
        ),
        (),
        "d",
        characters=900,
    )

    assert [c.language for c in chunks][:2] == ["pt", "en"]
    assert chunks[2].language == "und"  # the document itself is half and half


def test_code_is_quoted_with_its_indentation() -> None:
    code = "def f():\n    return 1\n\n\ndef g():\n    return 2"

    chunks = build_chunks(loaded(block("code", code)), (), "d", characters=900)

    assert [(c.text, c.kind) for c in chunks] == [(code, "code")]


def small_table(rows: int, place: Locator, unit: str = "R$") -> Table:
    columns = (Column("Nível", "nivel", "text"), Column("Limite", "limite", "real", unit))
    body = tuple((f"Grau {i}", 1000.5 + i) for i in range(rows))
    return Table("t1", "d", place, "Limites", ("Alçadas",), columns, body)


def test_table_rows_become_labelled_lines_in_the_documents_own_writing() -> None:
    place = Locator(ordinal=2)
    grid = Grid((("Nível", "Limite"), ("Grau 0", "R$ 1.000,50"), ("Grau 1", "R$ 1.001,50")), place)

    chunks = build_chunks(
        loaded(block("paragraph", "Veja a tabela de limites.", ordinal=1), grid),
        (small_table(2, place),),
        "d",
        characters=900,
    )

    assert chunks[1].kind == "table"
    assert chunks[1].headings == ("Alçadas",)
    assert chunks[1].text == "Limites\nNível: Grau 0; Limite: R$ 1.000,50\nNível: Grau 1; Limite: R$ 1.001,50"


def test_typed_cells_are_written_in_the_documents_number_style() -> None:
    place = Locator(sheet="Plan1", ordinal=1)
    sheet = loaded(Grid((), place), media="xlsx", title="")

    (chunk,) = build_chunks(sheet, (small_table(1, place),), "d", characters=900)

    assert "Limite: R$ 1.000,50" in chunk.text


def test_dates_are_written_as_the_documents_readers_write_them() -> None:
    place = Locator(ordinal=1)
    table = Table(
        "t",
        "d",
        place,
        "",
        (),
        (Column("Nome", "nome", "text"), Column("Início das férias", "inicio", "date")),
        (("Ana", "2026-07-06"),),
    )

    (chunk,) = build_chunks(loaded(Grid((), place), media="xlsx", title=""), (table,), "d", characters=900)

    assert chunk.text == "Nome: Ana; Início das férias: 06/07/2026"


def test_a_row_is_never_cut_and_every_passage_of_a_table_has_its_caption() -> None:
    place = Locator(ordinal=1)

    chunks = build_chunks(
        loaded(Grid((), place), media="xlsx"), (small_table(50, place),), "d", characters=300
    )

    assert len(chunks) > 3
    assert all(chunk.text.startswith("Limites\nNível: ") for chunk in chunks)
    lines = [line for chunk in chunks for line in chunk.text.split("\n")[1:]]
    assert [line.split(";")[0] for line in lines] == [f"Nível: Grau {i}" for i in range(50)]


def test_a_long_sheet_gives_one_profile_instead_of_its_rows() -> None:
    place = Locator(sheet="Vendas", ordinal=1)

    (chunk,) = build_chunks(
        loaded(Grid((), place), media="xlsx"), (small_table(61, place),), "d", characters=900
    )

    assert chunk.text == "Limites. Vendas. Tabela com 61 linhas. colunas: Nível, Limite (R$)."


def test_a_grid_that_became_no_table_is_not_lost() -> None:
    grid = Grid((("ramal", "4120"), (None, "4131")), Locator(ordinal=1))

    (chunk,) = build_chunks(loaded(grid), (), "d", characters=900)

    assert chunk.text == "ramal; 4120\n4131"


def test_equal_texts_in_two_places_have_two_ids_and_the_same_bytes_the_same_ids() -> None:
    source = loaded(
        block("heading", "Sala 1", 2),
        block("paragraph", "Vazia."),
        block("heading", "Sala 2", 2),
        block("paragraph", "Vazia."),
    )

    first = build_chunks(source, (), "d", characters=900)
    again = build_chunks(source, (), "d", characters=900)
    other = build_chunks(source, (), "e", characters=900)

    assert [c.id for c in first] == [c.id for c in again]
    assert len({c.id for c in (*first, *other)}) == 4
    assert [c.locator.ordinal for c in first] == [0, 1]


def test_a_document_without_text_has_no_passages() -> None:
    assert build_chunks(loaded(block("paragraph", "  \n ")), (), "d", characters=900) == ()


@pytest.mark.parametrize("seed", range(40))
def test_nothing_but_white_space_is_lost_whatever_the_document(seed: int) -> None:
    dice = random.Random(seed)
    items = []
    for number in range(dice.randint(1, 25)):
        kind = dice.choice(["paragraph", "paragraph", "list", "heading", "code", "note"])
        body = prose(dice.randint(1, 12), f"w{number}")
        if kind == "heading":
            items.append(block("heading", f"Seção {number}", dice.randint(1, 4)))
        elif kind == "list":
            items.append(block("list", "\n".join(f"- {s}" for s in sentences(body))))
        else:
            items.append(block(kind, body, part="footnote" if kind == "note" else ""))

    chunks = build_chunks(loaded(*items), (), "d", characters=dice.choice([200, 500, 900, 1500]))

    assert all(0 < len(chunk.text) <= 1_500 for chunk in chunks)
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    body_text = "".join("".join(chunk.text.split()) for chunk in chunks)
    trails = {heading for chunk in chunks for heading in chunk.headings}
    for item in items:
        if item.kind == "heading":
            assert item.text in trails or "".join(item.text.split()) in body_text
        else:
            assert all("".join(s.split()) in body_text for s in sentences(item.text))
