"""chat.*: messages, ephemeral messages, edits, and streams."""

from typing import Any

from tests.adapters.slack.fake.api import listed, mapped, method
from tests.adapters.slack.fake.checks import MARKDOWN, TEXT, check_message
from tests.adapters.slack.fake.core import Core
from tests.adapters.slack.fake.shapes import message_shape, permalink
from tests.adapters.slack.fake.state import BOT_ID, BOT_USER, Channel, Json, Message, Refused

TEXT_FIELDS = ("text", "blocks", "markdown_text", "attachments")


def content(core: Core, arguments: Json) -> tuple[str, list[Json]]:
    """The text and blocks of a call, checked. Raises: Refused."""
    text, blocks = str(arguments.get("text") or ""), listed(arguments, "blocks")
    if markdown := str(arguments.get("markdown_text") or ""):
        if text or blocks:
            raise Refused("markdown_text_conflict")
        if len(markdown) > MARKDOWN:
            raise Refused("msg_too_long")
        return markdown, []
    if not text and not blocks:
        raise Refused("no_text")
    if not text:
        core.world.warnings.append("missing_text_in_message")
    return text, check_message(text, blocks or [], core.rules)


def open_channel(core: Core, channel_id: str) -> Channel:
    """A conversation that the bot may write in; a user's id means the direct message. Raises: Refused."""
    if channel_id in core.world.users:
        return core.world.dm_of(channel_id)
    channel = core.world.seen_by_bot(channel_id, member=not core.has_scope("chat:write.public"))
    if channel.archived:
        raise Refused("is_archived")
    return channel


def thread_of(core: Core, channel: Channel, arguments: Json) -> str:
    """The thread asked for; it must hang from a message that begins one. Raises: Refused."""
    thread = str(arguments.get("thread_ts") or "")
    if not thread:
        return ""
    root = core.world.find(channel.id, thread, "thread_not_found")
    if root.only_for or (root.thread_ts and root.thread_ts != root.ts):
        raise Refused("cannot_reply_to_message")
    return thread


def post_message(
    core: Core, channel: Channel, text: str, blocks: list[Json], thread: str, **more: Any
) -> Message:
    world = core.world
    message = Message(world.new_ts(), channel.id, BOT_USER, text, blocks, thread, bot_id=BOT_ID, **more)
    world.add(message)
    if thread and not message.only_for:
        world.statuses.append((channel.id, thread, ""))  # a reply takes the status away
    core.emit_message(message)
    return message


@method("chat.postMessage", "chat:write", needs=("channel",))
async def post(core: Core, arguments: Json) -> Json:
    channel = open_channel(core, str(arguments["channel"]))
    text, blocks = content(core, arguments)
    thread = thread_of(core, channel, arguments)
    core.note_pings(channel.id, text, blocks, arguments)
    message = post_message(core, channel, text, blocks, thread, metadata=_metadata(arguments))
    return {
        "channel": channel.id,
        "ts": message.ts,
        "message": message_shape(core.world, message, core.origin),
    }


def _metadata(arguments: Json) -> Json:
    metadata = mapped(arguments, "metadata")
    if metadata and not {"event_type", "event_payload"} <= set(metadata):
        raise Refused("invalid_metadata_format")
    return metadata


@method("chat.postEphemeral", "chat:write", needs=("channel", "user"))
async def post_ephemeral(core: Core, arguments: Json) -> Json:
    channel = open_channel(core, str(arguments["channel"]))
    user = core.world.user(str(arguments["user"]))
    if not core.world.is_member(channel, user.id):
        raise Refused("user_not_in_channel")
    text, blocks = content(core, arguments)
    thread = thread_of(core, channel, arguments)
    core.note_pings(channel.id, text, blocks, arguments)
    message = post_message(core, channel, text, blocks, thread, only_for=user.id)
    return {"message_ts": message.ts}


@method("chat.update", "chat:write", needs=("channel", "ts"))
async def update(core: Core, arguments: Json) -> Json:
    channel = core.world.seen_by_bot(str(arguments["channel"]), member=True)
    message = own(core, channel, str(arguments["ts"]), "cant_update_message")
    if message.streaming:
        raise Refused("streaming_state_conflict")
    if all(arguments.get(name) in (None, "") for name in (*TEXT_FIELDS, "file_ids")):
        raise Refused("no_text")
    given, cleared = listed(arguments, "blocks"), arguments.get("blocks") in ([], "[]")
    text, blocks = (str(arguments.get("text") or ""), []) if cleared else content(core, arguments)
    core.note_pings(channel.id, text, blocks, arguments)
    before = message_shape(core.world, message, core.origin)
    rewritten = given is not None or cleared or arguments.get("markdown_text")
    core.world.change(message, text=text or message.text, blocks=blocks if rewritten else None)
    if given is None:
        message.edited = core.world.new_ts()  # Slack shows "edited" where no blocks are sent
    core.emit_change(message, before)
    shape = message_shape(core.world, message, core.origin)
    return {"channel": channel.id, "ts": message.ts, "text": message.text, "message": shape}


@method("chat.delete", "chat:write", needs=("channel", "ts"))
async def delete(core: Core, arguments: Json) -> Json:
    channel = core.world.seen_by_bot(str(arguments["channel"]), member=True)
    message = own(core, channel, str(arguments["ts"]), "cant_delete_message")
    before = message_shape(core.world, message, core.origin)
    message.deleted = True
    core.emit_change(message, before, removed=True)
    return {"channel": channel.id, "ts": message.ts}


def own(core: Core, channel: Channel, ts: str, error: str) -> Message:
    """A message of the bot that everybody sees; ephemeral ones exist for response URLs alone. Raises: Refused."""
    message = core.world.find(channel.id, ts)
    if message.only_for:
        raise Refused("message_not_found")
    if not message.mine:
        raise Refused(error)
    return message


@method("chat.getPermalink", needs=("channel", "message_ts"))
async def get_permalink(core: Core, arguments: Json) -> Json:
    channel = core.world.seen_by_bot(str(arguments["channel"]))
    message = core.world.find(channel.id, str(arguments["message_ts"]))
    return {"channel": channel.id, "permalink": permalink(message)}


def _pieces(core: Core, arguments: Json) -> tuple[str, list[Json]]:
    """The text and blocks that a stream call adds. Raises: Refused."""
    text, blocks = str(arguments.get("markdown_text") or ""), []
    if len(text) > MARKDOWN:
        raise Refused("msg_too_long")
    for chunk in listed(arguments, "chunks") or []:
        match chunk:
            case {"type": "markdown_text", "text": str(piece)} if len(piece) <= MARKDOWN:
                text += piece
            case {"type": "markdown_text", "text": str()}:
                raise Refused("msg_too_long")
            case {"type": "task_update", "id": str(task), "title": str(title), **rest}:
                card = {
                    "type": "task_card",
                    "task_id": task,
                    "title": title,
                    "status": rest.get("status", "pending"),
                }
                blocks.append(
                    card | {name: rest[name] for name in ("details", "output", "sources") if rest.get(name)}
                )
            case {"type": "plan_update", "title": str()}:
                continue
            case {"type": "blocks", "blocks": list(more)}:
                blocks += check_message("", more, core.rules)
            case _:
                raise Refused("invalid_chunks")
    return text, blocks


def _streamed(core: Core, arguments: Json) -> Message:
    channel = core.world.seen_by_bot(str(arguments["channel"]), member=True)
    message = core.world.find(channel.id, str(arguments["ts"]))
    if not message.mine:
        raise Refused("message_not_owned_by_app")
    if not message.streaming:
        raise Refused("message_not_in_streaming_state")
    return message


def _extend(core: Core, message: Message, text: str, blocks: list[Json], arguments: Json) -> None:
    if len(message.text) + len(text) > TEXT:
        raise Refused("msg_too_long")
    cards = {block["task_id"]: block for block in blocks if block.get("type") == "task_card"}
    kept = [block for block in message.blocks if block.get("task_id") not in cards]
    core.note_pings(message.channel, text, blocks, arguments)
    core.world.change(message, text=message.text + text, blocks=kept + blocks)


@method("chat.startStream", "chat:write", needs=("channel", "thread_ts"))
async def start_stream(core: Core, arguments: Json) -> Json:
    if not core.rules.streams:
        raise Refused("method_not_supported_for_channel_type")
    channel = core.world.seen_by_bot(str(arguments["channel"]), member=True)
    if channel.archived:
        raise Refused("is_archived")
    thread = thread_of(core, channel, arguments)
    if channel.kind != "im":
        for name in ("recipient_team_id", "recipient_user_id"):
            if not arguments.get(name):
                raise Refused(f"missing_{name}")
        if core.world.user(str(arguments["recipient_user_id"])).team != arguments["recipient_team_id"]:
            raise Refused("invalid_arguments", "[ERROR] recipient_team_id is not the recipient's team")
    if arguments.get("task_display_mode", "timeline") not in ("timeline", "plan"):
        raise Refused("invalid_arguments", "[ERROR] unknown task_display_mode")
    text, blocks = _pieces(core, arguments)
    core.note_pings(channel.id, text, blocks, arguments)
    message = post_message(core, channel, text, blocks, thread, streaming=True, streamed=True)
    return {"channel": channel.id, "ts": message.ts}


@method("chat.appendStream", "chat:write", needs=("channel", "ts"))
async def append_stream(core: Core, arguments: Json) -> Json:
    message = _streamed(core, arguments)
    text, blocks = _pieces(core, arguments)
    if not text and not blocks:
        raise Refused("no_text")
    _extend(core, message, text, blocks, arguments)
    return {"channel": message.channel, "ts": message.ts}


@method("chat.stopStream", "chat:write", needs=("channel", "ts"))
async def stop_stream(core: Core, arguments: Json) -> Json:
    message = _streamed(core, arguments)
    text, blocks = _pieces(core, arguments)
    final = check_message("", listed(arguments, "blocks") or [], core.rules)
    metadata = _metadata(arguments)
    before = message_shape(core.world, message, core.origin)
    _extend(core, message, text, blocks + final, arguments)
    message.streaming, message.metadata = False, metadata or message.metadata
    core.emit_change(message, before)
    shape = message_shape(core.world, message, core.origin)
    return {"channel": message.channel, "ts": message.ts, "message": shape}
