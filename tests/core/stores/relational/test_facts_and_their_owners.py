"""Facts in one table, their owners in another: what is asked of an owner is added up over its facts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.stores.relational import RelationalStore
from core.stores.relational.wording.periods import periods
from core.stores.relational.wording.words import deed_roots, done_root, tokenize
from core.types import View
from tests.core.stores.relational.samples import a_named_view, a_table, a_table_parcel
from tests.fakes import a_query

ORDERS = a_table(
    "orders",
    "Pedido|pedido|text; Data|data|date; Código cliente|codigo_cliente|text; Frete (R$)|frete|real|R$; Valor (R$)|valor|real|R$",
    [
        ("P-1", "2026-04-18", "c-07", 10.0, 100.0),
        ("P-2", "2026-04-20", "c-07", 15.5, 250.0),
        ("P-3", "2026-05-10", "c-09", 20.0, 80.0),
        ("P-4", "2026-05-11", "c-07", 0.0, 60.0),
    ],
)
CLIENTS = a_table(
    "clients",
    "Código|codigo|text; Cliente|cliente|text; Cadastro|cadastro|date",
    [
        ("c-07", "Viveiro Jacarandá", "2026-04-02"),
        ("c-09", "Horto Ipê", "2025-05-03"),
        ("c-11", "Sítio Umbu", "2026-05-07"),
    ],
)
POWER = a_table(
    "power",
    "Usina|usina|text; Geração Jan/26|jan|integer; Geração Fev/26|fev|integer; Geração Mar/26|mar|integer; Geração Abr/26|abr|integer",
    [("U-1", 100, 90, 80, 70), ("U-2", 60, 95, 40, 75)],
    caption="Geração (kWh)",
)
CALLS = a_table(
    "calls",
    "Usina|usina|text; Abertura|abertura|date; Custo (R$)|custo|real|R$",
    [("U-1", "2026-03-02", 50.0), ("U-2", "2026-03-05", 900.0), ("U-1", "2026-04-05", 30.0)],
)
TODAY = "2026-06-15"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RelationalStore]:
    path: Path = tmp_path_factory.mktemp("owners") / "t.db"
    opened = RelationalStore(f"sqlite:///{path}", rows=50, seconds=5.0)
    for name, table in (("orders", ORDERS), ("clients", CLIENTS), ("power", POWER), ("calls", CALLS)):
        opened.apply(a_table_parcel(name, table))
    yield opened
    opened.close()


def view_of(*names: str) -> View:
    return a_named_view(**{name: f"{name}.xlsx" for name in names})


def rows(
    store: RelationalStore, text: str, *names: str, language: str = "pt"
) -> list[tuple[object, ...]] | None:
    found = store.search(a_query(text, language=language, today=TODAY), view_of(*names), 5)
    results = [passage.result for passage in found.passages if passage.result is not None]
    return [tuple(row) for row in results[0].rows] if results else None


@pytest.mark.parametrize(
    ("text", "total"),
    [
        ("total de frete dos pedidos do viveiro jacaranda", 25.5),
        ("total do valor dos pedidos do Viveiro Jacarandá", 410.0),
        ("soma do frete do horto ipe", 20.0),
    ],
)
def test_an_owner_named_by_a_unique_name_still_has_many_facts(
    store: RelationalStore, text: str, total: float
) -> None:
    assert rows(store, text, "orders", "clients") == [(total,)]


def test_a_period_is_when_it_happened_and_not_when_its_owner_came(store: RelationalStore) -> None:
    assert rows(store, "frete por cliente em abril", "orders", "clients") == [("Viveiro Jacarandá", 25.5)]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("how many orders between 20 april and 10 may 2026", "en"),
        ("quantos pedidos entre 20 de abril e 10 de maio de 2026", "pt"),
        ("quantos pedidos de 20 de abril a 10 de maio de 2026", "pt"),
    ],
)
def test_a_range_of_days_takes_month_and_year_from_its_end(
    store: RelationalStore, text: str, language: str
) -> None:
    assert rows(store, text, "orders", language=language) == [(2,)]


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("entre 3 e 15 de maio de 2026", "2026-05-03", "2026-05-15"),
        ("from 3 to 15 may 2026", "2026-05-03", "2026-05-15"),
        ("de 20 de dezembro a 5 de janeiro de 2026", "2025-12-20", "2026-01-05"),
    ],
)
def test_ranges_of_days_are_read(text: str, low: str, high: str) -> None:
    (period,) = periods(text, tokenize(text), TODAY)

    assert (period.low, period.high) == (low, high)


def test_two_days_are_no_range() -> None:
    text = "nos dias 3 e 15 de maio de 2026"

    assert all(period.low != "2026-05-03" for period in periods(text, tokenize(text), TODAY))


def test_what_generated_most_is_not_what_cost_most(store: RelationalStore) -> None:
    found = rows(store, "qual usina gerou menos em março?", "power", "calls")

    assert found is None or "U-2" in found[0]  # by cost it would be U-1


def test_of_plans_as_sure_as_each_other_the_one_that_finds_rows_is_shown(store: RelationalStore) -> None:
    assert rows(store, "geração da U-1 em mar/26", "power", "calls") == [(80,)]


def test_what_a_word_means_is_no_mean(store: RelationalStore) -> None:
    assert rows(store, "what does U-1 mean", "calls", language="en") in (
        None,
        [("U-1", "2026-03-02", 50.0), ("U-1", "2026-04-05", 30.0)],
    )


@pytest.mark.parametrize(
    ("verb", "noun"),
    [
        ("gerou", "geracao"),
        ("venderam", "vendas"),
        ("produziram", "produzidas"),
        ("pagou", "pagamentos"),
        ("pararam", "paradas"),
        ("gastamos", "gasto"),
    ],
)
def test_a_verb_in_the_past_shares_its_root_with_its_noun(verb: str, noun: str) -> None:
    assert done_root(verb) in deed_roots(noun)


@pytest.mark.parametrize("word", ["geral", "gerente", "museu", "produto"])
def test_other_words_are_no_verbs_in_the_past(word: str) -> None:
    assert done_root(word) in ("", "mus")


SHEETS = a_table(
    "sheets",
    "Máquina|maquina|text; Jan|jan|integer; Fev|fev|integer; Mar|mar|integer; Total|total|integer",
    [("Prensa A", 900, 100, 300, 1300), ("Prensa B", 200, 800, 700, 1700)],
    caption="Folhas (mil)",
)
STOPS = a_table(
    "stops",
    "Máquina|maquina|text; Jan|jan|real; Fev|fev|real; Mar|mar|real",
    [("Prensa A", 1.5, 9.0, 2.0), ("Prensa B", 4.0, 3.0, 6.5)],
    caption="Paradas (h)",
)
SALES = a_table(
    "sales",
    "Nota|nota|text; Código loja|codigo_loja|text; Valor (R$)|valor|real|R$; Frete (R$)|frete|real|R$; Situação|situacao|text",
    [
        ("N1", "L-01", 100.0, 5.0, "Entregue"),
        ("N2", "L-02", 70.0, 9.0, "Aberta"),
        ("N3", "L-02", 30.0, 2.0, "Entregue"),
        ("N4", "L-01", 11.0, 2.0, "Entregue"),
    ],
)


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RelationalStore]:
    opened = RelationalStore(f"sqlite:///{tmp_path_factory.mktemp('other') / 't.db'}", rows=50, seconds=5.0)
    for name, table in (("sheets", SHEETS), ("stops", STOPS), ("sales", SALES)):
        opened.apply(a_table_parcel(name, table))
    yield opened
    opened.close()


def test_two_sheets_with_their_months_side_by_side_do_not_own_each_other(other: RelationalStore) -> None:
    assert rows(other, "qual maquina teve mais horas paradas em fevereiro?", "sheets", "stops") == [
        ("Prensa A", 9.0)
    ]


def test_the_amount_that_is_called_no_more_than_value_is_what_was_paid(store: RelationalStore) -> None:
    found = rows(store, "quanto cada cliente pagou?", "orders", "clients")

    assert found is not None
    assert sorted(found) == [("Horto Ipê", 80.0), ("Viveiro Jacarandá", 410.0)]


def test_an_amount_named_behind_the_superlative_ranks(other: RelationalStore) -> None:
    found = rows(other, "what nota had the biggest store frete", "sales", language="en")

    assert found is not None
    assert (found[0][0], found[0][-1]) == ("N2", 9.0)
