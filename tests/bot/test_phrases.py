"""Every text of the bot exists in both languages and takes the same facts."""

from string import Formatter

import pytest

from bot.phrases import TEXTS, reader_language, say
from core.settings import Settings


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("key", sorted(TEXTS))
def test_both_languages_take_the_same_facts(key: str) -> None:
    portuguese, english = TEXTS[key]

    assert portuguese.strip()
    assert english.strip()
    assert fields(portuguese) == fields(english)


def test_an_undecided_reader_gets_english() -> None:
    assert say("linked", "und", here="a", channel="b") == say("linked", "en", here="a", channel="b")


@pytest.mark.parametrize(
    ("text", "locale", "language"),
    [
        ("quantos dias de férias eu tenho?", "en", "pt"),
        ("how many days of leave do I have?", "pt", "en"),
        ("", "en", "en"),
        ("", "und", "pt"),
    ],
)
def test_what_was_typed_decides_the_language_then_the_locale_then_the_bot(
    text: str, locale: str, language: str
) -> None:
    assert reader_language(text, locale, Settings(language="pt")) == language  # type: ignore[arg-type]
