"""What gets past the guard, and what does not: attacks by kind, and the questions people really ask."""

import pytest

from core.errors import SqlRefused, StoreFailed
from core.stores.relational import RelationalStore
from core.types import View
from tests.core.stores.relational.samples import a_named_view, a_table, a_table_parcel

WRITES = [
    ("INSERT INTO estoque VALUES ('x')", "select-only"),
    ("UPDATE estoque SET preco = 1", "select-only"),
    ("DELETE FROM estoque", "select-only"),
    ("DROP TABLE estoque", "select-only"),
    ("CREATE TABLE x AS SELECT * FROM estoque", "select-only"),
    ("ALTER TABLE estoque RENAME TO x", "select-only"),
    ("WITH x AS (SELECT preco FROM estoque) DELETE FROM estoque", "select-only"),
    ("SELECT preco INTO x FROM estoque", "not-allowed"),
    ("REPLACE INTO estoque VALUES (1)", "select-only"),
    ("VACUUM INTO 'copy.db'", "select-only"),
    ("ATTACH DATABASE 'x.db' AS x", "select-only"),
    ("PRAGMA table_info(estoque)", "select-only"),
    ("PRAGMA writable_schema = 1", "select-only"),
    ("REINDEX", "select-only"),
]
STACKED = [
    ("SELECT preco FROM estoque; DROP TABLE estoque", "one-statement"),
    ("SELECT preco FROM estoque; SELECT 1", "one-statement"),
    ("", "one-statement"),
    ("SELECT preco FROM estoque WHERE", "parse"),
    ("SELECT preco FROM estoque \x00", "parse"),
    ("SELECT " + "preco, " * 2000 + "preco FROM estoque", "too-long"),
]
TABLES = [
    ("SELECT name FROM sqlite_master", "table"),
    ("SELECT name FROM sqlite_schema", "table"),
    ("SELECT * FROM dbstat", "table"),
    ("SELECT name FROM pragma_table_info('estoque')", "not-allowed"),
    ("SELECT value FROM json_each('[1]')", "not-allowed"),
    ("SELECT tablename FROM pg_catalog.pg_tables", "table"),
    ("SELECT table_name FROM information_schema.tables", "table"),
    ("SELECT id FROM rel_tables", "table"),
    ("SELECT salario FROM segredo", "table"),
    ('SELECT salario FROM "segredo"', "table"),
    ("SELECT salario FROM main.estoque", "table"),
    ("SELECT e.preco FROM estoque e JOIN segredo s ON s.codigo = e.codigo", "table"),
    ("SELECT preco FROM estoque WHERE codigo IN (SELECT codigo FROM segredo)", "table"),
    ("SELECT preco FROM estoque UNION SELECT salario FROM segredo", "table"),
    ("WITH estoque AS (SELECT salario FROM segredo) SELECT salario FROM estoque", "shadow"),
    ("SELECT preco FROM estoque /* */ , /* */ segredo", "table"),
    ("SELECT preco FROM estoque INDEXED BY x, segredo", "table"),
    ("SELECT salario FROM estoque", "column"),
    ('SELECT "salario" FROM estoque', "column"),
    ("SELECT preco FROM estoque WHERE salario > 1", "column"),
    ("SELECT c0 FROM estoque", "column"),
    ("SELECT is_total FROM estoque", "column"),
]
CONSTANTS = [
    "SELECT 'a receita foi 9 bi' FROM estoque",
    "SELECT 9000000 FROM estoque",
    "SELECT 9000000 AS receita FROM estoque LIMIT 1",
    "SELECT 1 = 1 FROM estoque",
    "SELECT NULL FROM estoque",
    "SELECT TRUE FROM estoque",
    "SELECT 'fake' || codigo FROM estoque",
    "SELECT SUBSTR('fake' || codigo, 1, 4) FROM estoque",
    "SELECT SUM(preco * 0 + 5000000) FROM estoque",
    "SELECT SUM(preco) + 5000000 FROM estoque",
    "SELECT preco - preco FROM estoque",
    "SELECT preco / preco FROM estoque",
    "SELECT COALESCE(NULLIF(codigo, codigo), 'fake') FROM estoque",
    "SELECT COALESCE(NULL, 5) FROM estoque",
    "SELECT CASE WHEN preco > 0 THEN 'caro' ELSE 'barato' END FROM estoque",
    "SELECT CASE WHEN 1 = 1 THEN 7 END FROM estoque",
    "SELECT SUM(CASE WHEN preco > 0 THEN 5000 END) FROM estoque",
    "SELECT MAX(preco, 999999) FROM estoque",
    "SELECT (SELECT 42 FROM estoque LIMIT 1) FROM estoque",
    "SELECT x FROM (SELECT 'nove bilhões' AS x FROM estoque)",
    "WITH r AS (SELECT 9 AS v FROM estoque) SELECT v FROM r",
    "SELECT preco FROM estoque UNION ALL SELECT 9000000 FROM estoque",
    "SELECT CAST('123' AS INTEGER) FROM estoque",
    "SELECT CAST(9 AS TEXT) FROM estoque",
    "SELECT ROUND(1234.5, 1) FROM estoque",
    "SELECT STRFTIME('lucro de %Y', admissao) FROM funcionarios",
    "SELECT TRIM(codigo, 'CD-') FROM estoque",
    "SELECT preco * 1000 * 1000 FROM estoque",
    "SELECT preco * 7 FROM estoque",
    "SELECT EXISTS(SELECT 1 FROM estoque) FROM estoque",
    "SELECT preco IN (1, 2) FROM estoque",
    "SELECT preco > 3 FROM estoque",
]
FUNCTIONS = [
    "SELECT RANDOMBLOB(1000000000) FROM estoque",
    "SELECT ZEROBLOB(1000000000) FROM estoque",
    "SELECT LOAD_EXTENSION('x') FROM estoque",
    "SELECT READFILE('/etc/passwd') FROM estoque",
    "SELECT WRITEFILE('x', codigo) FROM estoque",
    "SELECT HEX(codigo) FROM estoque",
    "SELECT PRINTF('%d', preco) FROM estoque",
    "SELECT REPLACE(codigo, 'CD', 'fake') FROM estoque",
    "SELECT GROUP_CONCAT(codigo, ' receita ') FROM estoque",
    "SELECT CHAR(65) FROM estoque",
    "SELECT DATE('now') FROM estoque",
    "SELECT CURRENT_TIMESTAMP FROM estoque",
    "SELECT SQLITE_VERSION() FROM estoque",
    "SELECT SET_CONFIG('app.channels', 'fin', false) FROM estoque",
    "SELECT PG_SLEEP(10) FROM estoque",
    "SELECT preco FROM estoque WHERE codigo GLOB '*'",
    "SELECT preco FROM estoque WHERE codigo REGEXP '.*'",
    "SELECT ROW_NUMBER() OVER (ORDER BY preco) FROM estoque",
    "SELECT CAST(codigo AS BLOB) FROM estoque",
    "SELECT preco FROM estoque WHERE codigo = ?",
    "SELECT preco FROM estoque WHERE codigo = :codigo",
    "SELECT preco COLLATE NOCASE FROM estoque",
]
BOMBS = [
    ("WITH RECURSIVE x AS (SELECT 1 UNION ALL SELECT 1 FROM x) SELECT * FROM x", "recursive"),
    ("SELECT a.preco FROM estoque a, estoque b, estoque c", "join"),
    ("SELECT a.preco FROM estoque a CROSS JOIN estoque b", "join"),
    ("SELECT a.preco FROM estoque a JOIN estoque b ON 1 = 1", "join"),
    ("SELECT a.preco FROM estoque a JOIN estoque b ON a.codigo = b.codigo OR 1 = 1", "join"),
    ("SELECT a.preco FROM estoque a JOIN estoque b ON a.codigo = a.codigo", "join"),
    ("SELECT a.preco FROM estoque a NATURAL JOIN funcionarios b", "join"),
    ("SELECT a.preco FROM estoque a RIGHT JOIN estoque b ON a.codigo = b.codigo", "join"),
    ("SELECT preco FROM estoque WHERE codigo LIKE '%a%b%c%d%'", "like"),
    ("SELECT preco FROM estoque WHERE codigo LIKE produto", "like"),
    ("SELECT preco FROM estoque LIMIT (SELECT 5 FROM estoque)", "limit"),
]
SHAPES = [
    ("SELECT * FROM estoque", "select-star"),
    ("SELECT estoque.* FROM estoque", "select-star"),
    ("SELECT * FROM estoque WHERE 1 = 1", "select-star"),
    ("SELECT * FROM estoque WHERE preco = preco", "select-star"),
    ("SELECT * FROM (SELECT * FROM estoque)", "select-star"),
    ('SELECT preco AS "Receita foi R$ 9 bi" FROM estoque', "alias"),
    ("SELECT preco AS " + "a" * 41 + " FROM estoque", "alias"),
    ("VALUES (1), (2)", "select-only"),
    ("EXPLAIN SELECT preco FROM estoque", "select-only"),
    ("SELECT 1", "no-table"),
]


def rule_of(store: RelationalStore, view: View, sql: str) -> str:
    with pytest.raises((SqlRefused, StoreFailed)) as caught:
        store.run(sql, view)
    return str(caught.value)


@pytest.mark.parametrize(("sql", "rule"), WRITES + STACKED + TABLES + BOMBS + SHAPES)
def test_attack_is_refused_by_its_rule(store: RelationalStore, view: View, sql: str, rule: str) -> None:
    store.apply(
        a_table_parcel("secret", a_table("secret", "Código|codigo|text; Salário|salario|real", [("x", 1.0)]))
    )

    assert rule_of(store, view, sql).startswith(rule)


@pytest.mark.parametrize("sql", CONSTANTS)
def test_answer_that_was_never_stored_is_refused(store: RelationalStore, view: View, sql: str) -> None:
    assert rule_of(store, view, sql).startswith(("constant", "not-allowed"))


@pytest.mark.parametrize("sql", FUNCTIONS)
def test_function_outside_the_list_is_refused(store: RelationalStore, view: View, sql: str) -> None:
    assert rule_of(store, view, sql).split(":")[0] in {
        "not-allowed",
        "constant",
        "parse",
        "cast-type",
        "column",
        "select-only",
    }


BENIGN = [
    "SELECT produto, preco FROM estoque",
    "SELECT DISTINCT categoria FROM estoque",
    "SELECT COUNT(*) FROM estoque WHERE preco > 10",
    "SELECT COUNT(DISTINCT categoria) FROM estoque",
    "SELECT categoria, SUM(estoque) AS total FROM estoque GROUP BY categoria ORDER BY total DESC LIMIT 3",
    "SELECT categoria, AVG(preco) FROM estoque GROUP BY 1 HAVING COUNT(*) > 1 ORDER BY 2",
    "SELECT * FROM estoque WHERE codigo = 'CD-100'",
    "SELECT produto FROM estoque WHERE preco > (SELECT AVG(preco) FROM estoque)",
    "SELECT produto FROM estoque WHERE preco BETWEEN 2 AND 20 AND categoria IN ('Papelaria') AND codigo LIKE 'C%'",
    "SELECT SUM(CASE WHEN categoria = 'Bolsas' THEN 1 ELSE 0 END) * 100.0 / COUNT(*) FROM estoque",
    "SELECT ROUND(SUM(preco * estoque), 2) FROM estoque",
    "SELECT e.produto, v.receita_r FROM estoque e JOIN vendas_2026 v ON e.produto = v.produto",
    "SELECT e.produto FROM estoque e LEFT JOIN vendas_2026 v ON e.produto = v.produto WHERE v.receita_r IS NULL",
    "WITH t AS (SELECT produto, SUM(receita_r) AS r FROM vendas_2026 GROUP BY produto) SELECT produto, r FROM t WHERE r > 100",
    "SELECT STRFTIME('%Y-%m', data) AS mes, SUM(receita_r) FROM vendas_2026 GROUP BY mes",
    "SELECT SUBSTR(data, 1, 7), SUM(receita_r) FROM vendas_2026 GROUP BY SUBSTR(data, 1, 7)",
    "SELECT produto FROM estoque WHERE NOT EXISTS (SELECT 1 FROM vendas_2026 WHERE vendas_2026.produto = estoque.produto)",
    "SELECT produto FROM estoque WHERE produto NOT IN (SELECT produto FROM vendas_2026)",
    "SELECT produto FROM estoque EXCEPT SELECT produto FROM vendas_2026",
    "SELECT COALESCE(SUM(receita_r), 0) FROM vendas_2026",
    "SELECT SUM(estoque) / NULLIF(COUNT(*), 0) FROM estoque",
    "SELECT MAX(preco) - MIN(preco) FROM estoque",
    "SELECT upper(produto) FROM estoque -- a comment",
    "SELECT produto FROM Estoque;",
]


@pytest.mark.parametrize("sql", BENIGN)
def test_ordinary_query_passes_the_guard(store: RelationalStore, view: View, sql: str) -> None:
    result = store.run(sql, view)

    assert result.rows


def test_limit_is_capped_and_truncation_is_told(empty_store: RelationalStore) -> None:
    rows = [(f"item {number}", number) for number in range(500)]
    empty_store.apply(a_table_parcel("many", a_table("many", "Item|item|text; Valor|valor|integer", rows)))
    view = a_named_view(many="muitos.csv")

    for sql in (
        "SELECT item FROM muitos LIMIT 999999999",
        "SELECT item FROM muitos LIMIT -1",
        "SELECT item FROM muitos",
    ):
        result = empty_store.run(sql, view)
        assert (len(result.rows), result.truncated) == (200, True)
    few = empty_store.run("SELECT item FROM muitos ORDER BY valor DESC LIMIT 3", view)
    assert ([row[0] for row in few.rows], few.truncated) == (["item 499", "item 498", "item 497"], False)


def test_bomb_that_joins_by_a_key_is_stopped_by_the_budget(empty_store: RelationalStore) -> None:
    rows = [("same", number) for number in range(3000)]
    empty_store.apply(a_table_parcel("many", a_table("many", "Item|item|text; Valor|valor|integer", rows)))
    sql = (
        "SELECT COUNT(*) FROM muitos a JOIN muitos b ON a.item = b.item JOIN muitos c ON b.item = c.item"
        " JOIN muitos d ON c.item = d.item"
    )

    with pytest.raises(StoreFailed):
        empty_store.run(sql, a_named_view(many="muitos.csv"))


def test_total_rows_never_reach_a_query(store: RelationalStore, view: View) -> None:
    assert store.run("SELECT SUM(receita_r), COUNT(*) FROM vendas_2026", view).rows == ((1360.0, 7),)


def test_columns_are_called_as_in_the_file_and_never_by_the_query(store: RelationalStore, view: View) -> None:
    result = store.run(
        "SELECT regiao AS fraude, SUM(receita_r) AS lucro FROM vendas_2026 GROUP BY regiao",
        view,
        language="pt",
    )

    assert result.columns == ("Região", "soma de Receita (R$)")
    assert result.units == ("", "R$")


def test_engine_reads_only_the_tables_of_the_query(store: RelationalStore, view: View) -> None:
    secret = next(
        table for table in store.catalog(view).tables if table.name == "funcionarios"
    ).profile.physical

    with pytest.raises(SqlRefused, match="authorizer"):
        store._database.select(f"SELECT c0 FROM {secret}", frozenset({"t_other"}), 10)
    with pytest.raises((SqlRefused, StoreFailed)):
        store._database.select(f"DELETE FROM {secret}", frozenset({secret}), 10)
    with pytest.raises(SqlRefused, match="authorizer"):
        store._database.select(f"SELECT randomblob(10) FROM {secret}", frozenset({secret}), 10)
