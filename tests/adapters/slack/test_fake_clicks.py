"""Commands, buttons, shortcuts and modals of the fake Slack, under a real Bolt app."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from tests.adapters.slack.fake import FakeSlack
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
