"""Kinds of questions that spreadsheets of any trade are asked: ranks inside groups, growth, medians, totals of groups."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.stores.relational import RelationalStore
from core.types import Value, View
from tests.core.stores.relational.samples import a_named_view, a_table, a_table_parcel
from tests.fakes import a_query

VISITS = a_table(
    "visits",
    "Data|data|date; Tutor|tutor|text; Espécie|especie|text; Serviço|servico|text; Valor (R$)|valor|real|R$",
    [
        ("2026-01-10", "Marcos Vilela", "Gato", "Vacina", 80.0),
        ("2026-01-12", "Sonia Prado", "Gato", "Consulta", 120.0),
        ("2026-01-20", "Sonia Prado", "Cachorro", "Banho", 70.0),
        ("2026-02-03", "Marcos Vilela", "Cachorro", "Banho", 70.0),
        ("2026-02-11", "Igor Matos", "Gato", "Vacina", 90.0),
        ("2026-03-02", "Sonia Prado", "Gato", "Vacina", 95.0),
        ("2026-03-09", "Igor Matos", "Cachorro", "Consulta", 130.0),
        ("2026-03-15", "Igor Matos", "Cachorro", "Banho", 75.0),
    ],
)
TOOLS = a_table(
    "tools",
    "Mês|mes|text; Produto|produto|text; Região|regiao|text; Vendedor|vendedor|text; Qtd|qtd|integer; Valor|valor|real|R$",
    [
        ("janeiro", "Broca 8mm", "Sul", "Edna", 10, 50.0),
        ("janeiro", "Trena 5m", "Norte", "Rui", 2, 60.0),
        ("fevereiro", "Broca 8mm", "Sul", "Rui", 4, 20.0),
        ("fevereiro", "Broca 8mm", "Norte", "Edna", 6, 30.0),
        ("fevereiro", "Serra", "Sul", "Edna", 1, 400.0),
        ("março", "Trena 5m", "Sul", "Rui", 5, 150.0),
    ],
)
FUEL = a_table(
    "fuel",
    "Data|data|date; Placa|placa|text; Motorista|motorista|text; Litros|litros|integer",
    [
        ("2026-01-05", "ABC-1", "Cida Moraes", 100),
        ("2026-01-06", "ABC-2", "Jonas Klein", 40),
        ("2026-02-07", "ABC-1", "Jonas Klein", 60),
        ("2026-02-08", "ABC-2", "Cida Moraes", 30),
    ],
)
TRUCKS = a_table(
    "trucks", "Placa|placa|text; Tipo|tipo|text", [("ABC-1", "Carreta"), ("ABC-2", "Van"), ("ABC-3", "Van")]
)
DRIVERS = a_table(
    "drivers",
    "Motorista|motorista|text; Base|base|text; Categoria CNH|categoria|text",
    [("Cida Moraes", "Londrina", "E"), ("Jonas Klein", "Curitiba", "D"), ("Nelson Prates", "Curitiba", "E")],
)
MILK = a_table(
    "milk",
    "Produtor|produtor|text; Cultura|cultura|text; Jan|jan|integer; Fev|fev|integer; Mar|mar|integer; Abr|abr|integer",
    [
        ("Aurora", "Leite", 100, 120, 90, 80),
        ("Aurora", "Soja", 50, 20, 30, 60),
        ("Pinhal", "Leite", 70, 60, 200, 10),
    ],
    caption="Entregas",
)
GYM = a_table(
    "gym",
    "Member ID|member_id|text; Member|member|text; Plan|plan|text; Monthly fee ($)|fee|real|$; Trainer|trainer|text;"
    "Club|club|text; Status|status|text; Visits|visits|integer",
    [
        ("M1", "Ava Holt", "Basic", 30.0, "Sara Bloom", "Harbor", "active", 4),
        ("M2", "Ben Ortiz", "Plus", 50.0, None, "Harbor", "frozen", 12),
        ("M3", "Cleo Marsh", "Plus", 50.0, "Sara Bloom", "Downtown", "active", 20),
        ("M4", "Dan Fitch", "Basic", 30.0, "Nick Tran", "Downtown", "cancelled", 9),
    ],
)
ORDERS = a_table(
    "orders",
    "OS|os|integer; Data|data|date; Cliente|cliente|text; Serviço|servico|text; Valor|valor|real|R$; Situação|situacao|text",
    [
        (1001, "2026-02-02", "Escola Aurora", "Banner", 200.0, "Entregue"),
        (1002, "2026-02-20", "Padaria Trigo", "Panfleto", 90.0, "Atrasado"),
        (1003, "2026-03-05", "Escola Aurora", "Panfleto", 60.0, "Entregue"),
        (1004, "2026-03-11", "Padaria Trigo", "Banner", 450.0, "Em produção"),
        (1005, "2026-04-01", "Padaria Trigo", "Banner", 300.0, "Atrasado"),
    ],
)
CALLS = a_table(
    "calls",
    "Month|month|date; Agent|agent|text; Queue|queue|text; Answered|answered|integer; Satisfaction (%)|satisfaction|integer|%",
    [
        ("2025-01-01", "Lena", "Sales", 40, 90),
        ("2025-01-01", "Otto", "Sales", 70, 80),
        ("2025-02-01", "Lena", "Sales", 50, 70),
        ("2025-02-01", "Otto", "Sales", 10, 60),
        ("2025-03-01", "Lena", "Support", 30, 75),
        ("2025-03-01", "Otto", "Support", 25, 85),
    ],
)
PARTIES = a_table(
    "parties",
    "Evento|evento|text; Data|data|date; Tipo de evento|tipo|text; Espaço|espaco|text; Consultor(a)|consultor|text;"
    "Convidados|convidados|integer; Valor contratado (R$)|valor|real|R$; Status|status|text",
    [
        ("EV-1", "2026-04-02", "Casamento", "Jardim", "Vera", 120, 21000.0, "Pago"),
        ("EV-2", "2026-05-09", "Casamento", "Terraço", "Caio", 300, 9000.0, "Cancelado"),
        ("EV-3", "2026-05-20", "Formatura", "Jardim", "Caio", 80, 26000.0, "Pendente"),
        ("EV-4", "2026-06-01", "Formatura", "Terraço", "Vera", 200, 14000.0, "Pago"),
    ],
)
JOBS = a_table(
    "jobs",
    "Job|job|text; Date|date|date; Mechanic|mechanic|text; Part used|part|text; Qty|qty|integer; Invoice total|total|real|$",
    [
        ("J1", "2026-01-05", "Gus", "Chain", 1, 90.0),
        ("J2", "2026-01-09", "Gus", "Chain", 2, 60.0),
        ("J3", "2026-02-11", "Hana", "Saddle", 1, 150.0),
        ("J4", "2026-02-20", "Gus", "Saddle", 1, 40.0),
        ("J5", "2026-02-22", "Hana", "Tire", 4, 200.0),
        ("J6", "2026-02-23", "Hana", "Tire", 1, 20.0),
    ],
)
FILES = {
    "parties": "eventos_buffet.csv",
    "jobs": "bike_shop_jobs.csv",
    "orders": "ordens_grafica.csv",
    "calls": "agents.csv",
    "visits": "atendimentos.csv",
    "tools": "vendas.csv",
    "milk": "entregas.csv",
    "gym": "gym_members.csv",
    "fuel": "abastecimentos.csv",
    "trucks": "veiculos.csv",
    "drivers": "motoristas.csv",
}
TABLES = {
    table.document: table
    for table in (PARTIES, JOBS, ORDERS, CALLS, VISITS, TOOLS, MILK, GYM, FUEL, TRUCKS, DRIVERS)
}  # each trade alone, but the fleet's three together
FLEET = ("fuel", "trucks", "drivers")


@pytest.fixture(scope="module")
def trades(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RelationalStore]:
    store = RelationalStore(
        f"sqlite:///{tmp_path_factory.mktemp('trades') / 'tables.db'}", rows=50, seconds=5.0
    )
    for document, table in TABLES.items():
        store.apply(a_table_parcel(document, table))
    yield store
    store.close()


def view_of(*documents: str) -> View:
    return a_named_view(**{document: FILES[document] for document in documents})


def rows(store: RelationalStore, view: View, text: str, language: str) -> list[tuple[Value, ...]]:
    found = store.search(a_query(text, language, "2026-06-15"), view, 5)
    return list(found.passages[0].result.rows) if found.passages and found.passages[0].result else []


ANSWERS: list[tuple[str, str, str, list[tuple[Value, ...]]]] = [
    # ranks inside groups
    ("tools", "pt", "o produto mais vendido de cada regiao", [("Norte", "Broca 8mm", 6), ("Sul", "Broca 8mm", 14)]),
    ("tools", "pt", "top 2 vendedores por regiao", [("Norte", "Rui", 60.0), ("Norte", "Edna", 30.0), ("Sul", "Edna", 450.0), ("Sul", "Rui", 170.0)]),
    ("visits", "pt", "o serviço mais pedido de cada especie", [("Cachorro", "Banho", 3), ("Gato", "Vacina", 3)]),
    ("gym", "en", "member with the most visits in each club", [("Downtown", "Cleo Marsh", 20), ("Harbor", "Ben Ortiz", 12)]),
    ("milk", "pt", "maior produtor de cada cultura", [("Leite", "Aurora", 390), ("Soja", "Aurora", 160)]),
    # growth and difference between two periods
    ("visits", "pt", "qual a diferenca de faturamento entre janeiro e fevereiro", [(110.0, 270.0, 160.0)]),
    ("tools", "pt", "quanto cresceu a venda de janeiro para fevereiro", [(340.0, 340.0 / 110.0 * 100, 110.0, 450.0)]),
    ("visits", "pt", "quanto faturamos entre janeiro e fevereiro?", [(430.0,)]),
    # medians and averages of periods
    ("visits", "pt", "mediana do valor", [(85.0,)]),
    ("gym", "en", "median visits per plan", [("Basic", 6.5), ("Plus", 16.0)]),
    ("milk", "pt", "media mensal de leite", [(182.5,)]),
    # totals of groups
    ("visits", "pt", "tutores que gastaram mais de 280 reais no total", [("Igor Matos", 295.0), ("Sonia Prado", 285.0)]),
    ("tools", "pt", "regioes com mais de 500 em vendas", [("Sul", 620.0)]),
    ("gym", "en", "plans with an average of more than 10 visits", [("Plus", 16.0)]),
    # shares of rows and of amounts
    ("gym", "en", "what percentage of members are active?", [(50.0, 2, 4)]),
    ("milk", "pt", "percentual de cada cultura no total", [("Leite", 730, 730 / 890 * 100), ("Soja", 160, 160 / 890 * 100)]),
    # pieces of a thing, not rows
    ("tools", "pt", "quantas brocas 8mm vendemos em fevereiro", [(10,)]),
    ("tools", "pt", "quanto vendeu a broca 8mm em fevereiro?", [(50.0,)]),
    # a table called by its amount; its rows are counted beside it
    ("tools", "pt", "vendas por mes", [("fevereiro", 450.0, 3), ("janeiro", 110.0, 2), ("março", 150.0, 1)]),
    ("tools", "pt", "vendas em fevereiro exceto norte", [(420.0, 2)]),
    # three tables
    ("fleet", "pt", "litros das carretas na base Curitiba", [(60,)]),
    ("fleet", "pt", "litros por tipo e base", [("Carreta", "Curitiba", 60), ("Carreta", "Londrina", 100), ("Van", "Curitiba", 40), ("Van", "Londrina", 30)]),
    # words that are easily taken for others
    ("visits", "pt", "faturamento da vacina em marco", [(95.0,)]),
    ("fleet", "pt", "motoristas com categoria E", [("Cida Moraes",), ("Nelson Prates",)]),
    ("gym", "en", "members who pay less than $50", [("Ava Holt",), ("Dan Fitch",)]),
    ("gym", "en", "what does Dan Fitch pay per month?", [(30.0,)]),
    ("gym", "en", "how many members does each trainer have", [("Nick Tran", 1), ("Sara Bloom", 2)]),
    ("visits", "pt", "atendimentos por mes", [("2026-01", 3), ("2026-02", 2), ("2026-03", 3)]),
    ("gym", "en", "which club has more frozen members?", [("Harbor", 1)]),
    # yes or no of one row
    ("gym", "en", "is Ben Ortiz active?", [("Ben Ortiz", "frozen")]),
    # a header that is a word of grammar
    ("orders", "pt", "qual a situacao da OS 1003?", [("Entregue",)]),
    ("orders", "pt", "a os 1002 foi entregue?", [(1002, "Atrasado")]),
    ("orders", "pt", "cliente, servico e valor da OS 1004", [("Padaria Trigo", "Banner", 450.0)]),
    ("orders", "pt", "faturamento caiu ou cresceu de fevereiro para março?", [(220.0, 290.0, 510.0)]),
    ("orders", "pt", "as 2 maiores ordens", [(1004, 450.0), (1005, 300.0)]),
    # amounts of periods, things that stand in many rows
    ("calls", "en", "answered by otto in the first quarter of 2025", [(105,)]),
    ("calls", "en", "answered by lena in january and february", [(90,)]),
    ("calls", "en", "top 2 agents by satisfaction in sales", [("Lena", 80.0), ("Otto", 70.0)]),
    # an amount by a verb of money, by the size of its numbers, by "em número de"
    ("parties", "pt", "qts casamentos tivemos no jardim", [(1,)]),
    ("parties", "pt", "consultor q mais vendeu em cada espaco", [("Jardim", "Caio", 26000.0), ("Terraço", "Vera", 14000.0)]),
    ("parties", "pt", "eventos acima de 20 mil", [("EV-1",), ("EV-3",)]),
    ("parties", "pt", "maior evento em numero de convidados", [("EV-2", 300)]),
    ("parties", "pt", "valor dos eventos nao cancelados", [(61000.0,)]),
    ("parties", "pt", "compare abril e maio em valor contratado", [(21000.0, 35000.0)]),
    ("jobs", "en", "how much did gus bring in in january", [(150.0,)]),
    ("jobs", "en", "most used part by mechanic", [("Gus", "Chain", 2), ("Hana", "Tire", 2)]),
    ("jobs", "en", "biggest invoice of each mechanic", [("Gus", 90.0), ("Hana", 200.0)]),
    ("jobs", "en", "jobs per month", [("2026-01", 2), ("2026-02", 4)]),
    ("jobs", "en", "who did J3?", [("Hana",)]),
    # months side by side
    ("milk", "pt", "entrega de leite de janeiro a março", [(640,)]),
    ("milk", "pt", "total do primeiro trimestre", [(740,)]),
    ("milk", "pt", "quanto entregaram em abril por produtor", [("Aurora", 140), ("Pinhal", 10)]),
    ("milk", "pt", "qual produtor entregou mais em março?", [("Pinhal", 200)]),
]  # fmt: skip


@pytest.mark.parametrize(("trade", "language", "text", "wanted"), ANSWERS)
def test_the_exact_rows_are_found(
    trades: RelationalStore, trade: str, language: str, text: str, wanted: list[tuple[Value, ...]]
) -> None:
    view = view_of(*FLEET) if trade == "fleet" else view_of(trade)

    found = rows(trades, view, text, language)

    assert len(found) == len(wanted)
    for row, gold in zip(sorted(found, key=str), sorted(wanted, key=str), strict=True):
        shown = [round(cell, 4) if isinstance(cell, float) else cell for cell in row]
        assert all((round(cell, 4) if isinstance(cell, float) else cell) in shown for cell in gold)


@pytest.mark.parametrize(
    ("trade", "language", "text"),
    [
        ("parties", "pt", "quem é o noivo do EV-1?"),
        ("parties", "pt", "compara o cardapio do casamento e da formatura"),
        ("visits", "pt", "quanto custou o aluguel em marco?"),
        ("visits", "pt", "quanto custou o seguro da Sonia Prado?"),
        ("tools", "pt", "quanto custa a trena 5m?"),
        ("milk", "pt", "quanto pagaram pelo leite em abril?"),
        ("gym", "en", "how old is Ava Holt?"),
        ("visits", "pt", "quanto cresceu o faturamento em março?"),
        ("fleet", "pt", "quantos km rodou o ABC-1 em janeiro?"),
    ],
)
def test_what_the_tables_do_not_hold_is_not_answered_with_something_else(
    trades: RelationalStore, trade: str, language: str, text: str
) -> None:
    view = view_of(*FLEET) if trade == "fleet" else view_of(trade)

    assert rows(trades, view, text, language) == []


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT rank() OVER (ORDER BY valor) FROM vendas",
        "SELECT place FROM (SELECT valor, row_number() OVER (ORDER BY valor) AS place FROM vendas) AS a",
        "SELECT valor FROM (SELECT valor, sum(valor) OVER (ORDER BY valor) AS s FROM vendas) AS a WHERE s > 1",
        "SELECT valor FROM vendas WHERE rank() > 1",
    ],
)
def test_a_place_may_cut_rows_but_is_never_shown_nor_anything_else_computed_by_a_window(
    trades: RelationalStore, sql: str
) -> None:
    from core.errors import SqlRefused

    with pytest.raises(SqlRefused):
        trades.run(sql, view_of("tools"))


def test_rows_cut_by_a_place_pass_the_guard(trades: RelationalStore) -> None:
    sql = (
        "SELECT a.produto FROM (SELECT produto, rank() OVER (PARTITION BY regiao ORDER BY valor DESC) AS place "
        "FROM vendas) AS a WHERE a.place <= 1"
    )

    assert {row[0] for row in trades.run(sql, view_of("tools")).rows} == {"Serra", "Trena 5m"}


def test_tables_outside_the_view_change_no_plan(trades: RelationalStore, tmp_path: Path) -> None:
    alone = RelationalStore(f"sqlite:///{tmp_path / 'alone.db'}", rows=50, seconds=5.0)
    alone.apply(a_table_parcel("tools", TOOLS))
    for trade, language, text, _ in ANSWERS:
        if trade == "tools":
            assert rows(alone, view_of("tools"), text, language) == rows(
                trades, view_of("tools"), text, language
            )
    alone.close()
