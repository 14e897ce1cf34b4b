"""What a delivery of Slack can mean: the vocabulary between its reader and the work that follows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from bot.messages import Attachment, Inbound

SLACK = "slack"
Json = Mapping[str, Any]
FEEDBACK, EXPLAIN = "feedback", "explain"
PREFIX = "polyrag_"  # of every action id


@dataclass(frozen=True, slots=True)
class Me:
    """The bot in its workspace, as auth.test tells."""

    team: str
    user: str
    bot: str  # id of the bot, beside its user id
    url: str  # "https://name.slack.com/"

    def permalink(self, channel: str, message: str, thread: str = "") -> str:
        """The address of a message, as chat.getPermalink would give it."""
        tail = f"?thread_ts={thread}&cid={channel}" if thread and thread != message else ""
        return f"{self.url}archives/{channel}/p{message.replace('.', '')}{tail}"


@dataclass(frozen=True, slots=True)
class FileRef:
    """What an event says of a file. `check`: the event shows the id alone, the rest is asked from files.info."""

    id: str
    name: str = ""
    size: int = 0
    media: str = ""  # MIME type as Slack sees it
    url: str = ""
    link: str = ""
    external: bool = False  # lives outside of Slack
    check: bool = False


Attach = Callable[[FileRef], Attachment]


# --- what an event means ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Said:
    """A message or an edit."""

    inbound: Inbound


@dataclass(frozen=True, slots=True)
class Asked:
    """A slash command or a message's menu entry. `about`: the message it is about, if any."""

    inbound: Inbound
    respond: str = ""  # address that takes private replies for half an hour
    about: str = ""


@dataclass(frozen=True, slots=True)
class Shared:
    """A file came into a channel; most often its message comes too and tells more."""

    channel: str
    user: str
    file: str


@dataclass(frozen=True, slots=True)
class Pressed:
    """A button of one of the bot's messages."""

    inbound: Inbound  # who pressed, in the place and thread of the message
    action: str
    trace_id: str
    message: str
    respond: str = ""
    blocks: tuple[Json, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class MessageGone:
    channel: str
    message: str


@dataclass(frozen=True, slots=True)
class FileGone:
    """Deleted, or with `channels` no longer shared in these."""

    file: str
    channels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChannelGone:
    channel: str


@dataclass(frozen=True, slots=True)
class Stale:
    """Something that is looked up and kept for a while has changed. Empty: everything of that kind."""

    kind: Literal["members", "channels", "people"]
    name: str = ""


@dataclass(frozen=True, slots=True)
class HomeOpened:
    user: str


@dataclass(frozen=True, slots=True)
class AssistantOpened:
    user: str
    channel: str
    thread: str


@dataclass(frozen=True, slots=True)
class Mine:
    """A message of the bot's own: Slack has it, whatever became of the call that posted it."""

    channel: str
    message: str
    thread: str
    text: str


@dataclass(frozen=True, slots=True)
class Nothing:
    """Not for the bot; `why` is for the log."""

    why: str


Meaning = (
    Said | Asked | Shared | Pressed | MessageGone | FileGone | ChannelGone | Stale
    | HomeOpened | AssistantOpened | Mine | Nothing
)  # fmt: skip
