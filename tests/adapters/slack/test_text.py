"""What a typed text says, and when it mentions the bot."""

import pytest

from adapters.slack.text import plain_text, read_text

ME = "U0BOT"


@pytest.mark.parametrize(
    "text",
    [
        "<@U0BOT> qual o total?",
        "<@U0BOT|polyrag> qual o total?",
        "oi <@U0BOT>, qual o total?",
        "> citado\n<@U0BOT> qual o total?",
        "`x` <@U0BOT> `y`",
        "a &gt; b? <@U0BOT>",
        "```x``` <@U0BOT>",
    ],
)
def test_a_mention_addresses_the_bot(text: str) -> None:
    assert read_text(text, ME).mentioned


@pytest.mark.parametrize(
    "text",
    [
        "use `<@U0BOT> total` no terminal",
        "```\n<@U0BOT> total\n```",
        "```<@U0BOT> total",
        "&gt; <@U0BOT> total",
        "> <@U0BOT> total",
        "&gt;&gt;&gt; tudo citado\n<@U0BOT> total",
        "<@U0BOTX> total",
        "U0BOT total",
    ],
)
def test_a_mention_in_code_or_a_quotation_does_not(text: str) -> None:
    assert not read_text(text, ME).mentioned


def test_the_address_is_no_part_of_the_question() -> None:
    assert read_text("<@U0BOT>, qual o total?", ME).text == "qual o total?"
    assert read_text("qual o total <@U0BOT> ?", ME).text == "qual o total ?"


def test_a_mention_in_code_stays_in_the_text() -> None:
    typed = read_text("<@U0BOT> o que faz `<@U0BOT> x`?", ME)
    assert typed.mentioned
    assert typed.text == "o que faz `@U0BOT x`?"


def test_other_people_are_noted_only_when_the_bot_is_not_meant() -> None:
    assert read_text("<@U0ANA> viu isso?", ME).to_others
    assert read_text("<!subteam^S1|@vendas> viu isso?", ME).to_others
    assert not read_text("<@U0BOT> pergunte a <@U0ANA>", ME).to_others
    assert not read_text("<!here> alguém viu?", ME).to_others
    assert not read_text("`<@U0ANA>`", ME).to_others


def test_markup_reads_as_people_see_it() -> None:
    text = "ver <https://x.test/a?b=1&amp;c=2|a página> em <#C0A1B2|geral>, <@U0ANA|ana>, <mailto:a@b.c|a@b.c> <https://y.test>"
    assert plain_text(text) == "ver a página em #geral, @ana, a@b.c https://y.test"


def test_entities_are_decoded_once() -> None:
    assert plain_text("1 &lt; 2 &amp;&amp; 3 &gt; 2 &amp;lt;") == "1 < 2 && 3 > 2 &lt;"


def test_dates_and_broadcasts_read_as_their_labels() -> None:
    assert plain_text("<!date^1392734382^{date}|18 de fevereiro> <!channel>") == "18 de fevereiro @channel"
