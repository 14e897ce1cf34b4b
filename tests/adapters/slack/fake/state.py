"""What the pretended workspace holds: people, conversations, messages, files. Ids and timestamps are counted, never drawn."""

import base64
import itertools
import time
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
TEAM, FOREIGN_TEAM, APP = "T0HOME", "T0ABROAD", "A0POLYRAG"
BOT_USER, BOT_ID, BOT_NAME = "U0POLYRAG", "B0POLYRAG", "polyrag"
DOMAIN = "acme.slack.test"
FIRST_SECOND = 1_700_000_000  # message timestamps count up from here


class Refused(Exception):
    """An API call that Slack would answer with `ok: false`."""

    def __init__(self, error: str, *details: str, **fields: Any) -> None:
        super().__init__(error)
        self.error = error
        self.details = details
        self.fields = fields


@dataclass(slots=True)
class User:
    id: str
    name: str
    locale: str = "pt-BR"
    guest: bool = False
    admin: bool = False
    foreign: bool = False
    bot_id: str = ""

    @property
    def team(self) -> str:
        return FOREIGN_TEAM if self.foreign else TEAM


@dataclass(slots=True)
class Channel:
    id: str
    name: str
    kind: str  # "channel" | "im" | "mpim"
    private: bool = False
    connect: bool = False
    archived: bool = False
    deleted: bool = False
    members: list[str] = field(default_factory=list)

    @property
    def channel_type(self) -> str:
        """The word that message events carry."""
        if self.kind != "channel":
            return self.kind
        return "group" if self.private else "channel"


@dataclass(slots=True)
class File:
    id: str
    name: str
    data: bytes
    user: str
    title: str = ""
    channels: list[str] = field(default_factory=list)
    deleted: bool = False
    check_info: bool = False  # Slack Connect: the message shows the id alone
    external_url: str = ""  # a file that lives elsewhere
    uploaded: bool = True


@dataclass(slots=True)
class Message:
    ts: str
    channel: str
    user: str
    text: str = ""
    blocks: list[Json] = field(default_factory=list)
    thread_ts: str = ""
    files: list[str] = field(default_factory=list)
    subtype: str = ""
    bot_id: str = ""
    edited: str = ""  # timestamp of the latest edit that Slack shows
    only_for: str = ""  # an ephemeral message's reader
    streaming: bool = False
    streamed: bool = False
    deleted: bool = False
    metadata: Json = field(default_factory=dict)
    reactions: dict[str, list[str]] = field(default_factory=dict)  # name → users
    versions: list[tuple[str, list[Json]]] = field(default_factory=list)  # every state that people saw

    @property
    def mine(self) -> bool:
        return self.bot_id == BOT_ID

    @property
    def thread(self) -> str:
        """The thread a reply to this message belongs to."""
        return self.thread_ts or self.ts


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the Web API, as it arrived and as it was answered."""

    method: str
    arguments: Json
    answer: Json
    status: int = 200  # 0: the line was cut
    at: float = 0.0  # time.perf_counter() when it was answered


@dataclass(frozen=True, slots=True)
class Ping:
    """Something that made Slack notify people."""

    channel: str
    what: str
    text: str


class World:
    """All state of one workspace, with the questions that several parts ask."""

    def __init__(self) -> None:
        self.users: dict[str, User] = {}
        self.channels: dict[str, Channel] = {}
        self.files: dict[str, File] = {}
        self.messages: dict[str, dict[str, Message]] = {}  # channel → ts → message, ephemeral ones too
        self.views: dict[str, Json] = {}  # user → App Home
        self.modals: dict[str, Json] = {}  # user → open modal
        self.statuses: list[tuple[str, str, str]] = []  # (channel, thread, status), in order
        self.prompts: dict[tuple[str, str], list[Json]] = {}
        self.titles: dict[tuple[str, str], str] = {}
        self.log: list[Call] = []
        self.pings: list[Ping] = []
        self.warnings: list[str] = []
        self.page_cap = 1000  # a smaller one makes every listing come in pages
        self._ahead = 0.0
        self._count = itertools.count(1)
        self.users[BOT_USER] = User(BOT_USER, BOT_NAME, locale="en-US", bot_id=BOT_ID)

    def now(self) -> float:
        """Seconds on the clock that limits and expiries use; `advance` moves it."""
        return time.monotonic() + self._ahead

    def advance(self, seconds: float) -> None:
        self._ahead += seconds

    def number(self) -> int:
        return next(self._count)

    def new_id(self, letter: str) -> str:
        return f"{letter}{self.number():06d}X"

    def new_ts(self) -> str:
        number = self.number()
        return f"{FIRST_SECOND + number}.{number % 1_000_000:06d}"

    def user(self, user: str) -> User:
        if user not in self.users:
            raise Refused("user_not_found")
        return self.users[user]

    def is_member(self, channel: Channel, user: str = BOT_USER) -> bool:
        return user in channel.members

    def seen_by_bot(self, channel_id: str, *, member: bool = False) -> Channel:
        """A conversation as the bot may address it.

        Raises: Refused with channel_not_found where Slack hides it, not_in_channel where `member` is asked.
        """
        channel = self.channels.get(channel_id)
        if channel is None or channel.deleted:
            raise Refused("channel_not_found")
        if self.is_member(channel):
            return channel
        if channel.channel_type != "channel":
            raise Refused("channel_not_found")
        if member:
            raise Refused("not_in_channel")
        return channel

    def reads(self, user: str, channel: Channel) -> bool:
        """Whether a person can open the conversation: members, and full members of the workspace in public ones."""
        person = self.users[user]
        if channel.deleted:
            return False
        if user in channel.members:
            return True
        return channel.channel_type == "channel" and not (person.guest or person.foreign)

    def find(self, channel: str, ts: str, error: str = "message_not_found") -> Message:
        message = self.messages.get(channel, {}).get(ts)
        if message is None or message.deleted:
            raise Refused(error)
        return message

    def add(self, message: Message) -> Message:
        message.versions.append((message.text, message.blocks))
        self.messages.setdefault(message.channel, {})[message.ts] = message
        return message

    def change(self, message: Message, *, text: str | None = None, blocks: list[Json] | None = None) -> None:
        """What `text` or `blocks` leave out stays as it is."""
        message.text = message.text if text is None else text
        message.blocks = message.blocks if blocks is None else blocks
        message.versions.append((message.text, message.blocks))

    def listed(self, channel: str) -> list[Message]:
        """Every message that is there now, oldest first, without ephemeral ones."""
        known = self.messages.get(channel, {})
        return [known[ts] for ts in sorted(known) if not known[ts].deleted and not known[ts].only_for]

    def dm_of(self, user: str) -> Channel:
        """The bot's direct message with a person, opened when it is not."""
        for channel in self.channels.values():
            if channel.kind == "im" and user in channel.members:
                return channel
        channel = Channel(self.new_id("D"), "directmessage", "im", private=True, members=[user, BOT_USER])
        self.channels[channel.id] = channel
        return channel

    def page(self, items: list[Any], arguments: Json, default: int) -> tuple[list[Any], str]:
        """One page of a listing and the cursor of the next, "" at its end.

        Raises: Refused with invalid_cursor or invalid_limit.
        """
        try:
            limit = int(arguments.get("limit") or default)
            cursor = str(arguments.get("cursor") or "")
            start = int(base64.b64decode(cursor.encode()).decode().removeprefix("next:")) if cursor else 0
        except ValueError as err:
            raise Refused("invalid_cursor") from err
        if not 0 < limit <= 1000:
            raise Refused("invalid_limit")
        end = start + min(limit, self.page_cap)
        following = base64.b64encode(f"next:{end}".encode()).decode() if end < len(items) else ""
        return items[start:end], following
