"""Values as readers of each language write them."""

import pytest

from core.format import format_number, format_value
from core.types import Language, Value


@pytest.mark.parametrize(
    ("value", "unit", "language", "text"),
    [
        (1234.56, "R$", "pt", "R$ 1.234,56"),
        (1234.56, "R$", "en", "R$ 1,234.56"),
        (12.5, "%", "pt", "12,5%"),
        (1500, "kg", "pt", "1.500 kg"),
        (2024, "", "pt", "2024"),
        (12345, "", "pt", "12.345"),
        (0.1234, "", "en", "0.1234"),
        (3.0, "", "pt", "3"),
        (-1234.5, "R$", "pt", "R$ -1.234,50"),
        (None, "R$", "pt", "—"),
        (float("nan"), "", "en", "—"),
        (True, "", "pt", "sim"),
        (False, "", "en", "no"),
        ("2026-03-05", "", "pt", "05/03/2026"),
        ("2026-03-05T14:30:00", "", "pt", "05/03/2026 14:30"),
        ("2026-03-05", "", "en", "2026-03-05"),
        ("Sudeste", "R$", "pt", "Sudeste"),
    ],
)
def test_a_value_is_written_for_its_reader(value: Value, unit: str, language: Language, text: str) -> None:
    assert format_value(value, unit, language) == text


def test_undecided_language_keeps_the_unambiguous_forms() -> None:
    assert format_value("2026-03-05") == "2026-03-05"
    assert format_number(1234567.0, "und") == "1,234,567"
