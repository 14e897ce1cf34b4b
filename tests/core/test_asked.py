import pytest

from core.asked import asked, offers


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("quantos caminhões a frota tem?", "number"),
        ("qto custa o uniforme", "money"),
        ("how much does the uniform cost?", "money"),
        ("how much does the crate weigh?", "number"),
        ("qual o ramal da portaria?", "number"),
        ("limite de gasto por viagem", "number"),
        ("quanto tempo dura o treinamento?", "duration"),
        ("qual o prazo de entrega?", "duration"),
        ("how long is the training?", "duration"),
        ("quando abre a cantina?", "date"),
        ("what time does it close?", "date"),
        ("quem assina o contrato?", "person"),
        ("who signs?", "person"),
        ("onde fica o depósito?", "place"),
        ("por que a linha parou?", "reason"),
        ("como faço para pedir férias?", "procedure"),
        ("what should i do when the alarm rings", "procedure"),
        ("o que é um sinistro?", "definition"),
        ("what is the rate of return on premiums?", "number"),
        ("what happens to goods left in the yard for more than 45 minutes", "thing"),
        ("", "thing"),
    ],
)
def test_the_expected_kind_of_answer_is_read_from_the_grammar(question: str, kind: str) -> None:
    assert asked(question).kind == kind


def test_a_time_is_no_price() -> None:
    assert not offers("Drivers renew their licence every two years.", "money")
    assert offers("A late payment costs 25 dollars.", "money")
    assert offers("Estacionar é gratuito.", "money")


def test_a_subject_is_not_what_is_asked_about() -> None:
    assert asked("a clínica aceita cheque?").focus == ""
    assert asked("limite de hotel por noite").focus == "limite"
    assert asked("quem assina o contrato?").focus == "contrato"


def test_an_english_noun_is_not_taken_for_a_portuguese_infinitive() -> None:
    assert "sorter" not in asked("who services the heron sorter in the hub?").verbs
    assert "usadas" in asked("onde jogo as agulhas usadas").verbs


def test_topic_words_leave_out_the_words_of_asking() -> None:
    assert [t.surface for t in asked("quanto tempo a gente guarda as amostras?").tokens] == [
        "guarda",
        "amostras",
    ]


def test_codes_and_plain_numbers_are_kept_apart_from_articles() -> None:
    assert [q.text for q in asked("uma ordem OM-77 de 2024").exact] == ["OM-77", "2024"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("São 12 caixas.", "number"),
        ("Dura 45 minutos.", "duration"),
        ("Abre na segunda, às 8h.", "date"),
        ("Em 12/03/2026.", "date"),
        ("A coordenadora assina.", "person"),
        ("Isso ocorre porque falta luz.", "reason"),
        ("Siga a norma e envie o formulário.", "procedure"),
        ("qualquer coisa", "thing"),
    ],
)
def test_a_text_that_holds_the_kind_offers_it(text: str, kind: str) -> None:
    assert offers(text, kind)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Muitas caixas.", "number"),
        ("São 12 caixas.", "duration"),
        ("A segunda via custa caro.", "date"),
        ("chove muito aqui", "person"),
        ("A linha parou.", "reason"),
    ],
)
def test_a_text_without_the_kind_does_not(text: str, kind: str) -> None:
    assert not offers(text, kind)  # type: ignore[arg-type]


def test_a_noun_that_only_frames_the_question_is_not_what_it_is_about() -> None:
    question = asked("qual a definição de sinistro?")

    assert question.frames == {"definicao"}
    assert question.focus == "sinistro"
    assert asked("qual o valor total?").frames == frozenset()  # nothing else says what it is about


def test_an_amount_with_its_unit_is_no_code() -> None:
    assert [t.kind for t in asked("posso levar mala de 10kg?").tokens] == ["word", "number"]
    assert [t.kind for t in asked("o alarme e4021").tokens] == ["word", "code"]
