"""The console as a Stage: what is typed goes through its reader, what is shown through its writer."""

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Self

from adapters.console.read import Seat, Speak, read_line
from adapters.console.write import plain, reply_shown
from bot.app import App
from bot.attachments import from_path
from bot.audience import CONSOLE, ConfiguredChannels
from bot.messages import Inbound, Reply
from bot.plugins.builtin import BUILTINS
from bot.plugins.manager import PluginManager
from bot.testkit import StandInEmbedder, stand_in_settings
from bot.wiring import open_app
from core.settings import ChannelSettings
from tests.platforms.memory import shown
from tests.platforms.stage import BUTTONS, THREADS, Seen


class ConsoleStage:
    """One terminal for everybody; a person sees what was shown while they sat at it."""

    name = CONSOLE
    features = frozenset([THREADS, BUTTONS])

    def __init__(self, *, admins: Sequence[str] = (), settings: Mapping[str, Any] | None = None) -> None:
        self.settings = stand_in_settings({}, {"language": "pt", **(settings or {})}, admins)
        self.declared: dict[str, ChannelSettings] = {}
        self.shown: list[tuple[str, Seen]] = []
        self.app: App
        self._count = 0
        self._open = AsyncExitStack()

    async def __aenter__(self) -> Self:
        self.folder = Path(self._open.enter_context(TemporaryDirectory(prefix="polyrag-stage-")))
        plugins = PluginManager(self.settings, BUILTINS)
        opening = open_app(
            self.settings, self.folder / "home", plugins, chat=False, embedder=StandInEmbedder()
        )
        self.app = await self._open.enter_async_context(opening)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._open.aclose()

    async def channel(self, name: str, *, private: bool = False, members: Sequence[str] = ()) -> None:
        entry = ChannelSettings(visibility="private" if private else "public", members=tuple(members))
        self._declare({**self.declared, name: entry})

    async def join(self, user: str, channel: str) -> None:
        old = self.declared[channel]
        new = ChannelSettings(visibility=old.visibility, members=(*old.members, user))
        self._declare({**self.declared, channel: new})

    async def leave(self, user: str, channel: str) -> None:
        old = self.declared[channel]
        kept = tuple(member for member in old.members if member != user)
        self._declare({**self.declared, channel: ChannelSettings(visibility=old.visibility, members=kept)})

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
        message = self._next()
        for name, data in (files or {}).items():
            path = self.folder / message / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            upload = Inbound(
                CONSOLE, "local", _place(channel), user, "", message, direct=channel == "dm",
                attachments=(from_path(path),),
            )  # fmt: skip
            self._show(user, channel, thread or message, await self.app.handle(upload))
        if text:
            seat = Seat(user, _place(channel), thread or message)
            action = read_line(("@bot " if mention else "") + text, seat, id=message)
            assert isinstance(action, Speak)
            self._show(user, channel, thread or message, await self.app.handle(action.inbound))
        return message

    async def edit(self, user: str, channel: str, message: str, text: str, *, mention: bool = False) -> None:
        raise AssertionError("a terminal edits nothing")

    async def delete(self, user: str, channel: str, message: str) -> None:
        raise AssertionError("a terminal deletes nothing")

    async def command(self, user: str, channel: str, name: str, arguments: str = "") -> tuple[Seen, ...]:
        seat = Seat(user, _place(channel), self._next())
        action = read_line(f"!{name} {arguments}", seat, id=seat.thread)
        assert isinstance(action, Speak)
        return (self._show(user, channel, seat.thread, await self.app.handle(action.inbound)),)

    async def press(self, user: str, action: str, seen: Seen) -> tuple[Seen, ...]:
        inbound = Inbound(
            CONSOLE, "local", _place(seen.channel), user, "", self._next(), seen.thread, direct=seen.channel == "dm"
        )  # fmt: skip
        trace = next(s.id for _, s in self.shown if s == seen)
        if action in ("fresh", "share"):
            reply = await self.app.ask_again(inbound, trace, fresh=action == "fresh")
        elif action == "why":
            reply = await self.app.handle(Inbound(**_fields(inbound) | {"command": "why", "text": trace}))
        else:
            judged = await self.app.judge(inbound, trace, action == "up")
            reply = Reply("✓" if judged else "✗")
        return (self._show(user, seen.channel, seen.thread, reply),)

    async def settle(self) -> None:
        """Everything was waited for."""

    async def restart(self) -> None:
        raise AssertionError("a terminal's questions are not kept")

    def seen(self, user: str, channel: str = "", thread: str = "") -> tuple[Seen, ...]:
        return tuple(
            seen
            for reader, seen in self.shown
            if reader == user
            and (not channel or seen.channel == channel)
            and (not thread or seen.thread == thread)
        )

    def signs(self, channel: str, message: str) -> frozenset[str]:
        return frozenset()

    def _declare(self, channels: dict[str, ChannelSettings]) -> None:
        self.declared = channels
        self.app.directories[CONSOLE] = ConfiguredChannels(channels)

    def _show(self, user: str, channel: str, thread: str, reply: Reply) -> Seen:
        text = f"{plain(reply_shown(reply))}\n{shown(reply)}"
        actions = tuple(button.action for button in reply.buttons)
        seen = Seen(reply.trace_id or self._next(), channel, thread, text, actions, reply.ephemeral)
        self.shown.append((user, seen))
        return seen

    def _next(self) -> str:
        self._count += 1
        return f"{self._count:032x}"


def _place(channel: str) -> str:
    return "" if channel == "dm" else channel


def _fields(inbound: Inbound) -> dict[str, Any]:
    return {name: getattr(inbound, name) for name in inbound.__slots__}
