"""The grammar of a question: what is asked, and every word that changes the answer."""

import pytest

from core.forms import read_form
from core.quantities import number_value
from core.types import Heading
from core.vocabulary import Vocabulary


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Quantos cantores nós temos?", "count"), ("qnts ferias posso vender", "count"), ("quantso pedidos", "count"),
        ("How many people work here?", "count"), ("qual é o número de alunos", "count"), ("quanto custa o frete", "how_much"),
        ("how much is the rent", "how_much"), ("qual o preço da peça", "how_much"), ("quanto tempo leva", "how_long"),
        ("how often are backups tested", "how_long"), ("quem aprova?", "who"), ("qm aprova", "who"), ("who signs", "who"),
        ("quando vence", "when"), ("até que horas abre", "when"), ("what time does it close", "when"), ("onde fica o cofre", "where"),
        ("where is the kit", "where"), ("pq caiu a venda", "why"), ("por que o forno parou", "why"), ("why did it fall", "why"),
        ("como faço pra abrir um chamado", "how_to"), ("o que devo fazer se cair", "how_to"), ("how do I reset it", "how_to"),
        ("o que é churn", "define"), ("what does E-42 mean", "define"), ("explain the warranty", "explain"),
        ("liste os contratos", "list"), ("show all orders", "list"), ("Do we ship on sundays?", "yes_no"),
        ("posso levar o notebook?", "yes_no"), ("o limite é 500?", "yes_no"), ("e se eu perder a nota", "what_if"),
        ("compare os planos", "compare"), ("qual o limite", "which"),
    ],
)  # fmt: skip
def test_the_kind_of_a_question_is_read(text: str, kind: str) -> None:
    assert kind in read_form(text).kinds


@pytest.mark.parametrize("text", ["política de viagens", "receita de março", "sales by region"])
def test_a_noun_phrase_asks_nothing(text: str) -> None:
    assert read_form(text).kinds == ()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("o banco que tem o maior número de contas", "count"),
        ("the person who pays", "who"),
        ("o dia quando choveu", "when"),
    ],
)
def test_words_that_join_clauses_ask_nothing(text: str, kind: str) -> None:
    assert kind not in read_form(text).kinds


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("1.234,56", "1234.56"),
        ("1,234.56", "1234.56"),
        ("5.000", "5000"),
        ("5,000", "5000"),
        ("3,5", "3.5"),
        ("12", "12"),
        ("10%", "10"),
    ],
)
def test_numbers_are_read_by_value(typed: str, value: str) -> None:
    assert number_value(typed) == value


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("acima de R$ 5 mil", ("5000",)), ("above 5k", ("5000",)), ("mais de três dias", ("3",)), ("em 12/03/2025", ()),
        ("o código E-42", ()), ("between 10 and 20", ("10", "20")), ("two million", ("2000000",)), ("em 2024", ()),
    ],
)  # fmt: skip
def test_numbers_are_told_from_dates_and_codes(text: str, numbers: tuple[str, ...]) -> None:
    assert read_form(text).numbers == numbers


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("em março de 2025", ("m3", "y2025")), ("jan/25", ("m1", "y2025")), ("31/03/2025", ("2025-03-31",)), ("2025-03-31", ("2025-03-31",)),
        ("no 1º trimestre", ("q1",)), ("in Q3", ("q3",)), ("primeiro semestre", ("s1",)), ("mês passado", ("last-month",)),
        ("last year", ("last-year",)), ("hoje", ("today",)), ("in may", ("m5",)), ("may I park here", ()), ("mar agitado", ()), ("03/2025", ("m3", "y2025")),
    ],
)  # fmt: skip
def test_dates_have_one_spelling(text: str, dates: tuple[str, ...]) -> None:
    assert read_form(text).dates == dates


def test_codes_are_exact_tokens_with_letters_and_digits() -> None:
    assert read_form("o erro E-4021 e o item 14.3(b) do X200-B").codes == ("e-4021", "14.3(b)", "x200-b")
    assert read_form("10kg em 2h por 5% no 3º dia de Q1").codes == ()


def test_units_are_canonical_in_both_languages() -> None:
    assert read_form("5 dias").units == read_form("5 days").units == ("day",)
    assert read_form("R$ 10").units == read_form("10 reais").units == ("brl",)
    assert read_form("no último mês").units == ()


def test_opposite_words_name_opposite_sides() -> None:
    assert set(read_form("como ligo a bomba").opposites) == {"switch+"}
    assert set(read_form("como desligo a bomba").opposites) == {"switch-"}


def test_lower_case_names_are_known_by_the_vocabulary_and_capitals_without_it() -> None:
    vocabulary = Vocabulary.build([Heading("value", "Sudeste", "região"), Heading("entity", "Ana Lima")])

    found = read_form("receita do sudeste por Ana lima e Otto Wenz", vocabulary).names

    assert [(m.text, m.kind) for m in found] == [
        ("sudeste", "value"),
        ("ana lima", "entity"),
        ("otto wenz", "capital"),
    ]


def test_the_vocabulary_prefers_the_longest_name_and_drops_numbers_and_function_words() -> None:
    vocabulary = Vocabulary.build(
        [Heading("value", t, "c") for t in ("Paulo", "Paulo Afonso", "10", "de", "")]
    )

    assert [m.text for m in vocabulary.mentions(("paulo", "afonso", "10", "de", "paulo"))] == [
        "paulo afonso",
        "paulo",
    ]


def test_section_headings_are_topics_and_no_names() -> None:
    assert Vocabulary.build([Heading("section", "Reembolso")]).mentions(("reembolso",)) == ()
