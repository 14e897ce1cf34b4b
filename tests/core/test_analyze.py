"""What people type finds what documents say: inflection, accents, codes, numbers and slips of the finger."""

import pytest

from core.analyze import nearest_word, passage_terms, question_tokens, tokens, word_token


def share_a_sure_term(one: str, other: str) -> bool:
    return not set(word_token(one).sure).isdisjoint(word_token(other).sure)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cartão", "cartões"), ("ação", "ações"), ("pão", "pães"), ("mão", "mãos"), ("reunião", "reuniões"),
        ("jornal", "jornais"), ("papel", "papéis"), ("lençol", "lençóis"), ("civil", "civis"), ("fácil", "fáceis"),
        ("ordem", "ordens"), ("viagem", "viagens"), ("contrato", "contratos"), ("responsável", "responsáveis"),
        ("aprovar", "aprovado"), ("policy", "policies"), ("invoice", "invoices"), ("approve", "approved"),
    ],
)  # fmt: skip
def test_inflected_forms_of_a_word_meet(one: str, other: str) -> None:
    assert share_a_sure_term(one, other)


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("aprovacao", "aprovação"), ("aprovacoes", "aprovação"), ("cartoes", "cartão"), ("ferias", "férias"),
        ("responsaveis", "responsável"), ("emergencia", "emergências"), ("relatorios", "relatório"),
    ],
)  # fmt: skip
def test_words_typed_without_accents_meet_the_written_ones(typed: str, written: str) -> None:
    assert share_a_sure_term(typed, written)


@pytest.mark.parametrize(("one", "other"), [("pão", "pau"), ("férias", "feira"), ("contrato", "contato")])
def test_different_words_do_not_meet(one: str, other: str) -> None:
    assert not share_a_sure_term(one, other)


def test_cognates_of_both_languages_meet_in_their_first_letters_only() -> None:
    portuguese, english = word_token("manutenção"), word_token("manual")

    assert not set(portuguese.sure) & set(english.sure)
    assert dict(word_token("produção").terms).keys() & dict(word_token("production").terms).keys() == {
        "~produ"
    }


@pytest.mark.parametrize(
    ("text", "whole", "parts"),
    [
        ("E-4021", "e4021", {"4021"}),
        ("e4021", "e4021", {"4021"}),
        ("14.3(b)", "14.3(b)", {"14.3"}),
        ("NR-12", "nr12", {"nr", "12"}),
        ("v2.3.1", "v2.3.1", {"2.3.1", "2.3"}),
        ("R$ 1.234,56", "1234.56", {"123456"}),
        ("1,234.56", "1234.56", {"123456"}),
        ("12.345.678", "12345678", set()),
        ("1.234", "1.234", {"1234"}),
        ("3,5%", "3.5", set()),
        ("10/04/2026", "10/04/2026", {"10", "04", "2026"}),
    ],
)
def test_codes_and_numbers_keep_their_exact_form_and_their_parts_count_less(
    text: str, whole: str, parts: set[str]
) -> None:
    token = tokens(text)[-1]

    assert token.sure == (whole,)
    assert {term for term, value in token.terms if value < 1} == parts
    assert sum(value for _, value in token.terms[1:]) <= 0.5


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("E-4021", "code"),
        ("14.3(b)", "code"),
        ("2.3.1", "code"),
        ("10/04/2026", "code"),
        ("14.3", "number"),
        ("1.234,56", "number"),
        ("2026", "number"),
        ("10:30", "number"),
    ],
)
def test_figures_are_numbers_and_what_names_a_thing_is_a_code(text: str, kind: str) -> None:
    assert [token.kind for token in tokens(text)] == [kind]


def test_neighbouring_codes_do_not_meet() -> None:
    first, second = tokens("E-4021"), tokens("E-4022")

    assert not dict(first[0].terms).keys() & dict(second[0].terms).keys()


def test_sentence_marks_and_brackets_stay_outside_a_code() -> None:
    assert [t.surface for t in tokens("Veja (NR-12), item 14.3. Fim do E-4021.")] == [
        "veja", "nr12", "item", "14.3", "fim", "e4021",
    ]  # fmt: skip


def test_stop_words_are_dropped_and_words_of_asking_only_from_questions() -> None:
    asked = "Por favor, gostaria de saber qual é o prazo para a entrega?"

    assert [t.surface for t in question_tokens(asked)] == ["prazo", "entrega"]
    assert "gostaria" in {t.surface for t in tokens(asked)}
    assert [t.surface for t in question_tokens("Please tell me who approves the budget")] == [
        "approves",
        "budget",
    ]


def test_a_question_names_each_thing_once() -> None:
    assert [t.surface for t in question_tokens("Prazo do prazo, PRAZO!")] == ["prazo"]


def test_a_compound_is_found_written_together_and_apart() -> None:
    together = {t.surface for t in tokens("e-mail corporativo")}

    assert {"email", "corporativo"} <= together
    assert {"guarda", "chuva", "guardachuva"} == {t.surface for t in tokens("guarda-chuva")}


def test_a_passage_counts_its_terms_words_and_length() -> None:
    counts, words, length = passage_terms("O contrato e os contratos, cláusula 14.3(b).")

    assert (counts["contrat"], counts["14.3(b)"], length) == (2, 1, 4)
    assert words == ("clausula", "contrato", "contratos")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("manutensao", "manutencao"), ("aprvar", "aprovar"), ("reembloso", "reembolso"), ("ospital", "hospital"),
        ("maintenence", "maintenance"),
    ],
)  # fmt: skip
def test_a_slip_of_the_finger_is_read_as_the_nearest_word(typed: str, meant: str) -> None:
    vocabulary = sorted(["manutencao", "aprovar", "reembolso", "hospital", "maintenance", "apostila"])

    assert nearest_word(typed, vocabulary) == meant


@pytest.mark.parametrize("typed", ["casa", "e4021", "12345", "penicilina", "", "zzzzz"])
def test_short_words_codes_and_far_words_are_never_guessed(typed: str) -> None:
    vocabulary = sorted(["caso", "e4022", "12346", "medicina", "disciplina", "abacate"])

    assert nearest_word(typed, vocabulary) is None


def test_equally_near_words_are_taken_by_name() -> None:
    assert nearest_word("cartaq", ["cartas", "cartat"]) == "cartas"


@pytest.mark.parametrize(
    ("typed", "other"),
    [
        ("ferias", "feiras"),
        ("salario", "salarios"),
        ("parede", "parece"),
        ("refund", "refuse"),
        ("holiday", "holidays"),
    ],
)
def test_a_word_of_the_dictionary_is_no_slip_of_another(typed: str, other: str) -> None:
    assert nearest_word(typed, [other]) is None
    assert nearest_word(typed, sorted([other, typed])) == typed
