"""A passage's successor is the one that says what it said."""

from core.stores.moves import passage_moves

ONE = "A viagem internacional é pedida com trinta dias de antecedência pelo portal."
TWO = "O reembolso sai em dez dias úteis depois da nota fiscal."
THREE = "A diretoria aprova viagens acima de cinco mil reais."


def test_two_passages_that_became_one_lead_to_it_and_one_that_was_cut_leads_to_its_longer_part() -> None:
    before = {"a": ONE, "b": TWO, "c": f"{THREE} Curto."}
    after = {"x": f"{ONE} {TWO}", "y": THREE, "z": "Curto."}

    assert passage_moves(before, after) == {"a": "x", "b": "x", "c": "y"}


def test_a_passage_that_is_still_there_does_not_move_and_one_that_is_gone_leads_nowhere() -> None:
    before = {"a": ONE, "b": TWO, "empty": ""}

    assert passage_moves(before, {"a": ONE, "n": THREE}) == {}


def test_of_equal_successors_the_earlier_one_is_taken() -> None:
    assert passage_moves({"a": ONE}, {"p": ONE, "q": ONE}) == {"a": "p"}
