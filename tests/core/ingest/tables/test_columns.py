import datetime
from typing import Any, Literal

import pytest

from core.ingest.tables.columns import Typed, type_columns
from core.ingest.tables.headers import Header, keys_for, read_header, split_unit
from core.types import Language


def typed(
    *cells: Any, name: str = "valor", language: Language = "pt", decimal: Literal["", ",", "."] = ""
) -> Typed:
    """One column of a table by itself."""
    return type_columns([list(cells)], [read_header(name)], language=language, decimal=decimal)[0]


def keys(column: Typed) -> list[str]:
    return [note.key for note in column.notes]


@pytest.mark.parametrize(
    ("cells", "values", "unit"),
    [
        (("1.234,56", "987,10", "12,5"), [1234.56, 987.1, 12.5], ""),
        (("1,234.56", "987.10", "12.5"), [1234.56, 987.1, 12.5], ""),
        (("1 234,5", "12,5"), [1234.5, 12.5], ""),
        (("R$ 1.234,56", "-R$ 5,00", "R$ -2,00"), [1234.56, -5.0, -2.0], "R$"),
        (("US$ 3.50", "US$ 4.25"), [3.5, 4.25], "US$"),
        (("12,5%", "8%", "-3,5 %"), [12.5, 8.0, -3.5], "%"),
        (("(120,00)", "35,50", "10,00-"), [-120.0, 35.5, -10.0], ""),
        (("12 kg", "15 kg", "9 kg"), [12, 15, 9], "kg"),
        (("1 dia", "10 dias", "3 dias"), [1, 10, 3], "dias"),
        (("2,5 mil", "1,2 milhão", "3 milhões"), [2500.0, 1200000.0, 3000000.0], ""),
        (("12*", "15", "9"), [12, 15, 9], ""),
        (("0,5", "1.234"), [0.5, 1234.0], ""),
        (("0.5", "1.234"), [0.5, 1.234], ""),
    ],
)
def test_numbers_are_read_as_their_column_writes_them(
    cells: tuple[str, ...], values: list[float], unit: str
) -> None:
    column = typed(*cells)

    assert column.values == values
    assert column.unit == unit


def test_a_lone_separator_follows_the_other_columns_of_the_table() -> None:
    headers = [read_header("preço"), read_header("peso")]
    first, second = type_columns([["1.234", "2.500"], ["0.5", "1.75"]], headers, language="pt")

    assert first.values == [1.234, 2.5]
    assert second.values == [0.5, 1.75]


@pytest.mark.parametrize(
    ("decimal", "language", "value"),
    [(",", "en", 1234), (".", "pt", 1.234), ("", "pt", 1234), ("", "en", 1.234)],
)
def test_without_proof_the_format_and_then_the_language_decide_and_it_is_said(
    decimal: Literal["", ",", "."], language: Language, value: float
) -> None:
    column = typed("1.234", "2.500", decimal=decimal, language=language)

    assert column.values[0] == value
    assert keys(column) in (["comma_decimal"], ["dot_decimal"])


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("conta", ("0010", "0042")),
        ("lote", ("0041877", "41883")),
        ("CEP", ("01310-100", "04002000")),
        ("cpf", ("12345678900", "98765432100")),
        ("código", ("10", "42")),
        ("Número do pedido", ("1001", "1002")),
        ("fone", ("11988887777", "1133334444")),
        ("versão", ("1.10", "1.9.2")),
        ("chave", ("12345678901234567890", "22345678901234567890")),
    ],
)
def test_codes_stay_text_as_they_were_written(name: str, cells: tuple[str, ...]) -> None:
    column = typed(*cells, name=name)

    assert column.type == "text"
    assert column.values == list(cells)


def test_codes_from_a_spreadsheet_have_no_decimals() -> None:
    assert typed(1001.0, 1002.0, name="Código").values == ["1001", "1002"]


@pytest.mark.parametrize(
    ("name", "cells", "kind"),
    [
        ("Ano", ("2022", "2023"), "integer"),
        ("Número de funcionários", ("10", "20"), "integer"),
        ("Quantidade de contas", ("10", "20"), "integer"),
        ("Valor da conta", ("10,5", "20"), "real"),
        ("ativo", ("sim", "não"), "text"),
        ("pago", ("true", "false"), "boolean"),
        ("andar", ("1º", "2º"), "text"),
        ("endereço IP", ("10.0.0.1", "10.0.0.2"), "text"),
        ("hora", ("08:30", "09:00"), "text"),
        ("vazia", (None, None), "text"),
    ],
)
def test_what_looks_like_a_number_is_one_only_where_it_counts_something(
    name: str, cells: tuple[str | None, ...], kind: str
) -> None:
    assert typed(*cells, name=name).type == kind


def test_day_and_month_are_decided_for_the_whole_column() -> None:
    assert typed("11/03/2011", "20/10/2011", name="data").values == ["2011-03-11", "2011-10-20"]
    assert typed("11/03/2011", "10/20/2011", name="data").values == ["2011-11-03", "2011-10-20"]
    assert not typed("11/03/2011", "20/10/2011", name="data").notes


@pytest.mark.parametrize(
    ("language", "first"), [("pt", "2011-03-11"), ("und", "2011-03-11"), ("en", "2011-11-03")]
)
def test_ambiguous_dates_follow_the_language_and_it_is_said(language: Language, first: str) -> None:
    column = typed("11/03/2011", "02/10/2011", name="data", language=language)

    assert column.values[0] == first
    assert keys(column)[0] in ("day_first", "month_first")


def test_ambiguous_dates_follow_another_date_column_that_proves_its_order() -> None:
    headers = [read_header("start date"), read_header("end date")]
    first, _ = type_columns(
        [["11/03/2011", "02/10/2011"], ["25/03/2011", "28/10/2011"]], headers, language="en"
    )

    assert first.values == ["2011-03-11", "2011-10-02"]


def test_a_column_in_both_orders_stays_text() -> None:
    column = typed("31/12/2023", "12/31/2023", "30/11/2023", name="data")

    assert column.type == "text"
    assert keys(column) == ["two_orders"]


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("2024-01-31", "2024-01-31"),
        ("31/01/24", "2024-01-31"),
        ("31.01.2024", "2024-01-31"),
        ("31 de janeiro de 2024", "2024-01-31"),
        ("31-jan-2024", "2024-01-31"),
        ("January 31, 2024", "2024-01-31"),
        ("Wed, Jan 31, 2024", "2024-01-31"),
        ("jan/24", "2024-01-01"),
        ("2024-01", "2024-01-01"),
        ("01/2024", "2024-01-01"),
        ("Janeiro de 2024", "2024-01-01"),
    ],
)
def test_dates_and_months_are_stored_as_iso_days(written: str, stored: str) -> None:
    assert typed(written, name="competência").values == [stored]


def test_times_of_day_beside_dates_are_kept() -> None:
    column = typed("31/01/2024 14:30", "01/02/2024 2:05 pm", name="quando")

    assert column.type == "datetime"
    assert column.values == ["2024-01-31T14:30:00", "2024-02-01T14:05:00"]


def test_a_day_no_calendar_has_is_reported_and_left_empty() -> None:
    column = typed(*["15/01/2024"] * 19, "31/02/2024", name="data")

    assert column.values[-1] is None
    assert column.bad == ((19, "31/02/2024"),)


def test_native_dates_lose_a_midnight_that_nobody_typed() -> None:
    column = typed(datetime.datetime(2024, 1, 2), datetime.date(2024, 1, 3), name="data")

    assert column.type == "date"
    assert column.values == ["2024-01-02", "2024-01-03"]


def test_words_for_no_value_leave_cells_empty_and_are_counted() -> None:
    column = typed("10", "n/d", "-", "20", None)

    assert column.values == [10, None, None, 20, None]
    assert keys(column) == ["missing"]


def test_a_dash_in_a_column_of_texts_stays() -> None:
    assert typed("a", "-", "b", name="nota").values == ["a", "-", "b"]


def test_a_few_bad_cells_do_not_turn_numbers_into_text() -> None:
    column = typed(*[str(n) for n in range(1, 20)], "dez")

    assert column.type == "integer"
    assert column.bad == ((19, "dez"),)


def test_many_bad_cells_leave_the_column_as_it_is_and_it_is_said() -> None:
    column = typed("10", "20", "30", "sem limite")

    assert column.values == ["10", "20", "30", "sem limite"]
    assert keys(column) == ["mixed"]


def test_mixed_currencies_and_units_are_never_added_up() -> None:
    assert keys(typed("R$ 10", "US$ 20", "R$ 5")) == ["currencies"]
    assert keys(typed("10 kg", "20 m", "5 kg")) == ["units"]


def test_truth_values_are_not_the_numbers_zero_and_one() -> None:
    assert typed(True, 1, 0, False).values == ["true", "1", "0", "false"]
    assert typed(True, False).values == [True, False]


def test_floats_that_are_whole_are_integers_but_written_decimals_are_not() -> None:
    assert typed(10.0, 20.0).type == "integer"
    assert typed("10,00", "20,00").type == "real"


def test_a_column_is_typed_alike_whatever_stands_beside_it() -> None:
    alone = typed("1.234,56", "2,5")
    headers = [read_header("valor"), read_header("nome")]
    beside, _ = type_columns([["1.234,56", "2,5"], ["Ana", "Bia"]], headers, language="pt")

    assert alone.values == beside.values


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("Receita (R$)", "R$"),
        ("Peso [kg]", "kg"),
        ("Margem %", "%"),
        ("Preço em R$", "R$"),
        ("Bônus (R$ por litro)", "R$ por litro"),
        ("Prazo (dias úteis)", "dias úteis"),
        ("Cliente (matriz)", ""),
        ("Receita", ""),
    ],
)
def test_a_header_names_its_unit(name: str, unit: str) -> None:
    assert split_unit(name)[1] == unit
    assert read_header(name).name == name


def test_keys_are_unique_safe_identifiers() -> None:
    names = ["Região", "região", "2024 Q1", "order", "", "名前", "Valor (R$)", "a" * 90]
    found = keys_for(names)

    assert found[:7] == ("regiao", "regiao_2", "c_2024_q1", "order_", "column_5", "column_6", "valor")
    assert len(set(found)) == len(found)
    assert all(key.isidentifier() and key.isascii() and len(key) <= 50 for key in found)


def test_headers_that_count_codes_are_no_codes() -> None:
    assert read_header("código do cliente").code
    assert not read_header("total por código").code
    assert read_header("Data de emissão").dated
    assert isinstance(read_header("x"), Header)


def test_an_empty_text_among_cells_breaks_nothing() -> None:
    assert typed("azul", "", "verde").type == "text"
    assert typed("12", "", "15").type in ("integer", "text")
