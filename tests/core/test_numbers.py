import itertools
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.numbers import Quantity, covers_date, holds, quantities, same_quantity


def only(text: str) -> Quantity:
    found = quantities(text)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1.234,56", (1234.56,)),
        ("1,234.56", (1234.56,)),
        ("1.234.567", (1234567.0,)),
        ("1,234,567.89", (1234567.89,)),
        ("1 234 567,8", (1234567.8,)),
        ("12\u00a0500", (12500.0,)),
        ("12,5", (12.5,)),
        ("0,125", (0.125,)),
        ("3.14159", (3.14159,)),
        ("1.234", (1.234, 1234.0)),
        ("1,234", (1.234, 1234.0)),
        ("-5,2", (-5.2,)),
    ],
)
def test_digits_are_read_in_every_locale_and_ambiguous_forms_keep_both_readings(
    text: str, values: tuple[float, ...]
) -> None:
    assert only(text).values == values


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("trinta", 30),
        ("três", 3),
        ("vinte e uma", 21),
        ("cento e vinte e cinco", 125),
        ("mil duzentos e cinquenta", 1250),
        ("dois mil e quinhentos", 2500),
        ("um milhão", 1_000_000),
        ("one hundred", 100),
        ("one hundred and twenty-five", 125),
        ("two thousand and six", 2006),
        ("2 mil", 2000),
        ("40k", 40_000),
        ("1,2 milhão", 1_200_000),
        ("3 mil e quinhentos", 3500),
        ("2 milhões e 300 mil", 2_300_000),
        ("1.5 billion", 1_500_000_000),
    ],
)
def test_numbers_in_words_and_with_scales_have_their_value(text: str, value: float) -> None:
    assert only(text).values == (value,)


def test_two_numbers_joined_by_and_stay_two_numbers() -> None:
    assert [q.values for q in quantities("vinte e trinta")] == [(20.0,), (30.0,)]
    assert [q.values for q in quantities("twenty and five people")] == [(20.0,), (5.0,)]
    assert [q.values for q in quantities("entre 3-5 dias")] == [(3.0,), (5.0,)]


@pytest.mark.parametrize(
    ("text", "kind", "unit"),
    [
        ("R$ 1.234,56", "money", "BRL"),
        ("R$ 3 mil", "money", "BRL"),
        ("15 reais", "money", "BRL"),
        ("US$ 10", "money", "USD"),
        ("€5", "money", "EUR"),
        ("12,5%", "percent", "%"),
        ("12 por cento", "percent", "%"),
        ("twelve percent", "percent", "%"),
        ("30 dias", "number", "day"),
        ("48-hour", "number", "hour"),
        ("18h", "number", "hour"),
        ("30kg", "number", "kg"),
        ("três horas", "number", "hour"),
    ],
)
def test_money_percent_and_measures_are_told_apart(text: str, kind: str, unit: str) -> None:
    found = only(text)

    assert (found.kind, found.unit) == (kind, unit)


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("2026-03-15", ("2026-03-15",)),
        ("2026-03-15T10:00:00Z", ("2026-03-15",)),
        ("15/03/2026", ("2026-03-15",)),
        ("15.03.2026", ("2026-03-15",)),
        ("03/04/2026", ("2026-03-04", "2026-04-03")),
        ("15 de março de 2026", ("2026-03-15",)),
        ("March 15, 2026", ("2026-03-15",)),
        ("15 March 2026", ("2026-03-15",)),
        ("1º de maio", ("--05-01",)),
        ("May 1st", ("--05-01",)),
        ("mar/26", ("2026-03",)),
        ("03/2026", ("2026-03",)),
        ("março de 2026", ("2026-03",)),
        ("setembro", ("--09",)),
        ("14h30", ("T14:30",)),
        ("2:30 pm", ("T14:30",)),
    ],
)
def test_dates_and_times_become_iso_with_open_parts(text: str, dates: tuple[str, ...]) -> None:
    assert only(text).dates == dates


@pytest.mark.parametrize(
    "text", ["you may go", "they march on", "an august body", "31/02/2026x", "45/13/2026"]
)
def test_words_and_impossible_days_are_no_dates(text: str) -> None:
    assert not any(q.kind == "date" for q in quantities(text))


@pytest.mark.parametrize(
    "code",
    [
        "E-4021",
        "NOR-ADM-002",
        "14.3(b)",
        "v2.3.1",
        "3.10.0",
        "PZ-200",
        "L2",
        "4002-8922",
        "01310-100",
        "a.b@c.com",
    ],
)
def test_codes_stay_whole_and_are_no_numbers(code: str) -> None:
    found = only(f"veja {code}.")

    assert (found.kind, found.text, found.values) == ("code", code, ())


def test_articles_and_ordinals_in_words_are_weak_unless_they_measure() -> None:
    assert [q.weak for q in quantities("uma pessoa e a segunda via")] == [True, True]
    assert not only("um dia").weak


def test_places_point_into_the_composed_text_and_never_overlap() -> None:
    text = unicodedata.normalize("NFD", "Até três dias, R$ 1.200,00 e 12/03/2026 no código E-4021.")
    composed = unicodedata.normalize("NFC", text)
    found = quantities(text)

    assert [composed[q.start : q.end] for q in found] == [q.text for q in found]
    assert all(a.end <= b.start for a, b in itertools.pairwise(found))
    assert len(found) == 4


@pytest.mark.parametrize(
    ("known", "claimed", "covered"),
    [
        ("2026-03-12", "2026-03-12", True),
        ("2026-03-12", "2026-03", True),
        ("2026-03-12", "--03-12", True),
        ("2026-03", "2026-03-12", False),
        ("--03-12", "2026-03-12", False),
        ("2026-03-12", "2026-04-12", False),
        ("T14:30", "T14:30", True),
        ("T14:30", "2026-03-12", False),
    ],
)
def test_a_known_date_covers_a_claim_that_says_no_more(known: str, claimed: str, covered: bool) -> None:
    assert covers_date(known, claimed) is covered


def test_codes_are_equal_by_letters_and_digits_and_never_equal_numbers() -> None:
    assert same_quantity(only("E-4021"), only("e4021"))
    assert not same_quantity(only("E-4021"), only("4021"))


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("O prazo é de trinta dias úteis.", "30 dias"),
        ("Total: R$ 1.234,50", "1234.5"),
        ("Total: 1234.5", "R$ 1.234,50"),
        ("8 mil reais", "R$ 8.000"),
        ("a média foi 3,3333333", "3,33"),
        ("em 12 de março de 2026", "12/03/2026"),
        ("on March 12, 2026", "12 de março"),
        ("em 12/03/2026", "2026"),
        ("o plantonista de AUTOMACAO executa", "plantonista de automação"),
        ("código E-4021.", "e-4021"),
        ("12.5 per cent", "12,5%"),
        ("há 1 pessoa", "uma pessoa"),
        ("the Thermal Workshop (Oficina Térmica)", "oficina termica"),
        ("responde **Dalva Quirino** [1]", "dalva quirino"),
    ],
)
def test_a_text_holds_a_fact_by_value_and_by_folded_words(text: str, fact: str) -> None:
    assert holds(text, fact)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("são 50 dias", "5"),
        ("são 5,5", "5"),
        ("são 15", "5"),
        ("código E-4021", "E-402"),
        ("código E-4021", "4021"),
        ("em 12 de março", "12/03/2026"),
        ("a gerência de ativos", "gerência de ativo"),
        ("sim, uma pessoa", "1"),
        ("3 dias e 30 horas", "30 dias"),
        ("qualquer coisa", ""),
        ("qualquer coisa", " - "),
    ],
)
def test_a_text_does_not_hold_a_near_fact(text: str, fact: str) -> None:
    assert not holds(text, fact)


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.integers(0, 10**9), st.integers(0, 99))
def test_a_number_is_found_in_both_locales(whole: int, cents: int) -> None:
    english = f"{whole:,}.{cents:02d}"
    portuguese = english.replace(",", "_").replace(".", ",").replace("_", ".")

    assert holds(f"o total é {portuguese} hoje", english)
    assert not holds(f"o total é {portuguese} hoje", f"{whole + 7}")


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_read_without_error_and_holds_its_own_words(text: str) -> None:
    found = quantities(text)

    assert all(q.text and q.start < q.end for q in found)
