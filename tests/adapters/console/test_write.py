"""What a reply looks like on a terminal and in a pipe."""

from io import StringIO

from rich.console import Console

from adapters.console.read import Seat
from adapters.console.write import plain, prompt, rendered, reply_shown
from bot.messages import Button, Reply, SourceBlock
from core.types import Source

TEXT = Source(
    "TEXT", "viagens.md", "d1", "p. 2", "geral", "", "A viagem\x1b[31m é pedida antes.", "c1", 0.9, 1, 0
)
ROWS = Source(
    "SQL", "vendas.csv", "d2", "vendas", "geral", "", "", "c2", 1.0, 2, 0,
    "SELECT regiao, SUM(receita) FROM vendas GROUP BY regiao", ("regiao", "receita"),
    tuple((f"Região {n}", 1234.5 * n) for n in range(1, 21)),
)  # fmt: skip
REPLY = Reply(
    "São **30 dias**.",
    "pt",
    (SourceBlock("TEXT", (TEXT,)), SourceBlock("SQL", (ROWS,))),
    "Foi para text: trecho muito próximo.\netapa cosine\ntext █████ 0.9",
    (Button("up", "t"), Button("down", "t"), Button("why", "t")),
    trace_id="t",
    notes=("modelo parado",),
)


def test_a_reply_in_a_pipe_is_plain_lines_in_order() -> None:
    text = plain(reply_shown(REPLY))

    order = [
        "São **30 dias**.",
        "· modelo parado",
        "[TEXT] viagens.md · p. 2 (#geral)",
        "[SQL] vendas.csv",
        "▸ Foi",
        "!up",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert "\x1b" not in text


def test_rows_are_an_aligned_table_cut_with_a_count() -> None:
    text = plain(reply_shown(REPLY))

    assert "SELECT regiao, SUM(receita)" in text
    assert "    regiao    │  receita" in text
    assert "    Região 1  │  1.234,5" in text
    assert "    Região 15 │ 18.517,5" in text
    assert "Região 16" not in text
    assert "… e mais 5 linha(s)" in text


def test_the_explanation_is_folded_to_its_first_sentence() -> None:
    text = plain(reply_shown(REPLY))

    assert "▸ Foi para text: trecho muito próximo." in text
    assert "etapa cosine" not in text
    assert "👍 !up  👎 !down  ? !why" in text


def test_a_terminal_shows_colours_and_the_same_content() -> None:
    out = StringIO()
    screen = Console(file=out, force_terminal=True, width=100)
    for item in rendered(reply_shown(REPLY)):
        screen.print(item)
    text = out.getvalue()

    assert "\x1b[1;36m[TEXT] viagens.md · p. 2 (#geral)" in text
    assert "30 dias" in text
    assert "**" not in text
    assert "\x1b[31m" not in text  # a document's own escape sequence does not reach the terminal


def test_brackets_of_a_document_are_no_colour_markup() -> None:
    out = StringIO()
    screen = Console(file=out, force_terminal=True, width=100)
    for item in rendered(reply_shown(Reply("", "pt", (SourceBlock("TEXT", (TEXT,)),)))):
        screen.print(item)

    assert "[TEXT]" in out.getvalue()


def test_the_prompt_says_who_and_where() -> None:
    assert prompt(Seat("ana", "geral", "t")) == "ana #geral> "
    assert prompt(Seat("ana", "", "t")) == "ana dm> "
