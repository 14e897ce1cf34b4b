import pytest

from core.defining import asks_definition, defines


@pytest.mark.parametrize(
    "question",
    [
        "o que é um sinistro?",
        "oq significa franquia",
        "o que quer dizer carência",
        "qual a definição de sinistro?",
        "qual o conceito de dolo",
        "what is a deductible?",
        "what does subrogation mean",
        "what is the meaning of salvage",
        "whats a deductible",
        "what is subrogation",
    ],
)
def test_a_question_for_a_definition_is_known_by_its_form(question: str) -> None:
    assert asks_definition(question)


@pytest.mark.parametrize(
    "question",
    [
        "o que é preciso para abrir um sinistro?",
        "o que é cobrado na renovação?",
        "what is the deadline for claims?",
        "what is our revenue in march",
        "what happens after a claim",
        "quem define o prêmio?",
    ],
)
def test_a_question_for_something_else_is_none(question: str) -> None:
    assert not asks_definition(question)


@pytest.mark.parametrize(
    "text",
    [
        "Franquia: a parte do prejuízo que fica com o segurado.",
        "A **franquia** é a parte do prejuízo que fica com o segurado.",
        "a) franquia – parte do prejuízo que fica com o segurado;",
        "Entende-se por franquia a parte que fica com o segurado.",
    ],
)
def test_a_sentence_that_says_what_a_term_is_defines_it(text: str) -> None:
    assert defines(text, ["franquia"])


def test_a_sentence_that_only_uses_the_term_does_not_define_it() -> None:
    assert not defines("O segurado paga a franquia na oficina, em dinheiro.", ["franquia"])
