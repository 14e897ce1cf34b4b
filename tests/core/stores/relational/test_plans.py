"""Questions as people type them, and the rows that answer them; and questions that must not be answered from here."""

import pytest

from core.stores.relational import RelationalStore
from core.types import SqlResult, Value, View
from tests.core.stores.relational.samples import a_named_view, a_table, a_table_parcel
from tests.fakes import a_query


def answer(store: RelationalStore, view: View, text: str, language: str = "pt") -> SqlResult | None:
    found = store.search(a_query(text, language, "2026-06-15"), view, 5)
    return found.passages[0].result if found.passages else None


def first(result: SqlResult | None) -> list[Value]:
    """The first cell of each row."""
    return [] if result is None else [row[0] for row in result.rows]


FIGURES: list[tuple[str, str, Value]] = [
    ("qual a receita total?", "pt", 1360.0),
    ("receita do sul", "pt", 260.0),
    ("quanto faturamos no sudeste em fevereiro?", "pt", 360.0),
    ("What was the total revenue in March?", "en", 480.0),
    ("receita de janeiro a março de 2026", "pt", 1120.0),
    ("receita do 1o trimestre", "pt", 1120.0),
    ("quantas unidades de caneta vendemos?", "pt", 65),
    ("how many units did Bruno Reis sell?", "en", 52),
    ("receita sem o sul", "pt", 1100.0),
    ("quantas vendas acima de 200 reais?", "pt", 3),
    ("quantos funcionários temos?", "pt", 5),
    ("quantas pessoas trabalham no comercial?", "pt", 2),
    ("salario medio da manutencao", "pt", 3200.0),
    ("qual o maior salário?", "pt", 9800.0),
    ("How many employees live in Recife?", "en", 3),
    ("quantos funcionários foram admitidos depois de 2020?", "pt", 3),
    ("qual o preço da régua?", "pt", 4.5),
    ("quanto custa o MC-300?", "pt", 120.0),
    ("quantos produtos temos em papelaria?", "pt", 3),
    ("total de despesas em abril", "pt", 2640.0),
    ("qual a diferença de receita entre o norte e o sul?", "pt", 180.0),
    ("qual o salario da carla?", "pt", 9800.0),
    ("salário da carla dais", "pt", 9800.0),
]


@pytest.mark.parametrize(("text", "language", "value"), FIGURES)
def test_a_figure_is_found(
    store: RelationalStore, view: View, text: str, language: str, value: Value
) -> None:
    result = answer(store, view, text, language)

    assert result is not None
    assert result.rows[0][0] == value
    assert len(result.rows) == 1


LISTS: list[tuple[str, str, list[Value]]] = [
    ("qual região teve a maior receita?", "pt", ["Sudeste"]),
    ("top 2 regiões por receita", "pt", ["Sudeste", "Norte"]),
    ("quem vendeu mais?", "pt", ["Carla Dias"]),
    ("Which product had the lowest revenue?", "en", ["Caneta"]),
    ("quem ganha mais?", "pt", ["Carla Dias"]),
    ("quem é o funcionário mais novo?", "pt", ["Davi Melo"]),
    ("Who is the oldest employee?", "en", ["Carla Dias"]),
    ("quem foi admitido em 2019?", "pt", ["Bruno Reis"]),
    ("liste os nomes dos analistas", "pt", ["Ana Lima", "Davi Melo"]),
    ("quem ganha acima da média?", "pt", ["Carla Dias"]),
    ("quem tem mais de 40 anos?", "pt", ["Bruno Reis", "Carla Dias"]),
    ("quais produtos estão com estoque abaixo do mínimo?", "pt", ["Caneta", "Mochila"]),
    ("qual o produto mais caro?", "pt", ["Mochila"]),
    ("produtos com preço entre 3 e 20 reais", "pt", ["Caderno", "Régua"]),
    ("which products cost more than 100?", "en", ["Mochila"]),
    ("quais setores têm mais de 1 funcionário?", "pt", ["Comercial", "Manutenção"]),
    ("quais categorias existem?", "pt", ["Bolsas", "Papelaria"]),
]


@pytest.mark.parametrize(("text", "language", "values"), LISTS)
def test_a_list_is_found(
    store: RelationalStore, view: View, text: str, language: str, values: list[Value]
) -> None:
    result = answer(store, view, text, language)

    assert sorted(map(str, first(result))) == sorted(map(str, values))


GROUPS: list[tuple[str, str, set[tuple[Value, Value]]]] = [
    ("receita por região", "pt", {("Norte", 440.0), ("Sul", 260.0), ("Sudeste", 660.0)}),
    ("Revenue by product", "en", {("Caderno", 630.0), ("Caneta", 130.0), ("Mochila", 600.0)}),
    (
        "receita por mês",
        "pt",
        {("2026-01", 230.0), ("2026-02", 410.0), ("2026-03", 480.0), ("2026-04", 240.0)},
    ),
    (
        "média salarial por setor",
        "pt",
        {("Comercial", 7000.0), ("Manutenção", 3200.0), ("Financeiro", 4600.0)},
    ),
    ("funcionários por cidade", "pt", {("Recife", 3), ("Olinda", 1), ("Natal", 1)}),
    (
        "How many employees does each department have?",
        "en",
        {("Comercial", 2), ("Manutenção", 2), ("Financeiro", 1)},
    ),
]


@pytest.mark.parametrize(("text", "language", "pairs"), GROUPS)
def test_groups_are_found(
    store: RelationalStore, view: View, text: str, language: str, pairs: set[tuple[Value, Value]]
) -> None:
    result = answer(store, view, text, language)

    assert result is not None
    assert {(row[0], row[1]) for row in result.rows} == pairs


@pytest.mark.parametrize(
    "text",
    [
        "quantos funcionários temos em manaus?",
        "qual a receita da região amazônia?",
        "qual o salário do joaquim barbosa?",
        "qual o preço do notebook?",
        "qual a receita em 2019?",
        "como solicito férias?",
        "qual a política de descontos da empresa para clientes antigos?",
        "who approves travel expenses?",
        "bom dia!",
    ],
)
def test_what_the_tables_do_not_hold_is_not_answered(store: RelationalStore, view: View, text: str) -> None:
    assert answer(store, view, text) is None


def test_share_of_a_whole_is_a_percentage(store: RelationalStore, view: View) -> None:
    result = answer(store, view, "que percentual da receita vem do sudeste?")

    assert result is not None
    assert round(float(str(result.rows[0][0])), 2) == 48.53
    assert result.units[0] == "%"


def test_plan_is_told_in_the_language_of_the_question(store: RelationalStore, view: View) -> None:
    portuguese = answer(store, view, "receita do sul em março")
    english = answer(store, view, "total revenue of the Sul region in March", "en")

    assert portuguese is not None
    assert portuguese.sentence == "soma de Receita (R$) onde Região = Sul e Data: março de 2026"
    assert english is not None
    assert english.sentence == "sum of Receita (R$) where Região = Sul and Data: March 2026"


def test_last_month_is_before_the_askers_today_where_the_data_reaches_it(
    store: RelationalStore, view: View
) -> None:
    may = store.search(a_query("receita do mês passado", "pt", "2026-05-10"), view, 5)

    assert may.passages[0].result is not None
    assert may.passages[0].result.rows == ((240.0,),)


def test_empty_result_hands_over_with_a_reason(store: RelationalStore, view: View) -> None:
    found = store.search(a_query("qual a receita da mochila no sul?"), view, 5)

    assert found.passages == ()
    assert found.note == "the query found no rows"
    assert found.signal("plan") > 0.6
    assert found.signal("link") == 1.0


def test_signals_tell_of_links_even_without_a_plan(store: RelationalStore, view: View) -> None:
    nothing = store.search(a_query("quem aprova a viagem do diretor?"), view, 5)
    strong = store.search(a_query("receita por região"), view, 5)

    assert nothing.signal("plan") < 0.6
    assert strong.signal("columns") == 2.0
    assert strong.signal("numeric_column") == 1.0
    assert strong.signal("aggregate") == 1.0
    assert strong.signal("rows") == 3.0


CLIENTS = a_table(
    "clients",
    "Código do cliente|codigo_do_cliente|text; Cliente|cliente|text; Cidade|cidade|text",
    [("C1", "Padaria Sol", "Recife"), ("C2", "Hotel Serra", "Natal"), ("C3", "Clube Mar", "Natal")],
)
ORDERS = a_table(
    "orders",
    "Pedido|pedido|integer; Código do cliente|codigo_do_cliente|text; Valor (R$)|valor|real|R$; Situação|situacao|text",
    [(501, "C1", 100.0, "Entregue"), (502, "C1", 50.0, "Pendente"), (503, "C2", 70.0, "Entregue"),
     (504, "C1", 30.0, "Entregue"), (505, "C2", 20.0, "Cancelado")],
)  # fmt: skip


@pytest.fixture
def shop(empty_store: RelationalStore) -> tuple[RelationalStore, View]:
    empty_store.apply(a_table_parcel("clients", CLIENTS))
    empty_store.apply(a_table_parcel("orders", ORDERS))
    return empty_store, a_named_view(clients="clientes.csv", orders="pedidos.csv")


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("quantos pedidos a padaria sol fez?", [(3,)]),
        ("valor total dos pedidos de natal", [(90.0,)]),
        ("valor total de pedidos por cidade", [("Natal", 90.0), ("Recife", 180.0)]),
        ("clientes com mais de 2 pedidos", [("Padaria Sol",)]),
        ("qual cliente tem mais pedidos?", [("Padaria Sol", 3)]),
        ("clientes sem pedidos", [("Clube Mar",)]),
        ("quantos pedidos entregues?", [(3,)]),
        ("qual o valor do pedido 503?", [(70.0,)]),
    ],
)
def test_two_tables_are_joined_by_a_shared_key(
    shop: tuple[RelationalStore, View], text: str, rows: list[tuple[Value, ...]]
) -> None:
    result = answer(*shop, text)

    assert result is not None
    assert sorted(result.rows, key=str) == sorted(rows, key=str)


def test_a_key_that_only_one_table_of_the_view_holds_joins_nothing(
    shop: tuple[RelationalStore, View],
) -> None:
    store, _ = shop

    assert answer(store, a_named_view(orders="pedidos.csv"), "valor total dos pedidos de natal") is None
