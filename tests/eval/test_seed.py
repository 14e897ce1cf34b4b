"""The baseline answers whatever its stores found, also when only some of them found something."""

import asyncio
from pathlib import Path

import pytest

from core.ask import Question
from core.types import Scope
from eval.seed import seed_ask
from tests.walks.bench import engine

GERAL = "console:local/geral"
FILES = {
    "vendas.csv": "cidade;mês;receita\nAroeira;março;10,50\nBuriti;março;20,25\n",
    "linhas.md": "# Linhas\n\nA linha L1 depende da bomba B-7.\n\nA bomba B-7 é mantida pela Oficina Norte.\n",
}


@pytest.mark.parametrize(
    "text",
    [
        "qual a receita total de aroeira?",
        "quem mantém a bomba B-7?",
        "oi",
        "a linha L1 depende de que e quem mantém a bomba B-7?",
    ],
)
def test_the_seed_answers_every_kind_of_question(text: str, tmp_path: Path) -> None:
    with engine(tmp_path) as bot:
        for name, body in FILES.items():
            bot.take_in(name, body.encode(), GERAL)
        question = Question(text, Scope(frozenset({GERAL})), "t", fresh=True)

        answer = asyncio.run(seed_ask(question, bot.ask_ports))

    assert answer.text
    assert answer.clauses


def test_the_seed_reads_nothing_in_an_empty_scope(tmp_path: Path) -> None:
    with engine(tmp_path) as bot:
        bot.take_in("linhas.md", FILES["linhas.md"].encode(), GERAL)
        question = Question("quem mantém a bomba B-7?", Scope(frozenset()), "t", fresh=True)

        answer = asyncio.run(seed_ask(question, bot.ask_ports))

    assert answer.abstained
    assert answer.retrieved == ()
