import pytest

from core.answer import Draft, cited, joined
from tests.core.answer.parts import a_passage

A, B, C = (a_passage(text, rank) for rank, text in enumerate("abc", start=1))


@pytest.mark.parametrize(
    ("text", "expected", "used"),
    [
        ("Sim [2]. Também [1].", "Sim [1]. Também [2].", (B, A)),
        ("Sim [1][3].", "Sim [1][2].", (A, C)),
        ("Sim [1, 3].", "Sim [1][2].", (A, C)),
        ("Sim (trecho 2).", "Sim [1].", (B,)),
        ("As stated in passage 3, yes.", "As stated in [1], yes.", (C,)),
        ("Sim [9].", "Sim.", ()),
        ("Sim [2, 9].", "Sim [1].", (B,)),
        ("O item (2) vale 30 dias [2].", "O item (2) vale 30 dias [1].", (B,)),
        ("Sem marca.", "Sem marca.", ()),
    ],
)
def test_marks_are_renumbered_by_first_use_and_dangling_ones_removed(
    text: str, expected: str, used: tuple[object, ...]
) -> None:
    draft = cited(text, (A, B, C))

    assert (draft.text, draft.used) == (expected, used)


def test_joined_drafts_number_a_passage_once() -> None:
    draft = joined([Draft("um [1] dois [2]", (A, B)), Draft("três [1] quatro [2]", (C, A))])

    assert draft == Draft("um [1] dois [2]\n\ntrês [3] quatro [1]", (A, B, C))
