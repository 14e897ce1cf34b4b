"""A follow-up becomes a full question by replacing what changed; a full question stays as it is."""

import pytest

from core.followup import depends_on_history, resolve_followup
from core.types import Heading, Turn
from core.vocabulary import Vocabulary

VOCABULARY = Vocabulary.build(
    [
        *(Heading("value", v, "região") for v in ("Norte", "Sul", "Sudeste", "Nordeste")),
        *(Heading("value", v, "produto") for v in ("Soja", "Milho", "queijo prato")),
        *(Heading("column", c) for c in ("receita", "despesa", "região", "produto")),
        *(Heading("entity", e) for e in ("Ana Lima", "Rui Costa", "São Paulo", "Recife")),
    ]
)
SALES = "Qual a receita do Sudeste em março de 2025?"


def understood(previous: str, text: str) -> str | None:
    return resolve_followup(text, (Turn(previous, "…"),), VOCABULARY)


@pytest.mark.parametrize(
    ("previous", "text", "full"),
    [
        (SALES, "e no Nordeste?", "Qual a receita do Nordeste em março de 2025?"),
        (SALES, "nordeste?", "Qual a receita do nordeste em março de 2025?"),
        (SALES, "e em abril?", "Qual a receita do Sudeste em abril de 2025?"),
        (SALES, "e em 2024?", "Qual a receita do Sudeste em março de 2024?"),
        (SALES, "e em abril de 2024?", "Qual a receita do Sudeste em abril de 2024?"),
        (SALES, "e a do norte?", "Qual a receita do norte em março de 2025?"),
        (SALES, "e a despesa?", "Qual a despesa do Sudeste em março de 2025?"),
        (SALES, "e no mês passado?", "Qual a receita do Sudeste no mês passado?"),
        (SALES, "e quanto foi em abril?", "Qual a receita do Sudeste em abril de 2025?"),
        (SALES, "e por produto?", "Qual a receita do Sudeste em março de 2025 por produto?"),
        ("What was the revenue in March?", "and in April?", "What was the revenue in April?"),
        ("quanto vendemos de queijo prato em janeiro?", "e no Sul?", "quanto vendemos de queijo prato em janeiro no Sul?"),
        ("qual o horário da loja de São Paulo?", "e o de Curitiba?", "qual o horário da loja de Curitiba?"),
        ("qual o limite de compras para analistas?", "e para gerentes?", "qual o limite de compras para gerentes?"),
        ("How many sick days do I get?", "and vacation days?", "How many vacation days do I get?"),
        ("what is the limit for orders above 500?", "and above 1000?", "what is the limit for orders above 1000?"),
        ("o que significa o erro E-42?", "e o E-43?", "o que significa o erro E-43?"),
        ("Who is the manager of Ana Lima?", "and Rui Costa's?", "Who is the manager of Rui Costa?"),
        ("quais as vendas do 1º trimestre?", "e do segundo trimestre?", "quais as vendas do segundo trimestre?"),
    ],
)  # fmt: skip
def test_the_slot_that_changed_is_replaced(previous: str, text: str, full: str) -> None:
    assert understood(previous, text) == full


@pytest.mark.parametrize(
    ("previous", "text", "full"),
    [
        ("qual o limite de compras para analistas?", "quem aprova isso?", "quem aprova limite de compras para analistas?"),
        ("o que significa o erro E-42?", "como resolvo isso?", "como resolvo erro E-42?"),
        ("How many sick days do I get?", "who approves them?", "who approves sick days?"),
        ("What is the deadline of form B?", "why?", "why (deadline of form B)"),
        ("qual a receita de maio?", "por quê?", "por quê (receita de maio)"),
        ("qual o limite de compras?", "mais detalhes", "qual o limite de compras?"),
        ("qual o limite de compras?", "e se for urgente?", "qual o limite de compras se for urgente?"),
    ],
)  # fmt: skip
def test_a_question_that_points_back_gets_the_earlier_topic(previous: str, text: str, full: str) -> None:
    assert understood(previous, text) == full


@pytest.mark.parametrize(
    "text",
    [
        "qual o prazo de entrega do leite?", "What is the refund policy for returned goods?", "política de viagens",
        "quem é o gerente da filial do Recife?", "quantos pedidos de soja houve em abril?", "obrigado", "é obrigatório usar capacete?",
    ],
)  # fmt: skip
def test_a_full_question_needs_no_history(text: str) -> None:
    assert understood(SALES, text) is None
    assert not depends_on_history(text, VOCABULARY)


@pytest.mark.parametrize(
    "text", ["e em abril?", "por quê?", "quem aprova isso?", "and for managers?", "no Sul?", "mais detalhes"]
)
def test_a_fragment_depends_on_history(text: str) -> None:
    assert depends_on_history(text, VOCABULARY)


def test_without_an_earlier_question_nothing_is_resolved() -> None:
    assert resolve_followup("e em abril?", (), VOCABULARY) is None
    assert resolve_followup("e em abril?", (Turn("oi", "Olá!"),), VOCABULARY) is None


def test_the_latest_question_with_a_topic_counts() -> None:
    history = (Turn("qual a despesa do Sul em maio?", ""), Turn(SALES, ""), Turn("ok", ""))

    assert (
        resolve_followup("e em junho?", history, VOCABULARY) == "Qual a receita do Sudeste em junho de 2025?"
    )


def test_a_value_replaces_only_its_neighbour_of_the_same_column() -> None:
    assert understood("receita de soja no Sul em maio?", "e no norte?") == "receita de soja no norte em maio?"
    assert understood("receita de soja no Sul em maio?", "e de milho?") == "receita de milho no Sul em maio?"


def test_names_outside_the_vocabulary_are_not_guessed_into_it() -> None:
    empty = Vocabulary.build([])

    assert resolve_followup("e no Nordeste?", (Turn("quanto vendemos em maio?", ""),), empty) == (
        "quanto vendemos em maio no Nordeste?"
    )
