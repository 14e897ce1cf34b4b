import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.harmless import balanced, fenceless, harmless, shown_name, unlinked


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


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("x`[free](https://evil.example)`.md", "xʼ[free](https://evil.example)ʼ.md"),
        ("```.md", "ʼʼʼ.md"),
        ("~~~.md", "~~~.md"),
        ("a\n# b\r\n\t c\u2028d\x00e.md", "a # b c d e.md"),
        ("a\u202egpj.md", "a gpj.md"),
        (" relatório final (2).pdf ", "relatório final (2).pdf"),
        ("@everyone.md", "@\u200beveryone.md"),
        ("<@U1>.md", "<\u200b@U1>.md"),
    ],
)
def test_a_files_name_is_shown_as_one_line_that_cannot_leave_its_code_span(name: str, shown: str) -> None:
    assert shown_name(name) == shown


def test_a_files_long_name_is_shortened() -> None:
    assert shown_name("x" * 120) == "x" * 120
    assert shown_name("x" * 3000) == "x" * 119 + "…"
    assert shown_name("x" * 110 + "@everyonexxxx").endswith("@\u200beveryone…")


@given(st.text())
def test_whatever_a_file_is_called_its_name_is_one_short_line_and_showing_it_twice_is_the_same(
    name: str,
) -> None:
    shown = shown_name(name)

    assert "`" not in shown
    assert len(shown.splitlines()) <= 1
    assert len(shown.replace("\u200b", "")) <= 120
    assert shown_name(shown) == shown


@pytest.mark.parametrize(
    "text", ["[free](https://evil.example)", "https://evil.example", "WWW.evil.example", "a\n[b](c)", "```x"]
)
def test_words_of_a_file_in_the_bots_own_sentence_are_one_line_and_no_link(text: str) -> None:
    told = unlinked(text)

    assert "](" not in told
    assert "://" not in told
    assert "www." not in told.lower()
    assert "```" not in told
    assert len(told.splitlines()) == 1
    assert unlinked(told) == told
    assert unlinked("linha 3: valor `x` fora [1] (ver p. 2)") == "linha 3: valor `x` fora [1] (ver p. 2)"
