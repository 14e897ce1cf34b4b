"""A whole bot at the wire: the app, the adapter and the real client library, connected to the front."""

import asyncio
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import discord
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from adapters.discord.serve import PolyragClient
from bot.app import App
from bot.plugins.builtin import BUILTINS
from bot.plugins.manager import PluginManager
from bot.testkit import StandInEmbedder, stand_in_settings
from bot.wiring import open_app
from tests.adapters.discord.wire.front import Front
from tests.adapters.discord.world import buttons_in, texts_in

PATIENCE = 20.0  # seconds


def opened(home: Path) -> AbstractAsyncContextManager[App]:
    """The app that a bot of these tests runs."""
    settings = stand_in_settings({}, {"language": "pt"}, ())
    plugins = PluginManager(settings, BUILTINS)
    return open_app(settings, home, plugins, chat=False, embedder=StandInEmbedder())


class WireBot:
    """One process of the bot. A second one over the same home is a restart."""

    def __init__(self, front: Front, home: Path) -> None:
        self.front = front
        self._home = home
        self._open = AsyncExitStack()
        self.client: PolyragClient

    async def __aenter__(self) -> Self:
        self.client = PolyragClient(await self._open.enter_async_context(opened(self._home)))
        self._task = asyncio.create_task(self.client.start(self.front.token))
        await self.until(lambda: self._task.done() or self.client.is_ready())
        if self._task.done():
            await self._task
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.client.options["drain_seconds"] = 2
        await self.client.stop()
        await asyncio.gather(self._task, return_exceptions=True)
        await self._open.aclose()

    async def until(self, holds: Any) -> None:
        async with asyncio.timeout(PATIENCE):
            while not holds():  # noqa: ASYNC110  the front tells nobody
                await asyncio.sleep(0.005)


class Town:
    """A server with a public channel, seen through the front's own rows."""

    def __init__(self, front: Front) -> None:
        self.front = front
        self.backend = front.backend
        self.guild = self.backend.create_guild("Equipe", preferred_locale="pt-BR")
        self.ana = self.person("ana")
        self.rui = self.person("rui")
        self.geral = self.backend.create_channel(self.guild.id, "geral").id

    def person(self, name: str) -> int:
        user = self.backend.make_user(name)
        self.backend.add_member(self.guild.id, user.id, announce=True)
        return int(user.id)

    def hide(self, channel: int, who: int, kind: OverwriteType = OverwriteType.MEMBER) -> None:
        deny = discord.Permissions(view_channel=True).value
        self.backend.set_overwrite(channel, Overwrite(target_id=who, type=kind, allow=0, deny=deny))

    def says(self, user: int, text: str, files: Mapping[str, bytes] | None = None, channel: int = 0) -> Any:
        place = channel or self.geral
        stored = self.backend.store_attachments(place, list((files or {}).items()))
        return self.backend.create_message(place, user, text, attachments=stored)

    def asks(self, user: int, text: str, channel: int = 0) -> Any:
        return self.says(user, f"<@{self.backend.bot_user.id}> {text}", channel=channel)

    def replies(self, channel: int = 0) -> list[Any]:
        """The bot's messages, in one place or everywhere."""
        found = [
            message
            for place, messages in self.backend.messages.items()
            for message in messages.values()
            if message.author_id == self.backend.bot_user.id
            and message.type in (0, 19, 20, 23)
            and (not channel or place == channel)
        ]
        return sorted(found, key=lambda message: message.id)

    def text(self, message: Any) -> str:
        return "\n".join([message.content, *texts_in(message.components)])

    def answers(self, words: str) -> list[Any]:
        return [message for message in self.replies() if words in self.text(message)]

    def marked(self, message: Any, emoji: str) -> bool:
        return any(r.emoji == emoji and r.user_ids for r in message.reactions)

    def button(self, message: Any, action: str) -> str:
        return next(b for b in buttons_in(message.components) if b.split(":")[1] == action)
