"""A Discord server in memory under the real adapter: people write, press and leave; the bot's messages are read back."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Self

import discord
from simcord import ChannelHandle, Env, MemberActor, UserHandle
from simcord.backend.access import channel_accessible

from adapters.discord.serve import PolyragClient
from bot.app import App
from bot.plugins.builtin import BUILTINS
from bot.plugins.manager import PluginManager
from bot.testkit import StandInEmbedder, stand_in_settings
from bot.wiring import open_app

SPOKEN = (0, 19, 20, 23)  # types of messages that show a text; others tell of threads and pins
SEE = discord.PermissionOverwrite(view_channel=True, read_message_history=True, send_messages=True)
HIDDEN = discord.PermissionOverwrite(view_channel=False)
PATIENCE = 60.0  # seconds


class World:
    """One server that the bot is in, everything by plain names. A restart keeps the home and the server."""

    def __init__(
        self,
        *,
        admins: Sequence[str] = (),
        settings: Mapping[str, Any] | None = None,
        locale: str = "pt-BR",
    ) -> None:
        self.app: App
        self.client: PolyragClient
        self._admins = admins
        self._more = settings or {}
        self._locale = locale
        self._home = AsyncExitStack()
        self._bot = AsyncExitStack()
        self.people: dict[str, UserHandle] = {}
        self.members: dict[str, MemberActor] = {}
        self.places: dict[str, ChannelHandle] = {}

    async def __aenter__(self) -> Self:
        self.folder = Path(self._home.enter_context(TemporaryDirectory(prefix="polyrag-discord-")))
        self.env = Env(discord.Client(intents=discord.Intents.none()), settle_timeout=PATIENCE)
        self._localise()
        self.guild = self.env.create_guild("Equipe", preferred_locale=self._locale)
        admins = [str(self.person(name).id) for name in self._admins]
        self.settings = stand_in_settings({}, self._more, admins)
        self.env.bot = await self._open()
        await self.env.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            await self.settle()
        self.client.options["drain_seconds"] = 0
        await self.client.stop()
        await self.env.shutdown()
        await self._bot.aclose()
        await self._home.aclose()
        if kind is None:
            self.env.raise_errors()

    async def restart(self) -> None:
        """Killed at this instant, and started again."""
        self.client.options["drain_seconds"] = 0
        await self.client.stop()
        await self._bot.aclose()
        await self.env.restart_bot(await self._open())

    @contextmanager
    def away(self) -> Iterator[None]:
        """Discord goes on, and the bot hears nothing of it. Start it again afterwards."""
        subscribers = self.env.backend.subscribers
        heard, subscribers[:] = list(subscribers), []
        yield
        subscribers[:] = heard

    async def settle(self) -> None:
        await self.env.settle(PATIENCE)

    # --- people and places ---

    def person(self, name: str, *, bot: bool = False) -> UserHandle:
        if name not in self.people:
            self.people[name] = self.env.create_user(name, bot=bot)
            self.members[name] = self.guild.add_member(self.people[name])
        return self.people[name]

    def member(self, name: str) -> MemberActor:
        self.person(name)
        return self.members[name]

    def channel(self, name: str, *, private: bool = False, members: Sequence[str] = ()) -> ChannelHandle:
        seen: dict[Any, discord.PermissionOverwrite] = {}
        if private:
            seen = {self.guild.default_role: HIDDEN}
            seen |= {self.person(member): SEE for member in members}
        for member in members:
            self.person(member)
        channel = self.guild.create_text_channel(name, overwrites=seen)
        if private:
            self.allow(self.bot_id, channel)
        self.places[name] = channel
        return channel

    def allow(
        self,
        who: int,
        channel: ChannelHandle,
        overwrite: discord.PermissionOverwrite = SEE,
        *,
        role: bool = False,
    ) -> None:
        """Give (or deny) one person, or one role, permissions in a channel."""
        from simcord.backend.models import Overwrite
        from simcord.enums import OverwriteType

        allow, deny = overwrite.pair()
        kind = OverwriteType.ROLE if role else OverwriteType.MEMBER
        self.env.backend.set_overwrite(
            channel.id,
            Overwrite(target_id=who, type=kind, allow=allow.value, deny=deny.value),
        )

    def place(self, user: str, channel: str, thread: str = "") -> int:
        """The id of what a person writes to."""
        if channel == "dm":
            return int(self.env.backend.get_dm_channel(self.person(user).id).id)
        if thread and int(thread) in self.env.backend.channels:
            return int(thread)
        return int(self.places[channel].id)

    @property
    def bot_id(self) -> int:
        return int(self.env.backend.bot_user.id)

    # --- what people do ---

    def write(
        self, user: str, place: int, text: str = "", files: Mapping[str, bytes] | None = None, **more: Any
    ) -> Any:
        """A message, delivered; nothing waits for the bot."""
        backend = self.env.backend
        stored = backend.store_attachments(place, list((files or {}).items()))
        return backend.create_message(place, self.person(user).id, text, attachments=stored, **more)

    def mention(self, text: str = "") -> str:
        return f"<@{self.bot_id}> {text}".strip()

    # --- what people see ---

    def messages(self, user: str, place: int = 0) -> Iterator[Any]:
        """The bot's messages that a person can see, oldest first."""
        backend, person = self.env.backend, self.person(user).id
        found = [
            message
            for channel, messages in backend.messages.items()
            for message in messages.values()
            if (not place or channel == place)
            and message.author_id == self.bot_id
            and message.type in SPOKEN
            and message.visible_to(person)
            and channel_accessible(backend, channel, person)
        ]
        return iter(sorted(found, key=lambda message: message.id))

    def text_of(self, message: Any) -> str:
        """All that a message shows: its text, its components' texts, and its files' names and contents."""
        files = (self._file(item) for item in message.attachments)
        texts = [message.content, *texts_in(message.components), *files]
        return "\n".join(text for text in texts if text)

    def _file(self, item: Mapping[str, Any]) -> str:
        data = self.env.backend.cdn.get(item["url"]) or b""
        return f"{item['filename']}\n{data.decode(errors='replace')}"

    # --- the bot ---

    async def _open(self) -> PolyragClient:
        self._bot = AsyncExitStack()
        opening = open_app(
            self.settings,
            self.folder,
            PluginManager(self.settings, BUILTINS),
            chat=False,
            embedder=StandInEmbedder(),
        )
        self.app = await self._bot.enter_async_context(opening)
        self.client = PolyragClient(self.app)
        return self.client

    def _localise(self) -> None:
        """People's clients speak the server's language; and what the bot may not see is not sent to it."""
        backend, emit = self.env.backend, self.env.backend.emit

        def sent(event: str, payload: Mapping[str, Any]) -> None:
            if event == "INTERACTION_CREATE":
                payload = {**payload, "locale": self._locale}
            hidden = event.startswith("MESSAGE_") and not channel_accessible(
                backend, int(payload["channel_id"]), self.bot_id
            )
            if not hidden:
                emit(event, payload)

        backend.emit = sent


def texts_in(components: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The texts of components at any depth, without the marks that keep Markdown from being read as such."""
    for component in components:
        if "content" in component:
            yield unescaped(str(component["content"]))
        yield from texts_in(component.get("components", ()))


def unescaped(text: str) -> str:
    return "".join(text.split("\\"))


def buttons_in(components: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The ids of the buttons, as they stand."""
    for component in components:
        if component.get("custom_id"):
            yield str(component["custom_id"])
        yield from buttons_in(component.get("components", ()))
