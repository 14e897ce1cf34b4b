"""A message is cut only where both sides are questions of their own, and each cut piece can be searched alone."""

import pytest

from core.clauses import read_clauses, seed_clauses, split_clauses
from core.comparisons import comparison
from core.types import Heading
from core.vocabulary import Vocabulary
from tests.core.clause_cases import BEYOND_GRAMMAR, COMPARISONS, COMPOUND, HELD_OUT, LATER, SINGLE, TUNED


@pytest.mark.parametrize(("text", "count"), TUNED)
def test_a_labelled_message_gives_its_number_of_clauses(text: str, count: int) -> None:
    assert len(split_clauses(text)) == count, split_clauses(text)


def test_held_out_messages_split_as_labelled() -> None:
    wrong = [(text, split_clauses(text)) for text, count in HELD_OUT if len(split_clauses(text)) != count]

    assert wrong == []


def test_later_messages_split_as_labelled_but_for_two_that_only_meaning_tells() -> None:
    wrong = {text for text, count in LATER if len(split_clauses(text)) != count}

    assert wrong == BEYOND_GRAMMAR


def test_there_are_enough_cases_of_each_kind_to_mean_something() -> None:
    assert len(COMPOUND) + len(COMPARISONS) + len(SINGLE) >= 150


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("qual o limite de compras e quem aprova?", ("qual o limite de compras", "quem aprova (limite de compras)")),
        ("o que é glosa e como recorrer?", ("o que é glosa", "como recorrer (glosa)")),
        ("o que é e como funciona a coparticipação?", ("o que é (coparticipação)", "como funciona a coparticipação")),
        ("quanto caiu a receita em abril e por quê?", ("quanto caiu a receita em abril", "por quê (caiu a receita em abril)")),
        ("what is the approval limit and who signs off", ("what is the approval limit", "who signs off (approval limit)")),
        ("quantas vendas em março e quantas em abril?", ("quantas vendas em março", "quantas vendas em abril")),
        ("What were Q1 sales? And Q2?", ("What were Q1 sales", "What were Q2 sales")),
        ("onde fica o extintor do bloco B e qual a receita de maio?", ("onde fica o extintor do bloco B", "qual a receita de maio")),
    ],
)  # fmt: skip
def test_a_dependent_question_takes_its_topic_along(text: str, parts: tuple[str, ...]) -> None:
    assert split_clauses(text) == parts


def test_context_sentences_stay_with_the_question_they_introduce() -> None:
    first, second = split_clauses("O forno mostra E-42. O que significa? Quem eu chamo?")

    assert first == "O forno mostra E-42. O que significa"
    assert "E-42" in second


def test_greetings_and_thanks_are_no_part_of_a_clause() -> None:
    assert split_clauses("Bom dia! Qual o prazo de devolução?") == ("Qual o prazo de devolução?",)
    assert split_clauses("what is the limit? thanks!") == ("what is the limit?",)


@pytest.mark.parametrize(
    ("text", "things"),
    [
        ("compare the travel policy with the security policy", ("travel policy", "security policy")),
        ("compare a política de férias com a de licença", ("política de férias", "política de licença")),
        ("compare the nursery, primary and secondary school rules",
         ("nursery school rules", "primary school rules", "secondary school rules")),
        ("Python guide versus Java guide on error handling",
         ("Python guide on error handling", "Java guide on error handling")),
        ("qual prazo é maior, o da garantia ou o da devolução?", ("prazo da garantia", "prazo da devolução")),
        ("qual a diferença entre a receita da capital e a do litoral em maio?",
         ("receita da capital em maio", "receita do litoral em maio")),
    ],
)  # fmt: skip
def test_each_compared_thing_is_searched_with_its_whole_name(text: str, things: tuple[str, ...]) -> None:
    found = comparison(text)

    assert found is not None
    assert found.things == things


def test_clauses_of_one_comparison_share_a_group_and_others_do_not() -> None:
    clauses = read_clauses("compare o plano A com o plano B e quem aprova a troca?")

    assert [clause.group >= 0 for clause in clauses] == [True, True, False]
    assert clauses[0].group == clauses[1].group


def test_an_empty_or_unquestioning_message_is_one_clause() -> None:
    assert split_clauses("política de viagens") == ("política de viagens",)
    assert split_clauses("") == ("",)


def test_quoted_questions_are_not_cut() -> None:
    assert len(split_clauses('o que diz a placa "quem entra e quem sai?" no portão')) == 1


def test_a_second_value_of_the_vocabulary_takes_the_place_of_the_first() -> None:
    vocabulary = Vocabulary.build([Heading("value", v, "região") for v in ("Norte", "Sul")])

    assert split_clauses("qual a receita do norte? e do sul?", vocabulary)[1] == "qual a receita do sul"


def test_the_seed_cuts_on_words_alone_and_carries_nothing() -> None:
    assert seed_clauses("qual o limite e quem aprova?") == ("qual o limite", "quem aprova")
    assert seed_clauses("receita de janeiro e fevereiro") == ("receita de janeiro e fevereiro",)


def test_a_long_run_of_letters_costs_no_more_than_its_length() -> None:
    """Nested repeats in a pattern once took minutes for a hash of 120 letters."""
    assert comparison("a" * 2_000) is None
    assert comparison("norte x sul") is not None
    assert comparison("a-" * 900 + "! x") is None
