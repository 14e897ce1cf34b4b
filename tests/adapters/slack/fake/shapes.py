"""State written the way Slack writes it: user, conversation, message and file objects."""

import mimetypes
import re
from typing import Any

from tests.adapters.slack.fake.state import (
    APP,
    BOT_NAME,
    BOT_USER,
    DOMAIN,
    FIRST_SECOND,
    TEAM,
    Channel,
    File,
    Json,
    Message,
    User,
    World,
)

MENTION = re.compile(r"<@([UW][A-Z0-9]+)(?:\|[^>]*)?>")
PIECE = re.compile(r"(`[^`\n]+`|<[@#!][^>\n]+>|<https?://[^>\n]+>)")
ENTITY = re.compile(r"<(?:@[UW]|#C|![a-z]|https?://|mailto:)[^<>\n]*>")


def escaped(text: str) -> str:
    """Typed text as the client sends it: &, < and > written out, mentions and links kept."""
    parts, at = [], 0
    for entity in ENTITY.finditer(text):
        parts += [_escape(text[at : entity.start()]), entity.group()]
        at = entity.end()
    return "".join(parts) + _escape(text[at:])


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _unescape(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def rich_text(text: str, block_id: str) -> list[Json]:
    """The block that comes with every typed message: fences, quotes and inline code are elements of their own."""
    elements: list[Json] = []
    for position, part in enumerate(text.split("```")):
        if position % 2:
            elements.append({"type": "rich_text_preformatted", "elements": _inline(part.strip("\n"))})
            continue
        for line in part.split("\n"):
            quoted = line.startswith("&gt;")
            kind = "rich_text_quote" if quoted else "rich_text_section"
            inline = _inline(line.removeprefix("&gt;").lstrip() if quoted else line)
            if inline:
                elements.append({"type": kind, "elements": inline})
    return [{"type": "rich_text", "block_id": block_id, "elements": elements}] if elements else []


def _inline(text: str) -> list[Json]:
    return [_element(part) for part in PIECE.split(text) if part]


def _element(part: str) -> Json:
    if part.startswith("`") and part.endswith("`") and len(part) > 2:
        return {"type": "text", "text": _unescape(part[1:-1]), "style": {"code": True}}
    if found := MENTION.fullmatch(part):
        return {"type": "user", "user_id": found.group(1)}
    if part.startswith("<#"):
        return {"type": "channel", "channel_id": part[2:-1].split("|")[0]}
    if part.startswith("<!"):
        return {"type": "broadcast", "range": part[2:-1].split("|")[0]}
    if part.startswith("<"):
        return {"type": "link", "url": part[1:-1].split("|")[0]}
    return {"type": "text", "text": _unescape(part)}


def user_shape(user: User, *, locale: bool, email: bool) -> Json:
    profile: Json = {"real_name": user.name.title(), "display_name": user.name, "team": user.team}
    if email and not user.bot_id:
        profile["email"] = f"{user.name}@acme.test"
    shape: Json = {
        "id": user.id, "team_id": user.team, "name": user.name, "deleted": False, "real_name": user.name.title(),
        "profile": profile, "is_admin": user.admin, "is_owner": False, "is_primary_owner": False,
        "is_restricted": user.guest, "is_ultra_restricted": False, "is_bot": bool(user.bot_id),
        "is_app_user": False, "tz": "America/Sao_Paulo", "updated": FIRST_SECOND,
    }  # fmt: skip
    if user.foreign:
        shape["is_stranger"] = True
        for known_at_home in (
            "is_admin",
            "is_owner",
            "is_primary_owner",
            "is_restricted",
            "is_ultra_restricted",
        ):
            del shape[known_at_home]
    return shape | ({"locale": user.locale} if locale else {})


def channel_shape(channel: Channel, *, members: bool = False) -> Json:
    shape: Json = {
        "id": channel.id, "created": FIRST_SECOND, "is_archived": channel.archived,
        "is_im": channel.kind == "im", "is_mpim": channel.kind == "mpim", "is_org_shared": False,
        "is_private": channel.private, "context_team_id": TEAM,
    }  # fmt: skip
    if channel.kind == "im":
        other = [user for user in channel.members if user != BOT_USER]
        return shape | {"user": other[0], "is_user_deleted": False, "is_open": True}
    shape |= {
        "name": channel.name, "name_normalized": channel.name, "is_channel": channel.channel_type == "channel",
        "is_group": channel.channel_type == "group", "is_general": False, "is_shared": channel.connect,
        "is_ext_shared": channel.connect, "is_pending_ext_shared": False,
        "is_member": BOT_USER in channel.members, "creator": (channel.members or [BOT_USER])[0],
        "topic": {"value": "", "creator": "", "last_set": 0}, "purpose": {"value": "", "creator": "", "last_set": 0},
    }  # fmt: skip
    return shape | ({"num_members": len(channel.members)} if members else {})


def file_shape(world: World, file: File, origin: str, *, full: bool = True) -> Json:
    """`full` is what files.info says; in a Slack Connect message only the id is there."""
    if file.check_info and not full:
        return {"id": file.id, "mode": "file_access", "file_access": "check_file_info"}
    suffix = file.name.rpartition(".")[2].lower() if "." in file.name else "binary"
    shape: Json = {
        "id": file.id, "created": FIRST_SECOND, "timestamp": FIRST_SECOND, "name": file.name,
        "title": file.title or file.name, "filetype": suffix, "pretty_type": suffix.upper(), "user": file.user,
        "mimetype": mimetypes.guess_type(file.name)[0] or "application/octet-stream", "editable": False,
        "size": len(file.data), "username": "", "display_as_bot": False, "public_url_shared": False,
        "is_external": bool(file.external_url), "external_type": "gdrive" if file.external_url else "",
        "mode": "external" if file.external_url else "hosted", "user_team": world.users[file.user].team,
        "permalink": f"https://{DOMAIN}/files/{file.user}/{file.id}/{file.name}",
        "is_public": any(world.channels[c].channel_type == "channel" for c in file.channels),
        "url_private": file.external_url or f"{origin}/files-pri/{TEAM}-{file.id}/{file.name}",
    }  # fmt: skip
    if not file.external_url:
        shape["url_private_download"] = f"{origin}/files-pri/{TEAM}-{file.id}/download/{file.name}"
    return shape | (_shares(world, file) if full else {})


def _shares(world: World, file: File) -> Json:
    kinds: dict[str, list[str]] = {"channels": [], "groups": [], "ims": []}
    shares: dict[str, dict[str, Any]] = {}
    for channel_id in file.channels:
        channel = world.channels[channel_id]
        kinds[{"channel": "channels", "im": "ims"}.get(channel.channel_type, "groups")].append(channel_id)
        posts = [m for m in world.listed(channel_id) if file.id in m.files]
        side = "public" if channel.channel_type == "channel" else "private"
        shares.setdefault(side, {})[channel_id] = [
            {"ts": m.ts, "channel_name": channel.name, "team_id": TEAM, "share_user_id": m.user}
            for m in posts
        ]
    return kinds | {"shares": shares}


def _replies(world: World, message: Message) -> Json:
    """What the root of a thread tells of it."""
    replies = [m for m in world.listed(message.channel) if m.thread_ts == message.ts != m.ts]
    return {"reply_count": len(replies), "latest_reply": replies[-1].ts} if replies else {}


def message_shape(world: World, message: Message, origin: str) -> Json:
    shape: Json = {"type": "message", "user": message.user, "ts": message.ts, "text": message.text}
    shape["team"] = world.users[message.user].team if message.user in world.users else TEAM
    if message.blocks:
        shape["blocks"] = message.blocks
    if message.thread_ts:
        shape |= {"thread_ts": message.thread_ts, "parent_user_id": _root_user(world, message)}
    shape |= _replies(world, message)
    if message.subtype:
        shape["subtype"] = message.subtype
    if message.files:
        files = [world.files[file] for file in message.files if not world.files[file].deleted]
        shape |= {"files": [file_shape(world, file, origin, full=False) for file in files], "upload": False}
    if message.edited:
        shape["edited"] = {"user": message.user, "ts": message.edited}
    if message.reactions:
        shape["reactions"] = [
            {"name": n, "users": u, "count": len(u)} for n, u in message.reactions.items() if u
        ]
    if message.metadata:
        shape["metadata"] = message.metadata
    if message.bot_id:
        return shape | {
            "bot_id": message.bot_id,
            "app_id": APP if message.mine else "A0OTHER",
            "bot_profile": _bot(message),
        }
    return shape | {"client_msg_id": f"00000000-0000-4000-8000-{message.ts.replace('.', '')[-12:]}"}


def _bot(message: Message) -> Json:
    name = BOT_NAME if message.mine else "another bot"
    return {"id": message.bot_id, "name": name, "deleted": False, "team_id": TEAM, "updated": FIRST_SECOND}


def _root_user(world: World, message: Message) -> str:
    root = world.messages.get(message.channel, {}).get(message.thread_ts)
    return root.user if root else ""


def permalink(message: Message) -> str:
    link = f"https://{DOMAIN}/archives/{message.channel}/p{message.ts.replace('.', '')}"
    return f"{link}?thread_ts={message.thread_ts}&cid={message.channel}" if message.thread_ts else link
