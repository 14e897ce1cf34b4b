"""The real adapter of a real app against the fake Slack, over either transport; people go by plain names."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Literal, Self

from adapters.slack.calls import Pace
from adapters.slack.manifest import manifest
from adapters.slack.options import Secrets, SlackOptions
from adapters.slack.serve import SlackBot
from bot.app import App
from bot.plugins.builtin import BUILTINS
from bot.plugins.manager import PluginManager
from bot.testkit import StandInEmbedder, stand_in_settings
from bot.wiring import open_app
from tests.adapters.slack.fake import FakeSlack

GRACE = 0.15  # seconds that a shared file waits for its message
SETTLED = 60.0
PAUSES = (0.1, 0.15, 0.2)  # between tries of what failed in passing


class SlackWorld:
    """A workspace with the bot installed from its own manifest."""

    def __init__(
        self,
        transport: Literal["socket", "http"] = "socket",
        *,
        admins: Sequence[str] = (),
        settings: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self.transport = transport
        self.slack = FakeSlack.from_manifest(manifest())
        self.users: dict[str, str] = {}
        self.channels: dict[str, str] = {}
        self.app: App
        self.bot: SlackBot
        self._admins, self._settings = admins, settings or {}
        self._options = {"file_grace": GRACE, "reconcile_minutes": 0.0, "catch_up_minutes": 0.0} | options
        self._open, self._app = AsyncExitStack(), AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self._open.enter_async_context(self.slack)
        self.folder = Path(self._open.enter_context(TemporaryDirectory(prefix="polyrag-slack-")))
        admins = [await self.user(name) for name in self._admins]
        self.settings = stand_in_settings({}, self._settings, admins)
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop(10)
        await self._open.aclose()

    async def start(self) -> None:
        """A new process over the same home."""
        plugins = PluginManager(self.settings, BUILTINS)
        opening = open_app(self.settings, self.folder, plugins, chat=False, embedder=StandInEmbedder())
        self.app = await self._app.enter_async_context(opening)
        options = SlackOptions(
            mode=self.transport, host="127.0.0.1", port=0, api_url=self.slack.api_url, **self._options
        )
        keys = Secrets(self.slack.bot_token, self.slack.app_token, self.slack.signing_secret)
        self.bot = SlackBot(
            self.app, options, keys, pace=Pace(burst=1000, per_second=1000), pauses=PAUSES
        )  # fmt: skip
        await self.bot.start()
        if self.transport == "http":
            await self.slack.use_http(f"http://127.0.0.1:{self.bot.port}{options.path}")

    async def stop(self, seconds: float = 0.0) -> None:
        await self.bot.stop(seconds)
        await self._app.aclose()
        self._app = AsyncExitStack()

    async def restart(self) -> None:
        """The process ends in the middle of what it does."""
        await self.stop()
        await self.start()

    async def settle(self) -> None:
        async with asyncio.timeout(SETTLED):
            for _ in range(2):  # what one side finishes may give the other something to do
                await self.slack.settled(SETTLED)
                await self.bot.settle()

    async def user(self, name: str, **more: Any) -> str:
        """The id of a person, who is made when first named."""
        if name not in self.users:
            self.users[name] = await self.slack.add_user(name, **more)
        return self.users[name]

    async def channel(self, name: str, *, members: Sequence[str] = (), **more: Any) -> str:
        people = [await self.user(member) for member in members]
        self.channels[name] = await self.slack.add_channel(name, members=people, **more)
        return self.channels[name]

    async def ask(self, user: str, channel: str, text: str, **more: Any) -> str:
        """A mention, answered; returns its id."""
        ts = await self.slack.post(await self.user(user), self.channels[channel], text, mention=True, **more)
        await self.settle()
        return ts

    async def share(self, user: str, channel: str, **files: bytes) -> str:
        """Files by name with "_" for "."; returns the message's id."""
        named = {".".join(name.rsplit("_", 1)): data for name, data in files.items()}
        ts = await self.slack.post(await self.user(user), self.channels[channel], files=named)
        await self.settle()
        return ts

    def replies(self, channel: str, thread: str = "") -> list[str]:
        """What the bot's messages say, all of it."""
        place = self.channels.get(channel, channel)
        return [self.slack.text_of(m) for m in self.slack.bot_messages(place, thread)]
