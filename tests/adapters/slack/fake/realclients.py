"""Real clients against the fake: a small Bolt app that writes down what reaches it, over either transport."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from aiohttp import web
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.adapters.slack.fake.server import FakeSlack


def client_of(slack: FakeSlack, **more: Any) -> AsyncWebClient:
    return AsyncWebClient(token=slack.bot_token, base_url=slack.api_url, **more)


async def refused(call: Any) -> str:
    """The error that Slack answers with."""
    with pytest.raises(SlackApiError) as caught:
        await call
    return str(caught.value.response["error"])


class Bot:
    """A small real Bolt app that writes down what reaches it."""

    def __init__(self, slack: FakeSlack) -> None:
        self.events: list[dict[str, Any]] = []
        self.bodies: list[dict[str, Any]] = []
        self.retries: list[Any] = []
        self.app = AsyncApp(signing_secret=slack.signing_secret, client=client_of(slack))

        @self.app.event({"type": re.compile(".*")})
        async def note(event: dict[str, Any], body: dict[str, Any], request: Any) -> None:
            self.events.append(event)
            self.bodies.append(body)
            self.retries.append(request.headers.get("x-slack-retry-num"))

    def kinds(self) -> list[str]:
        return sorted(
            f"{event['type']}/{event['subtype']}" if event.get("subtype") else event["type"]
            for event in self.events
        )


@contextlib.asynccontextmanager
async def over_sockets(
    slack: FakeSlack, bot: Bot, connections: int = 1
) -> AsyncIterator[list[AsyncSocketModeHandler]]:
    handlers = [
        AsyncSocketModeHandler(bot.app, slack.app_token, ping_interval=0.2) for _ in range(connections)
    ]
    for handler in handlers:
        await handler.connect_async()
    await until(lambda: len(slack.sockets.connections) == connections)
    try:
        yield handlers
    finally:
        for handler in handlers:
            await handler.close_async()


@contextlib.asynccontextmanager
async def over_http(slack: FakeSlack, bot: Bot) -> AsyncIterator[str]:
    runner = web.AppRunner(bot.app.web_app(path="/slack/events"))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events"
    await slack.use_http(url)
    try:
        yield url
    finally:
        await runner.cleanup()


async def until(condition: Callable[[], bool], seconds: float = 5.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110  state of the fake, which sets no events
            await asyncio.sleep(0.005)


async def room(slack: FakeSlack, **more: Any) -> tuple[str, str]:
    """A person and a channel that they share with the bot."""
    ana = await slack.add_user("ana")
    return ana, await slack.add_channel("vendas", members=[ana], **more)
