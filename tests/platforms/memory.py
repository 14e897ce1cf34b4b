"""A chat platform in memory: the desk's own behaviour without any client library, and a model of what a Stage does."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Self

from bot.app import App
from bot.desk import Desk, Sign
from bot.messages import Attachment, Inbound, Reply
from bot.plain import reply_lines
from bot.plugins.builtin import BUILTINS
from bot.plugins.manager import PluginManager
from bot.testkit import StandInEmbedder, stand_in_settings
from bot.wiring import open_app
from core.scope import Channel
from tests.platforms.stage import ALL, Seen

PLATFORM = "memory"
WORKSPACE = "W1"


@dataclass(slots=True)
class Posted:
    """A message of the bot."""

    id: str
    place: str
    thread: str
    reply: Reply
    reader: str = ""  # only this person sees it


@dataclass(slots=True)
class World:
    """What outlives the bot."""

    channels: dict[str, Channel] = field(default_factory=dict)
    messages: dict[str, dict[str, Any]] = field(default_factory=dict)
    posted: list[Posted] = field(default_factory=list)
    signs: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    count: int = 0

    def next_id(self) -> str:
        self.count += 1
        return f"m{self.count}"


class MemoryDraft:
    def __init__(self, inbound: Inbound, world: World, quiet: bool) -> None:
        self.inbound = inbound
        self.world = world
        self.id = inbound.draft
        if not quiet and not self.id:
            self._post("…")

    async def show(self, text: str) -> None:
        if not self.id:
            self._post("…")
        self._posted().reply = Reply(text)

    async def finish(self, reply: Reply) -> str:
        if not self.id:
            self._post("")
        posted = self._posted()
        posted.reply = reply
        posted.reader = self.inbound.user if reply.ephemeral else ""
        return self.id

    def _post(self, text: str) -> None:
        self.id = self.world.next_id()
        place = self.inbound.channel or f"@{self.inbound.user}"
        self.world.posted.append(Posted(self.id, place, self.inbound.thread, Reply(text)))

    def _posted(self) -> Posted:
        return next(posted for posted in self.world.posted if posted.id == self.id)


class MemoryOutlet:
    platform = PLATFORM

    def __init__(self, world: World) -> None:
        self.world = world

    async def begin(self, inbound: Inbound, *, quiet: bool = False) -> MemoryDraft:
        thread = inbound.thread or ("" if inbound.direct or inbound.ephemeral else inbound.id)
        return MemoryDraft(replace(inbound, thread=thread), self.world, quiet)

    async def sign(self, inbound: Inbound, sign: Sign) -> None:
        self.world.signs[inbound.channel, inbound.id] = {sign}


class MemoryStage:
    """The desk over a world in memory; an event is a dict, as it would be on a wire."""

    name = PLATFORM
    features = ALL

    def __init__(self, *, admins: Sequence[str] = (), settings: Mapping[str, Any] | None = None) -> None:
        self.settings = stand_in_settings({}, {"language": "pt", **(settings or {})}, admins)
        self.world = World()
        self.files: dict[str, bytes] = {}
        self.app: App
        self._home = AsyncExitStack()
        self._bot = AsyncExitStack()

    async def __aenter__(self) -> Self:
        self.folder = Path(self._home.enter_context(TemporaryDirectory(prefix="polyrag-stage-")))
        await self._start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.desk.drain(10)
        await self._bot.aclose()
        await self._home.aclose()

    async def channels(self, inbound: Inbound) -> tuple[Channel, ...]:
        return tuple(self.world.channels[name] for name in sorted(self.world.channels))

    async def channel(self, name: str, *, private: bool = False, members: Sequence[str] = ()) -> None:
        tag = f"{PLATFORM}:{WORKSPACE}/{name}"
        self.world.channels[name] = Channel(tag, "private" if private else "public", frozenset(members))

    async def join(self, user: str, channel: str) -> None:
        found = self.world.channels[channel]
        self.world.channels[channel] = replace(found, members=found.members | {user})

    async def leave(self, user: str, channel: str) -> None:
        found = self.world.channels[channel]
        self.world.channels[channel] = replace(found, members=found.members - {user})

    async def post(
        self,
        user: str,
        channel: str,
        text: str = "",
        *,
        mention: bool = False,
        thread: str = "",
        files: Mapping[str, bytes] | None = None,
        bot: bool = False,
    ) -> str:
        message = self.world.next_id()
        self.files |= {f"{message}/{name}": data for name, data in (files or {}).items()}
        event = {
            "user": user,
            "channel": "" if channel == "dm" else channel,
            "text": text,
            "id": message,
            "thread": thread,
            "mention": mention,
            "bot": bot,
            "files": sorted(files or {}),
        }
        self.world.messages[message] = event
        await self.deliver(event)
        return message

    async def deliver(self, event: dict[str, Any], *, kind: str = "message") -> None:
        """As a platform would: possibly more than once."""
        key = f"{kind}:{event['channel'] or event['user']}/{event['id']}"
        if self.desk.accept([key], event | {"kind": kind}):
            self.desk.spawn(key, self.desk.message(self.read(event)))

    def read(self, event: dict[str, Any], **more: Any) -> Inbound:
        items = tuple(self._attachment(event["id"], name) for name in event["files"])
        return Inbound(
            PLATFORM, WORKSPACE, event["channel"], event["user"], event["text"], event["id"], event["thread"],
            direct=not event["channel"], attachments=items, mentioned=event["mention"], from_bot=event["bot"],
            place=event["channel"] or f"@{event['user']}", **more,
        )  # fmt: skip

    async def edit(self, user: str, channel: str, message: str, text: str, *, mention: bool = False) -> None:
        old = self.world.messages[message]
        new = old | {"text": text, "mention": mention and not old["mention"]}
        self.world.messages[message] = old | {"text": text, "mention": mention}
        inbound = self.read(new, edited=True)
        key = f"edit:{message}/{self.world.next_id()}"
        if self.desk.accept([key], new):
            self.desk.spawn(key, self.desk.message(inbound))

    async def delete(self, user: str, channel: str, message: str) -> None:
        await self.desk.message_removed(WORKSPACE, f"@{user}" if channel == "dm" else channel, message)

    async def command(self, user: str, channel: str, name: str, arguments: str = "") -> tuple[Seen, ...]:
        before = {posted.id for posted in self.world.posted}
        event = {
            "user": user, "channel": "" if channel == "dm" else channel, "text": arguments, "id": self.world.next_id(),
            "thread": "", "mention": False, "bot": False, "files": [],
        }  # fmt: skip
        await self.desk.command(self.read(event, command=name, ephemeral=name == "ask"))
        return tuple(s for s in self.seen(user) if s.id not in before)

    async def press(self, user: str, action: str, seen: Seen) -> tuple[Seen, ...]:
        before = {posted.id for posted in self.world.posted}
        posted = next(p for p in self.world.posted if p.id == seen.id)
        place = "" if posted.place.startswith("@") else posted.place
        inbound = Inbound(
            PLATFORM, WORKSPACE, place, user, "", self.world.next_id(), posted.thread, direct=not place,
            ephemeral=bool(posted.reader), place=posted.place,
        )  # fmt: skip
        reply = await self.desk.press(inbound, action, posted.reply.trace_id)
        if reply is not None:
            self.world.posted.append(Posted(self.world.next_id(), posted.place, posted.thread, reply, user))
        return tuple(s for s in self.seen(user) if s.id not in before)

    async def settle(self) -> None:
        await asyncio.wait_for(self.desk.idle(), 60)

    async def restart(self) -> None:
        await self.desk.drain(0)
        await self._bot.aclose()
        await self._start()

    def seen(self, user: str, channel: str = "", thread: str = "") -> tuple[Seen, ...]:
        wanted = f"@{user}" if channel == "dm" else channel
        return tuple(
            Seen(
                p.id, p.place, p.thread, shown(p.reply), tuple(b.action for b in p.reply.buttons), bool(p.reader)
            )
            for p in self.world.posted
            if (not wanted or p.place == wanted) and (not thread or p.thread == thread) and self._sees(user, p)
        )  # fmt: skip

    def signs(self, channel: str, message: str) -> frozenset[str]:
        return frozenset(self.world.signs.get(("" if channel == "dm" else channel, message), ()))

    def _sees(self, user: str, posted: Posted) -> bool:
        if posted.reader or posted.place.startswith("@"):
            return user == (posted.reader or posted.place[1:])
        channel = self.world.channels[posted.place]
        return channel.visibility == "public" or user in channel.members

    def _attachment(self, message: str, name: str) -> Attachment:
        data = self.files[f"{message}/{name}"]

        async def fetch() -> bytes:
            return data

        return Attachment(name, fetch, len(data), id=f"{message}/{name}")

    async def _start(self) -> None:
        plugins = PluginManager(self.settings, BUILTINS)
        self._bot = AsyncExitStack()
        opening = open_app(self.settings, self.folder, plugins, chat=False, embedder=StandInEmbedder())
        self.app = await self._bot.enter_async_context(opening)
        self.app.directories[PLATFORM] = self
        self.desk = Desk(self.app, MemoryOutlet(self.world))
        for item in self.desk.unfinished():
            inbound = replace(self.read(item.event), draft=item.draft)
            self.desk.spawn(item.key, self.desk.message(inbound))


def shown(reply: Reply) -> str:
    """Everything of a reply that somebody could read."""
    files = [f"{file.name}\n{file.data.decode(errors='replace')}" for file in reply.files]
    return "\n".join([*(line.text for line in reply_lines(reply)), reply.explanation, *files])
