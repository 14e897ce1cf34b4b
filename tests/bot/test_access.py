"""What changes while the bot is at work, and what a curious colleague tries: nobody gets what they may not read."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bot.app
from bot.attachments import CannotOpen, from_path
from bot.audience import ConfiguredChannels
from bot.messages import Inbound, Reply
from bot.plugins.spec import hookimpl
from bot.testkit import FakePlatform
from core.settings import ChannelSettings
from core.types import Scope

PAY = "# Salários\n\nO salário base do gerente é R$ 18.400,00.\n"
ASKED = "qual é o salário base do gerente?"
CHANNELS = {"geral": {}, "rh": {"visibility": "private", "members": ["ana", "eva"]}}


@pytest.fixture
def chat() -> Iterator[FakePlatform]:
    with FakePlatform(channels=CHANNELS, admins=["root"], settings={"language": "pt"}) as platform:
        platform.says("ana", files={"salarios.md": PAY}, channel="rh")
        platform.says("ana", files={"copa.md": "# Copa\n\nA copa fecha às 18h.\n"}, channel="geral")
        yield platform


def as_manager(chat: FakePlatform, channel: str, line: str) -> Reply:
    """Said by somebody whom the platform calls an admin, and who is no member of the private channel."""
    command, _, rest = line.partition(" ")
    inbound = Inbound("console", "local", channel, "max", rest, line, admin=True, command=command)
    return chat._runner.run(chat.app.handle(inbound))


@pytest.mark.parametrize("change", ["left", "forgotten"])
def test_an_answer_that_was_overtaken_while_it_was_written_is_thrown_away(
    chat: FakePlatform, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    assert "18.400" in chat.says("eva", ASKED, channel="dm").text
    real = bot.app.ask

    async def slow(*arguments: Any, **more: Any) -> Any:
        answer = await real(*arguments, **more)
        if change == "left":
            members = ChannelSettings(visibility="private", members=("ana",))
            chat.app.directories["console"] = ConfiguredChannels({"geral": ChannelSettings(), "rh": members})
        else:
            await chat.app.remove("console:local/rh", "salarios.md", actor="console:ana")
        return answer

    monkeypatch.setattr(bot.app, "ask", slow)
    told = chat.says("eva", f"{ASKED} ", channel="dm", fresh=True)

    assert "18.400" not in told.text
    assert "Descarto a resposta" in told.text
    assert told.sources == ()
    assert told.trace_id == ""


class OwnChannelOnlyOutside:
    """A rule by which nobody reads the private channel, not even inside it."""

    @hookimpl
    def narrow_scope(self, scope: Scope, inbound: Inbound) -> Scope:
        return Scope(frozenset(tag for tag in scope.tags if not tag.endswith("/rh")))


def test_what_was_asked_in_a_private_channel_is_not_explained_outside_it_whatever_it_was_answered_from() -> (
    None
):
    with FakePlatform(channels=CHANNELS, plugins={"rule": OwnChannelOnlyOutside()}) as chat:
        chat.says("ana", files={"copa.md": "# Copa\n\nA copa fecha às 18h.\n"}, channel="geral")
        trace = chat.says("ana", "quando fecha a copa, antes da demissão do Rui?", channel="rh").trace_id

        assert trace == chat.says("ana", f"/why {trace}", channel="rh").trace_id
        told = chat.says("bia", f"/why {trace}", channel="geral")
        assert told.trace_id == ""
        assert "Rui" not in told.text


def test_the_audit_tells_an_admin_that_somebody_asked_privately_and_not_from_what(
    chat: FakePlatform,
) -> None:
    private = chat.says("ana", f"/ask {ASKED}", channel="geral")
    public = chat.says("ana", "quando fecha a copa?", channel="geral")
    text = as_manager(chat, "geral", "audit").text

    assert public.trace_id in text
    assert private.trace_id not in text
    for source in (source for block in private.sources for source in block.sources):
        assert source.chunk_id not in text
    assert text.count("  ask  ") == 2


def test_who_is_no_member_takes_no_link_of_a_private_channel_away(chat: FakePlatform) -> None:
    chat.app.records.link("console:local/rh", "console:local/geral", "console:root")

    assert "não pode" in as_manager(chat, "rh", "unlink geral").text
    assert "não pode" in as_manager(chat, "rh", "unlink nenhum").text
    assert chat.app.records.links() == {"console:local/rh": ("console:local/geral",)}


def test_direct_messages_cannot_be_linked(chat: FakePlatform) -> None:
    assert "Uso:" in as_manager(chat, "geral", "link @ana").text
    assert chat.app.records.links() == {}


@pytest.mark.parametrize(("user", "typed", "hint"), [("ana", "auditt", False), ("root", "auditt", True)])
def test_a_mistyped_command_hints_only_at_what_one_may_run(
    chat: FakePlatform, user: str, typed: str, hint: bool
) -> None:
    told = chat.says(user, f"/{typed}").text

    assert ("`audit`" in told) is hint


def test_a_refused_command_is_refused_in_the_bots_language_and_not_in_that_of_its_arguments(
    chat: FakePlatform,
) -> None:
    assert "não pode" in as_manager(chat, "rh", "listen on").text


@pytest.mark.parametrize(("language", "words"), [("pt", "não existe"), ("en", "there is none")])
def test_what_the_system_refuses_is_said_in_the_readers_language(language: str, words: str) -> None:
    async def fetched() -> None:
        await from_path(Path("nenhum.md")).fetch()

    with pytest.raises(CannotOpen) as caught:
        asyncio.run(fetched())
    assert words in caught.value.say(language)
    assert "No such" not in caught.value.say(language)


def test_a_channel_that_turns_private_takes_answers_explanations_and_rows_along(chat: FakePlatform) -> None:
    def declared(**visibility: str) -> ConfiguredChannels:
        found = {
            name: ChannelSettings(visibility=kind, members=("ana",)) for name, kind in visibility.items()
        }
        return ConfiguredChannels(found)  # type: ignore[arg-type]

    app = chat.app
    app.directories["console"] = declared(geral="public", rh="public")
    asked = chat.says("bia", ASKED, channel="geral", thread="t")
    assert "18.400" in asked.text
    assert chat.presses("bia", "up", asked, channel="geral")

    app.directories["console"] = declared(geral="public", rh="private")
    for text, thread in ((ASKED, ""), (ASKED, "t"), ("e o do diretor?", "t"), (f"/why {asked.trace_id}", "")):
        told = chat.says("bia", text, channel="geral", thread=thread)
        assert "18.400" not in told.text + told.explanation
        assert [block for block in told.sources for s in block.sources if s.document == "salarios.md"] == []
    assert "salarios" not in chat.says("bia", "/sources", channel="dm").text
    assert not chat.presses("bia", "up", asked, channel="geral")
    assert "18.400" in chat.says("ana", ASKED, channel="dm").text
