"""Small spreadsheets of the kinds that offices keep, written for these tests."""

import numpy as np

from core.types import Column, ColumnType, Locator, Parcel, Placement, Scope, Table, Value, View
from tests.fakes import a_parcel, hashed_vector

TAG = "console:local/geral"


def a_table(
    document: str,
    columns: str,
    rows: list[tuple[Value, ...]],
    *,
    sheet: str = "",
    caption: str = "",
    totals: tuple[int, ...] = (),
) -> Table:
    """Columns as "Header|key|type|unit; ..."; the unit may be missing."""
    parts = [entry.strip().split("|") for entry in columns.split(";")]
    kinds: list[Column] = []
    for name, key, kind, *unit in parts:
        typed: ColumnType = kind  # type: ignore[assignment]
        kinds.append(Column(name, key, typed, unit[0] if unit else ""))
    table_id = f"{document}:{sheet or caption or 'table'}"
    return Table(
        table_id, document, Locator(sheet=sheet), caption, (), tuple(kinds), tuple(rows), frozenset(totals)
    )


def a_table_parcel(document: str, *tables: Table) -> Parcel:
    """A parcel of tables with stand-in vectors for their names and columns."""
    texts = []
    for table in tables:
        texts.append((f"{table.id}\t", f"{table.caption} {table.locator.sheet}"))
        texts += [(f"{table.id}\t{column.key}", column.name) for column in table.columns]
    vectors = (
        np.stack([hashed_vector(text) for _, text in texts]) if texts else np.zeros((0, 256), np.float32)
    )
    return a_parcel(document, tables=tables, table_texts=tuple(texts), table_vectors=vectors)


def a_named_view(**files: str) -> View:
    """A view of one channel: document id -> file name."""
    placements = tuple(
        Placement(TAG, name, document, 1, "ana", "2026-01-01T00:00:00Z") for document, name in files.items()
    )
    return View.of(Scope(frozenset({TAG})), placements)


SALES = a_table(
    "sales",
    "Data|data|date; Região|regiao|text; Vendedor|vendedor|text; Produto|produto|text;"
    "Quantidade|quantidade|integer; Receita (R$)|receita_r|real|R$",
    [
        ("2026-01-05", "Norte", "Ana Lima", "Caderno", 10, 150.0),
        ("2026-01-20", "Sul", "Bruno Reis", "Caneta", 40, 80.0),
        ("2026-02-03", "Norte", "Ana Lima", "Caneta", 25, 50.0),
        ("2026-02-14", "Sudeste", "Carla Dias", "Mochila", 3, 360.0),
        ("2026-03-09", "Sul", "Bruno Reis", "Caderno", 12, 180.0),
        ("2026-03-22", "Sudeste", "Carla Dias", "Caderno", 20, 300.0),
        ("2026-04-02", "Norte", "Ana Lima", "Mochila", 2, 240.0),
        (None, "Total", None, None, 112, 1360.0),
    ],
    sheet="Vendas",
    totals=(7,),
)
STAFF = a_table(
    "staff",
    "Nome|nome|text; Cargo|cargo|text; Setor|setor|text; Salário (R$)|salario|real|R$;"
    "Admissão|admissao|date; Cidade|cidade|text; Idade|idade|integer",
    [
        ("Ana Lima", "Analista", "Comercial", 4200.0, "2021-03-01", "Recife", 31),
        ("Bruno Reis", "Técnico", "Manutenção", 3100.0, "2019-07-15", "Olinda", 45),
        ("Carla Dias", "Gerente", "Comercial", 9800.0, "2015-02-02", "Recife", 52),
        ("Davi Melo", "Analista", "Financeiro", 4600.0, "2023-10-10", "Natal", 27),
        ("Elisa Prado", "Técnico", "Manutenção", 3300.0, "2022-01-05", "Recife", 29),
    ],
)
STOCK = a_table(
    "stock",
    "Código|codigo|text; Produto|produto|text; Categoria|categoria|text; Estoque|estoque|integer;"
    "Mínimo|minimo|integer; Preço (R$)|preco|real|R$",
    [
        ("CD-100", "Caderno", "Papelaria", 120, 50, 15.0),
        ("CN-200", "Caneta", "Papelaria", 15, 100, 2.0),
        ("MC-300", "Mochila", "Bolsas", 8, 10, 120.0),
        ("RG-400", "Régua", "Papelaria", 60, 20, 4.5),
    ],
)
EXPENSES = a_table(
    "expenses",
    "Despesa|despesa|text; Jan|jan|real|R$; Fev|fev|real|R$; Mar|mar|real|R$; Abr|abr|real|R$",
    [
        ("Aluguel", 2000.0, 2000.0, 2100.0, 2100.0),
        ("Energia", 450.0, 470.0, 390.0, 410.0),
        ("Internet", 120.0, 120.0, 120.0, 130.0),
    ],
    sheet="Despesas",
)
ALL = {"sales": SALES, "staff": STAFF, "stock": STOCK, "expenses": EXPENSES}
FILES = {
    "sales": "vendas_2026.xlsx",
    "staff": "funcionarios.csv",
    "stock": "estoque.csv",
    "expenses": "despesas.xlsx",
}
