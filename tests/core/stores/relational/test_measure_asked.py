"""A figure is given for the measure that was asked, or not at all."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.stores.relational import RelationalStore
from core.types import Query, View
from tests.core.stores.relational.samples import a_named_view, a_table, a_table_parcel

SHOPS = a_table(
    "shops",
    "Mês|mes|text; Loja|loja|text; Pratos vendidos|pratos|integer; Receita|receita|real; "
    "Custo de insumos|insumos|real; Taxas de entrega|taxas|real",
    [
        ("maio", "Centro", 900, 41000.0, 13000.0, 2100.0),
        ("maio", "Serra", 700, 32000.0, 9000.0, 1800.0),
        ("junho", "Centro", 950, 43000.0, 14000.0, 2300.0),
        ("junho", "Serra", 640, 30000.0, 8500.0, 1700.0),
    ],
)
PARTS = a_table(
    "parts",
    "Código|codigo|text; Material|material|text; Estoque atual|estoque|integer; Custo unitário (R$)|custo|real|R$; "
    "Consumo mensal|consumo|integer; Validade|validade|date",
    [
        ("MT-1", "Seringa 5 ml", 640, 0.65, 410, "2029-01-15"),
        ("MT-2", "Gel condutor 1 L", 22, 18.9, 9, "2027-02-10"),
        ("MT-3", "Álcool 70% 1 L", 210, 9.8, 150, "2027-11-05"),
    ],
)
FREIGHT = a_table(
    "freight",
    "Shipment|shipment|text; Freight cost ($)|freight|real|$; Insurance cost ($)|insurance|real|$; Pallets weight (kg)|weight|integer|kg",
    [("SH-1", 90.0, 12.0, 400), ("SH-2", 70.0, 9.5, 220), ("SH-3", 130.0, 31.0, 910)],
)
RENTS = a_table(
    "rents",
    "Loja|loja|text; Gerente|gerente|text; Aluguel (R$)|aluguel|real|R$",
    [("Centro", "Marta Dias", 9000.0), ("Serra", "Hugo Sá", 7500.0)],
)
VIEW = a_named_view(shops="vendas.csv", parts="materiais.csv", freight="shipments.csv", rents="lojas.csv")


@pytest.fixture(scope="module")
def trade(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RelationalStore]:
    path: Path = tmp_path_factory.mktemp("measures") / "tables.db"
    store = RelationalStore(f"sqlite:///{path}", rows=200, seconds=5.0)
    for table in (SHOPS, PARTS, FREIGHT, RENTS):
        store.apply(a_table_parcel(table.document, table))
    yield store
    store.close()


def rows(
    store: RelationalStore, text: str, language: str = "pt", view: View = VIEW
) -> list[tuple[object, ...]]:
    found = store.search(Query(text, np.zeros(0, np.float32), language), view, 20)  # type: ignore[arg-type]
    return [row for passage in found.passages if passage.result for row in passage.result.rows]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("quantas cirurgias a loja Centro fez em maio?", "pt"),
        ("qual o peso do gel condutor?", "pt"),
        ("what is the phone number of SH-2?", "en"),
        ("how many boxes were in SH-2?", "en"),
        ("quanto custa a feijoada", "pt"),
        ("quanto a loja Serra vendeu de aluguel de carro", "pt"),
    ],
)
def test_a_measure_that_no_table_has_is_not_answered_with_another(
    trade: RelationalStore, text: str, language: str
) -> None:
    assert rows(trade, text, language) == []


def test_of_two_costs_both_are_shown_when_the_question_fits_both(trade: RelationalStore) -> None:
    assert rows(trade, "how much did SH-2 cost?", "en") == [(70.0, 9.5)]
    assert rows(trade, "how much did we pay for insurance of SH-2?", "en") == [(9.5,)]
    assert rows(trade, "quanto custou o frete do SH-2?") == [(70.0,)]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("receita líquida da loja Centro", "pt"),
        ("receita da loja Centro por vendedor", "pt"),
        ("freight cost per kg of SH-2", "en"),
        ("margem do gel condutor", "pt"),
        ("receita menos custo de insumos da loja Centro", "pt"),
        ("média de receita por mês na loja Centro", "pt"),
        ("quanto a loja Centro gastou a mais que a receita", "pt"),
    ],
)
def test_another_amount_than_a_column_is_not_answered_with_the_column(
    trade: RelationalStore, text: str, language: str
) -> None:
    assert rows(trade, text, language) == []


def test_the_rows_of_a_table_may_be_called_by_its_heading(tmp_path: Path) -> None:
    limits = a_table(
        "limits",
        "Parâmetro|parametro|text; Mínimo|minimo|real; Máximo|maximo|real",
        [("Acidez", 14.0, 18.0), ("Gordura", 3.0, 5.0), ("Crioscopia", 0.5, 0.6)],
    )
    limits = replace(limits, headings=("Manual", "Limites de aceitação"))
    store = RelationalStore(f"sqlite:///{tmp_path / 'limits.db'}", rows=200, seconds=5.0)
    store.apply(a_table_parcel("limits", limits))

    assert rows(store, "limite da acidez", view=a_named_view(limits="manual.pdf")) == [("Acidez", 14.0, 18.0)]
    assert rows(store, "peso da acidez", view=a_named_view(limits="manual.pdf")) == []
    store.close()


def test_months_between_two_are_added_up_with_them(trade: RelationalStore) -> None:
    assert rows(trade, "taxas de entrega da loja Centro de maio a junho") == [(4400.0,)]


def test_amounts_of_many_rows_are_added_up_before_their_owner_is_ranked(trade: RelationalStore) -> None:
    assert rows(trade, "qual gerente tem a maior receita") == [("Marta Dias", 84000.0)]


def test_a_kind_of_thing_behind_which_is_what_is_wanted(trade: RelationalStore) -> None:
    assert rows(trade, "qual loja Serra ou Centro tem o menor aluguel")[0][0] == "Serra"


def test_a_header_whose_words_stand_apart_is_found(trade: RelationalStore) -> None:
    assert rows(trade, "quantos pratos a Serra vendeu em maio") == [(700,)]
    assert rows(trade, "quanto a gente consome de seringa por mes?") == [(410,)]


def test_a_verb_of_spending_means_the_cost_that_is_named(trade: RelationalStore) -> None:
    assert rows(trade, "quanto gastamos de insumo no Centro em junho") == [(14000.0,)]
    assert rows(trade, "quanto custa o aluguel da loja Serra") == [(7500.0,)]


def test_a_verb_of_earning_means_the_revenue_and_no_rent(trade: RelationalStore) -> None:
    assert rows(trade, "qual loja mais rendeu em maio") == [("Centro", 41000.0)]
    assert rows(trade, "quanto a loja Centro recebeu") == []  # of whom? no table has payments
    assert rows(trade, "qual loja gerou mais receita") == [("Centro", 84000.0)]
    assert rows(trade, "which loja generated more revenue", "en") == [("Centro", 84000.0)]


def test_a_price_of_one_piece_is_not_what_was_spent(trade: RelationalStore) -> None:
    assert rows(trade, "quanto gastamos com seringa") == []


def test_fees_are_added_up_although_rates_are_averaged(trade: RelationalStore) -> None:
    assert sorted(rows(trade, "taxas de entrega por mes")) == [("junho", 4000.0), ("maio", 3900.0)]


def test_a_number_in_a_things_name_belongs_to_the_name(trade: RelationalStore) -> None:
    assert rows(trade, "quando vence o alcool 70?") == [("2027-11-05",)]
