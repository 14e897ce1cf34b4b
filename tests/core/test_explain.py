from dataclasses import replace

import pytest

from core.evidence import FIGURE_BAR, gather
from core.explain import bar, cache_line, explain, run_lines, score_line, with_cache
from core.settings import Thresholds
from core.types import Answer, Clause, Found, Language, Passage, RouteDecision, RouteScore

SCORES = (
    RouteScore("relational", 0.82, "column “receita”"),
    RouteScore("text", 0.31),
    RouteScore("graph", -0.2),
)
DECISION = RouteDecision(
    "receita de março", ("relational",), "evidence", SCORES, 0.51, "relational leads", (("margin", 0.08),)
)
PASSAGE = Passage("text", "TEXT", "c1", "d", "", "A receita de março foi de 10 reais.", 0.9, 1, language="pt")
MARKS = Thresholds(abstain_dense=0.8, answer_dense=0.92)


def an_answer(*clauses: Clause, **more: object) -> Answer:
    fields: dict[str, object] = {
        "text": "x", "language": "pt", "abstained": False, "degraded": (), "cache": "miss", "understood_as": "",
        "clauses": clauses, "sources": (), "retrieved": (), "explanation": "", "trace_id": "t-1",
        "timings_ms": (("route", 1.2),),
    }  # fmt: skip
    return Answer(**(fields | more))  # type: ignore[arg-type]


def a_clause(text: str = "receita de março", **found: Found) -> Clause:
    return Clause(
        text, replace(DECISION, text=text), found or {"text": Found((PASSAGE,), (("dense_top", 0.9),))}
    )


def explained(answer: Answer, language: Language = "pt") -> str:
    evidence = [
        gather(clause, number, (PASSAGE,), clause.found, MARKS, language=language)
        for number, clause in enumerate(answer.clauses)
    ]
    return explain(answer, evidence, language=language)


def test_the_first_line_is_one_plain_sentence() -> None:
    assert explained(an_answer(a_clause())).splitlines()[0] == (
        "Procurei nas tabelas e respondi com 0 fonte(s), sem modelo de linguagem."
    )
    assert explained(an_answer(a_clause(), by_model=True), "en").splitlines()[0] == (
        "I searched the tables and answered from 0 source(s), in words written by the model and checked."
    )
    assert "too little evidence" in explained(an_answer(a_clause(), abstained=True), "en").splitlines()[0]


def test_every_route_has_a_bar_and_the_chosen_ones_a_mark() -> None:
    lines = explained(an_answer(a_clause())).splitlines()

    assert "relational ████████░░ 0.82 ←  column “receita”" in lines
    assert "text       ███░░░░░░░ 0.31" in lines
    assert "graph      ░░░░░░░░░░ -0.20" in lines


@pytest.mark.parametrize(("value", "full"), [(0.0, 0), (0.04, 0), (0.5, 5), (1.0, 10), (7.0, 10), (-1.0, 0)])
def test_a_bar_has_ten_characters_whatever_the_value(value: float, full: int) -> None:
    assert bar(value) == "█" * full + "░" * (10 - full)


def test_margin_thresholds_and_points_are_shown_with_their_numbers() -> None:
    text = explained(an_answer(a_clause()))

    assert "Margem: 0.51 (limites: margin 0.08)" in text
    assert "proximidade 0.83 → +0.25" in text
    assert f"{MARKS.abstain_score + FIGURE_BAR:.2f} necessários" in text  # tables were asked


def test_several_clauses_are_told_apart() -> None:
    text = explained(an_answer(a_clause("receita de março"), a_clause("quem assina?")))

    assert "Perguntas na mensagem: 2" in text
    assert "Pergunta 2: “quem assina?”" in text


def test_a_failed_store_and_what_is_degraded_are_said() -> None:
    answer = an_answer(a_clause(text_=Found(failed=True)), degraded=("modelo parado",), notes=("citado",))
    text = explained(answer)

    assert "text_ falhou" in text
    assert "Atenção: modelo parado" in text
    assert "Nota: citado" in text


def test_a_resolved_follow_up_is_shown() -> None:
    assert "Understood as: “revenue in April”" in explained(
        an_answer(a_clause(), understood_as="revenue in April"), "en"
    )


def test_time_and_trace_never_change_the_explanation() -> None:
    one = an_answer(a_clause())
    other = replace(one, trace_id="t-2", timings_ms=(("route", 99.0),))

    assert explained(one) == explained(other)
    assert "t-1" not in explained(one)
    assert run_lines(one, "pt") == "Tempos (ms): route 1\nRastro: t-1"


def test_the_cache_line_can_be_swapped_when_a_kept_answer_is_served() -> None:
    text = explained(an_answer(a_clause()))
    served = with_cache(text, "exact", "pt")

    assert cache_line("miss", "pt") in text
    assert cache_line("exact", "pt") in served
    assert cache_line("miss", "pt") not in served
    assert len(served.splitlines()) == len(text.splitlines())


def test_an_answer_without_clauses_says_that_nothing_was_searched() -> None:
    assert explained(an_answer(), "en").splitlines()[0] == "Answered without a search."


def test_explanations_ping_nobody() -> None:
    assert "@everyone" not in explained(an_answer(a_clause("avise @everyone")))


def test_a_score_line_aligns_names() -> None:
    assert score_line(RouteScore("text", 0.5), 6, chosen=False) == "text   █████░░░░░ 0.50"
