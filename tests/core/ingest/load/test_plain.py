from tests.core.ingest.load.making import blocks, read, rows, tables, texts

PAGE = """---
title: Regras do laboratório
date: 2025-03-01
---
# Regras

Texto **forte** com [ligação](https://example.org/x) e `código`.

## Limites

| Item | Valor |
|------|-------|
| Sala | 1,5   |
| Pátio | 2    |

- primeiro
- segundo
  com mais uma linha

```python
x = 1
# não é título
```

Fechamento
==========

fim
"""


def test_markdown_headings_carry_their_levels_and_the_text_below_them() -> None:
    loaded = read(PAGE, "regras.md")

    assert [(b.text, b.level) for b in blocks(loaded) if b.kind == "heading"] == [("Regras", 1), ("Limites", 2), ("Fechamento", 1)]  # fmt: skip
    assert next(b for b in blocks(loaded) if b.text == "- primeiro").locator.section == "Limites"


def test_markdown_marks_are_dropped_and_words_kept() -> None:
    assert "Texto forte com ligação e código." in texts(read(PAGE, "regras.md"))


def test_a_pipe_table_becomes_a_table_under_its_heading() -> None:
    table = tables(read(PAGE, "regras.md"))[0]

    assert rows(table) == [("Sala", 1.5), ("Pátio", 2.0)]
    assert table.headings == ("Regras", "Limites")


def test_list_items_are_blocks_and_a_fence_is_code() -> None:
    loaded = read(PAGE, "regras.md")

    assert texts(loaded, "list") == ["- primeiro", "- segundo\ncom mais uma linha"]
    assert texts(loaded, "code") == ["x = 1\n# não é título"]


def test_front_matter_gives_title_and_date_and_is_no_text() -> None:
    loaded = read(PAGE, "regras.md")

    assert loaded.title == "Regras do laboratório"
    assert loaded.date == "2025-03-01"
    assert not any("title:" in text for text in texts(loaded))


def test_the_only_first_level_heading_is_the_documents_title() -> None:
    assert read("# Guia\n\n## A\n\nx\n\n## B\n\ny\n", "g.md").title == "Guia"
    assert read("# Um\n\nx\n\n# Dois\n\ny\n", "g.md").title == ""


def test_a_hidden_comment_is_not_read_and_an_open_one_is_text() -> None:
    assert texts(read("antes <!-- escondido --> depois\n", "g.md")) == ["antes  depois"]
    assert texts(read("antes <!-- aberto\n", "g.md")) == ["antes <!-- aberto"]


def test_plain_text_headings_stand_out_by_case_or_number() -> None:
    loaded = read("Manual da Oficina\n\nHORÁRIO\n\nDas 8h às 18h.\n\n2. Limpeza\n\nToda sexta.\n", "m.txt")

    assert loaded.title == "Manual da Oficina"
    assert texts(loaded, "heading") == ["HORÁRIO", "2. Limpeza"]
    assert texts(loaded, "paragraph") == ["Das 8h às 18h.", "Toda sexta."]


def test_lines_of_a_paragraph_stay_lines() -> None:
    assert texts(read("Ana cuida do turno A.\nBia cuida do turno B.\n", "t.txt")) == ["Ana cuida do turno A.\nBia cuida do turno B."]  # fmt: skip


def test_an_assumed_encoding_is_reported() -> None:
    loaded = read("A situação não é boa para a operação.".encode("cp1252"), "t.txt")

    assert "situação" in texts(loaded)[0]
    assert "cp1252" in loaded.assumptions[0]


def test_hostile_markdown_is_read_in_no_time() -> None:
    assert read(
        "*" * 30_000 + "\n" + "[" * 30_000 + "\n" + "<!--" * 20_000 + "\n" + " " * 200_000 + "x\n", "a.md"
    ).items
