import pytest

from core.answer.abstain import as_typed


@pytest.mark.parametrize(
    ("question", "word", "typed"),
    [
        ("quem ganha 18.400,00?", "18400.00", "18.400,00"),
        ("quem ganha R$ 1.250,50 por mês", "1250.50", "1.250,50"),
        ("o que são Férias?", "ferias", "Férias"),
        ("erro e-4021, o que é", "e4021", "e-4021"),
        ("qual o prazo?", "multa", "multa"),
    ],
)
def test_words_and_numbers_are_shown_as_they_were_typed(question: str, word: str, typed: str) -> None:
    assert as_typed(question, word) == typed
