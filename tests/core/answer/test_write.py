from dataclasses import replace

import pytest

from core.answer import Pen, Written, write_answer
from core.answer.write import SURE
from core.errors import ModelUnavailable, TooSlow
from core.evidence import Evidence
from core.settings import AnswerSettings
from tests.core.answer.parts import ScriptedGenerator, a_passage, evidence_for, rows

RULES = a_passage("Quem perde o crachá paga R$ 35,00 pela segunda via. Rita Moura assina o pedido do crachá.")
CANTEEN = a_passage("A cantina abre às 7h e fecha às 15h nos dias úteis.", 2)
ASKED = "quanto custa a segunda via do crachá?"
AUTO = AnswerSettings()


def strong() -> Evidence:
    return evidence_for(ASKED, RULES, CANTEEN)


def weak() -> Evidence:
    return evidence_for("qual a cotação do dólar?", CANTEEN, signals=(("dense_top", 0.8),))


async def written(
    generator: ScriptedGenerator | None, *evidence: Evidence, settings: AnswerSettings = AUTO
) -> Written:
    return await write_answer(evidence or (strong(),), Pen("pt", settings, generator))


async def test_a_grounded_draft_is_the_answer_and_only_its_passages_are_sources() -> None:
    answer = await written(ScriptedGenerator("A segunda via custa R$ 35,00 [1]."))

    assert answer.draft.text == "A segunda via custa R$ 35,00 [1]."
    assert [p.chunk_id for p in answer.draft.used] == ["c1"]
    assert (answer.by_model, answer.abstained, answer.degraded, answer.notes) == (True, False, (), ())


async def test_a_draft_without_marks_is_credited_to_the_passage_it_repeats() -> None:
    answer = await written(ScriptedGenerator("A segunda via do crachá custa R$ 35,00."))

    assert answer.draft.text == "A segunda via do crachá custa R$ 35,00. [1]"
    assert [p.chunk_id for p in answer.draft.used] == ["c1"]


async def test_an_invented_figure_gets_one_more_try() -> None:
    model = ScriptedGenerator("Custa R$ 53,00 [1].", "A segunda via custa R$ 35,00 [1].")
    answer = await written(model)

    assert "35,00" in answer.draft.text
    assert answer.by_model
    assert "R$ 53,00" in model.heard[1][-1].content


async def test_a_second_invention_gives_quotes_and_a_note_that_names_it() -> None:
    answer = await written(ScriptedGenerator("Custa R$ 53,00 [1].", "Custa R$ 54,00 [1]."))

    assert "“Quem perde o crachá paga R$ 35,00" in answer.draft.text
    assert not answer.by_model
    assert "R$ 54,00" in answer.notes[0]


async def test_an_invented_person_is_caught_too() -> None:
    answer = await written(
        ScriptedGenerator("Quem assina é o Pedro Paz [1].", "Quem assina é a Rita Moura [1].")
    )

    assert "Rita Moura" in answer.draft.text


async def test_an_answer_in_another_language_is_asked_for_again_once() -> None:
    model = ScriptedGenerator(
        "The second copy of the badge costs R$ 35,00 and you pay for it at the desk [1].",
        "A segunda via do crachá custa R$ 35,00 [1].",
    )
    answer = await written(model)

    assert answer.draft.text.startswith("A segunda via")
    assert "português" in model.heard[1][-1].content


async def test_an_answer_that_stays_in_another_language_gives_quotes() -> None:
    english = "The second copy of the badge costs R$ 35,00 and you pay for it at the desk [1]."
    answer = await written(ScriptedGenerator(english, english))

    assert "Quem perde o crachá" in answer.draft.text
    assert "outro idioma" in answer.notes[0]


@pytest.mark.parametrize(
    ("error", "words"),
    [(ModelUnavailable("down"), "não está disponível"), (TooSlow("late"), "demorou demais")],
)
async def test_a_model_that_fails_gives_quotes_and_says_what_is_degraded(
    error: Exception, words: str
) -> None:
    answer = await written(ScriptedGenerator(error))

    assert "R$ 35,00" in answer.draft.text
    assert words in answer.degraded[0]
    assert not answer.by_model


async def test_a_dead_model_is_not_waited_for_once_a_clause() -> None:
    model = ScriptedGenerator(ModelUnavailable("down"))
    other = evidence_for("a que horas abre a cantina?", CANTEEN, number=1)
    answer = await written(model, strong(), other)

    assert len(model.heard) == 1
    assert "7h" in answer.draft.text


async def test_a_model_that_dies_between_draft_and_retry_gives_quotes() -> None:
    answer = await written(ScriptedGenerator("Custa R$ 53,00.", ModelUnavailable("died")))

    assert "R$ 35,00" in answer.draft.text
    assert answer.degraded


async def test_unknown_over_strong_evidence_quotes_it_with_a_note() -> None:
    answer = await written(ScriptedGenerator("NAO_SEI"))

    assert "R$ 35,00" in answer.draft.text
    assert answer.notes


async def test_unknown_over_middling_evidence_abstains() -> None:
    middling = evidence_for(
        "o crachá da visita paga segunda via?",
        RULES,
        signals=(("dense_top", 0.86), ("dense_gap", 0.03)),
    )
    assert not middling.verdict.weak
    middling = replace(middling, verdict=replace(middling.verdict, score=SURE - 0.01))

    answer = await written(ScriptedGenerator("NAO_SEI"), middling)

    assert answer.abstained
    assert answer.draft.used == ()
    assert "nenhum responde" in answer.draft.text


async def test_weak_evidence_never_reaches_the_model() -> None:
    model = ScriptedGenerator()
    answer = await written(model, weak())

    assert answer.abstained
    assert model.heard == []


async def test_query_results_are_written_without_the_model() -> None:
    model = ScriptedGenerator()
    figure = evidence_for("receita?", rows(("receita",), (10.0,), units=("R$",)), routes=("relational",))
    answer = await written(model, figure)

    assert "R$ 10,00" in answer.draft.text
    assert (answer.by_model, model.heard) == (False, [])


async def test_a_message_answered_in_part_is_not_abstained() -> None:
    answer = await written(ScriptedGenerator("A segunda via custa R$ 35,00 [1]."), strong(), weak())

    assert not answer.abstained
    assert "Não encontrei" in answer.draft.text
    assert "R$ 35,00" in answer.draft.text


async def test_extractive_mode_asks_no_model() -> None:
    model = ScriptedGenerator()
    answer = await written(model, settings=AnswerSettings(mode="extractive"))

    assert model.heard == []
    assert "R$ 35,00" in answer.draft.text
    assert answer.degraded == ()


async def test_draft_pieces_are_handed_on_as_they_come() -> None:
    pieces: list[str] = []
    model = ScriptedGenerator("A segunda via custa R$ 35,00 [1].")
    answer = await write_answer([strong()], Pen("pt", AUTO, model, on_text=pieces.append))

    assert "".join(pieces) == answer.draft.text
    assert len(pieces) > 1


async def test_sentence_scores_are_asked_for_with_the_clause_and_used() -> None:
    heard: list[tuple[str, int]] = []

    async def score(question: str, sentences: object) -> dict[str, float]:
        texts = list(sentences)  # type: ignore[call-overload]
        heard.append((question, len(texts)))
        return {text: 0.9 if "Rita" in text else 0.8 for text in texts}

    pen = Pen("pt", AnswerSettings(mode="extractive", sentences=1), None, score_sentences=score)
    answer = await write_answer([evidence_for("who signs?", RULES, CANTEEN, language="en")], pen)

    assert heard == [("who signs?", 3)]
    assert "Rita Moura" in answer.draft.text


async def test_an_embedder_that_fails_costs_precision_but_not_the_answer() -> None:
    async def score(question: str, sentences: object) -> dict[str, float]:
        raise ModelUnavailable("embed is down")

    answer = await write_answer([strong()], Pen("pt", AUTO, None, score_sentences=score))

    assert "R$ 35,00" in answer.draft.text


async def test_model_text_pings_nobody() -> None:
    answer = await written(ScriptedGenerator("Avise @everyone: a segunda via custa R$ 35,00 [1] <!here>."))

    assert "@everyone" not in answer.draft.text
    assert "<!here>" not in answer.draft.text
