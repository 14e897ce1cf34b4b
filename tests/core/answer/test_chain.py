"""Chains end in what is asked for, whatever route led to their passages."""

from core.answer.extractive import weighed_units
from core.answer.links import links_of, names_somebody
from core.asked import asked
from tests.core.answer.parts import a_passage, evidence_for

ROOMS = a_passage("A sala Cedro abriga o aparelho Lumen 9. A sala Ipê abriga a esteira Corrida X.", 1)
UPKEEP = a_passage("O aparelho Lumen 9 é mantido pela Radion. A esteira Corrida X é mantida pela Fitline.", 2)
PEOPLE = a_passage("A Radion é acionada por Dalva Queiroz. A Fitline é acionada por Celso Prado.", 3)
ALARMS = a_passage("O alarme LM-7 indica falha no tubo do aparelho Lumen 9.", 4)


def hops(question: str, *passages: object, routes: tuple[str, ...] = ("graph",)) -> list[str]:
    _, _, chain = weighed_units(evidence_for(question, *passages, routes=routes), None)  # type: ignore[arg-type]
    return [] if chain is None else [unit.text for unit in chain.units]


def test_a_chain_goes_on_until_somebody_is_named() -> None:
    found = hops("quem a gente aciona quando o aparelho da sala cedro quebra?", ROOMS, UPKEEP, PEOPLE)

    assert found[0].startswith("A sala Cedro")
    assert found[-1] == "A Radion é acionada por Dalva Queiroz."


def test_a_model_is_nobody() -> None:
    question = asked("quem mantém o aparelho da sala cedro?")

    assert not names_somebody("A sala Cedro abriga o aparelho Lumen 9.", question)
    assert names_somebody("O aparelho Lumen 9 é mantido pela Radion.", question)


def test_a_code_is_followed_where_only_texts_were_asked() -> None:
    found = hops("deu alarme LM-7, quem aciono?", ALARMS, UPKEEP, PEOPLE, ROOMS, routes=("text",))

    assert found[0].startswith("O alarme LM-7")
    assert "Radion" in found[-1]


def test_a_procedure_in_texts_is_no_chain() -> None:
    manual = a_passage("Chame o plantonista da oficina. Se a linha continua parada, chame o Coordenador.", 1)

    assert hops("como eu abro um chamado", manual, routes=("text",)) == []


def test_the_word_that_opens_a_sentence_is_a_name_behind_an_article() -> None:
    assert "name radion" in links_of("A Radion é acionada por Dalva Queiroz.")
    assert "name braseiro" in links_of("O erro aparece no forno Braseiro 12.")


def test_a_thing_with_a_name_is_nobody() -> None:
    question = asked("code HR-08 shows up, who do we call?")

    assert question.kind == "person"
    assert not names_somebody("Code HR-08 means a torn belt on the Heron sorter.", question)
    assert not names_somebody("O erro aparece na loja Pampulha.", question)
    assert names_somebody("The Heron sorter is serviced by Conveyo.", question)
    assert names_somebody("Coordena a oficina o técnico Otoniel Brás.", question)
