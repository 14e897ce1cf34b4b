"""Replies inside Discord's limits: nothing lost, nobody pinged, no fence left open."""

import discord
import pytest
from discord import ui
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.discord.write import (
    BUTTON_ID,
    FILE_BYTES,
    PAGE_FILES,
    PAGE_PARTS,
    PAGE_TEXT,
    PLAIN,
    Group,
    Page,
    Text,
    button_id,
    draft_text,
    file_names,
    fold_toggled,
    is_unfolded,
    named,
    pages_of,
    plain_pages,
    rows_text,
    view_of,
    without_files,
)
from bot.messages import Button, OutFile, Reply, SourceBlock
from core.types import Source

BUTTONS = (
    Button("up", "a1"),
    Button("down", "a1"),
    Button("why", "a1"),
    Button("fresh", "a1"),
    Button("share", "a1"),
    Button("csv", "a1"),
)


def source(label: str = "TEXT", text: str = "Trinta dias.", **more: object) -> Source:
    values: dict[str, object] = {
        "label": label, "document": "viagens.md", "document_id": "d", "locator": "p. 3", "channel": "123456789012345678",
        "link": "https://chat.example/channels/1/2/3", "text": text, "chunk_id": "c", "score": 1.0, "rank": 1, "clause": 0,
    }  # fmt: skip
    return Source(**(values | more))  # type: ignore[arg-type]


def table(rows: int, width: int = 8) -> Source:
    cells = tuple((f"item {n:03d} " + "x" * width, n * 1.5) for n in range(rows))
    return source("SQL", sql="SELECT item, valor FROM t", columns=("item", "valor"), rows=cells)


def shown(pages: tuple[Page, ...]) -> str:
    return "\n".join(part.text for page in pages for part in page.parts)


def test_a_reply_is_one_message_with_a_box_a_label_and_its_buttons() -> None:
    blocks = (SourceBlock("SQL", (table(3),)), SourceBlock("TEXT", (source(),)))
    (page,) = pages_of(
        Reply("São 30 dias.", "pt", blocks, buttons=BUTTONS[:3], trace_id="a1", notes=("do cache",))
    )

    assert [type(part) for part in page.parts] == [Text, Text, Group, Group]
    assert [part.label for part in page.parts if isinstance(part, Group)] == ["SQL", "TEXT"]
    assert page.buttons == BUTTONS[:3]
    text = shown((page,))
    assert "São 30 dias." in text
    assert "[viagens.md · p. 3](<https://chat.example/channels/1/2/3>) · <#123456789012345678>" in text
    assert "> Trinta dias." in text
    assert "item 002" in text


def test_rows_are_aligned_and_cut_with_a_count() -> None:
    text = rows_text(table(40), "pt")

    assert "item 014" in text
    assert "item 015" not in text
    assert "25" in text
    lines = [line for line in text.split("\n") if "│" in line]
    assert len({line.index("│") for line in lines}) == 1


def test_a_wide_table_still_fits() -> None:
    columns = tuple(f"coluna {n}" for n in range(60))
    wide = source(
        "SQL", sql="SELECT 1", columns=columns, rows=(tuple("valor longo " * 3 for _ in columns),) * 30
    )

    assert len(rows_text(wide, "pt")) <= 2_000


@settings(max_examples=40, deadline=None)
@given(
    st.text(st.sampled_from("ab .\n`~>*_#|@<&é漢"), max_size=9_000),
    st.integers(0, 30),
    st.integers(0, 60),
    st.integers(0, 23),
)
def test_no_reply_breaks_a_limit(text: str, quotes: int, rows: int, files: int) -> None:
    blocks = (
        SourceBlock("TEXT", tuple(source(text=text[:1_500]) for _ in range(quotes))),
        SourceBlock("SQL", tuple(table(rows, 30) for _ in range(3))),
    )
    out = tuple(OutFile(f"{n}.csv", b"x") for n in range(files))
    pages = pages_of(Reply(text, "en", blocks, buttons=BUTTONS, files=out, trace_id="a1"))

    assert sum(len(page.files) for page in pages) >= files
    assert [page.buttons for page in pages if page.buttons] == [BUTTONS]
    for page in pages:
        assert page.characters <= PAGE_TEXT
        assert len(page.files) <= PAGE_FILES
        assert all(part.text.count("```") % 2 == 0 for part in page.parts)
    assert all(0 < len(piece) <= PLAIN for piece in plain_pages(Reply(text, "en", blocks)))
    assert len(draft_text(text)) <= PLAIN


async def test_every_page_is_a_view_that_discord_takes() -> None:
    blocks = tuple(SourceBlock("TEXT", (source(text="palavra " * 180),) * 12) for _ in range(3))
    pages = pages_of(
        Reply("resposta. " * 900, "pt", blocks, buttons=BUTTONS, files=(OutFile("r.csv", b"x"),))
    )

    for page in pages:
        view = view_of(page)
        assert view.content_length() <= PAGE_TEXT
        assert view.total_children_count <= PAGE_PARTS
        assert view.has_components_v2()
        assert view.is_finished()  # nothing of it stays in this process


def test_an_answer_that_would_fill_the_channel_comes_as_a_file_too() -> None:
    pages = pages_of(Reply("Uma frase. " * 4_000, "pt"))

    assert len(pages) <= 6
    (spilled,) = [file for page in pages for file in page.files]
    assert len(spilled.data) >= 40_000
    assert "answer.md" in shown(pages)


def test_a_file_that_is_too_large_is_named_instead_of_sent() -> None:
    pages = pages_of(Reply("pronto", "pt", files=(OutFile("grande.csv", b"x" * (FILE_BYTES + 1)),)))

    assert not any(page.files for page in pages)
    assert "grande.csv" in shown(pages)


LURE = "x`[free](https://evil.example)`\n# @everyone.csv"


def test_what_a_file_is_called_stays_in_its_code_span_and_is_no_link() -> None:
    refused = shown(pages_of(Reply("pronto", "pt", files=(OutFile(LURE, b"x" * (FILE_BYTES + 1)),))))
    forbidden = without_files(Page((), files=(OutFile(LURE, b"x"),), language="pt"))
    cited = shown(pages_of(Reply("ok", "pt", (SourceBlock("TEXT", (source(document=LURE, link=""),)),))))

    plain = "".join(plain_pages(Reply("ok", "pt", (SourceBlock("TEXT", (source(document=LURE, link=""),)),))))
    assert "evil" in plain
    assert "](https://" not in plain

    for text in (refused, "".join(part.text for part in forbidden.parts)):
        assert "evil" in text
        assert "evil" not in "".join(text.split("`")[::2])
        assert "@everyone" not in text
    assert "](https://" not in cited
    assert "https://" not in cited
    assert "@everyone" not in cited


def test_a_link_in_a_quotation_stays_text_in_every_form() -> None:
    lure = "Leia [a política](https://evil.example/x) hoje."
    reply = Reply("ok", "pt", (SourceBlock("TEXT", (source(text=lure, link=""),)),))

    for text in (shown(pages_of(reply)), "".join(plain_pages(reply))):
        assert "a política" in text
        assert "\\[a política](" in text


def test_documents_ping_nobody_and_break_out_of_nothing() -> None:
    evil = "@everyone <@123> <#9> ```\n# grande\n**forte** ||segredo|| [x](http://mal.example)"
    quoted = shown(pages_of(Reply("ok", "pt", (SourceBlock("TEXT", (source(text=evil),)),))))

    assert "@everyone" not in quoted
    assert "<@123>" not in quoted
    assert "```" not in quoted
    assert "\\*\\*forte\\*\\*" in quoted
    assert all(line.startswith(">") for line in quoted.split("\n")[3:])


def test_ids_in_the_bots_own_words_become_names() -> None:
    listed = "**#123456789012345678**\n- `viagens.md` (223456789012345678, 2026-01-05)\n`123456789012345678` agora lê"

    assert named(listed) == (
        "**<#123456789012345678>**\n- `viagens.md` (<@223456789012345678>, 2026-01-05)\n<#123456789012345678> agora lê"
    )


def test_an_answer_is_left_as_it_was_written() -> None:
    (page,) = pages_of(Reply("pedido #123456789012345678", "pt", trace_id="a1"))

    assert page.parts == (Text("pedido #123456789012345678"),)


@pytest.mark.parametrize("button", BUTTONS)
def test_a_buttons_id_says_what_it_does(button: Button) -> None:
    import re

    found = re.fullmatch(BUTTON_ID, button_id(button))

    assert found is not None
    assert (found["action"], found["trace"]) == (button.action, button.value)


async def test_the_explanation_unfolds_above_the_buttons_and_folds_again() -> None:
    (page,) = pages_of(Reply("São 30 dias.", "pt", buttons=BUTTONS[:3], trace_id="a1"))
    view = fold_toggled(view_of(page), "```\nporque sim\n```")

    assert view is not None
    assert is_unfolded(view)
    assert [type(item) for item in view.children] == [ui.TextDisplay, ui.Container, ui.ActionRow]
    folded = fold_toggled(view, "")
    assert folded is not None
    assert not is_unfolded(folded)
    assert [type(item) for item in folded.children] == [ui.TextDisplay, ui.ActionRow]


async def test_an_explanation_without_room_is_not_unfolded() -> None:
    (page,) = pages_of(Reply("x" * 3_500, "pt", buttons=BUTTONS[:3], trace_id="a1"))

    assert fold_toggled(view_of(page), "y" * 600) is None


def test_file_names_are_kept_apart_and_as_discord_shows_them() -> None:
    files = [
        OutFile("Relatório 1.csv", b""),
        OutFile("Relatório 1.csv", b""),
        OutFile(".x", b""),
        OutFile("é", b""),
    ]

    assert file_names(files) == ["Relat_rio_1.csv", "2-Relat_rio_1.csv", "x", "file"]


def test_an_empty_reply_still_says_something() -> None:
    (page,) = pages_of(Reply(""))

    assert page.parts
    assert plain_pages(Reply("")) == ("—",)


def test_buttons_carry_the_readers_language() -> None:
    assert discord.ButtonStyle.secondary  # the views below need no connection

    async def labels(language: str) -> list[str | None]:
        view = view_of(Page((Text("x"),), BUTTONS, language=language))  # type: ignore[arg-type]
        return [item.label for item in view.walk_children() if isinstance(item, ui.Button)]

    import asyncio

    assert asyncio.run(labels("pt"))[2] == "Por quê?"
    assert asyncio.run(labels("en"))[2] == "Why?"
