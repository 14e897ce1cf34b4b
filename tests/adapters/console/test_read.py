"""What a typed line means."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.console.read import Leave, Press, Seat, Sit, Speak, Usage, read_line

SEAT = Seat("ana", "geral", "t1")


def read(line: str, seat: Seat = SEAT) -> object:
    return read_line(line, seat, id="m1", name="PolyRAG")


@pytest.mark.parametrize(
    "line",
    [
        "qual o prazo?",
        "  qual o prazo?  ",
        "@bot qual o prazo?",
        "@PolyRAG: qual o prazo?",
        "@polyrag, qual o prazo?",
    ],
)
def test_a_line_is_a_question_with_or_without_a_mention(line: str) -> None:
    action = read(line)

    assert isinstance(action, Speak)
    inbound = action.inbound
    assert (inbound.text, inbound.command) == ("qual o prazo?", "")
    assert (inbound.user, inbound.channel, inbound.thread, inbound.id) == ("ana", "geral", "t1", "m1")
    assert inbound.tag == "console:local/geral"
    assert not inbound.direct


def test_a_mention_of_somebody_else_stays_in_the_text() -> None:
    action = read("@bots que fazem isso?")

    assert isinstance(action, Speak)
    assert action.inbound.text == "@bots que fazem isso?"


@pytest.mark.parametrize("line", ["", "   ", "@bot", "\t"])
def test_an_empty_line_says_nothing(line: str) -> None:
    assert read(line) is None


def test_a_seat_without_a_channel_writes_directly_to_the_bot() -> None:
    action = read("oi", Seat("ana", "", "t1"))

    assert isinstance(action, Speak)
    assert action.inbound.direct
    assert action.inbound.tag == "console:local/@ana"


def test_a_command_keeps_its_arguments_as_the_text() -> None:
    action = read("!forget  Plano 2026.md ")

    assert isinstance(action, Speak)
    assert (action.inbound.command, action.inbound.text) == ("forget", "Plano 2026.md")


@pytest.mark.parametrize(
    ("line", "seat"),
    [
        ("!as bia", replace(SEAT, user="bia")),
        ("!AS bia", replace(SEAT, user="bia")),
        ("!thread vendas", replace(SEAT, thread="vendas")),
        ("!new", replace(SEAT, thread="m1")),
    ],
)
def test_moves_change_the_seat(line: str, seat: Seat) -> None:
    assert read(line) == Sit(seat)


def test_a_channel_is_looked_up_before_one_sits_there() -> None:
    assert read("!in rh") == Sit(replace(SEAT, channel="rh"), checked=False)


@pytest.mark.parametrize("word", ["up", "down", "fresh", "share"])
def test_buttons_are_commands(word: str) -> None:
    assert read(f"!{word}") == Press(word)  # type: ignore[arg-type]


@pytest.mark.parametrize("word", ["as", "in", "thread", "upload"])
def test_a_console_command_without_its_name_shows_its_usage(word: str) -> None:
    action = read(f"!{word} ")

    assert isinstance(action, Usage)
    assert action.usage.startswith(f"!{word} ")


@pytest.mark.parametrize("word", ["quit", "exit", "sair", "Q"])
def test_one_leaves_by_several_words(word: str) -> None:
    assert read(f"!{word}") == Leave()


@pytest.mark.parametrize("quoted", ["{}", '"{}"', "'{}'"])
def test_an_upload_reads_the_file_when_it_is_needed(tmp_path: Path, quoted: str) -> None:
    path = tmp_path / "plano de férias.md"
    path.write_text("# Férias", encoding="utf-8")

    action = read("!upload " + quoted.format(path))

    assert isinstance(action, Speak)
    (attachment,) = action.inbound.attachments
    assert (attachment.name, attachment.size) == ("plano de férias.md", path.stat().st_size)
    assert asyncio.run(attachment.fetch()) == path.read_bytes()
