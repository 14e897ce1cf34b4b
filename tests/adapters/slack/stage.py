"""Slack as a stage for the suites that every platform passes, over Socket Mode and over HTTP."""

import re
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, Self

from adapters.slack.meaning import (
    FEEDBACK,
    PREFIX,
)
from adapters.slack.outlet import REACTIONS
from adapters.slack.tables import COMMANDS, GENERAL
from bot.app import App
from bot.phrases import TEXTS
from tests.adapters.slack.fake import Message
from tests.adapters.slack.fake.state import Json
from tests.adapters.slack.world import SlackWorld
from tests.platforms.stage import ALL, Seen

SHORT = {command.name for command in COMMANDS} - {GENERAL}
ACKNOWLEDGED = set(TEXTS["slack_working"])
SIGNS = {name: sign for sign, name in REACTIONS.items()}


class SlackStage:
    """The real adapter and the real client libraries; only Slack itself is pretended."""

    name = "slack-socket"
    features = ALL
    transport: Literal["socket", "http"] = "socket"

    def __init__(self, *, admins: Sequence[str] = (), settings: Mapping[str, Any] | None = None) -> None:
        self.world = SlackWorld(self.transport, admins=admins, settings=settings)
        self.slack = self.world.slack

    @property
    def app(self) -> App:
        return self.world.app

    async def __aenter__(self) -> Self:
        await self.world.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.world.__aexit__(kind, value, trace)

    async def channel(self, name: str, *, private: bool = False, members: Sequence[str] = ()) -> None:
        await self.world.channel(name, private=private, members=members)

    async def join(self, user: str, channel: str) -> None:
        await self.slack.join(await self.world.user(user), self.world.channels[channel])
        await self.world.settle()

    async def leave(self, user: str, channel: str) -> None:
        await self.slack.leave(await self.world.user(user), self.world.channels[channel])
        await self.world.settle()

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
        if bot and user not in self.world.users:
            self.world.users[user] = await self.slack.add_bot(user)
            if channel in self.world.channels:
                await self.slack.join(self.world.users[user], self.world.channels[channel])
        person = await self.world.user(user)
        return await self.slack.post(
            person, await self._place(user, channel), text, mention=mention, thread_ts=thread, files=files or {}
        )  # fmt: skip

    async def edit(self, user: str, channel: str, message: str, text: str, *, mention: bool = False) -> None:
        person, place = await self.world.user(user), await self._place(user, channel)
        await self.slack.edit(person, place, message, text, mention=mention)

    async def delete(self, user: str, channel: str, message: str) -> None:
        await self.slack.delete(await self.world.user(user), await self._place(user, channel), message)
        await self.world.settle()

    async def command(self, user: str, channel: str, name: str, arguments: str = "") -> tuple[Seen, ...]:
        place, before = await self._place(user, channel), self._versions(user)
        person = await self.world.user(user)
        if not self.slack.world.reads(person, self.slack.world.channels[place]):
            return ()  # Slack lets nobody type in a channel that they do not see
        typed = re.sub(r"#([\w-]+)", self._channel_link, arguments)
        slash = (f"/{name}", typed) if name in SHORT else (f"/{GENERAL}", f"{name} {typed}".strip())
        clicked = await self.slack.slash(person, place, *slash)
        assert clicked.acknowledged, clicked
        await self.world.settle()
        return self._changed(user, before)

    async def press(self, user: str, action: str, seen: Seen) -> tuple[Seen, ...]:
        person, before = await self.world.user(user), self._versions(user)
        message = next(m for m in self.slack.visible_to(person) if m.ts == seen.id)
        id, value = next((id, value) for known, id, value in buttons(message.blocks) if known == action)
        clicked = await self.slack.press(person, message, id, value=value)
        assert clicked.acknowledged, clicked
        await self.world.settle()
        return self._changed(user, before)

    async def settle(self) -> None:
        await self.world.settle()

    async def restart(self) -> None:
        await self.world.restart()

    def seen(self, user: str, channel: str = "", thread: str = "") -> tuple[Seen, ...]:
        person = self.world.users.get(user, "")
        if not person:
            return ()
        place = self.slack.world.dm_of(person).id if channel == "dm" else self.world.channels.get(channel, "")
        found = [
            m for m in self.slack.visible_to(person, place) if m.mine and not self._is_acknowledgement(m)
        ]
        return tuple(self._seen(m) for m in found if not thread or m.thread_ts == thread)

    def signs(self, channel: str, message: str) -> frozenset[str]:
        places = (
            [self.world.channels[channel]]
            if channel in self.world.channels
            else list(self.slack.world.channels)
        )
        place = next(p for p in places if message in self.slack.world.messages.get(p, {}))
        return frozenset(SIGNS[name] for name in self.slack.reactions(place, message))

    async def _place(self, user: str, channel: str) -> str:
        if channel == "dm":
            return await self.slack.open_dm(await self.world.user(user))
        return self.world.channels[channel]

    def _channel_link(self, found: re.Match[str]) -> str:
        """Slack sends a channel that is named in a command by its id."""
        name = found.group(1)
        return f"<#{self.world.channels[name]}|{name}>" if name in self.world.channels else found.group()

    def _is_acknowledgement(self, message: Message) -> bool:
        return bool(message.only_for) and message.text in ACKNOWLEDGED

    def _seen(self, message: Message) -> Seen:
        names = {id: name for name, id in self.world.channels.items()}
        files = [self.slack.file_bytes(file).decode(errors="replace") for file in message.files]
        text = "\n".join([self.slack.text_of(message), *files])
        actions = tuple(dict.fromkeys(known for known, _, _ in buttons(message.blocks)))
        channel = names.get(message.channel, "dm")
        return Seen(message.ts, channel, message.thread_ts, text, actions, bool(message.only_for))

    def _versions(self, user: str) -> dict[str, int]:
        person = self.world.users.get(user, "")
        return {m.ts: len(m.versions) for m in self.slack.visible_to(person)} if person else {}

    def _changed(self, user: str, before: Mapping[str, int]) -> tuple[Seen, ...]:
        now = self._versions(user)
        return tuple(seen for seen in self.seen(user) if now[seen.id] != before.get(seen.id))


class SlackHttpStage(SlackStage):
    name = "slack-http"
    transport: Literal["socket", "http"] = "http"


def buttons(blocks: Sequence[Json]) -> list[tuple[str, str, str]]:
    """(what it does, action id, value) of each button of a message."""
    found = []
    for element in (element for block in blocks for element in block.get("elements", ())):
        id = str(element.get("action_id", ""))
        if id == PREFIX + FEEDBACK:
            values = [element[side]["value"] for side in ("positive_button", "negative_button")]
            found += [(value.split(" ")[0], id, value) for value in values]
        elif id.startswith(PREFIX):
            found.append((id.removeprefix(PREFIX), id, ""))
    return found
