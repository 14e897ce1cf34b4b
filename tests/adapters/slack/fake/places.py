"""auth.*, conversations.*, users.*, reactions.*, team.*, bots.*: who and where."""

from tests.adapters.slack.fake.api import flag, method
from tests.adapters.slack.fake.core import Core
from tests.adapters.slack.fake.shapes import channel_shape, message_shape, user_shape
from tests.adapters.slack.fake.state import (
    APP,
    BOT_ID,
    BOT_NAME,
    BOT_USER,
    DOMAIN,
    TEAM,
    Channel,
    Json,
    Message,
    Refused,
)

READ = {
    "public_channel": "channels:read",
    "private_channel": "groups:read",
    "im": "im:read",
    "mpim": "mpim:read",
}
HISTORY = {
    "channel": "channels:history",
    "group": "groups:history",
    "im": "im:history",
    "mpim": "mpim:history",
}
TYPES = {"channel": "public_channel", "group": "private_channel", "im": "im", "mpim": "mpim"}


def _type(channel: Channel) -> str:
    return TYPES[channel.channel_type]


def _scope(core: Core, needed: str) -> None:
    if not core.has_scope(needed):
        raise Refused("missing_scope", needed=needed, provided=",".join(sorted(core.scopes)))


def _readable(core: Core, arguments: Json) -> Channel:
    channel = core.world.seen_by_bot(str(arguments["channel"]))
    _scope(core, READ[_type(channel)])
    return channel


@method("auth.test")
async def auth_test(core: Core, arguments: Json) -> Json:
    return {
        "url": f"https://{DOMAIN}/", "team": "Acme", "user": BOT_NAME, "team_id": TEAM, "user_id": BOT_USER,
        "bot_id": BOT_ID, "is_enterprise_install": False,
    }  # fmt: skip


@method("team.info", "team:read")
async def team_info(core: Core, arguments: Json) -> Json:
    return {"team": {"id": TEAM, "name": "Acme", "domain": "acme", "email_domain": "acme.test"}}


@method("bots.info", "users:read", needs=("bot",))
async def bots_info(core: Core, arguments: Json) -> Json:
    for user in core.world.users.values():
        if user.bot_id and user.bot_id == arguments["bot"]:
            app = APP if user.bot_id == BOT_ID else "A0OTHER"
            return {
                "bot": {
                    "id": user.bot_id,
                    "name": user.name,
                    "app_id": app,
                    "user_id": user.id,
                    "deleted": False,
                }
            }
    raise Refused("bot_not_found")


@method("users.info", "users:read", needs=("user",))
async def users_info(core: Core, arguments: Json) -> Json:
    user, email = core.world.user(str(arguments["user"])), core.has_scope("users:read.email")
    return {"user": user_shape(user, locale=flag(arguments, "include_locale"), email=email)}


@method("users.list", "users:read")
async def users_list(core: Core, arguments: Json) -> Json:
    page, cursor = core.world.page(list(core.world.users.values()), arguments, 200)
    locale, email = flag(arguments, "include_locale"), core.has_scope("users:read.email")
    members = [user_shape(user, locale=locale, email=email) for user in page]
    return {"members": members, "response_metadata": {"next_cursor": cursor}}


def _of_types(core: Core, arguments: Json) -> list[Channel]:
    """Existing conversations of the kinds asked for. Raises: Refused."""
    types = str(arguments.get("types") or "public_channel").replace(" ", "").split(",")
    for name in types:
        if name not in READ:
            raise Refused("invalid_types")
        _scope(core, READ[name])
    found = [c for c in core.world.channels.values() if not c.deleted and _type(c) in types]
    return [c for c in found if not (c.archived and flag(arguments, "exclude_archived"))]


@method("users.conversations", *READ.values())
async def users_conversations(core: Core, arguments: Json) -> Json:
    """Of a person: public ones, and others only where the bot is a member too."""
    user = core.world.user(str(arguments.get("user") or BOT_USER)).id
    mine = [c for c in _of_types(core, arguments) if core.world.is_member(c, user)]
    shared = [c for c in mine if c.channel_type == "channel" or core.world.is_member(c)]
    page, cursor = core.world.page(shared, arguments, 100)
    return {"channels": [channel_shape(c) for c in page], "response_metadata": {"next_cursor": cursor}}


@method("conversations.list", *READ.values())
async def conversations_list(core: Core, arguments: Json) -> Json:
    seen = [c for c in _of_types(core, arguments) if c.channel_type == "channel" or core.world.is_member(c)]
    page, cursor = core.world.page(seen, arguments, 100)
    shapes = [channel_shape(c, members=True) for c in page]
    return {"channels": shapes, "response_metadata": {"next_cursor": cursor}}


@method("conversations.info", *READ.values(), needs=("channel",))
async def conversations_info(core: Core, arguments: Json) -> Json:
    channel = _readable(core, arguments)
    return {"channel": channel_shape(channel, members=flag(arguments, "include_num_members"))}


@method("conversations.members", *READ.values(), needs=("channel",))
async def conversations_members(core: Core, arguments: Json) -> Json:
    channel = _readable(core, arguments)
    page, cursor = core.world.page(channel.members, arguments, 100)
    return {"members": page, "response_metadata": {"next_cursor": cursor}}


@method("conversations.open", "im:write", "mpim:write")
async def conversations_open(core: Core, arguments: Json) -> Json:
    users = [user for user in str(arguments.get("users") or "").split(",") if user]
    if len(users) != 1:
        raise Refused("users_list_not_supplied" if not users else "too_many_users")
    channel = core.world.dm_of(core.world.user(users[0]).id)
    return {"channel": {"id": channel.id}, "no_op": True, "already_open": True}


@method("conversations.join", "channels:join", needs=("channel",))
async def conversations_join(core: Core, arguments: Json) -> Json:
    channel = core.world.seen_by_bot(str(arguments["channel"]))
    if BOT_USER not in channel.members:
        channel.members.append(BOT_USER)
    return {"channel": channel_shape(channel)}


@method("conversations.history", *HISTORY.values(), needs=("channel",))
async def conversations_history(core: Core, arguments: Json) -> Json:
    channel = _with_history(core, arguments)
    found = [m for m in core.world.listed(channel.id) if m.thread_ts in ("", m.ts) and _within(m, arguments)]
    page, cursor = core.world.page(found[::-1], arguments, 100)
    return _messages(core, page, cursor)


@method("conversations.replies", *HISTORY.values(), needs=("channel", "ts"))
async def conversations_replies(core: Core, arguments: Json) -> Json:
    channel = _with_history(core, arguments)
    if core.refuse_replies and channel.kind != "im":
        raise Refused("not_allowed_token_type")
    root = core.world.find(channel.id, str(arguments["ts"]), "thread_not_found")
    found = [
        m
        for m in core.world.listed(channel.id)
        if root.thread in (m.ts, m.thread_ts) and _within(m, arguments)
    ]
    page, cursor = core.world.page(found, arguments, 1000)
    return _messages(core, page, cursor)


def _with_history(core: Core, arguments: Json) -> Channel:
    channel = core.world.seen_by_bot(str(arguments["channel"]), member=True)
    _scope(core, HISTORY[channel.channel_type])
    return channel


def _within(message: Message, arguments: Json) -> bool:
    oldest, latest = str(arguments.get("oldest") or ""), str(arguments.get("latest") or "")
    inclusive = flag(arguments, "inclusive")
    after = not oldest or message.ts > oldest or (inclusive and message.ts == oldest)
    return after and (not latest or message.ts < latest or (inclusive and message.ts == latest))


def _messages(core: Core, page: list[Message], cursor: str) -> Json:
    shapes = [message_shape(core.world, message, core.origin) for message in page]
    return {"messages": shapes, "has_more": bool(cursor), "response_metadata": {"next_cursor": cursor}}


@method("reactions.add", "reactions:write", needs=("channel", "timestamp", "name"))
async def reactions_add(core: Core, arguments: Json) -> Json:
    users, message, name = _reaction(core, arguments)
    if BOT_USER in users:
        raise Refused("already_reacted")
    users.append(BOT_USER)
    emit_reaction(core, message, "reaction_added", name, BOT_USER)
    return {}


@method("reactions.remove", "reactions:write", needs=("channel", "timestamp", "name"))
async def reactions_remove(core: Core, arguments: Json) -> Json:
    users, message, name = _reaction(core, arguments)
    if BOT_USER not in users:
        raise Refused("no_reaction")
    users.remove(BOT_USER)
    emit_reaction(core, message, "reaction_removed", name, BOT_USER)
    return {}


def _reaction(core: Core, arguments: Json) -> tuple[list[str], Message, str]:
    channel = core.world.seen_by_bot(str(arguments["channel"]), member=True)
    message = core.world.find(channel.id, str(arguments["timestamp"]))
    name = str(arguments["name"])
    if message.only_for or message.user not in core.world.users:
        raise Refused("message_not_found")
    if not name.strip(":").replace("_", "").replace("-", "").replace("+", "").isalnum() or ":" in name:
        raise Refused("invalid_name")
    return message.reactions.setdefault(name, []), message, name


def emit_reaction(core: Core, message: Message, kind: str, name: str, user: str) -> None:
    item = {"type": "message", "channel": message.channel, "ts": message.ts}
    event = {"type": kind, "user": user, "reaction": name, "item_user": message.user, "item": item}
    channel = core.world.channels[message.channel]
    if core.world.is_member(channel):
        core.emit(event | {"event_ts": core.world.new_ts()}, channel)
