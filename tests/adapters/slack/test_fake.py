"""The fake Slack under the real clients: what it delivers, and what it refuses. The adapter's tests lean on all of this."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from tests.adapters.slack.fake import BOT_USER, FakeSlack
from tests.adapters.slack.fake.realclients import (
    Bot,
    client_of,
    over_http,
    over_sockets,
    refused,
    room,
    until,
)


@pytest.fixture
async def slack() -> AsyncIterator[FakeSlack]:
    async with FakeSlack() as fake:
        yield fake


async def test_a_mention_arrives_as_message_and_as_app_mention(slack: FakeSlack) -> None:
    bot = Bot(slack)
    ana, channel = await room(slack)
    async with over_sockets(slack, bot, connections=2):
        ts = await slack.post(ana, channel, "quanto vendemos?", mention=True)
        await slack.settled()

    assert bot.kinds() == ["app_mention", "message"]
    assert {event["ts"] for event in bot.events} == {ts}
    assert {event["text"] for event in bot.events} == {f"<@{BOT_USER}> quanto vendemos?"}
    assert sorted(number for number, _ in slack.sockets.deliveries) == [1, 2]
    assert len(slack.acks) == 2
    assert slack.lost == []


async def test_nothing_arrives_from_a_channel_without_the_bot(slack: FakeSlack) -> None:
    bot = Bot(slack)
    ana, channel = await room(slack, bot=False)
    async with over_sockets(slack, bot):
        await slack.post(ana, channel, "segredo", mention=True, files={"a.txt": b"x"})
        await slack.settled()

    assert bot.events == []


async def test_an_upload_arrives_as_message_and_as_file_shared(slack: FakeSlack) -> None:
    bot = Bot(slack)
    ana, channel = await room(slack)
    async with over_sockets(slack, bot):
        await slack.post(ana, channel, files={"a.csv": b"x,y", "b.csv": b"1"})
        await slack.settled()

    assert bot.kinds() == ["file_shared", "file_shared", "message/file_share"]
    assert {event["user_id"] for event in bot.events if event["type"] == "file_shared"} == {ana}


async def test_edits_carry_the_message_before_and_a_mention_only_when_it_is_added(slack: FakeSlack) -> None:
    bot = Bot(slack)
    ana, channel = await room(slack)
    async with over_sockets(slack, bot):
        ts = await slack.post(ana, channel, "quanto vendemos?")
        await slack.settled()
        await slack.edit(ana, channel, ts, "quanto vendemos hoje?")
        await slack.settled()
        assert bot.kinds() == ["message", "message/message_changed"]
        await slack.edit(ana, channel, ts, "quanto vendemos hoje?", mention=True)
        await slack.settled()
        await slack.edit(ana, channel, ts, "e ontem?", mention=True)
        await slack.settled()

    assert bot.kinds() == ["app_mention", *["message", *["message/message_changed"] * 3]]
    last = bot.events[-1]
    assert last["previous_message"]["text"].endswith("hoje?")
    assert last["message"]["text"].endswith("ontem?")
    assert last["message"]["edited"]["user"] == ana


async def test_deleting_a_message_deletes_the_files_that_stand_nowhere_else(slack: FakeSlack) -> None:
    bot = Bot(slack)
    ana, channel = await room(slack)
    async with over_sockets(slack, bot):
        ts = await slack.post(ana, channel, files={"a.csv": b"x"})
        await slack.settled()
        bot.events.clear()
        await slack.delete(ana, channel, ts)
        await slack.settled()

    assert bot.kinds() == ["file_deleted", "message/message_deleted"]
    assert {event.get("deleted_ts") for event in bot.events} == {ts, None}


async def test_membership_and_channel_events_say_what_happened(slack: FakeSlack) -> None:
    bot = Bot(slack)
    ana, channel = await room(slack)
    bia = await slack.add_user("bia")
    hidden = await slack.add_channel("rh", private=True, members=[ana])
    async with over_sockets(slack, bot):
        await slack.join(bia, channel)
        await slack.leave(bia, channel)
        await slack.archive(ana, hidden)
        await slack.convert_to_private(ana, channel)
        await slack.leave(BOT_USER, channel)
        await slack.post(ana, channel, "o bot saiu")
        await slack.delete_channel(ana, hidden)
        await slack.settled()

    told = [kind for kind in bot.kinds() if not kind.startswith("message")]
    assert told == [
        "group_archive",
        "group_deleted",
        "group_left",
        "member_joined_channel",
        "member_left_channel",
    ]
    assert "message/channel_convert_to_private" in bot.kinds()
    assert all(event.get("text") != "o bot saiu" for event in bot.events)


async def test_events_without_scope_or_subscription_do_not_arrive() -> None:
    scopes = ("app_mentions:read", "channels:history", "chat:write")
    async with FakeSlack(scopes=scopes, events=("app_mention", "message.channels", "file_shared")) as slack:
        bot = Bot(slack)
        ana, channel = await room(slack)
        hidden = await slack.add_channel("rh", private=True, members=[ana])
        async with over_sockets(slack, bot):
            await slack.post(ana, channel, "aqui", files={"a.txt": b"x"})
            await slack.post(ana, hidden, "escondido")
            await slack.settled()

    assert bot.kinds() == ["message/file_share"]


async def test_an_event_that_is_not_acknowledged_comes_again_over_sockets(slack: FakeSlack) -> None:
    slack.ack_seconds = 0.1
    app = AsyncApp(
        signing_secret=slack.signing_secret, client=client_of(slack)
    )  # no listener: Bolt answers nothing
    ana, channel = await room(slack)
    handler = AsyncSocketModeHandler(app, slack.app_token)
    await handler.connect_async()
    await slack.post(ana, channel, "oi")
    await slack.settled()
    await handler.close_async()

    envelopes = [envelope for _, envelope in slack.sockets.deliveries]
    assert [envelope["retry_attempt"] for envelope in envelopes] == [0, 1, 2, 3]
    assert [envelope["retry_reason"] for envelope in envelopes] == ["", "timeout", "timeout", "timeout"]
    assert len({envelope["payload"]["event_id"] for envelope in envelopes}) == 1
    assert len({envelope["envelope_id"] for envelope in envelopes}) == 4
    assert slack.lost == [envelopes[0]["payload"]["event_id"]]


async def test_a_redelivered_event_keeps_its_id_over_both_transports(slack: FakeSlack) -> None:
    bot = Bot(slack)
    ana, channel = await room(slack)
    async with over_sockets(slack, bot):
        await slack.post(ana, channel, "oi")
        await slack.settled()
        slack.redeliver(last=1)
        await slack.settled()
    async with over_http(slack, bot):
        slack.redeliver(last=1)
        await slack.settled()

    assert len({body["event_id"] for body in bot.bodies}) == 1
    assert bot.retries == [["0"], ["1"], ["1"]]


async def test_http_requests_are_signed_and_sent_again_until_they_are_answered(slack: FakeSlack) -> None:
    seen: list[tuple[str | None, str | None]] = []

    async def answer(request: web.Request) -> web.Response:
        body = await request.json()
        if body["type"] == "url_verification":
            return web.json_response({"challenge": body["challenge"]})
        seen.append((request.headers.get("X-Slack-Retry-Num"), request.headers.get("X-Slack-Retry-Reason")))
        if len(seen) == 1:
            await asyncio.sleep(0.3)
        return web.Response(status=200 if len(seen) > 2 else 500)

    app = web.Application()
    app.router.add_post("/", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    slack.ack_seconds = 0.1
    await slack.use_http(f"http://127.0.0.1:{runner.addresses[0][1]}/")
    ana, channel = await room(slack)
    await slack.post(ana, channel, "oi")
    await slack.settled()
    await runner.cleanup()

    assert seen == [(None, None), ("1", "http_timeout"), ("2", "http_error")]


async def test_bolt_takes_the_signature_and_refuses_a_forged_or_an_old_one(slack: FakeSlack) -> None:
    bot = Bot(slack)
    ana, channel = await room(slack)
    async with over_http(slack, bot):
        await slack.post(ana, channel, "oi", mention=True)
        await slack.settled()
        assert bot.kinds() == ["app_mention", "message"]
        assert slack.webhooks is not None
        body = b'{"type": "event_callback"}'
        forged = await slack.webhooks.post(body, "application/json", secret="guess")
        old = await slack.webhooks.post(body, "application/json", age=600)

    assert (forged.status, old.status) == (401, 401)


async def test_the_sdk_connects_again_after_disconnect_and_after_a_cut_line(slack: FakeSlack) -> None:
    bot = Bot(slack)
    ana, channel = await room(slack)
    async with over_sockets(slack, bot):
        await slack.disconnect()
        await until(lambda: slack.sockets.opened == 2 and len(slack.sockets.connections) == 1)
        await slack.post(ana, channel, "ainda aí?")
        await slack.settled()
        slack.drop_sockets()
        await slack.post(ana, channel, "e agora?")
        await slack.settled()

    assert slack.sockets.opened >= 3
    assert [event["text"] for event in bot.events] == ["ainda aí?", "e agora?"]
    assert slack.lost == []


async def test_what_a_closed_socket_left_unacknowledged_goes_to_another_one(slack: FakeSlack) -> None:
    bot = Bot(slack)
    ana, channel = await room(slack)
    session = aiohttp.ClientSession()
    opened = await client_of(slack).apps_connections_open(app_token=slack.app_token)
    silent = await session.ws_connect(opened["url"])
    assert (await silent.receive_json())["type"] == "hello"
    await slack.post(ana, channel, "alguém?")
    assert (await silent.receive_json())["type"] == "events_api"
    await silent.close()
    async with over_sockets(slack, bot):
        await slack.settled()
    await session.close()

    assert [event["text"] for event in bot.events] == ["alguém?"]
    assert slack.sockets.deliveries[-1][1]["retry_reason"] == "connection_closed"
    with pytest.raises(aiohttp.WSServerHandshakeError):
        async with aiohttp.ClientSession() as other, other.ws_connect(opened["url"]):
            pass  # a ticket opens one connection


async def test_a_slash_command_is_answered_with_its_acknowledgement_and_later(slack: FakeSlack) -> None:
    bot = Bot(slack)

    @bot.app.command("/ask")
    async def ask(ack: Any, respond: Any, command: dict[str, Any]) -> None:
        await ack("um momento")
        await respond(f"resposta a {command['text']}")

    ana, channel = await room(slack)
    bia = await slack.add_user("bia")
    for transport in (over_sockets, over_http):
        async with transport(slack, bot):  # type: ignore[operator]
            clicked = await slack.slash(ana, channel, "/ask", "quanto?")
            await until(lambda: len(slack.bot_messages(channel)) % 2 == 0)
        assert clicked.acknowledged

    assert (
        sorted(m.text for m in slack.visible_to(ana, channel))
        == ["resposta a quanto?"] * 2 + ["um momento"] * 2
    )
    assert slack.visible_to(bia, channel) == []
    assert slack.messages(channel) == []


async def test_a_command_that_nobody_acknowledges_shows_an_error(slack: FakeSlack) -> None:
    slack.ack_seconds = 0.1
    bot = Bot(slack)

    @bot.app.command("/ask")
    async def ask(command: dict[str, Any]) -> None:
        return None

    ana, channel = await room(slack)
    async with over_sockets(slack, bot):
        clicked = await slack.slash(ana, channel, "/ask", "x")

    assert (clicked.acknowledged, slack.user_errors) == (False, ["operation_timeout"])


BUTTONS: list[dict[str, Any]] = [
    {"type": "section", "text": {"type": "mrkdwn", "text": "Resposta"}},
    {
        "type": "actions",
        "block_id": "feedback",
        "elements": [
            {"type": "button", "action_id": "up", "value": "t1", "text": {"type": "plain_text", "text": "👍"}}
        ],
    },
]


async def test_a_button_inside_a_message_can_change_it_and_answer_its_presser(slack: FakeSlack) -> None:
    bot = Bot(slack)
    payloads: list[dict[str, Any]] = []

    @bot.app.action("up")
    async def up(ack: Any, body: dict[str, Any], client: AsyncWebClient, respond: Any) -> None:
        await ack()
        payloads.append(body)
        await client.chat_update(
            channel=body["channel"]["id"], ts=body["message"]["ts"], text="Obrigado", blocks=[BUTTONS[0]]
        )
        await respond(text="só para você", replace_original=False)

    ana, channel = await room(slack)
    async with over_sockets(slack, bot):
        posted = await client_of(slack).chat_postMessage(channel=channel, text="Resposta", blocks=BUTTONS)
        message = slack.message(channel, posted["ts"])
        await slack.press(ana, message, "up")
        await until(lambda: len(slack.bot_messages(channel)) == 2)
        with pytest.raises(LookupError):
            await slack.press(ana, message, "up")

    assert payloads[0]["actions"][0]["value"] == "t1"
    assert (message.text, len(message.blocks), message.edited) == ("Obrigado", 1, "")
    assert [(m.text, m.only_for) for m in slack.bot_messages(channel)] == [
        ("Obrigado", ""),
        ("só para você", ana),
    ]


async def test_shortcuts_home_modals_and_the_assistant_reach_their_listeners(slack: FakeSlack) -> None:
    bot = Bot(slack)
    seen: list[str] = []

    @bot.app.shortcut("remember")
    async def remember(ack: Any, body: dict[str, Any], client: AsyncWebClient) -> None:
        await ack()
        seen.append(body["message"]["text"])
        title = {"type": "plain_text", "text": "Guardar"}
        block = {"type": "section", "text": {"type": "mrkdwn", "text": "?"}}
        view = {"type": "modal", "callback_id": "keep", "title": title, "submit": title, "blocks": [block]}
        await client.views_open(trigger_id=body["trigger_id"], view=view)
        seen.append(await refused(client.views_open(trigger_id=body["trigger_id"], view=view)))

    @bot.app.view("keep")
    async def keep(ack: Any, view: dict[str, Any]) -> None:
        await ack()
        seen.append(view["state"]["values"]["b"]["a"]["value"])

    ana, channel = await room(slack)
    async with over_sockets(slack, bot):
        ts = await slack.post(ana, channel, "a senha do cofre mudou")
        await slack.shortcut(ana, channel, ts, "remember")
        await until(lambda: len(seen) == 2)
        await slack.submit(ana, {"b": {"a": {"value": "sim"}}})
        await slack.open_home(ana)
        place, thread = await slack.assistant_thread(ana)
        await slack.settled()

    assert seen == ["a senha do cofre mudou", "exchanged_trigger_id", "sim"]
    assert slack.modal(ana) is None
    started = next(event for event in bot.events if event["type"] == "assistant_thread_started")
    assert (started["assistant_thread"]["channel_id"], started["assistant_thread"]["thread_ts"]) == (
        place,
        thread,
    )
    assert [event["tab"] for event in bot.events if event["type"] == "app_home_opened"] == ["home"]


async def test_a_response_url_is_good_five_times_and_for_thirty_minutes(slack: FakeSlack) -> None:
    ana, channel = await room(slack)
    urls = [slack.origin + slack.doors.new_url(channel, ana) for _ in range(2)]
    async with aiohttp.ClientSession() as session:
        answers = [await (await session.post(urls[0], json={"text": f"{n}"})).text() for n in range(6)]
        slack.world.advance(31 * 60)
        late = await session.post(urls[1], json={"text": "tarde"})

    assert answers[:5] == ["ok"] * 5
    assert "used_url" in answers[5]
    assert late.status == 404
    assert len(slack.visible_to(ana, channel)) == 5
