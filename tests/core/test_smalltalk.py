"""Greetings and the like get a fixed reply; a real question is never mistaken for one."""

import pytest

from core.smalltalk import smalltalk
from tests.core.clause_cases import LABELLED


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("oi", "greeting"), ("Oi, tudo bem?", "greeting"), ("bom dia pessoal!", "greeting"), ("Hello there", "greeting"),
        ("hey bot, how are you?", "greeting"), ("olá!!!", "greeting"), ("boa noite", "greeting"),
        ("obrigado!", "thanks"), ("muito obrigada pela ajuda", "thanks"), ("valeu", "thanks"), ("thanks a lot", "thanks"),
        ("ok, thank you so much!", "thanks"), ("perfeito, obrigado", "thanks"), ("vlw", "thanks"),
        ("tchau", "farewell"), ("até mais, obrigado", "farewell"), ("bye", "farewell"), ("see you tomorrow", "farewell"),
        ("quem é você?", "about"), ("quem e vc", "about"), ("o que você sabe fazer?", "about"), ("what can you do?", "about"),
        ("Hi! Who are you?", "about"), ("help", "about"), ("oi, pode me ajudar?", "about"), ("are you a robot?", "about"),
        ("como você funciona?", "about"), ("qual o seu nome?", "about"), ("what's your name", "about"),
    ],
)  # fmt: skip
def test_small_talk_is_recognised_in_both_languages(text: str, kind: str) -> None:
    assert smalltalk(text, ("polyrag", "bot")) == kind


@pytest.mark.parametrize(
    "text",
    [
        "quem é o gerente?", "o que você sabe sobre férias?", "what do you know about the refund policy?", "help desk phone",
        "ajuda de custo", "como funciona o reembolso?", "bom dia, qual o prazo?", "who are you supposed to call when it leaks?",
        "obrigado, e quem aprova?", "oi qual o limite", "show sales by region", "top 5 produtos", "legal department budget",
        "certo, e em abril?", "what is up with the pump?", "qual o nome do fornecedor?", "", "Ana Lima", "e no sul?",
    ],
)  # fmt: skip
def test_real_questions_are_never_small_talk(text: str) -> None:
    assert smalltalk(text) is None


def test_no_labelled_question_is_small_talk() -> None:
    assert [text for text, _ in LABELLED if smalltalk(text, ("polyrag", "bot"))] == []


def test_calling_the_bot_by_name_alone_is_a_greeting() -> None:
    assert smalltalk("PolyRAG?", ("PolyRAG",)) == "greeting"


@pytest.mark.parametrize("text", ["FP-40", "e-4021?", "14.3(b)"])
def test_a_bare_code_is_a_question_and_no_greeting(text: str) -> None:
    assert smalltalk(text, ("PolyRAG",)) is None


def test_a_greeting_with_a_hyphen_is_one() -> None:
    assert smalltalk("bom-dia, PolyRAG!", ("PolyRAG",)) == "greeting"
