import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.harmless import balanced, fenceless, harmless


@pytest.mark.parametrize(
    "ping",
    [
        "@everyone",
        "@here",
        "@channel",
        "@Everyone",
        "<!channel>",
        "<!here|here>",
        "<@U123ABC>",
        "<@!42>",
        "<@&77>",
        "<!subteam^S1>",
        "<#C1>",
    ],
)
def test_mentions_are_broken_and_the_words_stay(ping: str) -> None:
    text = harmless(f"antes {ping} depois")

    assert ping not in text
    assert text.replace("\u200b", "") == f"antes {ping} depois"


@pytest.mark.parametrize(
    "plain", ["a < b e c > d", "ana@exemplo.com", "preço @ 10", "<b>negrito</b>", "linha\n\tcom tab"]
)
def test_ordinary_text_stays_as_it_is(plain: str) -> None:
    assert harmless(plain) == plain


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("```sh\nls", "```sh\nls\n```"),
        ("```sh\nls\n```", "```sh\nls\n```"),
        ("~~~\nls", "~~~\nls\n~~~"),
        ("````\n```\n", "````\n```\n````"),
        ("sem cerca", "sem cerca"),
    ],
)
def test_an_open_fence_is_closed_with_its_own_mark(text: str, closed: str) -> None:
    assert balanced(text) == closed


def test_a_quotation_has_no_fence_marks() -> None:
    assert "```" not in fenceless("a ``` b ````` c")
    assert fenceless("use `ls` aqui") == "use `ls` aqui"


def test_hidden_characters_go() -> None:
    assert harmless("a\u202eb\x07c") == "abc"


@settings(max_examples=300, derandomize=True, deadline=None)
@given(st.text(alphabet=st.sampled_from("@<!#&>`~\n evryohcanl1"), max_size=40))
def test_once_is_as_good_as_twice(text: str) -> None:
    assert harmless(harmless(text)) == harmless(text)
