"""What the chat model is given, and what becomes of what it writes."""

import re

import pytest

from core.errors import SqlRefused
from core.stores.relational import RelationalStore
from core.types import View
from tests.core.stores.relational.samples import a_named_view
from tests.fakes import a_query


def test_prompt_shows_the_tables_of_the_view_with_samples_and_no_other(store: RelationalStore) -> None:
    view = a_named_view(sales="vendas_2026.xlsx")

    messages, grammar = store.schema_prompt(view, a_query("quanto vendeu a Ana?"))
    shown = "\n".join(message.content for message in messages)

    assert "CREATE TABLE vendas_2026 (" in shown
    assert "'Ana Lima'" in shown
    assert "quanto vendeu a Ana?" in messages[-1].content
    for hidden in ("funcionarios", "salario", "Papelaria", "Energia"):
        assert hidden not in shown + grammar


def test_grammar_defines_every_rule_it_uses(store: RelationalStore, view: View) -> None:
    _, grammar = store.schema_prompt(view, a_query("receita por região"))
    defined = set(re.findall(r"^([a-z0-9-]+) ::=", grammar, re.MULTILINE))
    bare = re.sub(r'"(?:[^"\\]|\\.)*"|\[[^\]]*\]', " ", grammar)

    assert set(re.findall(r"[a-z][a-z0-9-]*", bare)) <= defined
    assert "root" in defined


def test_grammar_offers_a_few_values_and_no_others(store: RelationalStore) -> None:
    _, grammar = store.schema_prompt(a_named_view(stock="estoque.csv"), a_query("itens de papelaria"))

    assert "\"'Papelaria'\"" in grammar
    assert "\"'Bolsas'\"" in grammar


@pytest.mark.parametrize(
    "written",
    [
        "-- vendas_2026\nSELECT SUM(receita_r) FROM vendas_2026 WHERE regiao = 'Sul'",
        "```sql\nSELECT SUM(receita_r) FROM vendas_2026 WHERE regiao = 'sul';\n```",
        "SELECT SUM(receita_r) FROM vendas_2026 WHERE regiao IN ('SUL')",
    ],
)
def test_fences_comments_and_almost_right_values_are_forgiven(
    store: RelationalStore, view: View, written: str
) -> None:
    result = store.run_model_sql(written, view, "pt")

    assert (result.rows, result.by_model) == (((260.0,),), True)


@pytest.mark.parametrize(
    "written", ["não sei", "", "SELECT 'nove bilhões' FROM vendas_2026", "SELECT * FROM vendas_2026"]
)
def test_what_is_no_safe_query_is_refused(store: RelationalStore, view: View, written: str) -> None:
    with pytest.raises(SqlRefused):
        store.run_model_sql(written, view)
