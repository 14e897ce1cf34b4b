"""What changes a whole channel names that channel first, also when it is said in one of its threads."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from bot.messages import Inbound, Reply
from bot.testkit import FakePlatform

NOTES = {"pump.md": "# Pump\n\nThe pump is in hall 3.\n"}
CHANNELS = {
    "geral": {},
    "rh": {"visibility": "private", "members": ["ana"]},
    "obra": {"visibility": "private", "members": ["root"]},
}


@pytest.fixture
def chat() -> Iterator[FakePlatform]:
    with FakePlatform(channels=CHANNELS, admins=["root"], settings={"language": "en"}) as platform:
        for user, channel in (("ana", "geral"), ("ana", "rh"), ("root", "obra")):
            platform.says(user, files=NOTES, channel=channel)
        yield platform


def files(chat: FakePlatform, channel: str) -> int:
    return len(chat.app.ingest_ports.ledger.placements([f"console:local/{channel}"]))


def code_in(reply: Reply) -> str:
    found = re.search(r"erase channel ([0-9a-f]+)", reply.text)
    assert found, reply.text
    return found.group(1)


def test_erasing_a_channel_names_it_and_waits_to_be_confirmed(chat: FakePlatform) -> None:
    asked = chat.says("root", "/erase channel", channel="geral", thread="t1")

    assert files(chat, "geral") == 1
    assert "#geral" in asked.text
    assert "whole channel with its threads" in asked.text
    assert "1 file" in asked.text
    done = chat.says("root", f"/erase channel {code_in(asked)}", channel="geral", thread="t1")
    assert files(chat, "geral") == 0
    assert "Channel #geral erased: 1 file(s)" in done.text


def test_what_confirms_one_channel_confirms_no_other(chat: FakePlatform) -> None:
    code = code_in(chat.says("root", "/erase channel", channel="obra"))

    for given in (code, "yes", "geral", code[:3]):
        assert "#geral" in chat.says("root", f"/erase channel {given}", channel="geral").text
    assert files(chat, "geral") == 1


def test_an_admin_erases_no_channel_that_they_do_not_read(chat: FakePlatform) -> None:
    told = chat.says("root", "/erase channel", channel="rh")

    assert "may not" in told.text
    assert files(chat, "rh") == 1


@pytest.mark.parametrize("word", ["on", "off"])
def test_listening_says_where_it_counts(chat: FakePlatform, word: str) -> None:
    told = chat.says("root", f"/listen {word}", channel="geral", thread="t1")

    assert "#geral" in told.text
    assert "whole channel with its threads" in told.text


def test_a_private_thread_is_a_place_by_itself(chat: FakePlatform) -> None:
    own = Inbound("console", "local", "obra", "root", "on", "1", "obra", command="listen")

    for command, text in (("listen", "on"), ("erase", "channel")):
        told = chat._runner.run(chat.app.handle(replace(own, command=command, text=text)))
        assert "this private thread alone" in told.text
