import pytest

from core.dictionary import is_word


@pytest.mark.parametrize(
    "word", ["ferias", "feiras", "manutencao", "aprovacao", "refund", "overtime", "holiday"]
)
def test_words_of_both_languages_are_known_without_their_accents(word: str) -> None:
    assert is_word(word)


@pytest.mark.parametrize(
    "word", ["fevreiro", "manutencoa", "recieve", "seperate", "definately", "salaro", "", "xqz"]
)
def test_slips_of_the_hand_are_no_words(word: str) -> None:
    assert not is_word(word)
