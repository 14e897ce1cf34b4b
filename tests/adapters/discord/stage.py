"""Discord as a stage for the suites that every platform passes."""

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from simcord.backend.access import channel_accessible
from simcord.results import to_discord_message

from bot.app import App
from tests.adapters.discord.world import HIDDEN, SEE, World, buttons_in
from tests.platforms.stage import ALL, Seen

SIGNS = {"👀": "seen", "✅": "done", "⚠️": "failed"}
TYPED = {
    "ask": "question",
    "route": "text",
}  # commands that are run by their short form; the others as /polyrag


class DiscordStage:
    """People in a server of discord.py's own model, the real adapter, nothing faked in between."""

    name = "discord"
    features = ALL

    def __init__(self, *, admins: Sequence[str] = (), settings: Mapping[str, Any] | None = None) -> None:
        self.world = World(admins=admins, settings=settings)

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
        self.world.channel(name, private=private, members=members)
        await self.world.settle()

    async def join(self, user: str, channel: str) -> None:
        self.world.allow(self.world.person(user).id, self.world.places[channel], SEE)
        await self.world.settle()

    async def leave(self, user: str, channel: str) -> None:
        self.world.allow(self.world.person(user).id, self.world.places[channel], HIDDEN)
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
        self.world.person(user, bot=bot)
        place = self.world.place(user, channel, thread)
        written = self.world.write(user, place, self.world.mention(text) if mention else text, files)
        return str(written.id)

    async def edit(self, user: str, channel: str, message: str, text: str, *, mention: bool = False) -> None:
        content = self.world.mention(text) if mention else text
        self.world.env.backend.edit_message(
            self.world.place(user, channel), int(message), {"content": content}
        )
        await self.world.settle()

    async def delete(self, user: str, channel: str, message: str) -> None:
        self.world.env.backend.delete_message(self.world.place(user, channel), int(message))
        await self.world.settle()

    async def command(self, user: str, channel: str, name: str, arguments: str = "") -> tuple[Seen, ...]:
        place = self.world.place(user, channel)
        if not channel_accessible(self.world.env.backend, place, self.world.person(user).id):
            return ()  # a person cannot type a command where they see no channel
        before = self._shown(user)
        form = {TYPED[name]: arguments} if name in TYPED else {"name": name, "arguments": arguments}
        slash = name if name in TYPED else "polyrag"
        if channel == "dm":
            await self.world.person(user).slash(slash, **form)
        else:
            await self.world.member(user).slash(self.world.places[channel], slash, **form)
        return self._changed(user, before)

    async def press(self, user: str, action: str, seen: Seen) -> tuple[Seen, ...]:
        before = self._shown(user)
        message = next(m for m in self.world.messages(user) if str(m.id) == seen.id)
        button = next(b for b in buttons_in(message.components) if b.split(":")[1] == action)
        actor: Any = self.world.person(user) if seen.channel == "dm" else self.world.member(user)
        await actor.click(to_discord_message(self.world.env, message), custom_id=button)
        return self._changed(user, before)

    async def settle(self) -> None:
        await self.world.settle()

    async def restart(self) -> None:
        await self.world.restart()

    def seen(self, user: str, channel: str = "", thread: str = "") -> tuple[Seen, ...]:
        found = [self._seen(message) for message in self.world.messages(user)]
        return tuple(
            s for s in found if (not channel or s.channel == channel) and (not thread or s.thread == thread)
        )

    def signs(self, channel: str, message: str) -> frozenset[str]:
        place = self.world.places[channel].id
        stored = self.world.env.backend.get_message(place, int(message))
        return frozenset(SIGNS[r.emoji] for r in stored.reactions if self.world.bot_id in r.user_ids)

    def _seen(self, message: Any) -> Seen:
        buttons = list(buttons_in(message.components))
        traces = {button.split(":")[2] for button in buttons}
        channel, thread = self._where(message.channel_id)
        folded = [self._explanation(trace) for trace in sorted(traces)]
        return Seen(
            str(message.id),
            channel,
            thread,
            "\n".join([self.world.text_of(message), *folded]),
            tuple(button.split(":")[1] for button in buttons),
            message.is_ephemeral,
        )

    def _explanation(self, trace_id: str) -> str:
        """What the "why" button would unfold."""
        trace = self.app.records.trace(trace_id)
        return f"{trace.body['explanation']}\n{trace.body['run']}" if trace and "run" in trace.body else ""

    def _where(self, place: int) -> tuple[str, str]:
        found = self.world.env.backend.get_channel(place)
        if found.guild_id is None:
            return "dm", ""
        parent, thread = (found.parent_id, str(place)) if found.is_thread else (place, "")
        names = {channel.id: name for name, channel in self.world.places.items()}
        return names.get(parent, str(parent)), thread

    def _shown(self, user: str) -> dict[int, str]:
        return {message.id: self.world.text_of(message) for message in self.world.messages(user)}

    def _changed(self, user: str, before: Mapping[int, str]) -> tuple[Seen, ...]:
        """New messages, and old ones with another text."""
        now = self.world.messages(user)
        return tuple(self._seen(m) for m in now if before.get(m.id) != self.world.text_of(m))
