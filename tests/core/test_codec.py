from datetime import date

from core.codec import dumps, loads, loads_all
from core.types import (
    Block,
    Column,
    Grid,
    Heading,
    Loaded,
    Locator,
    Rejected,
    RouteDecision,
    RouteScore,
    Table,
)


def test_a_loaded_file_comes_back_as_it_was_with_dates_and_mixed_items() -> None:
    loaded = Loaded(
        "xlsx",
        (
            Block("heading", "Título", Locator(page=1, ordinal=0), 1),
            Grid(
                (("a", 1, 2.5, None, date(2024, 3, 1), True),),
                Locator(sheet="Plan1", ordinal=1),
                merges=((0, 0, 1, 1),),
            ),
        ),
        title="Título",
        rejected=(Rejected("linha 3", "curta"),),
    )

    assert loads(Loaded, dumps(loaded)) == loaded


def test_a_table_keeps_its_marked_totals() -> None:
    table = Table(
        "t", "d", Locator(), "", (), (Column("a", "a", "integer"),), ((1,), (2,), (3,)), frozenset({2})
    )

    assert loads(Table, dumps(table)) == table


def test_a_decision_keeps_its_pairs() -> None:
    decision = RouteDecision(
        "q", ("text",), "cosine", (RouteScore("text", 0.5, "x"),), 0.1, "clear", (("high", 0.4),)
    )

    assert loads(RouteDecision, dumps(decision)) == decision


def test_a_tuple_of_values_comes_back_in_order() -> None:
    headings = (Heading("section", "b"), Heading("entity", "a"))

    assert loads_all(Heading, dumps(headings)) == headings
