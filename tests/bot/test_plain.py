"""Plain lines: tables, bars and texts that are safe to print."""

import pytest

from bot.plain import bar, clean, shortened, table_text
from core.types import RouteScore


def test_a_table_puts_numbers_to_the_right_and_says_what_is_missing() -> None:
    text = table_text(("item", "qtd"), (("porca", 3), ("parafuso", 12), (None, None)), "pt")

    assert text.split("\n") == [
        "item     │ qtd",
        "─────────┼────",
        "porca    │   3",
        "parafuso │  12",
        "—        │   —",
    ]


def test_a_wide_character_keeps_the_columns_aligned() -> None:
    text = table_text(("a", "b"), (("日本", "x"), ("ab", "y")), "en")

    assert [
        line.index("│") + line.count("日") + line.count("本") for line in text.split("\n") if "│" in line
    ] == [5, 5, 5]


def test_a_cell_never_breaks_its_row() -> None:
    text = table_text(("nota",), (("linha um\nlinha dois\tfim",), ("x" * 200,)), "pt")

    assert len(text.split("\n")) == 4
    assert "…" in text


def test_a_result_that_was_cut_says_at_least() -> None:
    assert "at least 3 more" in table_text(("n",), tuple((n,) for n in range(4)), "en", limit=2, more=True)


def test_a_table_without_rows_is_its_header() -> None:
    assert table_text(("a", "b"), (), "en") == "a │ b\n──┼──"


@pytest.mark.parametrize(("score", "filled"), [(-0.3, 0), (0.0, 0), (0.5, 12), (1.0, 24), (1.7, 24)])
def test_a_bar_shows_any_score(score: float, filled: int) -> None:
    text = bar(RouteScore("text", score, "anchor"))

    assert text.count("█") == filled
    assert text.count("░") == 24 - filled
    assert text.endswith("anchor")


def test_control_characters_go_and_line_breaks_stay() -> None:
    assert clean("a\x1b[2Jb\x07\x9b31m\r\nc\td\u202ee") == "a[2Jb31m\nc    de"


def test_a_long_text_is_cut_between_words() -> None:
    assert shortened("um dois três", 9) == "um dois…"
    assert shortened("um dois", 7) == "um dois"
