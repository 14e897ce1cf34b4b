import pytest

from eval.metrics import (
    evidence_ranks,
    facts_found,
    leaked,
    precision_recall,
    recall_at,
    reciprocal_rank,
    routing,
    routing_exact,
    rows_match,
)
from eval.sets import EvalQuestion


def question(text: str = "quanto?", forbidden: tuple[str, ...] = ()) -> EvalQuestion:
    return EvalQuestion(
        "q", text, "pt", "dm", "ana", frozenset(), (), (), True, forbidden, None, False, frozenset()
    )


def test_routing_forgives_an_extra_store_and_exact_routing_does_not() -> None:
    gold = frozenset({"text"})

    assert routing(gold, ["text", "graph"])
    assert not routing_exact(gold, ["text", "graph"])
    assert not routing(gold, ["graph"])


def test_a_quote_counts_only_inside_one_passage() -> None:
    ranks = evidence_ranks(["Férias de 30 dias"], ["ferias de", "as  FERIAS de 30 dias corridos"])

    assert ranks == (2,)
    assert (recall_at(ranks, 1), recall_at(ranks, 5), reciprocal_rank(ranks)) == (0.0, 1.0, 0.5)


def test_facts_are_bounded_and_compared_by_value() -> None:
    assert facts_found((("5",), ("1234.5", "x")), "São 50 itens, R$ 1.234,50 ao todo.") == (False, True)


def test_result_rows_may_have_more_columns_but_not_more_rows() -> None:
    assert rows_match([["Sul", 10.004]], [("sul", "extra", 10.0)], ordered=False)
    assert not rows_match([["Sul", 10]], [("sul", 10), ("norte", 3)], ordered=False)


def test_each_gold_row_needs_a_result_row_of_its_own() -> None:
    assert not rows_match([["a"], ["a"]], [("a",), ("b",)], ordered=False)
    assert rows_match([["a", 1], ["a", 2]], [("a", 2), ("a", 1)], ordered=False)
    assert not rows_match([["a", 1], ["a", 2]], [("a", 2), ("a", 1)], ordered=True)


def test_a_value_is_not_found_twice_in_one_cell() -> None:
    assert not rows_match([[7, 7]], [(7, 8)], ordered=False)


def test_a_forbidden_string_of_the_question_itself_is_no_leak() -> None:
    assert leaked(question("quanto ganha a Ana?", ("ana", "9.300")), ["Ana ganha 9300,00"]) == ("9.300",)


def test_abstention_precision_and_recall() -> None:
    result = precision_recall({"a": True, "b": True, "c": False}, {"a": False, "b": True, "c": False})

    assert result == {"precision": 0.5, "recall": 0.5}


@pytest.mark.parametrize(
    ("shown", "leaks"),
    [
        ("the fairway is 6 knots", ()),
        ("a payment of £6,000", ("£6,000",)),
        ("6000 a year", ("£6,000",)),
        ("6.000,00", ("£6,000",)),
    ],
)
def test_a_forbidden_amount_counts_by_its_value(shown: str, leaks: tuple[str, ...]) -> None:
    assert leaked(question("how big is the payment?", ("£6,000",)), [shown]) == leaks
