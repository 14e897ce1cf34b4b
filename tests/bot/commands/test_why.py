"""/why opens an answer for those who may know of it, by its whole id; a beginning of one is for the command line."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from bot.app import App
from bot.messages import Inbound
from bot.testkit import FakePlatform
from bot.traces import is_own
from core.types import Scope

NOTES = {"pump.md": "# Pump\n\nThe pump is in hall 3.\n"}
ASKED = "where is the pump?"


@pytest.fixture(scope="module")
def chat() -> Iterator[FakePlatform]:
    with FakePlatform(channels={"geral": {}}, settings={"language": "en"}) as platform:
        platform.says("ana", files=NOTES)
        yield platform


def test_the_whole_id_opens_an_answer_of_a_channel_and_a_beginning_of_it_does_not(chat: FakePlatform) -> None:
    trace = chat.says("ana", ASKED).trace_id

    assert trace == chat.says("bia", f"/why {trace}").trace_id
    for length in (6, 12, 31):
        assert "did not find that answer" in chat.says("bia", f"/why {trace[-length:]}").text
        assert "did not find that answer" in chat.says("ana", f"/why {trace[:length]}").text
    assert chat.says("ana", "/why").trace_id == trace


@pytest.mark.parametrize("asker", ["ana", "bia"])
def test_an_answer_of_a_direct_message_is_opened_by_its_asker_alone(
    chat: FakePlatform, monkeypatch: pytest.MonkeyPatch, asker: str
) -> None:
    trace = chat.says(asker, ASKED, channel="dm").trace_id
    kept = chat.app.records.trace(trace)
    assert kept is not None

    async def everything(app: App, inbound: Inbound) -> Scope:
        """As if a rule had narrowed the asker's scope and all of it were the other's as well."""
        return Scope(frozenset(kept.scope_tags))

    monkeypatch.setattr(App, "scope", everything)
    other = {"ana": "bia", "bia": "ana"}[asker]

    assert chat.says(asker, f"/why {trace}", channel="dm").trace_id == trace
    assert "did not find that answer" in chat.says(other, f"/why {trace}", channel="dm").text
    assert "did not find that answer" in chat.says(other, f"/why {trace}").text


def doors(chat: FakePlatform, user: str, trace: str, *, ephemeral: bool) -> list[bool]:
    """Whether each door of the bot opens an answer for a person in the public channel."""
    here = Inbound("console", "local", "geral", user, "", "1", ephemeral=ephemeral)

    async def tried() -> list[bool]:
        app = chat.app
        return [
            await app.trace_for(here, trace) is not None,
            await app.question_of(here, trace) != "",
            (await app.ask_again(here, trace, fresh=True)).trace_id != "",
            await app.judge(here, trace, True),
            (await app.handle(replace(here, command="why", text=trace))).trace_id != "",
        ]

    return chat._runner.run(tried())


@pytest.mark.parametrize("ephemeral", [False, True])
def test_a_private_answer_is_behind_no_door_but_its_askers(chat: FakePlatform, ephemeral: bool) -> None:
    asked_here = chat.says("ana", f"/ask {ASKED}").trace_id
    asked_directly = chat.says("ana", ASKED, channel="dm").trace_id

    for trace in (asked_here, asked_directly):
        assert doors(chat, "bia", trace, ephemeral=ephemeral) == [False] * 5
    assert doors(chat, "ana", asked_here, ephemeral=ephemeral) == [True] * 5


def test_why_in_a_channel_tells_of_a_private_question_to_its_asker_alone(chat: FakePlatform) -> None:
    private = chat.says("ana", f"/ask {ASKED}").trace_id
    told = chat.says("ana", "/why")
    assert (told.trace_id, told.ephemeral) == (private, True)

    public = chat.says("ana", ASKED).trace_id
    told = chat.says("ana", "/why")
    assert (told.trace_id, told.ephemeral) == (public, False)


def test_an_answer_of_which_it_was_not_noted_who_saw_it_counts_as_private(chat: FakePlatform) -> None:
    public = chat.app.records.trace(chat.says("ana", ASKED).trace_id)
    assert public is not None
    old = replace(public, id="f" * 32, body={k: v for k, v in public.body.items() if k != "private"})
    chat.app.records.add_trace(old)

    assert chat.says("ana", f"/why {old.id}").trace_id == old.id
    assert "did not find that answer" in chat.says("bia", f"/why {old.id}").text


def test_the_same_id_on_another_platform_or_in_another_workspace_is_another_person(
    chat: FakePlatform,
) -> None:
    trace = chat.app.records.trace(chat.says("ana", f"/ask {ASKED}").trace_id)
    assert trace is not None
    own = Inbound("console", "local", "geral", "ana", "", "1")

    assert is_own(trace, own)
    assert is_own(trace, replace(own, workspace="@me", channel="", direct=True))
    assert not is_own(trace, replace(own, platform="slack"))
    assert not is_own(trace, replace(own, workspace="other"))
    assert not is_own(trace, replace(own, user="bia"))
