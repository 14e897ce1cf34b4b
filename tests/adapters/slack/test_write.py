"""Replies as Slack messages: complete, inside the limits, and nobody is pinged. The fake's checks are stricter than Slack."""

import re
from time import process_time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.slack.mrkdwn import code, escape, link, named, quoted, to_mrkdwn
from adapters.slack.write import BUDGET, FORMS, Form, Post, is_open, posts, toggled
from bot.messages import Button, Reply, SourceBlock
from core.types import Source
from tests.adapters.slack.fake.checks import Rules, check_message, pings_in, texts

ACTIONS: tuple[Any, ...] = ("up", "down", "why", "fresh", "share", "csv")
BUTTONS = tuple(Button(action, "a" * 32) for action in ACTIONS)


def passage(text: str = "Trinta dias.", **fields: Any) -> Source:
    known: dict[str, Any] = {
        "label": "TEXT", "document": "politica.docx", "document_id": "d", "locator": "p. 3", "channel": "C0AAA1",
        "link": "https://acme.slack.test/files/F1", "text": text, "chunk_id": "c", "score": 1.0, "rank": 1, "clause": 0,
    }  # fmt: skip
    return Source(**(known | fields))


def query(
    columns: tuple[str, ...] = ("região", "receita"), rows: Any = (("Sul", 12.5),), **fields: Any
) -> Source:
    more = {"label": "SQL", "document": "vendas.csv", "sql": "SELECT 1", "columns": columns, "rows": rows}
    return passage("", **(more | fields))


def reply(*sources: Source, text: str = "A resposta é **42**.", **fields: Any) -> Reply:
    groups = tuple(SourceBlock(source.label, (source,)) for source in sources)
    known: dict[str, Any] = {
        "language": "pt", "sources": groups, "explanation": "Procurei nos textos.\n████ 0.9", "buttons": BUTTONS,
        "trace_id": "a" * 32,
    }  # fmt: skip
    return Reply(text, **(known | fields))


def checked(made: tuple[Post, ...]) -> str:
    """Everything that is shown, after Slack's (stricter) checks."""
    for post in made:
        check_message(post.text, list(post.blocks), Rules())
        assert pings_in(post.text, list(post.blocks), {}) == []
    return "\n".join("\n".join([post.text, *texts(list(post.blocks))]) for post in made)


def kinds(post: Post) -> list[str]:
    return [block["type"] for block in post.blocks]


def test_a_full_reply_has_answer_sources_table_folded_explanation_and_buttons() -> None:
    (post,) = posts(reply(query(), passage()))
    checked((post,))
    assert kinds(post) == [
        "markdown", "section", "section", "table", "section", "section", "container", "context_actions", "actions",
    ]  # fmt: skip
    container = post.blocks[6]
    assert container["is_collapsible"] is container["default_collapsed"] is True
    assert {child["type"] for child in container["child_blocks"]} <= {"section", "context", "divider"}
    assert "has_header_divider" not in container


def test_sources_link_to_the_file_and_name_their_channel() -> None:
    shown = checked(posts(reply(passage())))
    assert "<https://acme.slack.test/files/F1|politica.docx · p. 3> (<#C0AAA1>)" in shown
    assert "> Trinta dias." in shown


def test_a_direct_messages_own_tag_is_not_shown_as_a_channel() -> None:
    assert "@U1" not in checked(posts(reply(passage(channel="@U1"))))


@pytest.mark.parametrize("form", FORMS)
def test_every_form_says_the_answer_the_notes_and_the_sources(form: Form) -> None:
    shown = checked(posts(reply(query(), passage(), notes=("Entendi como: x",)), form))
    for expected in (
        "42",
        "Entendi como: x",
        "politica.docx",
        "Trinta dias.",
        "vendas.csv",
        "SELECT 1",
        "Sul",
        "12,5",
    ):
        assert expected in shown


def test_the_simple_form_uses_only_blocks_that_every_client_knows() -> None:
    (post,) = posts(reply(query(), passage()), "simple")
    assert set(kinds(post)) == {"section", "actions"}
    ids = [element["action_id"] for element in post.blocks[-1]["elements"]]
    assert ids[:2] == ["polyrag_up", "polyrag_down"]
    assert ids[-1] == "polyrag_explain"


def test_the_plain_form_is_text_alone() -> None:
    assert all(post.blocks == () for post in posts(reply(passage()), "plain"))


def test_rows_are_cut_with_a_count() -> None:
    rows = tuple((f"item {n}", n) for n in range(40))
    shown = checked(posts(reply(query(rows=rows))))
    assert "item 14" in shown
    assert "item 15" not in shown
    assert "e mais 25 linha(s)" in shown


def test_a_result_that_was_cut_already_says_at_least() -> None:
    rows = tuple((f"item {n}", n) for n in range(20))
    assert "pelo menos mais 6" in checked(posts(reply(query(rows=rows, truncated=True))))


def test_a_wide_table_shows_what_fits_and_says_how_much_does_not() -> None:
    columns = tuple(f"c{n}" for n in range(30))
    shown = checked(posts(reply(query(columns, (tuple(range(30)),)))))
    assert "e mais 10 coluna(s)" in shown


def test_empty_cells_and_results_are_still_a_table() -> None:
    checked(posts(reply(query(rows=((None, ""), ("", None))))))
    checked(posts(reply(query(rows=()))))
    checked(posts(reply(query(columns=(), rows=()))))


def test_a_second_table_is_shown_as_text_because_slack_takes_one() -> None:
    two = (SourceBlock("SQL", (query(), query(rows=(("Norte", 9),), rank=2))),)
    (post,) = posts(reply(sources=two))
    assert kinds(post).count("table") == 1
    assert "Norte" in checked((post,))


def test_an_answer_of_13_200_characters_is_split_and_complete() -> None:
    text = "\n\n".join(f"Parágrafo {n}. " + "palavra " * 30 for n in range(60))
    assert len(text) > 13_200
    made = posts(reply(passage(), text=text))
    shown = checked(made)
    assert len(made) == 2
    assert all(f"Parágrafo {n}." in shown for n in range(60))
    assert [post.last for post in made] == [False, True]
    assert "actions" in kinds(made[-1])
    assert "actions" not in kinds(made[0])


def test_many_sources_stay_inside_fifty_blocks() -> None:
    many = tuple(passage(f"Trecho {n}.", rank=n) for n in range(1, 80))
    made = posts(reply(sources=(SourceBlock("TEXT", many),)))
    shown = checked(made)
    assert all(f"Trecho {n}." in shown for n in range(1, 80))


def test_a_very_long_explanation_is_cut_inside_the_message() -> None:
    made = posts(reply(explanation="linha de explicação\n" * 2000))
    checked(made)
    assert "…" in "\n".join(texts(made[-1].blocks[-3]["child_blocks"]))


HOSTILE = "<!channel> <!here|x> <@U0ANA> <!subteam^S1> @everyone ```\n<https://evil.test|policy> & </script> ``` *x* _y_"


@pytest.mark.parametrize("form", FORMS)
def test_text_of_documents_pings_nobody_and_makes_no_link(form: Form) -> None:
    hostile = reply(
        query(columns=(HOSTILE, "b"), rows=((HOSTILE, 1),), sql=f"SELECT '{HOSTILE}'", document=HOSTILE),
        passage(HOSTILE, document=HOSTILE, locator=HOSTILE, link=f"https://x.test/{HOSTILE}"),
        text=HOSTILE, explanation=HOSTILE, notes=(HOSTILE,),
    )  # fmt: skip
    made = posts(hostile, form)
    checked(made)
    for text in texts([b for post in made for b in post.blocks if b["type"] in ("section", "context")]):
        assert "<https://evil.test" not in text


@pytest.mark.parametrize("form", FORMS)
def test_a_link_in_a_quotation_or_in_a_files_name_stays_text_in_every_form(form: Form) -> None:
    lure = "[a política](https://evil.test/x)"
    made = posts(
        reply(passage(f"Leia {lure} hoje.", document=f"{lure}.md", link=""), text="A resposta."), form
    )

    said = [text for post in made for text in (post.text, *texts(list(post.blocks)))]
    assert any("a política" in text for text in said)
    assert not any("<https://evil.test" in text for text in said)


def test_a_strange_address_is_no_link() -> None:
    assert link("javascript:alert(1)", "x") == "x"
    assert link("https://a.test/b|c", "x") == "x"
    assert link("https://a.test/?a=1&b=2", "x|y") == "<https://a.test/?a=1&amp;b=2|x¦y>"


def test_markdown_becomes_slacks_older_markup() -> None:
    markdown = "# Título\n**negrito** e [página](https://x.test/a?b=1&c=2)\n- um\n`**código**` <b> & c"
    assert to_mrkdwn(markdown) == (
        "*Título*\n*negrito* e <https://x.test/a?b=1&amp;c=2|página>\n• um\n`**código**` &lt;b&gt; &amp; c"
    )


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("**a b** e **c**", "*a b* e *c*"),
        ("2 ** 3 ** 4", "2 ** 3 ** 4"),
        ("**aberto", "**aberto"),
        ("**a ** b**", "*a ** b*"),
        ("***x***", "***x***"),
        ("**a\nb**", "**a\nb**"),
        ("## Seção ##  ", "*Seção*"),
        ("[a][b](https://x.test/y)", "[a]<https://x.test/y|b>"),
        ("[a](https://x.test/(y)", "[a](https://x.test/(y)"),
    ],
)
def test_marks_count_in_pairs(markdown: str, shown: str) -> None:
    assert to_mrkdwn(markdown) == shown


@pytest.mark.parametrize(
    "piece",
    ["[", "[a", "[a](http://x", "**a ", "# a ", "# a\n", "`", "*", "- ", "[a](https://x.test) ", "<@", "C0"],
)
def test_the_work_of_a_long_text_grows_with_its_length_and_not_with_its_square(piece: str) -> None:
    def seconds(size: int) -> float:
        text = "# a" + piece * (size // len(piece))
        spent = []
        for _ in range(3):
            began = process_time()
            to_mrkdwn(text)
            spent.append(process_time() - began)
        return min(spent)

    assert seconds(100_000) < 10 * seconds(20_000) + 0.005  # 5 times the text; the square would be 25 times


def test_quotations_and_code_cannot_be_left() -> None:
    assert all(line.startswith("> ") for line in quoted("a\n\n```\nb").split("\n"))
    assert code("x\n```\ny").count("```") == 2
    assert escape("<a> & b") == "&lt;a&gt; &amp; b"


def test_only_what_the_readers_may_know_is_named() -> None:
    text = "**#C0AAA1**: `C0BBB2` (U0ANA1) e C0CCC3, CONTRATO, GERENCIA"
    names = {"C0AAA1": "#geral", "C0BBB2": "#rh", "U0ANA1": "ana", "CONTRATO": "x"}
    assert named(text, names) == "**#geral**: `#rh` (ana) e C0CCC3, CONTRATO, GERENCIA"


def test_the_explanation_of_a_simple_message_opens_and_closes() -> None:
    (post,) = posts(reply(passage()), "simple")
    opened = toggled(post.blocks, "linha 1\n████ 0.9")
    check_message("x", list(opened), Rules())
    assert is_open(opened)
    assert not is_open(post.blocks)
    assert "████ 0.9" in "\n".join(texts(list(opened)))
    assert opened[-1]["type"] == "actions"
    assert toggled(opened, "") == post.blocks


def test_an_explanation_that_has_no_room_is_cut_and_not_refused() -> None:
    (post,) = posts(reply(text="palavra " * 1100), "simple")
    opened = toggled(post.blocks, "linha de explicação\n" * 1000)
    check_message("x", list(opened), Rules())


words = st.text(alphabet=st.characters(codec="utf-8"), max_size=400)


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(
    st.sampled_from(FORMS),
    st.lists(
        st.one_of(words, st.sampled_from([HOSTILE, "```\n", "palavra " * 400, "&" * 900, "\n\n"])), max_size=6
    ),
    st.lists(words, min_size=1, max_size=3),
    st.integers(0, 40),
)
def test_whatever_is_said_slack_takes_it(form: Form, parts: list[str], cells: list[str], rows: int) -> None:
    text = "".join(parts)
    table = query(
        tuple(cells), tuple(tuple(cells) for _ in range(rows)), document=text, sql=text, locator=text
    )
    made = posts(reply(table, passage(text, document=text), text=text, explanation=text, notes=(text,)), form)
    assert made
    checked(made)
    assert all(sum(map(len, texts(list(post.blocks)))) <= BUDGET + 500 for post in made)
    kept = re.sub(r"\W", "", text)[:50]
    assert not kept or made[0].text
