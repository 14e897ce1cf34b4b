"""A channel may read another by an admin's link; a private one only when one of its members opens it."""

import asyncio
from collections.abc import Iterator

import pytest

from bot.commands.run import run_command
from bot.messages import Inbound
from bot.testkit import FakePlatform

CHANNELS = {
    "geral": {},
    "obras": {},
    "rh": {"visibility": "private", "members": ["ana"]},
    "diretoria": {"visibility": "private", "members": ["caio"]},
}


@pytest.fixture
def chat() -> Iterator[FakePlatform]:
    settings = {"language": "pt", "permissions": {"public": "channel"}}
    with FakePlatform(channels=CHANNELS, admins=["root"], settings=settings) as platform:
        for user, channel in (("bia", "obras"), ("ana", "rh"), ("caio", "diretoria")):
            platform.says(
                user, files={f"{channel}.md": f"# {channel}\n\nNotas de {channel}."}, channel=channel
            )
        yield platform


def reads(chat: FakePlatform, user: str, channel: str) -> set[str]:
    text = chat.says(user, "!sources", channel=channel).text
    return {name for name in ("obras", "rh", "diretoria") if f"`{name}.md`" in text}


def test_a_public_channel_is_linked_at_once_and_unlinked_again(chat: FakePlatform) -> None:
    assert reads(chat, "bia", "geral") == set()

    assert "`geral` agora lê `obras`" in chat.says("root", "!link #obras", channel="geral").text
    assert reads(chat, "bia", "geral") == {"obras"}
    assert reads(chat, "bia", "obras") == {"obras"}  # one way only

    assert "desfeito" in chat.says("root", "!unlink obras", channel="geral").text
    assert reads(chat, "bia", "geral") == set()


def test_a_private_channel_opens_only_when_its_own_member_approves(chat: FakePlatform) -> None:
    chat.says("root", "!link #rh", channel="geral")
    assert reads(chat, "bia", "geral") == set()

    refused = chat.says("root", "!approve #geral", channel="rh")  # an admin, but no member
    assert "não pode" in refused.text
    chat.says("root", "!approve #geral", channel="geral")
    assert reads(chat, "bia", "geral") == set()

    assert "também recebe respostas" in chat.says("ana", "!approve #geral", channel="rh").text
    assert reads(chat, "bia", "geral") == {"rh"}


def test_a_member_closes_the_channel_again(chat: FakePlatform) -> None:
    chat.says("root", "!link #rh", channel="geral")
    chat.says("ana", "!approve #geral", channel="rh")

    assert "não recebe mais nada" in chat.says("ana", "!approve no #geral", channel="rh").text
    assert reads(chat, "bia", "geral") == set()


def test_linking_again_after_closing_needs_a_new_approval(chat: FakePlatform) -> None:
    chat.says("root", "!link #rh", channel="geral")
    chat.says("ana", "!approve #geral", channel="rh")
    chat.says("root", "!unlink #rh", channel="geral")
    chat.says("root", "!link #rh", channel="geral")

    assert reads(chat, "bia", "geral") == set()


def test_nothing_is_opened_that_no_admin_asked_for(chat: FakePlatform) -> None:
    assert "Nenhum administrador pediu" in chat.says("ana", "!approve #geral", channel="rh").text
    chat.says("root", "!link #diretoria", channel="geral")
    assert "Nenhum administrador pediu" in chat.says("ana", "!approve #geral", channel="rh").text

    assert reads(chat, "bia", "geral") == set()


def test_a_link_does_not_tell_a_private_channel_from_none(chat: FakePlatform) -> None:
    private = chat.says("root", "!link #diretoria", channel="geral").text
    nothing = chat.says("root", "!link #inventado", channel="geral").text

    assert private.replace("diretoria", "x") == nothing.replace("inventado", "x")


def test_every_act_is_in_the_audit_trail(chat: FakePlatform) -> None:
    chat.says("root", "!link #rh", channel="geral")
    chat.says("ana", "!approve #geral", channel="rh")
    chat.says("ana", "!approve no #geral", channel="rh")
    chat.says("root", "!unlink #rh", channel="geral")

    acts = [(row["actor"], row["action"]) for row in chat.app.records.audit_tail(50)]
    wanted = [("console:root", "link"), ("console:ana", "approve"), ("console:ana", "close")]
    assert [act for act in acts if act[1] in ("link", "approve", "close", "unlink")] == wanted


@pytest.mark.parametrize("line", ["!link", "!link a b", "!link console:local/rh", "!approve", "!unlink"])
def test_a_wrong_use_shows_the_usage(chat: FakePlatform, line: str) -> None:
    assert "Uso:" in chat.says("root", line, channel="geral").text


@pytest.mark.parametrize("written", ["#obras", "obras", "<#obras>", "<#obras|canal das obras>"])
def test_a_channel_is_named_as_platforms_write_it(chat: FakePlatform, written: str) -> None:
    chat.says("root", f"!link {written}", channel="geral")

    assert reads(chat, "bia", "geral") == {"obras"}


def test_a_command_that_only_its_admin_sees_says_what_counts_for_the_channel() -> None:
    """The admin is a member of the private channel, its readers here are not."""
    admin = {"permissions": {"public": "channel"}, "language": "pt"}
    with FakePlatform(channels=CHANNELS, admins=["ana"], settings=admin) as platform:
        inbound = Inbound("console", "local", "geral", "ana", "#rh", "m1", ephemeral=True, command="link")
        reply = asyncio.run(run_command(platform.app, inbound))

    assert "Anotado" in reply.text
