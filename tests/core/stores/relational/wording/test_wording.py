"""Words, numbers and periods as people type them in both languages."""

import pytest

from core.stores.relational.wording.amounts import amounts, parse_number
from core.stores.relational.wording.calendar import Moment, moment_of
from core.stores.relational.wording.lexicon import concepts_of, marks_of
from core.stores.relational.wording.periods import periods
from core.stores.relational.wording.phrases import operators
from core.stores.relational.wording.places import place_keys
from core.stores.relational.wording.words import light_stem, name_words, near, tokenize
from core.types import Language


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("regioes", "regiao"), ("cantoras", "cantor"), ("cidades", "cidade"), ("valores", "valor"),
        ("meses", "mes"), ("papeis", "papel"), ("itens", "item"), ("cities", "city"), ("stores", "store"),
        ("names", "name"), ("lojas", "loja"), ("filiais", "filial"),
    ],
)  # fmt: skip
def test_plural_and_gender_do_not_matter(left: str, right: str) -> None:
    assert light_stem(left) == light_stem(right)


@pytest.mark.parametrize(
    ("left", "right"), [("pao", "pau"), ("casa", "caso2"), ("ferro", "terra"), ("banco", "bancada")]
)
def test_different_words_stay_apart(left: str, right: str) -> None:
    assert not near(left, right)


def test_one_slip_of_the_finger_is_forgiven() -> None:
    assert near("receita", "recieta")
    assert near("sudeste", "sudest")
    assert not near("norte", "morte")  # the first letter is rarely wrong, and names differ by it


def test_headers_are_cut_at_capitals_underscores_and_digits() -> None:
    assert name_words("SurfaceArea") == ("surface", "area")
    assert name_words("data_de_admissão") == ("data", "de", "admissao")
    assert name_words("18_49_Rating") == ("18", "49", "rating")


def test_quoted_spans_stay_whole_and_apostrophes_open_nothing() -> None:
    assert [t.text for t in tokenize("o que diz \"Copo d'água\" e 'Sol'?")] == [
        "o",
        "que",
        "diz",
        "copo d'agua",
        "e",
        "sol",
    ]
    assert [t.text for t in tokenize("Brazil's people")] == ["brazil", "people"]


@pytest.mark.parametrize(
    ("text", "language", "value"),
    [
        ("1.234,56", "pt", 1234.56), ("1,234.56", "en", 1234.56), ("5.000", "pt", 5000), ("5.000", "en", 5000),
        ("5,000", "en", 5000), ("12,5", "pt", 12.5), ("1.25", "en", 1.25), ("1.250", "und", 1250), ("007", "pt", 7),
        ("1.234.567", "pt", 1234567),
    ],
)  # fmt: skip
def test_numbers_are_read_in_both_notations(text: str, language: Language, value: float) -> None:
    assert parse_number(text, language) == value


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [("acima de 10 mil", 10_000, ""), ("1,5 milhão de reais", 1_500_000, "R$"), ("R$ 20", 20, "R$"), ("mais de 20%", 20, "%"),
     ("over two million", 2_000_000, "")],
)  # fmt: skip
def test_amounts_carry_scale_and_unit(text: str, value: float, unit: str) -> None:
    found = amounts(text, tokenize(text), "pt")

    assert [(amount.value, amount.unit) for amount in found] == [(value, unit)]


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("em abril de 2024", "2024-04-01", "2024-04-30"),
        ("abr/24", "2024-04-01", "2024-04-30"),
        ("in February 2024", "2024-02-01", "2024-02-29"),
        ("Q2 2024", "2024-04-01", "2024-06-30"),
        ("no 2º trimestre de 2025", "2025-04-01", "2025-06-30"),
        ("primeiro semestre de 2025", "2025-01-01", "2025-06-30"),
        ("de janeiro a março de 2026", "2026-01-01", "2026-03-31"),
        ("entre 01/03/2026 e 15/03/2026", "2026-03-01", "2026-03-15"),
        ("em 03/2026", "2026-03-01", "2026-03-31"),
        ("dia 5 de janeiro de 2026", "2026-01-05", "2026-01-05"),
        ("entre 2020 e 2022", "2020-01-01", "2022-12-31"),
        ("mês passado", "2026-05-01", "2026-05-31"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("hoje", "2026-06-15", "2026-06-15"),
        ("últimos 3 meses", "2026-03-15", "2026-06-15"),
        ("semana passada", "2026-06-08", "2026-06-14"),
    ],
)
def test_periods_become_days(text: str, low: str, high: str) -> None:
    found = periods(text, tokenize(text), "2026-06-15")

    assert [(period.low, period.high) for period in found] == [(low, high)]


def test_a_month_without_a_year_waits_for_the_data() -> None:
    (period,) = periods("vendas em abril", tokenize("vendas em abril"), "2026-06-15")

    assert (period.months, period.year, period.low) == ((4,), None, "")


def test_relative_periods_are_unread_without_a_today() -> None:
    assert periods("mês passado", tokenize("mês passado"), "") == ()


@pytest.mark.parametrize("text", ["you may see it", "ele vai set up", "a lista de mar"])
def test_words_that_only_look_like_months_are_none_unless_led_to(text: str) -> None:
    found = periods(text, tokenize(text), "")

    assert len(found) == (1 if text.endswith("de mar") else 0)


@pytest.mark.parametrize(
    ("header", "moment"),
    [
        ("Jan", Moment(None, (1,))), ("abr/24", Moment(2024, (4,))), ("2024-04", Moment(2024, (4,))),
        ("Março", Moment(None, (3,))), ("2T26", Moment(2026, (4, 5, 6))), ("Q3 2025", Moment(2025, (7, 8, 9))),
        ("2024 Q1", Moment(2024, (1, 2, 3))), ("Total", None), ("Marcos", None), ("13/2024", None),
    ],
)  # fmt: skip
def test_headers_and_cells_that_name_a_month_or_a_quarter(header: str, moment: Moment | None) -> None:
    assert moment_of(header) == moment


def test_portuguese_no_is_a_preposition_and_english_no_a_negation() -> None:
    assert operators(tokenize("vendas no sul"), "pt") == ()
    assert [op.kind for op in operators(tokenize("shops with no staff"), "en")] == ["without"]


def test_longest_operator_wins() -> None:
    found = operators(tokenize("funcionários mais velhos do que 30"), "pt")

    assert [(op.kind, op.argument, op.implied) for op in found] == [("compare", ">", "age")]


def test_both_languages_meet_in_a_concept() -> None:
    assert {c.key for c in concepts_of(("faturamento",))} & {c.key for c in concepts_of(("revenue",))}
    assert {c.key for c in concepts_of(("patrimonio", "liquido"))} & {
        c.key for c in concepts_of(("net", "worth"))
    }
    assert concepts_of(("xpto",)) == ()


def test_marks_tell_amounts_from_levels() -> None:
    assert "+" in marks_of(("receita",))
    assert "=" in marks_of(("preco", "unitario"))
    assert marks_of(("observacao", "interna")) == ""


def test_countries_languages_and_their_adjectives_share_a_key() -> None:
    for words in (("franca",), ("france",), ("french",), ("franceses",)):
        assert "place:FR" in place_keys(words)
    assert place_keys(("names",)) == ()
