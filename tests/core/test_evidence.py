from dataclasses import replace

import pytest

from core.evidence import (
    CHAIN_PASSAGES,
    FIGURE_BAR,
    Evidence,
    gather,
    has_rows,
    order_for_prompt,
)
from core.settings import Thresholds
from core.topic import NO_KIN, Kin, Relative, terms_of
from core.types import Clause, Found, Language, Passage, RouteDecision, SqlResult

MARKS = Thresholds(abstain_dense=0.80, answer_dense=0.92, abstain_plan=0.5)
NEAR = (("dense_top", 0.90), ("dense_gap", 0.05))
FAR = (("dense_top", 0.80), ("dense_gap", 0.01))


def a_passage(text: str, rank: int = 1, **more: object) -> Passage:
    fields: dict[str, object] = {
        "store": "text", "label": "TEXT", "chunk_id": f"c{rank}", "document": "d", "locator": "", "text": text,
        "score": 1.0 / rank, "rank": rank, "language": "pt",
    }  # fmt: skip
    return Passage(**(fields | more))  # type: ignore[arg-type]


def a_result(*rows: tuple[object, ...], **more: object) -> Passage:
    result = SqlResult("SELECT 1", ("receita",), rows, **more)  # type: ignore[arg-type]
    return a_passage("rows", store="relational", label="SQL", result=result, chunk_id="q")


def judged(
    question: str,
    *passages: Passage,
    signals: tuple[tuple[str, float], ...] = NEAR,
    routes: tuple[str, ...] = ("text",),
    language: Language = "pt",
    plan: float | None = None,
) -> Evidence:
    decision = RouteDecision(question, routes, "evidence", (), 0.1, "test")
    trial = {"text": Found(passages, signals)}
    if plan is not None:
        trial["relational"] = Found((), (("plan", plan),))
    return gather(Clause(question, decision, trial), 0, passages, trial, MARKS, language=language)


NOTICE = "O prazo para contestar uma multa de trânsito é de 15 dias corridos."
DRINKS = "A cantina abre às 7h e serve café até as 10h."


def test_a_passage_that_speaks_about_the_question_is_enough() -> None:
    verdict = judged("qual o prazo para contestar multa?", a_passage(NOTICE), a_passage(DRINKS, 2)).verdict

    assert not verdict.weak
    assert verdict.reason == "enough"


def test_nothing_found_is_weak() -> None:
    assert judged("qual o prazo?").verdict.reason == "nothing"


def test_points_add_up_to_the_score_and_every_value_is_in_range() -> None:
    verdict = judged("qual o prazo para contestar multa?", a_passage(NOTICE)).verdict

    assert verdict.score == pytest.approx(sum(signal.points for signal in verdict.signals))
    assert all(0.0 <= signal.value <= 1.0 for signal in verdict.signals)


@pytest.mark.parametrize(
    "question",
    [
        "qual o prazo para devolver o uniforme?",  # the words around are there, the thing is not
        "qual a senha do cofre?",
        "quem venceu o campeonato ontem?",
    ],
)
def test_a_near_miss_whose_subject_is_nowhere_abstains(question: str) -> None:
    verdict = judged(question, a_passage(NOTICE), a_passage(DRINKS, 2), signals=FAR).verdict

    assert verdict.weak
    assert verdict.missing


def test_missing_words_are_named_in_the_verdict() -> None:
    verdict = judged("qual o prazo para devolver o uniforme?", a_passage(NOTICE), signals=FAR).verdict

    assert "uniforme" in verdict.missing
    assert verdict.reason == "off_topic"


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("o que fazer com o alarme K-7712?", "K-7712"),
        ("what does section 9.4 say about alarms?", "9.4"),
        ("quantos alarmes houve em 2019?", "2019"),
        ("qual o alarme da classe D?", "classe D"),
    ],
)
def test_a_code_section_year_or_class_that_no_passage_mentions_abstains(question: str, code: str) -> None:
    passage = a_passage("Alarme K-7701: reduza a carga. Seção 9.3, alarmes da classe B, revisão de 2021.")
    verdict = judged(question, passage).verdict

    assert verdict.weak
    assert verdict.reason == "unknown_code"
    assert verdict.missing[0] == code


def test_a_known_code_counts_in_any_spelling() -> None:
    passage = a_passage("Alarme K-7701: reduza a carga imediatamente.")

    assert not judged("o que fazer no alarme k7701", passage).verdict.weak


def test_an_item_counts_as_known_where_its_section_lists_it() -> None:
    passage = a_passage("14.3 Alarmes do circuito. (a) reduza a carga. (b) feche a válvula do circuito.")

    assert "14.3(b)" not in judged("o que diz o item 14.3(b) dos alarmes", passage).verdict.missing
    assert judged("o que diz o item 14.3(f) dos alarmes", passage).verdict.reason == "unknown_code"


def test_a_number_far_from_the_topic_does_not_answer_how_many() -> None:
    far = a_passage("O armazém central guarda empilhadeiras e paletes. Há 40 cadeiras na cantina.")
    near = a_passage("O armazém central guarda 12 empilhadeiras e muitos paletes.")
    question = "quantas empilhadeiras o armazém central guarda?"

    def kind(evidence: Evidence) -> float:
        return {s.name: s.value for s in evidence.verdict.signals}["kind"]

    assert kind(judged(question, near)) == 0.0
    assert kind(judged(question, far)) > 0.3
    assert judged(question, far).verdict.score < judged(question, near).verdict.score


def test_passages_in_another_language_are_judged_by_nearness_not_by_words() -> None:
    question = "how long may one appeal a penalty?"
    abroad = judged(question, a_passage(NOTICE), language="en")
    at_home = judged(question, a_passage(NOTICE, language="en"), language="en")

    assert not abroad.verdict.weak
    assert at_home.verdict.score < abroad.verdict.score


def test_prose_needs_more_points_where_tables_were_asked_and_have_no_answer() -> None:
    question = "qual o prazo para recorrer de uma multa?"
    prose = judged(question, a_passage(NOTICE)).verdict
    figure = judged(question, a_passage(NOTICE), routes=("relational", "text")).verdict

    assert figure.threshold == prose.threshold + FIGURE_BAR


def test_a_far_passage_in_another_language_abstains() -> None:
    assert judged("who won the game?", a_passage(NOTICE), signals=FAR, language="en").verdict.weak


def test_rows_of_a_confident_plan_are_evidence_by_themselves() -> None:
    verdict = judged(
        "receita de março?", a_result((12.5,)), routes=("relational",), plan=0.8, signals=FAR
    ).verdict

    assert (verdict.weak, verdict.reason) == (False, "rows")


@pytest.mark.parametrize(
    ("rows", "plan"),
    [((), 0.9), (((None,),), 0.9), (((12.5,),), 0.2)],
)
def test_no_rows_null_rows_or_a_doubtful_plan_are_no_evidence(
    rows: tuple[tuple[object, ...], ...], plan: float
) -> None:
    verdict = judged(
        "receita de março?", a_result(*rows), routes=("relational",), plan=plan, signals=FAR
    ).verdict

    assert verdict.weak


def test_rows_written_by_a_model_behind_the_guard_count_without_a_plan() -> None:
    verdict = judged(
        "receita de março?", a_result((1.0,), by_model=True), routes=("relational",), plan=0.0
    ).verdict

    assert verdict.reason == "rows"


def test_rows_that_ignore_a_code_of_the_question_are_no_evidence() -> None:
    verdict = judged(
        "custo da ordem OM-9981", a_result((77.0,)), routes=("relational",), plan=0.9, signals=FAR
    ).verdict

    assert verdict.weak
    assert verdict.missing == ("OM-9981",)


def test_a_chain_over_passages_counts_as_cover_when_relations_are_asked() -> None:
    passages = (
        a_passage("O produto Alfa sai da linha Q4.", 1),
        a_passage("A linha Q4 usa o forno Boreal.", 2),
        a_passage("O forno Boreal é revisado pela equipe Norte.", 3),
    )
    question = "qual equipe revisa o forno da linha do produto Alfa?"
    cover = [
        {s.name: s.value for s in judged(question, *passages, routes=routes).verdict.signals}["cover"]
        for routes in (("text",), ("graph",))
    ]

    assert cover[1] > cover[0]


def test_evidence_keeps_as_many_passages_as_may_be_used_and_more_for_chains() -> None:
    many = [a_passage(f"O prazo da multa número {n} é de {n} dias.", n) for n in range(1, 16)]

    assert len(judged("qual o prazo da multa?", *many).passages) == 6
    assert len(judged("qual o prazo da multa?", *many, routes=("graph",)).passages) == CHAIN_PASSAGES


def test_only_the_clause_and_what_was_found_decide() -> None:
    once = judged("qual o prazo para contestar multa?", a_passage(NOTICE), a_passage(DRINKS, 2))
    again = judged("qual o prazo para contestar multa?", a_passage(NOTICE), a_passage(DRINKS, 2))

    assert once == again


@pytest.mark.parametrize(
    ("count", "order"), [(1, [1]), (2, [1, 2]), (5, [1, 3, 5, 4, 2]), (6, [1, 3, 5, 6, 4, 2])]
)
def test_a_prompt_reads_the_best_first_and_the_second_best_last(count: int, order: list[int]) -> None:
    passages = [a_passage(f"t{n}", n) for n in range(1, count + 1)]

    assert [p.rank for p in order_for_prompt(list(reversed(passages)))] == order


def test_query_results_stay_in_front_in_their_order() -> None:
    rows = [replace(a_result((n,)), chunk_id=f"q{n}", rank=9 - n) for n in (1, 2)]

    assert [p.chunk_id for p in order_for_prompt([a_passage("t"), *rows])] == ["q1", "q2", "c1"]


def test_a_row_of_nulls_says_nothing() -> None:
    assert not has_rows(a_result((None,)))
    assert has_rows(a_result((0,)))
    assert not has_rows(a_passage("prose"))


def points(evidence: Evidence) -> dict[str, float]:
    return {signal.name: signal.points for signal in evidence.verdict.signals}


def test_words_said_together_count_more_than_the_same_words_apart() -> None:
    question = "quem lava o tanque da resfriadora?"
    together = a_passage("A equipe da noite lava o tanque da resfriadora. O galpão fecha às 22h.")
    apart = a_passage(
        "A equipe da noite lava o piso. O galpão fecha às 22h. Na rua há um tanque. A resfriadora é nova."
    )

    assert points(judged(question, together))["together"] > points(judged(question, apart))["together"]
    assert points(judged(question, together))["cover"] == points(judged(question, apart))["cover"]


def test_a_figure_needs_its_own_unit() -> None:
    tank = a_passage("O tanque de leite é lavado 2 vezes ao dia e cabe no galpão.")
    litres = a_passage("O tanque de leite cabe no galpão e guarda 900 litros.")

    assert points(judged("quantos litros cabem no tanque de leite?", tank))["kind"] < 0
    assert points(judged("quantos litros cabem no tanque de leite?", litres))["kind"] == 0


def test_a_time_may_be_told_by_an_event() -> None:
    passage = a_passage("A conta com mais de R$ 80 em aberto é bloqueada até que a dívida seja paga.")

    assert points(judged("quando a conta é bloqueada?", passage))["kind"] == 0


def test_a_term_that_no_sentence_defines_loses_half_of_the_points_for_the_kind() -> None:
    defined = a_passage("Franquia: a parte do prejuízo que fica com o segurado.")
    used = a_passage("O segurado paga a franquia na oficina.")

    assert points(judged("o que é franquia?", defined))["kind"] == 0
    assert points(judged("o que é franquia?", used))["kind"] == pytest.approx(-0.25)


def test_a_list_or_a_definition_needs_no_more_points_where_tables_were_asked() -> None:
    passage = a_passage(NOTICE)
    routes = ("relational", "text")

    listed = judged("lista de prazos para contestar multa", passage, routes=routes).verdict
    figure = judged("quantos dias para contestar multa?", passage, routes=routes).verdict
    assert listed.threshold == MARKS.abstain_score
    assert figure.threshold == pytest.approx(MARKS.abstain_score + FIGURE_BAR)


@pytest.mark.parametrize(
    ("link", "more"), [(0.0, 0.0), (0.25, 0.0), (0.375, 0.125), (0.5, 0.25), (1.0, 0.25)]
)
def test_tables_ask_for_more_points_the_more_of_the_question_they_know(link: float, more: float) -> None:
    passage = a_passage(NOTICE)
    decision = RouteDecision("", ("relational", "text"), "evidence", (), 0.1, "test")
    clause = Clause("quantos dias para contestar multa?", decision, {})
    trial = {"text": Found((passage,), NEAR), "relational": Found((), (("link", link),))}

    verdict = gather(clause, 0, (passage,), trial, MARKS, language="pt").verdict
    assert verdict.threshold == pytest.approx(MARKS.abstain_score + more)


def test_a_numbered_fault_that_no_passage_mentions_abstains() -> None:
    passage = a_passage("O erro 44 no painel quer dizer excesso de peso; o erro 51, falha na porta.")

    assert judged("o que é o erro 62 no painel?", passage).verdict.reason == "unknown_code"
    assert not judged("o que é o erro 44 no painel?", passage).verdict.weak


def test_kin_count_as_the_word_that_they_mean() -> None:
    passage = a_passage("Os animais pagam uma taxa de higiene de R$ 90.")
    kin = Kin({"pet": (Relative("animais", terms_of("animais"), 1.0),)})
    decision = RouteDecision("", ("text",), "evidence", (), 0.1, "test")
    clause = Clause("qual a taxa para pet?", decision, {})
    trial = {"text": Found((passage,), FAR)}
    plain, known = (gather(clause, 0, (passage,), trial, MARKS, language="pt", kin=k) for k in (NO_KIN, kin))

    assert plain.verdict.missing == ("pet",)
    assert known.verdict.missing == ()
    assert known.verdict.score > plain.verdict.score
