"""/why opens an answer for those who may know of it, by its whole id; a beginning of one is for the command line."""

from collections.abc import Iterator

import pytest

from bot.app import App
from bot.messages import Inbound
from bot.testkit import FakePlatform
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
