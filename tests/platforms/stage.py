"""A platform under test, driven as its users drive it. The behaviour and leak suites run on every Stage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol, Self

from bot.app import App

# What a platform can do that another cannot; a test names what it needs and runs where that is to be had.
MENTIONS = "mentions"  # messages that are not for the bot can be written
THREADS = "threads"
EDITS = "edits"
DELETES = "deletes"
SIGNS = "signs"  # 👀 ✅ ⚠ on a message
BUTTONS = "buttons"
RESTARTS = "restarts"  # events are accepted durably
BOTS = "bots"  # other bots write there
ALL = frozenset([MENTIONS, THREADS, EDITS, DELETES, SIGNS, BUTTONS, RESTARTS, BOTS])


@dataclass(frozen=True, slots=True)
class Seen:
    """One message of the bot as a person sees it."""

    id: str
    channel: str
    thread: str
    text: str  # everything visible or expandable: answer, sources, rows, explanation, names and contents of files
    actions: tuple[str, ...] = ()  # of its buttons: "up", "down", "why", "fresh", "share", "csv"
    private: bool = False  # only one person sees it


class Stage(Protocol):
    """Opens a real App (stand-in embedder, quotes only, a temporary home) behind the real adapter.

    Channels and people go by plain names; people are made when they are first named. The bot is in every channel.
    """

    name: str
    features: frozenset[str]
    app: App

    def __init__(self, *, admins: Sequence[str] = (), settings: Mapping[str, Any] | None = None) -> None: ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    async def channel(self, name: str, *, private: bool = False, members: Sequence[str] = ()) -> None:
        """A channel with these members."""
        ...

    async def join(self, user: str, channel: str) -> None: ...

    async def leave(self, user: str, channel: str) -> None: ...

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
        """A person (or another bot) writes; "dm" is a direct message. Returns the id of the message.

        Args:
            mention: the bot is mentioned in front of the text.
            thread: id of the message that opened the thread.
        """
        ...

    async def edit(
        self, user: str, channel: str, message: str, text: str, *, mention: bool = False
    ) -> None: ...

    async def delete(self, user: str, channel: str, message: str) -> None: ...

    async def command(self, user: str, channel: str, name: str, arguments: str = "") -> tuple[Seen, ...]:
        """Run a command and wait; what it made the bot say."""
        ...

    async def press(self, user: str, action: str, seen: Seen) -> tuple[Seen, ...]:
        """Press a button of a message and wait; what appeared, or changed, because of it."""
        ...

    async def settle(self) -> None:
        """Until the bot has nothing in flight."""
        ...

    async def restart(self) -> None:
        """The bot is killed and started again over the same home."""
        ...

    def seen(self, user: str, channel: str = "", thread: str = "") -> tuple[Seen, ...]:
        """The bot's messages that this person can see, oldest first. channel: "" everywhere, "dm" in their direct messages."""
        ...

    def signs(self, channel: str, message: str) -> frozenset[str]:
        """The bot's marks on a message now: "seen", "done", "failed"."""
        ...
