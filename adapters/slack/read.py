"""From what Slack delivers to what it means: a message for the bot, something that went, a button. Pure.

A body is read after it was accepted, and again after a restart, so everything needed stands in the body itself.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from adapters.slack.meaning import (
    FEEDBACK,
    PREFIX,
    SLACK,
    Asked,
    AssistantOpened,
    Attach,
    ChannelGone,
    FileGone,
    FileRef,
    HomeOpened,
    Json,
    Me,
    Meaning,
    MessageGone,
    Mine,
    Nothing,
    Pressed,
    Said,
    Shared,
    Stale,
)
from adapters.slack.tables import GENERAL, SHORTCUTS
from adapters.slack.text import plain_text, read_text, unescape_slack
from bot.messages import Attachment, Inbound

_SPOKEN = frozenset({"", "file_share", "thread_broadcast", "me_message", "bot_message"})
_CONVERTED = frozenset(
    {"channel_convert_to_private", "channel_convert_to_public", "group_convert_to_channel", "channel_name", "group_name"}
)  # fmt: skip
_RAW_ARGUMENTS = frozenset({"link", "unlink", "approve", "aprovar"})  # they want `<#C1|name>` itself
_CHANNEL_LINK = re.compile(r"<#([A-Z0-9]+)(?:\|[^>]*)?>")


def read_body(body: Json, me: Me, attach: Attach) -> Meaning:
    """What a delivered body means.

    Args:
        body: of an event, a slash command, a shortcut or an interaction, as Bolt hands it on.
        me: the bot, so that its own messages and the mentions of it are known.
        attach: makes the downloadable attachment of a file.
    """
    if isinstance(body.get("event"), Mapping):
        reader = READERS.get(str(body["event"].get("type", "")))
        return reader(body["event"], me, attach) if reader else Nothing("unknown event")
    if body.get("command"):
        return _command(body, me)
    if body.get("type") == "message_action":
        return _shortcut(body, me, attach)
    if body.get("type") == "block_actions":
        return _pressed(body, me)
    return Nothing("unknown body")


def keys_of(body: Json, me: Me) -> tuple[str, ...]:
    """Every name under which the same thing may be delivered again, its own first; () for what has none.

    A message that mentions the bot comes as `message` and as `app_mention`: both have the message's key.
    """
    event = body.get("event")
    if not isinstance(event, Mapping):
        if body.get("type") == "block_actions":
            parts = [str(item.get("action_ts", "")) for item in body.get("actions", ())]
            return (f"press:{_user(body)}/{body.get('trigger_id', '')}/{'/'.join(parts)}",)
        trigger = str(body.get("trigger_id", ""))
        return (f"trigger:{trigger}",) if trigger else ()
    keys = [f"event:{body['event_id']}"] if body.get("event_id") else []
    kind, subtype = event.get("type"), str(event.get("subtype") or "")
    place = f"{me.team}/{event.get('channel', '')}"
    if kind in ("message", "app_mention") and subtype in _SPOKEN and not event.get("edited"):
        keys.append(f"message:{place}/{event.get('ts', '')}")
    elif kind == "message" and subtype == "message_changed":
        message = event.get("message") or {}
        stamp = (message.get("edited") or {}).get("ts") or event.get("event_ts") or event.get("ts")
        keys.append(f"edit:{place}/{message.get('ts', '')}/{stamp}")
    return tuple(keys)


# --- messages --------------------------------------------------------------------------------------


def _message(event: Json, me: Me, attach: Attach) -> Meaning:
    subtype = str(event.get("subtype") or "")
    channel = str(event.get("channel", ""))
    if subtype == "message_changed":
        return _changed(event, me, attach)
    if subtype == "message_deleted":
        return MessageGone(channel, str(event.get("deleted_ts", "")))
    if subtype in _CONVERTED:
        return Stale("channels")
    if subtype not in _SPOKEN:
        return Nothing(f"subtype {subtype}")
    if _is_mine(event, me):
        id, thread = str(event.get("ts", "")), str(event.get("thread_ts") or "")
        return Mine(channel, id, "" if thread == id else thread, str(event.get("text", "")))
    if event.get("hidden") or not channel or not event.get("ts"):
        return Nothing("hidden, or without a place")
    return Said(_inbound(event, channel, me, attach, channel_type=str(event.get("channel_type", ""))))


def _mention(event: Json, me: Me, attach: Attach) -> Meaning:
    if event.get("edited"):
        return Nothing("an edit: message_changed tells whether the mention is new")
    return _message({**event, "type": "message"}, me, attach)


def _changed(event: Json, me: Me, attach: Attach) -> Meaning:
    """An edit counts when it adds a mention; a message with replies that is deleted turns into a tombstone."""
    message, before = event.get("message") or {}, event.get("previous_message") or {}
    channel = str(event.get("channel", ""))
    if message.get("subtype") == "tombstone":
        return MessageGone(channel, str(message.get("ts", "")))
    if _is_mine(message, me):
        return Nothing("own message")
    if message.get("text") == before.get("text"):
        return Nothing("nothing was typed: a preview or a file changed")
    if str(message.get("subtype") or "") not in _SPOKEN:
        return Nothing("edited notice")
    kind = str(event.get("channel_type", ""))
    inbound = _inbound(message, channel, me, attach, channel_type=kind, edited=True)
    added = read_text(str(message.get("text", "")), me.user).mentioned
    before_too = read_text(str(before.get("text", "")), me.user).mentioned
    if not added or before_too:
        return Nothing("an edit without a new mention")
    return Said(inbound)


def _inbound(
    message: Json, channel: str, me: Me, attach: Attach, *, channel_type: str = "", edited: bool = False
) -> Inbound:
    typed = read_text(str(message.get("text", "")), me.user)
    id, thread = str(message.get("ts", "")), str(message.get("thread_ts") or "")
    direct = channel_type == "im" or (not channel_type and channel.startswith("D"))
    to_me = message.get("parent_user_id") == me.user and not typed.to_others
    files = () if edited else tuple(attach(file_ref(item)) for item in message.get("files") or ())
    return Inbound(
        SLACK,
        me.team,
        "" if direct else channel,
        str(message.get("user") or message.get("bot_id") or ""),
        typed.text,
        id,
        "" if thread == id else thread,
        direct=direct,
        attachments=files,
        link=me.permalink(channel, id, thread),
        place=channel,
        mentioned=typed.mentioned or (to_me and not edited),
        to_others=typed.to_others,
        edited=edited,
        from_bot=bool(message.get("bot_id")) or message.get("subtype") == "bot_message",
    )


def _is_mine(message: Json, me: Me) -> bool:
    return message.get("user") == me.user or (bool(me.bot) and message.get("bot_id") == me.bot)


def file_ref(item: Json) -> FileRef:
    """A file object of an event or of files.info."""
    mode, access = str(item.get("mode", "")), str(item.get("file_access", ""))
    return FileRef(
        str(item.get("id", "")),
        str(item.get("name") or item.get("title") or ""),
        int(item.get("size") or 0),
        str(item.get("mimetype", "")),
        str(item.get("url_private_download") or item.get("url_private") or ""),
        str(item.get("permalink", "")),
        external=bool(item.get("is_external")) or mode == "external",
        check=access == "check_file_info" or mode == "file_access",
    )


# --- files, channels, people -----------------------------------------------------------------------


def _shared(event: Json, me: Me, attach: Attach) -> Meaning:
    channel, user, file = (str(event.get(name) or "") for name in ("channel_id", "user_id", "file_id"))
    if user == me.user:
        return Nothing("own file")
    if not channel or not file:
        return Nothing("a file without a channel")
    return Shared(channel, user, file)


def _unshared(event: Json, me: Me, attach: Attach) -> Meaning:
    channel = str(event.get("channel_id") or "")
    return FileGone(str(event.get("file_id", "")), (channel,)) if channel else Nothing("unshared nowhere")


def _file_deleted(event: Json, me: Me, attach: Attach) -> Meaning:
    return FileGone(str(event.get("file_id", "")))


def _channel_gone(event: Json, me: Me, attach: Attach) -> Meaning:
    return ChannelGone(_channel(event))


def _channel_changed(event: Json, me: Me, attach: Attach) -> Meaning:
    return Stale("channels")


def _members_changed(event: Json, me: Me, attach: Attach) -> Meaning:
    return Stale("channels") if event.get("user") == me.user else Stale("members", _channel(event))


def _person_changed(event: Json, me: Me, attach: Attach) -> Meaning:
    user = event.get("user")
    return Stale("people", str(user.get("id", "")) if isinstance(user, Mapping) else str(user or ""))


def _home(event: Json, me: Me, attach: Attach) -> Meaning:
    return HomeOpened(str(event.get("user", ""))) if event.get("tab") == "home" else Nothing("another tab")


def _assistant(event: Json, me: Me, attach: Attach) -> Meaning:
    thread = event.get("assistant_thread") or {}
    return AssistantOpened(
        str(thread.get("user_id", "")), str(thread.get("channel_id", "")), str(thread.get("thread_ts", ""))
    )


def _channel(event: Json) -> str:
    channel = event.get("channel")
    return str(channel.get("id", "")) if isinstance(channel, Mapping) else str(channel or "")


READERS: Mapping[str, Callable[[Json, Me, Attach], Meaning]] = {
    "app_home_opened": _home,
    "app_mention": _mention,
    "assistant_thread_context_changed": lambda event, me, attach: Nothing("the context is not used"),
    "assistant_thread_started": _assistant,
    "channel_archive": _channel_gone,
    "channel_created": _channel_changed,
    "channel_deleted": _channel_gone,
    "channel_id_changed": _channel_changed,
    "channel_left": _channel_changed,
    "channel_rename": _channel_changed,
    "channel_shared": _channel_changed,
    "channel_unarchive": _channel_changed,
    "channel_unshared": _channel_changed,
    "file_deleted": _file_deleted,
    "file_shared": _shared,
    "file_unshared": _unshared,
    "group_archive": _channel_gone,
    "group_deleted": _channel_gone,
    "group_left": _channel_changed,
    "group_rename": _channel_changed,
    "group_unarchive": _channel_changed,
    "member_joined_channel": _members_changed,
    "member_left_channel": _members_changed,
    "message": _message,
    "team_join": _person_changed,
    "user_change": _person_changed,
}


# --- commands, shortcuts, buttons ------------------------------------------------------------------


def _command(body: Json, me: Me) -> Meaning:
    name, text = str(body["command"]).removeprefix("/"), str(body.get("text") or "").strip()
    if name == GENERAL:
        name, _, text = text.partition(" ")
        name = name.removeprefix("/") or "help"
    raw = name in _RAW_ARGUMENTS
    arguments = unescape_slack(text) if raw else plain_text(text)
    channel = str(body.get("channel_id", ""))
    inbound = _acting(body, channel, str(body.get("trigger_id", "")), me, text=arguments, command=name)
    return Asked(inbound, str(body.get("response_url", "")))


def _shortcut(body: Json, me: Me, attach: Attach) -> Meaning:
    name = str(body.get("callback_id", "")).removeprefix(PREFIX)
    if name not in {shortcut.id for shortcut in SHORTCUTS}:
        return Nothing(f"shortcut {name}")
    message = body.get("message") or {}
    channel = _channel(body)
    id = str(message.get("ts") or body.get("message_ts") or "")
    text = plain_text(str(message.get("text", ""))) if name == "remember" else ""
    files = tuple(attach(file_ref(item)) for item in message.get("files") or ()) if name == "remember" else ()
    thread = str(message.get("thread_ts") or "")
    inbound = _acting(
        body, channel, id, me, text=text, command=name, files=files, link=me.permalink(channel, id, thread)
    )  # fmt: skip
    return Asked(inbound, str(body.get("response_url", "")), about=id)


def _pressed(body: Json, me: Me) -> Meaning:
    actions = [
        item for item in body.get("actions") or () if str(item.get("action_id", "")).startswith(PREFIX)
    ]
    if not actions:
        return Nothing("not a button of the bot's")
    action, value = str(actions[0]["action_id"]).removeprefix(PREFIX), str(actions[0].get("value") or "")
    if action == FEEDBACK:
        action, _, value = value.partition(" ")
    container, message = body.get("container") or {}, body.get("message") or {}
    channel = str(container.get("channel_id") or _channel(body))
    id = str(container.get("message_ts") or message.get("ts") or "")
    thread = str(message.get("thread_ts") or container.get("thread_ts") or "")
    private = bool(container.get("is_ephemeral"))
    own_id = f"press:{body.get('trigger_id', '')}" if private else id  # nothing can hang on a private message
    inbound = _acting(body, channel, own_id, me, thread=thread, ephemeral=private)
    blocks = tuple(message.get("blocks") or ())
    respond = str(body.get("response_url", ""))
    return Pressed(inbound, action, value, id, respond, blocks, str(message.get("text", "")))


def _acting(
    body: Json,
    channel: str,
    id: str,
    me: Me,
    *,
    text: str = "",
    command: str = "",
    thread: str = "",
    ephemeral: bool = True,
    files: Sequence[Attachment] = (),
    link: str = "",
) -> Inbound:
    """What a person does by a command, a menu entry or a button; a direct message has an id that begins with D."""
    direct = channel.startswith("D")
    return Inbound(
        SLACK,
        me.team,
        "" if direct else channel,
        _user(body),
        text,
        id,
        thread,
        direct=direct,
        ephemeral=ephemeral,
        attachments=tuple(files),
        link=link,
        command=command,
        place=channel,
        mentioned=True,
    )


def _user(body: Json) -> str:
    user = body.get("user")
    return str(user.get("id", "")) if isinstance(user, Mapping) else str(body.get("user_id") or "")
