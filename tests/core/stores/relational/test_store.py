"""The store contract over random spreadsheets, and what is the relational store's own."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from core.errors import BadSetting, NothingReadable
from core.ports import Store
from core.stores.relational import RelationalStore
from core.types import Parcel, Placement, Query, Scope, View
from tests.core.stores.contract import StoreContract
from tests.core.stores.relational.samples import SALES, a_named_view, a_table, a_table_parcel
from tests.fakes import a_query

REGIONS = ("Norte", "Sul", "Leste", "Oeste")
PRODUCTS = ("Caderno", "Caneta", "Mochila", "Régua", "Estojo")
PEOPLE = ("Ana Lima", "Bruno Reis", "Carla Dias", "Davi Melo")
HEADERS = (
    "Região|regiao|text; Produto|produto|text; Quantidade|quantidade|integer; Receita (R$)|receita|real|R$",
    "Data|data|date; Produto|produto|text; Custo (R$)|custo|real|R$",
    "Nome|nome|text; Região|regiao|text; Salário (R$)|salario|real|R$; Idade|idade|integer",
    "Produto|produto|text; Jan|jan|real|R$; Fev|fev|real|R$; Mar|mar|real|R$",
)


class TestRelationalStore(StoreContract):
    name, label = "relational", "SQL"

    def open_store(self, path: Path) -> Store:
        return RelationalStore(f"sqlite:///{path / 'tables.db'}", rows=50, seconds=5.0)

    def parcels(self, dice: Random) -> Sequence[Parcel]:
        return [self._parcel(f"doc{number}", number % len(HEADERS), dice) for number in range(7)]

    def _parcel(self, document: str, kind: int, dice: Random) -> Parcel:
        rows = [self._row(kind, dice) for _ in range(dice.randint(6, 14))]
        return a_table_parcel(
            document, a_table(document, HEADERS[kind], rows, sheet=dice.choice(["Vendas", "Dados"]))
        )

    def _row(self, kind: int, dice: Random) -> tuple[str | int | float | None, ...]:
        amount = round(dice.uniform(1, 900), 2)
        if kind == 0:
            return dice.choice(REGIONS), dice.choice(PRODUCTS), dice.randint(1, 40), amount
        if kind == 1:
            return f"2026-{dice.randint(1, 6):02d}-{dice.randint(1, 28):02d}", dice.choice(PRODUCTS), amount
        if kind == 2:
            return dice.choice(PEOPLE), dice.choice(REGIONS), amount, dice.randint(20, 60)
        return (
            dice.choice(PRODUCTS),
            amount,
            round(dice.uniform(1, 9), 2),
            None if dice.random() < 0.2 else amount,
        )

    def queries(self, dice: Random) -> Sequence[Query]:
        region, product, person = dice.choice(REGIONS), dice.choice(PRODUCTS), dice.choice(PEOPLE)
        return [
            a_query(f"qual a receita do {region}?"),
            a_query("receita por produto"),
            a_query(f"quanto custou o {product} em março de 2026?"),
            a_query(f"qual o salário da {person}?"),
            a_query("qual a idade média por região?"),
            a_query("which region had the highest revenue?", "en"),
            a_query(f"quantas unidades de {product} foram vendidas?"),
            a_query("custo total por mês"),
        ]


def test_a_memory_database_is_refused_with_the_setting_to_change() -> None:
    with pytest.raises(BadSetting):
        RelationalStore("sqlite://", rows=10, seconds=1.0)


def test_total_rows_are_kept_but_never_added_up(store: RelationalStore, view: View) -> None:
    found = store.search(a_query("qual a receita total?"), view, 5)

    assert found.passages[0].result is not None
    assert found.passages[0].result.rows == ((1360.0,),)


def test_tables_are_called_as_the_readers_channel_calls_the_file(empty_store: RelationalStore) -> None:
    empty_store.apply(a_table_parcel("d", a_table("d", "Nome|nome|text", [("Ana",)])))
    mine, theirs = Scope(frozenset({"a"})), Scope(frozenset({"b"}))
    placed = (
        Placement("a", "equipe.csv", "d", 1, "ana", "2026-01-01T00:00:00Z"),
        Placement("b", "segredo da diretoria.csv", "d", 1, "bia", "2026-01-01T00:00:00Z"),
    )

    assert [t.name for t in empty_store.catalog(View.of(mine, placed)).tables] == ["equipe"]
    assert [t.name for t in empty_store.catalog(View.of(theirs, placed)).tables] == ["segredo_da_diretoria"]


def test_two_files_of_one_name_get_names_of_their_own(empty_store: RelationalStore) -> None:
    for document in ("d1", "d2"):
        empty_store.apply(a_table_parcel(document, a_table(document, "A|a|text", [("x",)])))

    names = [
        table.name for table in empty_store.catalog(a_named_view(d1="lista.csv", d2="Lista.xlsx")).tables
    ]

    assert sorted(names) == ["lista", "lista_2"]


def test_months_side_by_side_are_also_rows(store: RelationalStore, view: View) -> None:
    found = store.search(a_query("quanto gastamos com energia no primeiro trimestre?"), view, 5)

    assert found.passages[0].result is not None
    assert found.passages[0].result.rows == ((1310.0,),)


def test_headings_hold_columns_and_values_but_no_cell_of_prose(store: RelationalStore, view: View) -> None:
    headings = store.headings(view)

    assert {(h.kind, h.text, h.group) for h in headings} >= {
        ("column", "Região", ""),
        ("value", "Sudeste", "Região"),
        ("table", "Vendas", ""),
    }


def test_a_table_outside_the_view_cannot_be_asked_even_by_name(store: RelationalStore) -> None:
    view = a_named_view(staff="funcionarios.csv")

    found = store.search(a_query("qual a receita do Sudeste?"), view, 5)

    assert found.passages == ()
    assert {h.text for h in store.headings(view)}.isdisjoint({"Receita (R$)", "Sudeste"})


def test_fifty_tables_are_searched_in_the_same_way_as_one(empty_store: RelationalStore) -> None:
    for number in range(50):
        rows = [(f"Item {number}-{i}", float(i)) for i in range(20)]
        table = a_table(f"t{number}", f"Peça|peca|text; Medida {number}|medida|real", rows)
        empty_store.apply(a_table_parcel(f"t{number}", table))
    empty_store.apply(a_table_parcel("sales", SALES))
    files = {f"t{number}": f"medidas_{number}.csv" for number in range(50)} | {"sales": "vendas.xlsx"}

    found = empty_store.search(a_query("receita por região"), a_named_view(**files), 5)

    assert found.passages[0].document == "sales"


def test_a_view_without_tables_gives_the_model_nothing(empty_store: RelationalStore) -> None:
    with pytest.raises(NothingReadable):
        empty_store.schema_prompt(a_named_view(), a_query("qual a receita?"))


def test_numbers_beyond_64_bits_are_kept_as_floats(empty_store: RelationalStore) -> None:
    empty_store.apply(
        a_table_parcel("d", a_table("d", "Nome|nome|text; Valor|valor|integer", [("a", 10**25)]))
    )

    assert empty_store.run("SELECT valor FROM grandes", a_named_view(d="grandes.csv")).rows == ((1e25,),)


def test_a_header_that_looks_like_sql_is_only_a_name(empty_store: RelationalStore) -> None:
    columns = 'x"); DROP TABLE rel_tables; --|x_drop|text; Valor|valor|real'
    table = a_table(
        "d", columns.replace("; DROP TABLE rel_tables; --", " DROP TABLE rel_tables --"), [("a", 1.0)]
    )
    empty_store.apply(a_table_parcel("d", table))

    assert empty_store.run("SELECT x_drop, valor FROM nomes", a_named_view(d="nomes.csv")).rows == (
        ("a", 1.0),
    )


def test_nothing_can_be_written_through_the_reading_door(store: RelationalStore, tmp_path: Path) -> None:
    with store._database.reader.connect() as connection:
        raw = connection.connection.driver_connection
        assert isinstance(raw, sqlite3.Connection)
        with pytest.raises(sqlite3.OperationalError, match=r"readonly|read-only"):
            raw.execute("CREATE TABLE x (y)")
