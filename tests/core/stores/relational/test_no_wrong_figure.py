"""Statistics that no plan computes must not be answered with another figure."""

from pathlib import Path

import pytest

from core.stores.relational.wording.words import near
from tests.walks.bench import engine

GERAL = "console:local/geral"
SALES = "cidade;mês;receita\nAroeira;março;10,50\nAroeira;abril;30,00\nBuriti;março;20,25\n"


@pytest.mark.parametrize(
    "question",
    [
        "quartis da receita por cidade?",
        "qual o desvio da receita?",
        "what is the standard deviation of revenue?",
        "previsão de receita",
    ],
)
def test_a_statistic_beyond_plans_is_not_answered_with_a_sum(question: str, tmp_path: Path) -> None:
    with engine(tmp_path) as bot:
        bot.take_in("vendas.csv", SALES.encode(), GERAL)

        answer = bot.ask(question, [GERAL])

    assert not any(source.sql for source in answer.sources)


def test_a_column_of_that_name_is_still_read(tmp_path: Path) -> None:
    table = "máquina;desvio\nM1;2,5\nM2;3,5\n"
    with engine(tmp_path) as bot:
        bot.take_in("medidas.csv", table.encode(), GERAL)

        answer = bot.ask("qual o maior desvio?", [GERAL])

    assert "3,5" in answer.text


def test_a_month_that_is_not_there_is_not_taken_for_its_neighbour(tmp_path: Path) -> None:
    table = "cidade;mês;receita\nAroeira;março;10,50\nAroeira;junho;30,00\n"
    with engine(tmp_path) as bot:
        bot.take_in("vendas.csv", table.encode(), GERAL)

        answer = bot.ask("quanto foi a receita em julho?", [GERAL])

    assert not any(source.sql for source in answer.sources)


@pytest.mark.parametrize(("left", "right"), [("julho", "junho"), ("e4021", "e4022"), ("sexta", "sexto")])
def test_months_weekdays_and_codes_are_never_slips_of_others(left: str, right: str) -> None:
    assert not near(left, right)
    assert near("receita", "receiat")
