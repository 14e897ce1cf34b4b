from datetime import datetime
from typing import Any

import pytest

from core.ingest.tables import build_tables
from core.types import Block, Grid, Loaded, Locator, Table

N = None


def grid(*rows: tuple[Any, ...], **more: Any) -> Grid:
    width = max(map(len, rows))
    return Grid(
        tuple(tuple(row) + (None,) * (width - len(row)) for row in rows), Locator(sheet="S", row=1), **more
    )


def build(*grids: Grid) -> tuple[Table, ...]:
    return build_tables(Loaded("xlsx", tuple(grids)), "doc")


def one(*rows: tuple[Any, ...], **more: Any) -> Table:
    return build(grid(*rows, **more))[0]


def names(table: Table) -> list[str]:
    return [column.name for column in table.columns]


def data(table: Table) -> list[tuple[Any, ...]]:
    return [row for at, row in enumerate(table.rows) if at not in table.totals]


# --- headers ---------------------------------------------------------------------------------------


def test_two_header_rows_are_joined_with_and_without_merge_marks() -> None:
    body = (
        ("Região", "2024", N, "2025", N),
        (N, "Q1", "Q2", "Q1", "Q2"),
        ("Norte", 1, 2, 3, 4),
        ("Sul", 5, 6, 7, 8),
    )
    wanted = ["Região", "2024 Q1", "2024 Q2", "2025 Q1", "2025 Q2"]

    assert names(one(*body, merges=((0, 1, 0, 2), (0, 3, 0, 4), (0, 0, 1, 0)))) == wanted
    assert names(one(*body)) == wanted
    assert names(one((N, "2024", N, "2025", N), ("Região", "Q1", "Q2", "Q1", "Q2"), *body[2:])) == wanted


def test_years_over_figures_are_names() -> None:
    table = one(("Filial", 2023, 2024), ("SP", 1.5, 2), ("RJ", 4, 5))

    assert names(table) == ["Filial", "2023", "2024"]
    assert len(table.rows) == 2


def test_dates_over_figures_are_named_as_months() -> None:
    table = one(("Loja", datetime(2024, 1, 1), datetime(2024, 2, 1)), ("Centro", 10, 20), ("Norte", 5, 6))

    assert names(table) == ["Loja", "jan/2024", "fev/2024"]


def test_a_column_of_years_is_data() -> None:
    assert one(("Ano", "Vendas"), (2021, 100), (2022, 150)).rows == ((2021, 100), (2022, 150))


def test_rows_of_figures_without_a_header_are_all_data() -> None:
    table = one(("200.01", "1"), ("400.01", "3"), ("600.01", "5"))

    assert [column.key for column in table.columns] == ["column_1", "column_2"]
    assert len(table.rows) == 3


def test_a_first_row_that_looks_like_the_others_is_no_header() -> None:
    assert len(one(("SKU-1", "Norte"), ("SKU-2", "Sul"), ("SKU-3", "Norte")).rows) == 3


def test_texts_under_texts_still_have_a_header() -> None:
    assert names(one(("Nome", "Cargo"), ("Ana", "Chefe"), ("Bia", "Analista"))) == ["Nome", "Cargo"]


def test_a_row_of_units_belongs_to_the_columns() -> None:
    table = one(("Produto", "Peso", "Preço"), (N, "(kg)", "R$"), ("a", 1.5, 2), ("b", 2, 3))

    assert [column.unit for column in table.columns] == ["", "kg", "R$"]
    assert len(table.rows) == 2


def test_a_title_over_the_table_is_its_caption() -> None:
    table = one(("Vendas de 2024", N, N), ("Produto", "Jan", "Fev"), ("a", 1, 2), ("b", 3, 4))

    assert table.caption == "Vendas de 2024"
    assert names(table) == ["Produto", "Jan", "Fev"]


def test_a_header_printed_again_is_dropped_and_said() -> None:
    table = one(("Produto", "Qtd"), ("a", 1), ("Produto", "Qtd"), ("b", 2), header_rows=1)

    assert table.rows == (("a", 1), ("b", 2))
    assert any("1" in told and "cabeçalho" in told for told in table.assumptions)


def test_a_column_without_a_name_gets_one_and_it_is_said() -> None:
    table = one(("Produto", N, "Qtd"), ("a", "x", 1), ("b", "y", 2))

    assert names(table) == ["Produto", "column_2", "Qtd"]
    assert any("column_2" in told for told in table.assumptions)


def test_a_bare_header_is_a_table_without_rows() -> None:
    table = one(("nome", "valor"), header_rows=1)

    assert names(table) == ["nome", "valor"]
    assert table.rows == ()


# --- cells -----------------------------------------------------------------------------------------


def test_a_merged_cell_counts_for_every_row_it_covers() -> None:
    table = one(("Região", "Cidade", "Vendas"), ("Norte", "Manaus", 3), (N, "Belém", 4), ("Sul", "Curitiba", 5), merges=((1, 0, 2, 0),))  # fmt: skip

    assert sum(row[2] for row in table.rows if row[0] == "Norte") == 7


def test_a_group_named_once_is_filled_down_and_said() -> None:
    table = one(("Região", "Cidade", "Vendas"), ("Norte", "Manaus", 3), (N, "Belém", 4), ("Sul", "Curitiba", 5), (N, "Joinville", 6))  # fmt: skip

    assert [row[0] for row in table.rows] == ["Norte", "Norte", "Sul", "Sul"]
    assert any("Região" in told for told in table.assumptions)


def test_a_blank_that_is_only_missing_is_not_filled() -> None:
    table = one(("Cliente", "Valor"), ("Ana", 1), (N, 2), ("Bia", 3), ("Caio", 4))

    assert [row[0] for row in table.rows] == ["Ana", None, "Bia", "Caio"]


def test_rows_that_name_groups_become_a_column() -> None:
    table = one(("Produto", "Qtd", "Preço"), ("LINHA A",), ("queijo", 1, 2.5), ("leite", 2, 3.5), ("LINHA B",), ("nata", 3, 4.5), ("Total", 6, N))  # fmt: skip

    assert names(table)[0] == "grupo"
    assert data(table) == [
        ("LINHA A", "queijo", 1, 2.5),
        ("LINHA A", "leite", 2, 3.5),
        ("LINHA B", "nata", 3, 4.5),
    ]


def test_bad_cells_are_listed_with_row_column_and_text() -> None:
    table = one(("Nome", "Nota"), *((f"a{at}", at) for at in range(12)), ("b", "dez"))

    assert table.rows[-1] == ("b", None)
    assert (table.rejected[0].where, table.rejected[0].text) == ("linha 14, coluna Nota", "dez")


def test_english_documents_are_told_in_english() -> None:
    loaded = Loaded("docx", (Block("paragraph", "This is the list of all the orders of the year.", Locator()), grid(("Order", "Date"), ("a", "03/04/2024"), ("b", "05/06/2024"))))  # fmt: skip
    table = build_tables(loaded, "doc")[0]

    assert table.rows[0][1] == "2024-03-04"
    assert "month/day" in table.assumptions[0]


# --- totals ----------------------------------------------------------------------------------------


def test_totals_and_subtotals_are_marked_so_that_sums_are_right() -> None:
    table = one(
        ("grupo", "valor"),
        ("A", 10),
        ("A", 20),
        ("A Total", 30),
        ("B", 5),
        ("B Total", 5),
        ("Total Geral", 35),
    )

    assert sum(row[1] for row in data(table)) == 35
    assert sum(row[1] for row in data(table) if row[0] == "A") == 30
    assert len(table.rows) == 6


@pytest.mark.parametrize("label", ["Total", "TOTAL GERAL", "Subtotal:", "Grand total", "Total do mês", "Totais", "Valor total"])  # fmt: skip
def test_every_word_for_a_total_is_known(label: str) -> None:
    assert one(("Item", "Valor"), ("a", 10), ("b", 20), (label, 999)).totals == {2}


@pytest.mark.parametrize(("label", "value"), [("Soma", 30), ("Média", 15), ("Average", 15)])
def test_sums_and_means_are_totals_where_their_figures_agree(label: str, value: int) -> None:
    assert one(("Item", "Valor"), ("a", 10), ("b", 20), (label, value)).totals == {2}


def test_words_for_totals_that_are_categories_are_data() -> None:
    levels = one(("Prioridade", "Chamados"), ("Alta", 10), ("Média", 31), ("Baixa", 40))
    orders = one(
        ("Ordem", "Prioridade", "Horas"), ("OS-1", "Alta", 3), ("OS-2", "Média", 9), ("OS-3", "Baixa", 2)
    )
    kinds = one(
        ("Limpeza", "Horas"), ("Total", 3), ("Parcial", 1), ("Total", 7), ("Total", 9), ("Parcial", 2)
    )

    assert not levels.totals | orders.totals | kinds.totals


def test_a_name_that_holds_the_word_total_is_no_total() -> None:
    assert not one(("Empresa", "Valor"), ("Total Energies", 100), ("Shell", 50), ("BP", 30)).totals


def test_a_name_with_the_word_total_is_one_where_it_adds_up() -> None:
    assert one(("Item", "Valor"), ("a", 10), ("b", 20), ("Total despesas", 30)).totals == {2}


def test_a_last_row_without_a_label_that_adds_up_is_a_total() -> None:
    assert one(("Loja", "Jan", "Fev"), ("Centro", 10, 20), ("Norte", 5, 6), (N, 15, 26)).totals == {2}
    assert not one(("Loja", "Jan", "Fev"), ("Centro", 10, 20), ("Norte", 5, 6), (N, 15, 27)).totals


def test_a_total_in_the_second_column_is_found() -> None:
    table = one(
        ("Depto", "Pessoa", "Horas"),
        ("TI", "Ana", 10),
        ("TI", "Bia", 20),
        ("TI", "Total", 30),
        ("RH", "Caio", 5),
    )

    assert table.totals == {2}


def test_the_word_total_in_a_column_of_dates_or_years_spoils_neither() -> None:
    dated = one(("Data", "Valor"), ("01/02/2024", 10), ("15/03/2024", 20), ("Total", 30))
    yearly = one(("Ano", "Valor"), (2021, 10), (2022, 20), ("Total", 30))

    assert [dated.columns[0].type, yearly.columns[0].type] == ["date", "integer"]
    assert dated.totals == yearly.totals == {2}
    assert not dated.rejected


# --- identity --------------------------------------------------------------------------------------


def test_the_same_bytes_give_the_same_table_and_other_documents_other_ids() -> None:
    source = Loaded("xlsx", (grid(("a", "b"), ("x", 1)),))

    assert build_tables(source, "one") == build_tables(source, "one")
    assert build_tables(source, "one")[0].id != build_tables(source, "two")[0].id


def test_several_tables_of_one_grid_keep_its_place_and_have_their_own_ids() -> None:
    found = build(grid(("p", "q"), ("x", 1), (), ("p", "q"), ("y", "z")))

    assert len({table.id for table in found}) == len(found)
    assert {table.locator for table in found} == {Locator(sheet="S", row=1)}


def test_a_grid_without_cells_gives_no_table() -> None:
    assert build(Grid(((None, None),), Locator())) == ()
