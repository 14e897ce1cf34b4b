"""What was assumed while reading is kept as a sentence, and told in the reader's language."""

import re

import pytest

from core.ingest.notes import _TEXTS, note, said_in

FACTS = {
    "row": 21,
    "column": "preço (R$)",
    "count": 3,
    "sheet": "Vendas “2024”",
    "kind": "número",
    "where": "linha 3",
}
TWINS = [(a, b) for a in _TEXTS for b in _TEXTS if a < b and set(_TEXTS[a]) & set(_TEXTS[b])]


def filled(key: str, language: str) -> str:
    names = re.findall(r"\{(\w+)\}", _TEXTS[key][0])
    english = {"kind": "number", "where": "row 3"} if language == "en" else {}
    facts = {name: str((FACTS | english).get(name, f"<{name}>")) for name in names}
    return note(key, **facts).say(language)  # type: ignore[arg-type]


@pytest.mark.parametrize("key", sorted(_TEXTS))
def test_every_text_is_found_again_in_the_other_language(key: str) -> None:
    portuguese, english = filled(key, "pt"), filled(key, "en")

    assert said_in(portuguese, "en") == said_in(english, "en") == english
    assert said_in(english, "pt") == said_in(portuguese, "pt") == portuguese


def test_no_two_texts_are_the_same() -> None:
    assert TWINS == []


def test_a_column_that_is_called_like_one_of_the_texts_keeps_its_name() -> None:
    told = note("leading_zeros", column="grupo").say("pt")

    assert said_in(told, "en") == "Column “grupo” stays text: it has leading zeros."


def test_a_sentence_of_a_plugin_stays_as_it_is() -> None:
    assert said_in("The drawing has 3 layers.", "pt") == "The drawing has 3 layers."
