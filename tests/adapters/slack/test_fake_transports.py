"""Acknowledgements, redelivery, signatures and reconnects of the fake Slack, with the real clients."""

import asyncio
from collections.abc import AsyncIterator

import aiohttp
import pytest
from aiohttp import web
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp

from tests.adapters.slack.fake import FakeSlack
from tests.adapters.slack.fake.realclients import Bot, client_of, over_http, over_sockets, room, until


@pytest.fixture
async def slack() -> AsyncIterator[FakeSlack]:
    async with FakeSlack() as fake:
        yield fake


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
