import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.grounding import ungrounded

EVIDENCE = (
    "Compras acima de R$ 5.000,00 exigem três cotações por escrito. O prazo é de 30 dias corridos.",
    "Norma NOR-ADM-002, revisão 5, em vigor desde 02/02/2026. Toda segunda-feira às 14h há reunião.",
    "A Gerência de Obras Civis responde à Diretoria Técnica. Coordena a Oficina Leste a engenheira Dora Quintino.",
    "Ana Maria de Souza assina. Otávio Brás também. A receita foi de 1.234.567,89. Taxa de 12,5%.",
    "Alarm E-4021: see item 14.3 (b). The open day is on 22 August, in the Cedar Room.",
)


@pytest.mark.parametrize(
    "answer",
    [
        "São exigidas 3 cotações para compras acima de R$ 5 mil [1].",
        "The deadline is thirty calendar days [1, 2].",
        "O prazo é de 30 dias.",
        "Em vigor desde 2 de fevereiro de 2026.",
        "In force since February 2, 2026 [1][2].",
        "Em vigor desde fevereiro de 2026, há anos.",
        "A engenheira Dora Quintino coordena a Oficina Leste.",
        "Quem coordena é a engenheira Quintino.",
        "Segundo Dora Quintino, não há exceção.",
        "Ana Souza assina o documento.",
        "A receita foi de R$ 1,23 milhão, ou seja, 1.234.567,89.",
        "A taxa é de 12.5 per cent.",
        "Every Monday at 14:00.",
        "O código é e4021 e o item, 14.3(b).",
        "1. Três cotações\n2. Trinta dias\n3) Cedar Room",
        "**Prazo:** 30 dias. *Norma:* NOR-ADM-002.",
        "Portanto, sim. Deve-se seguir a norma NOR-ADM-002.",
        "O dia aberto é em 22 de agosto, na Cedar Room.",
        "É a norma de 2026.",
        "Uma pessoa pode pedir uma segunda via.",
        "Não sei.",
        "",
    ],
)
def test_an_answer_that_repeats_the_evidence_is_grounded_however_it_is_written(answer: str) -> None:
    assert ungrounded(answer, EVIDENCE, "Qual a norma?") == ()


@pytest.mark.parametrize(
    ("answer", "claim"),
    [
        ("São exigidas 4 cotações.", "4"),
        ("São exigidas quatro cotações.", "quatro"),
        ("O prazo é de 60 dias.", "60"),
        ("O prazo é de 30 horas.", "30"),
        ("São R$ 30.", "R$ 30"),
        ("Em vigor desde 03/02/2025.", "03/02/2025"),
        ("In force since March 2026.", "March 2026"),
        ("A reunião é em 2027.", "2027"),
        ("É às 15:00.", "15:00"),
        ("On Tuesday we meet.", "Tuesday"),
        ("Quem coordena é Dora Brás.", "Dora Brás"),
        ("O responsável é João Silva.", "João Silva"),
        ("Fale com o Otto sobre isso.", "Otto"),
        ("A quem responde? À Diretoria de Obras.", "Diretoria de Obras"),
        ("O código é E-4022.", "E-4022"),
        ("Veja o item 14.3(c).", "14.3(c)"),
        ("Use a norma NOR-ADM-003.", "NOR-ADM-003"),
        ("A taxa é 12,6%.", "12,6%"),
        ("A receita foi de 1,3 milhão.", "1,3 milhão"),
        ("Escreva para rh@exemplo.com.", "rh@exemplo.com"),
        ("See https://example.com/policy.", "https://example.com/policy"),
    ],
)
def test_what_the_evidence_does_not_say_is_named(answer: str, claim: str) -> None:
    assert claim in ungrounded(answer, EVIDENCE, "Qual a norma?")


def test_what_the_question_names_may_be_repeated() -> None:
    answer = "O limite da classe de 45 dias citada por Rute Lima é o mesmo."

    assert ungrounded(answer, EVIDENCE) == ("45", "Rute Lima")
    assert ungrounded(answer, EVIDENCE, "Rute Lima falou em 45 dias?") == ()


def test_numbers_of_a_query_result_ground_their_formatted_forms() -> None:
    rows = "regiao: Sul; receita: 93541.54"

    assert ungrounded("O Sul teve R$ 93.541,54 (cerca de 93,5 mil).", [rows]) == ()
    assert ungrounded("O Sul teve R$ 93.641,54.", [rows]) == ("R$ 93.641,54",)


def test_claims_come_in_reading_order_and_once() -> None:
    assert ungrounded("Diz o Zeca Lima: 77. E o Zeca Lima repete 77.", ["nada"]) == ("Zeca Lima", "77")


def test_parts_of_two_people_in_different_texts_do_not_make_a_third_one() -> None:
    texts = ["Clara Mendes coordena.", "Davi Rocha assina."]

    assert ungrounded("Quem coordena é Clara Rocha.", texts) == ("Clara Rocha",)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(st.sampled_from(EVIDENCE))
def test_every_evidence_sentence_grounds_itself(sentence: str) -> None:
    assert ungrounded(sentence, EVIDENCE) == ()


@settings(max_examples=150, derandomize=True, deadline=None)
@given(st.text(max_size=80))
def test_any_text_is_checked_without_error(text: str) -> None:
    assert isinstance(ungrounded(text, [text]), tuple)
