"""Long texts are cut where a reader would pause, inside the limit, and nothing of them is lost."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.limits import SMALLEST, open_fence, split

PARAGRAPHS = "\n\n".join(f"Parágrafo {n}. " + "Uma frase curta aqui. " * 5 for n in range(12))


def bare(text: str) -> str:
    """What must survive: everything but white space and fence lines."""
    return re.sub(r"\s", "", re.sub(r"^[ \t]*(`{3,8}|~{3,8}).*$", "", text, flags=re.MULTILINE))


def test_a_text_that_fits_is_one_piece_as_it_stands() -> None:
    assert split("  olá\n\nmundo ", 100) == ("  olá\n\nmundo ",)


def test_a_blank_text_has_no_pieces() -> None:
    assert split("", 100) == split(" \n ", 100) == ()


def test_a_limit_without_room_is_refused() -> None:
    with pytest.raises(ValueError):
        split("x", SMALLEST - 1)


def test_pieces_begin_with_paragraphs() -> None:
    pieces = split(PARAGRAPHS, 400)
    assert len(pieces) > 3
    assert all(piece.startswith("Parágrafo") and len(piece) <= 400 for piece in pieces)


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    text = ("The report of item 3.5 costs R$ 1.200,00 a year. It is due on p. 3 of the list. " * 20).strip()
    pieces = split(text, 300)
    assert all(piece.startswith(("The", "It")) and piece.endswith(".") for piece in pieces)
    assert " ".join(pieces) == text


def test_a_text_without_sentences_is_cut_between_words() -> None:
    text = " ".join(f"word{n}" for n in range(300))
    assert " ".join(split(text, 90)) == text


def test_a_word_longer_than_a_piece_is_cut_all_the_same() -> None:
    assert "".join(split("x" * 1000, 90)) == "x" * 1000


def test_an_accent_or_a_joined_emoji_is_not_torn_from_its_letter() -> None:
    assert all(piece[0] == "e" for piece in split("e\u0301" * 200, 91))


def test_a_cut_fence_is_closed_and_opened_again_with_its_language() -> None:
    code = "\n".join(f"    line {n} of the code" for n in range(60))
    pieces = split(f"Before.\n\n```python\n{code}\n```\n\nAfter.", 300)
    assert len(pieces) > 4
    assert not any(open_fence(piece) for piece in pieces)
    assert all(piece.startswith("```python\n    line") for piece in pieces[1:-1])
    assert bare("".join(pieces)) == bare(f"Before.{code}After.")


def test_a_fence_that_fits_a_piece_of_its_own_is_not_cut() -> None:
    block = "```\n" + "code code code\n" * 8 + "```"
    pieces = split("Some words before it. " * 8 + "\n\n" + block, 250)
    assert pieces[-1] == block


def test_a_fence_inside_a_longer_fence_does_not_close_it() -> None:
    assert open_fence("````\n```\ncode\n```\n") == "````"
    assert open_fence("```sql\nselect 1\n```") == ""


@settings(derandomize=True, database=None, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.text(alphabet="ab .\n\té\u0301😀`~*>", max_size=120),
            st.sampled_from(["```", "\n```\n", "\n~~~sql\n", "\n````\n", "\n```" + "x" * 90 + "\n", "\n\n"]),
        ),
        max_size=12,
    ).map("".join),
    st.integers(min_value=SMALLEST, max_value=200),
)
def test_pieces_stay_inside_the_limit_closed_and_complete(text: str, limit: int) -> None:
    pieces = split(text, limit)
    assert all(0 < len(piece) <= limit for piece in pieces)
    if len(pieces) > 1:
        assert not any(open_fence(piece) for piece in pieces[:-1])
    shown = iter("".join(pieces))
    assert all(
        letter in shown for letter in text if letter in "ab😀.*>"
    )  # in order; a language may be repeated
