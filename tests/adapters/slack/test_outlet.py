"""How a reply reaches Slack: a sign at once, the text while it is written, the final form, and less where Slack wants less."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError

from adapters.slack.calls import Lightly, Pace, light_client, patient_client
from adapters.slack.outlet import Origin, SlackOutlet
from adapters.slack.people import People
from adapters.slack.private import webhook_error
from bot.messages import Button, Inbound, OutFile, Reply
from bot.testkit import stand_in_settings
from tests.adapters.slack.fake import TEAM, FakeSlack, Message
from tests.adapters.slack.world import PAUSES

BUTTONS = (Button("up", "t1"), Button("down", "t1"), Button("why", "t1"))
REPLY = Reply(
    "A resposta é **42**.", "pt", explanation="Procurei nos textos.", buttons=BUTTONS, trace_id="t1"
)


@dataclass(slots=True)
class Room:
    slack: FakeSlack
    outlet: SlackOutlet
    ana: str
    place: str
    drafted: list[tuple[str, str]] = field(default_factory=list)

    async def asked(self, **more: Any) -> Inbound:
        ts = await self.slack.post(self.ana, self.place, "qual?")
        return Inbound("slack", TEAM, self.place, self.ana, "qual?", ts, place=self.place, **more)

    def said(self, thread: str = "") -> list[Message]:
        return self.slack.bot_messages(self.place, thread)


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    slack = FakeSlack(events=())
    async with slack, aiohttp.ClientSession() as session:
        client = patient_client(slack.bot_token, slack.api_url, session, pauses=PAUSES)
        light = light_client(slack.bot_token, slack.api_url, session)
        drafted: list[tuple[str, str]] = []

        async def names(inbound: Inbound, ids: frozenset[str]) -> Mapping[str, str]:
            return {}

        async def note(key: str, ts: str) -> None:
            drafted.append((key, ts))

        outlet = SlackOutlet(
            client, light, People(client, TEAM, seconds=60), stand_in_settings({}, {}, ()), names=names,
            drafted=note, pace=Pace(burst=100, per_second=100), pauses=PAUSES,
        )  # fmt: skip
        ana = await slack.add_user("ana")
        place = await slack.add_channel("geral", members=[ana])
        yield Room(slack, outlet, ana, place, drafted)
        assert slack.pings == []


async def test_a_status_stands_until_the_answer_comes(room: Room) -> None:
    inbound = await room.asked()
    draft = await room.outlet.begin(inbound)
    assert room.slack.status(room.place, inbound.id) == "está procurando…"
    assert room.said() == []
    assert draft.inbound.thread == inbound.id
    message = await draft.finish(REPLY)
    (answer,) = room.said(inbound.id)
    assert answer.ts == message
    assert room.slack.status(room.place, inbound.id) == ""


async def test_a_status_that_stands_before_its_turn_is_not_put_again(room: Room) -> None:
    inbound = await room.asked()
    room.outlet.hurry(inbound)
    draft = await room.outlet.begin(inbound)
    assert room.slack.status(room.place, inbound.id) == "está procurando…"
    assert len(room.slack.calls("assistant.threads.setStatus")) == 1
    await draft.finish(REPLY)
    assert room.slack.status(room.place, inbound.id) == ""


async def test_without_statuses_a_placeholder_becomes_the_answer(room: Room) -> None:
    room.slack.scopes -= {"assistant:write"}
    room.slack.fail("assistant.threads.setStatus", error="not_allowed_token_type")
    inbound = await room.asked()
    room.outlet.note(inbound, Origin("event:Ev1"))
    draft = await room.outlet.begin(inbound)
    (placeholder,) = room.said(inbound.id)
    assert placeholder.text == "Procurando…"
    assert room.drafted == [("event:Ev1", placeholder.ts)]
    assert await draft.finish(REPLY) == placeholder.ts
    assert len(room.said()) == 1
    assert "42" in room.slack.text_of(placeholder)
    assert not placeholder.edited


async def test_an_answer_is_streamed_and_ends_as_its_blocks(room: Room) -> None:
    inbound = await room.asked()
    room.outlet.note(inbound, Origin("event:Ev1"))
    draft = await room.outlet.begin(inbound)
    await draft.show("A resposta")
    await draft.show("A resposta é **42**")
    (message,) = room.said(inbound.id)
    assert message.streaming
    assert message.text == "A resposta é **42**"
    assert room.drafted == [("event:Ev1", message.ts)]
    assert await draft.finish(REPLY) == message.ts
    assert not message.streaming
    assert len(room.said()) == 1
    assert (
        room.slack.text_of(message).count("42") == 2
    )  # the notification's text and the answer, not the stream too
    start = room.slack.calls("chat.startStream")[0].arguments
    assert (start["recipient_user_id"], start["recipient_team_id"]) == (room.ana, TEAM)


async def test_a_stream_pings_nobody_wherever_its_pieces_are_cut(room: Room) -> None:
    draft = await room.outlet.begin(await room.asked())
    for text in ("Veja <", "Veja <!channel> e `", f"Veja <!channel> e `x`, @here, <@{room.ana}>"):
        await draft.show(text)
    assert len(room.slack.calls("chat.appendStream")) == 2
    (message,) = room.said()
    assert message.streaming
    assert "channel" in message.text
    assert "<!channel>" not in message.text


async def test_a_text_that_turns_out_otherwise_replaces_what_was_streamed(room: Room) -> None:
    draft = await room.outlet.begin(await room.asked())
    await draft.show("A resposta é 41")
    await draft.show("Lendo a página 3 de 120")
    await draft.finish(REPLY)
    (message,) = room.said()
    assert "41" not in room.slack.text_of(message)
    assert "página" not in room.slack.text_of(message)


async def test_where_streams_are_refused_the_text_is_edited(room: Room) -> None:
    room.slack.rules.streams = False
    draft = await room.outlet.begin(await room.asked())
    await draft.show("A resposta")
    await draft.show("A resposta é")
    (message,) = room.said()
    assert [text for text, _ in message.versions] == ["A resposta", "A resposta é"]
    await draft.finish(REPLY)
    assert len(room.said()) == 1


async def test_giving_up_in_the_middle_of_a_stream_leaves_one_message(room: Room) -> None:
    draft = await room.outlet.begin(await room.asked())
    room.slack.fail("chat.startStream", delay=0.3)
    showing = asyncio.create_task(draft.show("A resposta"))
    await asyncio.sleep(0.1)
    showing.cancel()
    await asyncio.gather(showing, return_exceptions=True)
    await draft.finish(REPLY)
    (message,) = room.said()
    assert not message.streaming


async def test_an_upload_says_nothing_before_there_is_something_to_say(room: Room) -> None:
    inbound = await room.asked()
    draft = await room.outlet.begin(inbound, quiet=True)
    assert (room.said(), room.slack.status(room.place, inbound.id)) == ([], "")
    await draft.show("`a.pdf`: lendo, 34 de 120")
    (message,) = room.said(inbound.id)
    assert message.text == "`a.pdf`: lendo, 34 de 120"
    await draft.finish(Reply("`a.pdf` guardado", "pt"))
    assert len(room.said()) == 1


async def test_a_placeholder_of_an_earlier_process_is_taken_over(room: Room) -> None:
    inbound = await room.asked()
    room.outlet.native = False
    first = await room.outlet.begin(inbound)
    draft = await room.outlet.begin(replace(inbound, draft=first.id))
    await draft.finish(REPLY)
    (message,) = room.said()
    assert "42" in room.slack.text_of(message)


async def test_a_stream_of_an_earlier_process_is_ended_and_taken_over(room: Room) -> None:
    inbound = await room.asked()
    await (await room.outlet.begin(inbound)).show("A resp")
    (half,) = room.said()
    draft = await room.outlet.begin(replace(inbound, draft=half.ts))
    assert await draft.finish(REPLY) == half.ts
    (message,) = room.said()
    assert not message.streaming
    assert "A resp\n" not in room.slack.text_of(message)
    assert "42" in room.slack.text_of(message)


async def test_a_method_that_the_app_may_not_call_is_left_alone(room: Room) -> None:
    room.slack.scopes -= {"reactions:write"}
    for _ in range(3):
        await room.outlet.sign(await room.asked(), "seen")
    assert len(room.slack.calls("reactions.add")) == 1


async def test_a_placeholder_that_somebody_deleted_is_posted_anew(room: Room) -> None:
    room.outlet.native = False
    draft = await room.outlet.begin(await room.asked())
    room.said()[0].deleted = True
    message = await draft.finish(REPLY)
    assert [m.ts for m in room.said()] == [message]


async def test_too_much_for_one_message_becomes_several_with_the_buttons_last(room: Room) -> None:
    text = "\n\n".join(f"Parágrafo {n}. " + "palavra " * 30 for n in range(60))
    draft = await room.outlet.begin(await room.asked())
    message = await draft.finish(Reply(text, "pt", buttons=BUTTONS, trace_id="t1"))
    made = room.said()
    assert len(made) == 2
    assert message == made[-1].ts
    assert all(f"Parágrafo {n}." in "\n".join(map(room.slack.text_of, made)) for n in range(60))


@pytest.mark.parametrize(
    "error", ["msg_blocks_too_long", "invalid_blocks", "msg_too_long", "invalid_blocks_format"]
)
async def test_a_refused_form_is_followed_by_a_simpler_one(room: Room, error: str) -> None:
    room.slack.fail("chat.postMessage", error=error, times=1)
    draft = await room.outlet.begin(await room.asked())
    await draft.finish(REPLY)
    (message,) = room.said()
    assert {block["type"] for block in message.blocks} == {"section", "actions"}


async def test_a_form_that_is_always_refused_is_no_longer_tried(room: Room) -> None:
    room.slack.rules.containers = False
    for _ in range(5):
        await (await room.outlet.begin(await room.asked())).finish(REPLY)
    refused = [call for call in room.slack.calls("chat.postMessage") if not call.answer["ok"]]
    assert len(refused) == 3
    assert len(room.said()) == 5


async def test_a_refusal_halfway_leaves_no_half_of_the_richer_form(room: Room) -> None:
    text = "\n\n".join(f"Parágrafo {n}. " + "palavra " * 30 for n in range(60))
    room.slack.fail("chat.postMessage", error="invalid_blocks", times=1, skip=1)
    await (await room.outlet.begin(await room.asked())).finish(Reply(text, "pt", buttons=BUTTONS))
    shown = "\n".join(map(room.slack.text_of, room.said()))
    assert shown.count("Parágrafo 3.") <= 2  # in the notification's text, and once in the answer
    assert all(f"Parágrafo {n}." in shown for n in range(60))


async def test_what_is_no_question_of_form_is_an_error(room: Room) -> None:
    room.slack.fail("chat.postMessage", error="is_archived", times=9)
    draft = await room.outlet.begin(await room.asked())
    with pytest.raises(SlackApiError):
        await draft.finish(REPLY)


async def test_a_limit_is_waited_for_as_long_as_slack_says(room: Room) -> None:
    room.slack.fail("chat.postMessage", retry_after=1)
    began = asyncio.get_running_loop().time()
    await (await room.outlet.begin(await room.asked())).finish(REPLY)
    assert asyncio.get_running_loop().time() - began >= 1
    assert len(room.said()) == 1


async def test_an_optional_method_rests_after_it_met_its_limit(room: Room) -> None:
    room.slack.fail("assistant.threads.setStatus", retry_after=30)
    for _ in range(3):
        await (await room.outlet.begin(await room.asked())).finish(REPLY)
    assert len(room.slack.calls("assistant.threads.setStatus")) == 1
    assert len(room.said()) == 3


async def test_a_private_reply_leaves_nothing_in_the_channel(room: Room) -> None:
    for native in (True, False):
        room.outlet.native = native
        draft = await room.outlet.begin(await room.asked())
        assert await draft.finish(Reply("só para você", "pt", ephemeral=True)) == ""
    assert [m.only_for for m in room.said()] == [room.ana, room.ana]


async def test_a_response_address_that_has_ended_is_replaced_by_an_ephemeral_message(room: Room) -> None:
    inbound = await room.asked(ephemeral=True)
    room.outlet.note(inbound, Origin("k", f"{room.slack.origin}/response/none"))
    await (await room.outlet.begin(inbound)).finish(REPLY)
    (message,) = room.said()
    assert message.only_for == room.ana
    assert len(room.slack.calls("chat.postEphemeral")) == 1


async def test_a_private_reply_is_simpler_where_its_form_is_refused(room: Room) -> None:
    room.slack.rules.containers = False
    inbound = await room.asked(ephemeral=True)
    path = room.slack.doors.new_url(room.place, room.ana)
    room.outlet.note(inbound, Origin("k", room.slack.origin + path))
    await (await room.outlet.begin(inbound)).finish(REPLY)
    (message,) = room.said()
    assert {block["type"] for block in message.blocks} == {"section", "actions"}


async def test_files_go_into_the_thread_or_to_the_person_alone(room: Room) -> None:
    inbound = await room.asked()
    file = OutFile("resultado.csv", b"a;b\n1;2\n")
    await (await room.outlet.begin(inbound)).finish(Reply("aqui", "pt", files=(file,)))
    assert [room.slack.file_bytes(m.files[0]) for m in room.said(inbound.id) if m.files] == [file.data]
    await room.outlet.tell(inbound, Reply("aqui", "pt", files=(file,), ephemeral=True))
    direct = await room.slack.open_dm(room.ana)
    assert [len(m.files) for m in room.slack.bot_messages(direct)] == [1]
    assert "resultado.csv" in room.slack.text_of(next(m for m in room.said() if m.only_for))


async def test_what_a_file_is_called_stays_in_its_code_span_where_it_was_sent_privately(room: Room) -> None:
    inbound = await room.asked()
    file = OutFile("x`[free](https://evil.example)\n`.csv", b"a;b\n1;2\n")
    await room.outlet.tell(inbound, Reply("aqui", "pt", files=(file,), ephemeral=True))
    said = room.slack.text_of(next(m for m in room.said() if m.only_for))

    assert "evil" in said
    assert "evil" not in "".join(said.split("`")[::2])


async def test_signs_take_each_others_place_and_commands_have_none(room: Room) -> None:
    inbound = await room.asked()
    await room.outlet.sign(inbound, "seen")
    assert room.slack.reactions(room.place, inbound.id) == {"eyes"}
    await room.outlet.sign(inbound, "failed")
    assert room.slack.reactions(room.place, inbound.id) == {"warning"}
    await room.outlet.sign(
        Inbound("slack", TEAM, room.place, room.ana, "", "trigger", place=room.place), "seen"
    )


async def test_a_flat_direct_message_is_answered_flat_and_remembered_as_one_talk(room: Room) -> None:
    place = await room.slack.open_dm(room.ana)
    ts = await room.slack.post(room.ana, place, "qual?")
    inbound = Inbound("slack", TEAM, "", room.ana, "qual?", ts, direct=True, place=place)
    draft = await room.outlet.begin(inbound)
    await draft.finish(REPLY)
    (answer,) = room.slack.bot_messages(place)
    assert answer.thread_ts == ""
    assert draft.inbound.thread == place


# --- manners ---------------------------------------------------------------------------------------


async def test_a_few_messages_go_at_once_and_then_one_a_second() -> None:
    pace = Pace(burst=3, per_second=20)
    loop = asyncio.get_running_loop()
    began = loop.time()
    for _ in range(3):
        await pace.wait("C1")
    assert loop.time() - began < 0.04
    for _ in range(4):
        await pace.wait("C1")
    assert loop.time() - began >= 0.19
    began = loop.time()
    await pace.wait("C2")
    assert loop.time() - began < 0.04


async def test_what_may_be_left_out_is_left_out_when_the_network_fails() -> None:
    async def broken() -> Any:
        raise aiohttp.ClientConnectionError("gone")

    assert await Lightly()(broken) is None


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (200, "ok", ""), (200, '{"ok": true}', ""), (200, '{"ok": false, "error": "invalid_blocks"}', "invalid_blocks"),
        (404, "expired_url", "expired_url"), (500, "", "HTTP 500"),
    ],
)  # fmt: skip
def test_a_response_addresss_answer_is_read_in_all_its_forms(status: int, body: str, error: str) -> None:
    assert webhook_error(status, body) == error
