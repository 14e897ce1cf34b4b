"""What the store makes of tables before anything is asked: roles, long forms, links, results' headings."""

import pytest

from core.stores.relational import RelationalStore
from core.stores.relational.survey import profile_table
from core.stores.relational.unpivot import long_form
from core.types import Value, View
from tests.core.stores.relational.samples import EXPENSES, SALES, a_named_view, a_table, a_table_parcel


@pytest.mark.parametrize(
    ("column", "cells", "role"),
    [
        ("Data|d|date", ["2026-01-01", "2026-02-01"], "date"),
        ("Ano|a|integer", [2024, 2025], "year"),
        ("Ano|a|text", ["2024", "2025"], "year"),
        ("Mês|m|integer", [1, 12], "month"),
        ("Mês|m|text", ["janeiro", "fevereiro"], "moment"),
        ("Trimestre|t|text", ["1T26", "2T26"], "moment"),
        ("Ativo|a|text", ["Sim", "Não"], "flag"),
        ("Pago|p|boolean", [True, False], "flag"),
        ("Código|c|text", ["A-1", "B-2"], "key"),
        ("Pedido|p|integer", [501, 502, 503, 504, 505], "key"),
        ("Região|r|text", ["Norte", "Norte"], "category"),
        ("Observação|o|text", ["tudo certo", "faltou peça"], "text"),
        ("Receita|r|real", [10.5, 10.5], "measure"),
        ("Quantidade|q|integer", [1, 2, 3, 4, 5], "measure"),
    ],
)
def test_a_column_gets_its_role_from_header_type_and_cells(
    column: str, cells: list[Value], role: str
) -> None:
    profile = profile_table(a_table("d", column, [(cell,) for cell in cells]), 0)

    assert profile.columns[0].role == role


def test_total_rows_do_not_count_in_the_profile() -> None:
    profile = profile_table(SALES, 0)
    region = profile.column("regiao")

    assert profile.rows == 7
    assert dict(region.values) == {"Norte": 3, "Sul": 2, "Sudeste": 2}


def test_months_side_by_side_get_a_long_form_and_two_of_them_do_not() -> None:
    long = long_form(profile_table(EXPENSES, 0))

    assert long is not None
    assert [column.key for column in long.columns] == ["despesa", "mes", "valor"]
    assert long.columns[-1].unit == "R$"
    assert (
        long_form(
            profile_table(a_table("d", "Item|i|text; Jan|jan|real; Fev|fev|real", [("x", 1.0, 2.0)]), 0)
        )
        is None
    )
    assert long_form(profile_table(SALES, 0)) is None


def test_a_total_column_beside_the_months_is_not_a_month(empty_store: RelationalStore) -> None:
    columns = "Loja|loja|text; Jan|jan|real|R$; Fev|fev|real|R$; Mar|mar|real|R$; Total|total|real|R$"
    table = a_table("d", columns, [("Centro", 1.0, 2.0, None, 3.0), ("Praia", 4.0, 5.0, 6.0, 15.0)])
    empty_store.apply(a_table_parcel("d", table))

    rows = empty_store.run("SELECT SUM(valor), COUNT(*) FROM lojas_por_mes", a_named_view(d="lojas.csv")).rows

    assert rows == ((18.0, 5),)


def linked(store: RelationalStore, view: View) -> set[tuple[str, str]]:
    prepared = store.prepare(view)
    tables = prepared.catalog.tables
    return {(tables[link.many].name, tables[link.one].name) for link in prepared.links}


def test_equal_numbers_without_a_shared_name_link_nothing(empty_store: RelationalStore) -> None:
    rows: list[tuple[Value, ...]] = [(number, f"x{number}") for number in range(1, 6)]
    empty_store.apply(a_table_parcel("a", a_table("a", "Id|id|integer; Peça|peca|text", rows)))
    empty_store.apply(a_table_parcel("b", a_table("b", "Id|id|integer; Cor|cor|text", rows)))

    assert linked(empty_store, a_named_view(a="pecas.csv", b="cores.csv")) == set()


def test_a_header_that_holds_the_other_tables_name_links_to_its_id(empty_store: RelationalStore) -> None:
    empty_store.apply(
        a_table_parcel("a", a_table("a", "Id|id|integer; Nome|nome|text", [(1, "Ana"), (2, "Bia")]))
    )
    rows: list[tuple[Value, ...]] = [(1, 10.0), (1, 5.0), (2, 7.0)]
    empty_store.apply(
        a_table_parcel("b", a_table("b", "Cliente_ID|cliente_id|integer; Valor|valor|real", rows))
    )

    assert linked(empty_store, a_named_view(a="clientes.csv", b="pedidos.csv")) == {("pedidos", "clientes")}


def test_values_that_do_not_overlap_link_nothing(empty_store: RelationalStore) -> None:
    empty_store.apply(
        a_table_parcel("a", a_table("a", "Código|codigo|text; Nome|nome|text", [("A", "x"), ("B", "y")]))
    )
    empty_store.apply(
        a_table_parcel("b", a_table("b", "Código|codigo|text; Valor|valor|real", [("C", 1.0), ("D", 2.0)]))
    )

    assert linked(empty_store, a_named_view(a="itens.csv", b="vendas.csv")) == set()


@pytest.mark.parametrize(
    ("sql", "columns", "units"),
    [
        ("SELECT regiao, receita_r FROM vendas_2026 WHERE regiao = 'Sul'", ("Região", "Receita (R$)"), ("", "R$")),
        ("SELECT AVG(receita_r), COUNT(*) FROM vendas_2026", ("média de Receita (R$)", "contagem"), ("R$", "")),
        ("SELECT COUNT(DISTINCT regiao) FROM vendas_2026", ("contagem distintos (Região)",), ("",)),
        ("SELECT MAX(receita_r) - MIN(receita_r) FROM vendas_2026",
         ("máximo de Receita (R$) − mínimo de Receita (R$)",), ("R$",)),
        ("WITH x AS (SELECT SUM(receita_r) AS lucro FROM vendas_2026) SELECT lucro FROM x", ("soma de Receita (R$)",), ("R$",)),
    ],
)  # fmt: skip
def test_result_columns_are_called_by_what_they_read(
    store: RelationalStore, view: View, sql: str, columns: tuple[str, ...], units: tuple[str, ...]
) -> None:
    result = store.run(sql, view, language="pt")

    assert (result.columns, result.units) == (columns, units)
