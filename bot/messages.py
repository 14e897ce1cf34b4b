"""The chat vocabulary: what every platform's reader makes of an event, and what every writer renders.

Platform-free and frozen. An adapter turns its events into `Inbound`, and a `Reply` into its payloads.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal

from core.types import Language, Source

NO_WORKSPACE = "@me"  # stands for the workspace where a platform's direct messages belong to none


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file on its way in. `fetch` downloads it when it is needed."""

    name: str
    fetch: Callable[[], Awaitable[bytes]]
    size: int = 0
    link: str = ""
    id: str = ""  # the platform's own id, for deduplication


@dataclass(frozen=True, slots=True)
class Inbound:
    """One message, command or upload, as the platform's reader understood it."""

    platform: str  # "console", "slack", "discord"
    workspace: str
    channel: str  # the platform's channel id; empty in a direct message
    user: str
    text: str
    id: str  # unique in (platform, workspace, channel); the dedupe key
    thread: str = ""  # the thread it stands in or would open
    direct: bool = False  # direct message
    ephemeral: bool = False  # only the asker will read the reply
    locale: Language = "und"
    attachments: tuple[Attachment, ...] = ()
    link: str = ""
    guest: bool = False
    command: str = ""  # name of the command, without its mark; the text is then its arguments
    place: str = ""  # where the platform sends the reply when that is not `channel`: the id of a direct message or thread
    mentioned: bool = (
        False  # the bot is addressed, outside code and quotes, or answered to; in an edit: newly so
    )
    to_others: bool = False  # other people are mentioned, and the bot is not
    edited: bool = False
    from_bot: bool = False  # written by another bot; a reader drops the bot's own messages
    admin: bool = False  # the platform says so: a workspace's admin or owner, a server's manager
    draft: str = ""  # id of a placeholder that an earlier process left for this message

    @property
    def tag(self) -> str:
        """The tag of the channel; a direct message has one of its own, which nobody else reads."""
        place = self.channel or f"@{self.user}"
        return f"{self.platform}:{self.workspace}/{place}"


@dataclass(frozen=True, slots=True)
class Button:
    """Something to press under a reply."""

    action: Literal["up", "down", "why", "fresh", "share", "csv"]
    value: str  # the trace id it is about


@dataclass(frozen=True, slots=True)
class SourceBlock:
    """The sources of one label, in rank order."""

    label: str  # "SQL", "TEXT", "GRAPH"
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class OutFile:
    """A file that goes with a reply (a full result as CSV, a text too long for the platform)."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Reply:
    """What the bot says: Markdown text, source blocks, a folded explanation, buttons, files."""

    text: str
    language: Language = "und"
    sources: tuple[SourceBlock, ...] = ()
    explanation: str = ""
    buttons: tuple[Button, ...] = ()
    files: tuple[OutFile, ...] = ()
    ephemeral: bool = False
    trace_id: str = ""
    notes: tuple[str, ...] = field(default_factory=tuple)  # degraded, from the cache, understood as, ...
