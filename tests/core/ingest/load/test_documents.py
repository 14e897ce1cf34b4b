"""Rich text, OpenDocument and Outlook files."""

import pytest

from core.errors import DamagedFile
from eval.making import outlook
from tests.core.ingest.load.making import blocks, read, rows, tables, texts, zipped

RICH = r"""{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss\fcharset0 Arial;}{\f1\fcharset238 Arial CE;}}
{\info{\title Pol\'edtica}}{\stylesheet{\s1\outlinelevel0 heading 1;}}
{\header\pard Documento interno\par}
\pard\outlinelevel0 Regras de viagem\par\pard O limite \'e9 de R$ 250,00\u8212?a contar da sa\'edda.{\footnote\pard Exceto feriados.\par}\par
\trowd\cellx1000\cellx2000\cellx3000\intbl Cidade\cell Limite\cell Dias\cell\row
\trowd\cellx1000\cellx2000\cellx3000\intbl S\'e3o Paulo\cell 1.250,00\cell 3\cell\row
\trowd\cellx1000\cellx2000\cellx3000\intbl Bel\'e9m\par (PA)\cell 980,50\cell 4\cell\row
\trowd\cellx1000\cellx2000\cellx3000\intbl Recife\cell 700,00\cell 5\cell\row
\pard\outlinelevel0 Outros\par\pard Emoji \u-10179?\u-8704? e {\f1 \'b9}, a|b.\par}"""

SPACES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in (("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"), ("presentation", "presentation"))
)  # fmt: skip


def opendocument(kind: str, body: str) -> bytes:
    content = f"<office:document-content {SPACES}><office:body>{body}</office:body></office:document-content>"
    return zipped(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}".encode(),
            "content.xml": content.encode(),
        }
    )


def test_rich_text_gives_headings_accents_tables_and_notes() -> None:
    loaded = read(RICH.encode("latin-1"), "viagem.rtf")

    assert [b.text for b in blocks(loaded) if b.kind == "heading"] == ["Regras de viagem", "Outros"]
    assert "O limite é de R$ 250,00—a contar da saída." in texts(loaded)
    assert "Emoji 😀 e ą, a|b." in texts(loaded)
    assert rows(tables(loaded)[0])[0] == ("São Paulo", 1250.0, 3)
    assert [column.name for column in tables(loaded)[0].columns] == ["Cidade", "Limite", "Dias"]
    assert {(b.locator.part, b.text) for b in blocks(loaded) if b.locator.part} == {
        ("header", "Documento interno"),
        ("footnote", "Exceto feriados."),
    }
    assert loaded.title == "Política"


def test_a_text_document_gives_headings_lists_notes_and_tables() -> None:
    cells = (("Cidade", "Limite", "Dias"), ("Belém", "980,50", "4"), ("Recife", "700,00", "5"))
    table = "".join(
        "<table:table-row>"
        + "".join(f"<table:table-cell><text:p>{cell}</text:p></table:table-cell>" for cell in row)
        + "</table:table-row>"
        for row in cells
    )
    loaded = read(
        opendocument(
            "text",
            '<office:text><text:h text:outline-level="2">Regras</text:h><text:p>O<text:s/>limite<text:note text:note-class="footnote">'
            "<text:note-citation>1</text:note-citation><text:note-body><text:p>Exceto feriados.</text:p></text:note-body>"
            "</text:note> vale.</text:p><text:list><text:list-item><text:p>um</text:p></text:list-item></text:list>"
            f"<table:table>{table}</table:table></office:text>",
        ),
        "a.odt",
    )

    assert [(b.kind, b.text) for b in blocks(loaded)] == [
        ("heading", "Regras"),
        ("paragraph", "O limite vale."),
        ("note", "Exceto feriados."),
        ("list", "um"),
    ]
    assert rows(tables(loaded)[0]) == [("Belém", 980.5, 4), ("Recife", 700.0, 5)]


def test_a_presentation_gives_its_slides_in_order() -> None:
    page = (
        '<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame>'
        "<draw:frame><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame>"
        "<presentation:notes><draw:frame><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>"
    )
    body = page.format("Metas", "Vender mais", "dizer devagar") + page.format(
        "Fim", "Obrigado a todos", "sorrir"
    )
    loaded = read(opendocument("presentation", f"<office:presentation>{body}</office:presentation>"), "a.odp")

    assert texts(loaded) == ["Metas", "Vender mais", "dizer devagar", "Fim", "Obrigado a todos", "sorrir"]
    assert [b.locator.page for b in blocks(loaded)] == [1, 1, 1, 2, 2, 2]
    assert [b.locator.part for b in blocks(loaded)][2] == "notes"
    assert loaded.pages == 2


def test_an_outlook_mail_gives_head_body_and_attachments() -> None:
    data = outlook(
        subject="Orçamento de março",
        sender="ana@example.org",
        body="Olá,\n\nsegue a lista de preços.",
        attachments={"lista.csv": b"produto;qtd\nporca;3\nprego;4\n"},
    )
    loaded = read(data, "m.msg")

    assert loaded.media == "msg"
    assert loaded.title == "Orçamento de março"
    assert "segue a lista de preços." in texts(loaded)
    assert rows(tables(loaded)[0]) == [("porca", 3), ("prego", 4)]
    assert tables(loaded)[0].locator.part == "lista.csv"


def test_a_broken_outlook_mail_is_damaged() -> None:
    data = outlook(subject="Oi", sender="a@example.org", body="texto", attachments={})

    with pytest.raises(DamagedFile):
        read(data[:1200], "m.msg")
