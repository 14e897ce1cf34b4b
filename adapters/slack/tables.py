"""What the adapter listens to, offers and calls, and the permission each needs. Code and manifest are made from these."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command: its name is also the bot's command, but for `/polyrag`, which takes any of them."""

    name: str
    summary: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Shortcut:
    """An entry of a message's menu; `id` is the bot's command."""

    id: str
    name: str
    summary: str


# Slack keeps /status, /help, /remind and others for itself: those are reached as `/polyrag status`.
GENERAL = "polyrag"
COMMANDS = (
    Command(GENERAL, "Any command of the bot", "help | status | sources | …"),
    Command("ask", "Ask privately: only you see the answer", "question"),
    Command("why", "Why an answer came out as it did", "[link or id]"),
    Command("route", "Where a question would be looked up, and why", "text"),
    Command("sources", "What this channel knows"),
    Command("forget", "Delete a file from this channel's knowledge", "file"),
    Command("remember", "Keep a note in this channel", "text"),
    Command("servers", "Model servers (admins)", "status|start|stop|restart|logs [chat|embed|ocr]"),
    Command("link", "Let this channel read another (admins)", "#channel"),
    Command("unlink", "Take a link away (admins)", "#channel"),
    Command("plugins", "Plugins and their state (admins)"),
    Command("audit", "Who did what (admins)"),
)
SHORTCUTS = (
    Shortcut("remember", "Remember this", "Keep this message's files or text in this channel"),
    Shortcut("why", "Why this answer?", "How the bot found this answer"),
)

# Events as Slack's subscription names them -> the scopes that it asks for them.
EVENTS: Mapping[str, tuple[str, ...]] = {
    "app_home_opened": (),
    "app_mention": ("app_mentions:read",),
    "assistant_thread_context_changed": ("assistant:write",),
    "assistant_thread_started": ("assistant:write",),
    "channel_archive": ("channels:read",),
    "channel_created": ("channels:read",),
    "channel_deleted": ("channels:read",),
    "channel_id_changed": ("channels:read",),
    "channel_left": ("channels:read",),
    "channel_rename": ("channels:read",),
    "channel_shared": ("channels:read",),
    "channel_unarchive": ("channels:read",),
    "channel_unshared": ("channels:read",),
    "file_deleted": ("files:read",),
    "file_shared": ("files:read",),
    "file_unshared": ("files:read",),
    "group_archive": ("groups:read",),
    "group_deleted": ("groups:read",),
    "group_left": ("groups:read",),
    "group_rename": ("groups:read",),
    "group_unarchive": ("groups:read",),
    "member_joined_channel": ("channels:read", "groups:read"),
    "member_left_channel": ("channels:read", "groups:read"),
    "message.channels": ("channels:history",),
    "message.groups": ("groups:history",),
    "message.im": ("im:history",),
    "message.mpim": ("mpim:history",),
    "team_join": ("users:read",),
    "user_change": ("users:read",),
}

# Methods of the Web API that the adapter calls -> the bot scopes they need.
METHODS: Mapping[str, tuple[str, ...]] = {
    "apps.connections.open": (),  # with the app-level token
    "assistant.threads.setStatus": ("assistant:write",),
    "assistant.threads.setSuggestedPrompts": ("assistant:write",),
    "auth.test": (),
    "chat.appendStream": ("chat:write",),
    "chat.delete": ("chat:write",),
    "chat.postEphemeral": ("chat:write",),
    "chat.postMessage": ("chat:write",),
    "chat.startStream": ("chat:write",),
    "chat.stopStream": ("chat:write",),
    "chat.update": ("chat:write",),
    "conversations.history": ("channels:history", "groups:history", "im:history", "mpim:history"),
    "conversations.list": ("channels:read", "groups:read", "mpim:read"),
    "conversations.members": ("channels:read", "groups:read", "mpim:read"),
    "conversations.open": ("im:write",),
    "conversations.replies": ("channels:history", "groups:history", "im:history", "mpim:history"),
    "files.completeUploadExternal": ("files:write",),
    "files.getUploadURLExternal": ("files:write",),
    "files.info": ("files:read",),
    "reactions.add": ("reactions:write",),
    "reactions.remove": ("reactions:write",),
    "users.conversations": ("channels:read", "groups:read", "im:read", "mpim:read"),
    "users.info": ("users:read",),
    "users.list": ("users:read",),
    "views.publish": (),
}
# Helpers of the SDK that call several methods.
HELPERS: Mapping[str, tuple[str, ...]] = {
    "files_upload_v2": ("files.getUploadURLExternal", "files.completeUploadExternal"),
}

APP_SCOPES = ("connections:write",)  # of the app-level token, for Socket Mode


def scopes() -> tuple[str, ...]:
    """The bot scopes that events, methods and commands need, sorted."""
    needed = {scope for group in (EVENTS, METHODS) for names in group.values() for scope in names}
    return tuple(sorted(needed | {"commands"}))
