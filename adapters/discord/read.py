"""From Discord's messages and interactions to `Inbound`. Pure: nothing is looked up or sent here."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import discord

from bot.messages import NO_WORKSPACE, Attachment, Inbound
from core.errors import FileRejected
from core.types import Language

PLATFORM = "discord"
DIRECT = NO_WORKSPACE  # the workspace of direct messages, spelled as in Discord's own links
INTERACTION = "interaction:"  # a place that starts so is answered through that interaction
SPOKEN = (discord.MessageType.default, discord.MessageType.reply)

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_CODE = re.compile(r"(`{1,2})(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
_QUOTE_TO_END = re.compile(r"^>>> .*\Z", re.MULTILINE | re.DOTALL)
_QUOTE = re.compile(r"^> .*$", re.MULTILINE)
_MENTION = re.compile(r"<@([!&]?)(\d+)>")
_EMOJI = re.compile(r"<a?:(\w+):\d+>")
_CHANNEL = re.compile(r"<#(\d+)>")
_LINK = re.compile(r"/channels/(?:\d+|@me)/(\d+)(?:/(\d+))?")


class AttachmentGone(FileRejected):
    messages = {
        "en": "The file is no longer there: its message was deleted, or its link has expired. Send it once more.",
        "pt": "O arquivo não está mais lá: a mensagem foi apagada ou o link expirou. Envie-o de novo.",
    }


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message stands. A public thread belongs to its channel; a private one is a channel of its own."""

    workspace: str
    channel: str  # "" in a direct message
    thread: str
    place: str  # the id of what a reply is sent to, where that is not `channel`


@dataclass(frozen=True, slots=True)
class Me:
    """The bot as Discord addresses it."""

    id: int
    roles: frozenset[int] = frozenset()  # its own role in each server, which people may mention instead


# --- places ----------------------------------------------------------------------------------------


def place_of(channel: Any, guild: int | None, channel_id: int) -> Place:
    """Args: channel: as discord.py knows it, None if it does not; then it is taken for a channel, which nobody knows."""
    if guild is None:
        return Place(DIRECT, "", "", str(channel_id))
    if isinstance(channel, discord.Thread):
        own = str(channel.id)
        return Place(str(guild), own if channel.is_private() else str(channel.parent_id), own, own)
    return Place(str(guild), str(channel_id), "", "")


# --- messages --------------------------------------------------------------------------------------


def read_message(message: discord.Message, me: Me) -> Inbound | None:
    """A message, or None for what nobody wrote to be read: the bot's own, joins, pins, boosts."""
    if message.author.id == me.id or message.type not in SPOKEN:
        return None
    guild = message.guild
    place = place_of(message.channel, guild.id if guild else None, message.channel.id)
    answered = replied_to(message)
    mentioned = mentions(message.content, me) or answered == me.id
    others = bool(people_in(message.content) - {me.id}) or answered not in (None, me.id)
    permissions = getattr(message.author, "guild_permissions", None)
    return Inbound(
        PLATFORM,
        place.workspace,
        place.channel,
        str(message.author.id),
        said(message, me),
        str(message.id),
        place.thread,
        direct=guild is None,
        locale=language_of(str(guild.preferred_locale), told=False) if guild else "und",
        attachments=tuple(attachment_of(item, message) for item in files_of(message)),
        link=message.jump_url,
        place=place.place,
        mentioned=mentioned,
        to_others=others and not mentioned,
        from_bot=message.author.bot or message.webhook_id is not None,
        admin=bool(permissions and permissions.manage_guild),
    )


def read_edit(message: discord.Message, before: discord.Message | None, me: Me) -> Inbound | None:
    """An edited message; it addresses the bot only if it did not do so before.

    Args: before: as it was, None where that is not known any more; the caller then has to know what was answered.
    """
    inbound = read_message(message, me)
    if inbound is None or message.edited_at is None:
        return None
    added = mentions(message.content, me) and not (before and mentions(before.content, me))
    return replace(inbound, edited=True, mentioned=added)


def message_keys(inbound: Inbound) -> tuple[str, ...]:
    """The names under which a message is known. One that was answered has a second one, so that an edit is not again."""
    asked = f"asked:{inbound.id}"
    if inbound.edited:
        return (asked,)
    return (f"message:{inbound.id}", asked) if inbound.mentioned else (f"message:{inbound.id}",)


def spoken_part(content: str) -> str:
    """A message without what it quotes or shows as code."""
    for pattern in (_FENCE, _CODE, _QUOTE_TO_END, _QUOTE):
        content = pattern.sub(" ", content)
    return content


def mentions(content: str, me: Me) -> bool:
    """Whether the bot is named outside of code and quotes."""
    return any(_is_me(match, me) for match in _MENTION.finditer(spoken_part(content)))


def people_in(content: str) -> set[int]:
    """The people who are named outside of code and quotes."""
    return {int(m.group(2)) for m in _MENTION.finditer(spoken_part(content)) if m.group(1) != "&"}


def replied_to(message: discord.Message) -> int | None:
    """Who wrote the message that this one replies to; None when it replies to none, or that one is gone."""
    if message.type is not discord.MessageType.reply or message.reference is None:
        return None
    resolved = message.reference.resolved
    return resolved.author.id if isinstance(resolved, discord.Message) else None


def said(message: discord.Message, me: Me) -> str:
    """The text without the bot's mention, with names in place of ids."""
    people = {user.id: user.display_name for user in message.mentions}
    roles = {role.id: role.name for role in message.role_mentions}
    channels = {c.id: c.name for c in message.channel_mentions if hasattr(c, "name")}

    def named(match: re.Match[str]) -> str:
        if _is_me(match, me):
            return ""
        names = roles if match.group(1) == "&" else people
        name = names.get(int(match.group(2)))
        return f"@{name}" if name else match.group()

    text = _MENTION.sub(named, message.content)
    text = _CHANNEL.sub(
        lambda m: f"#{channels[int(m.group(1))]}" if int(m.group(1)) in channels else m.group(), text
    )
    return _EMOJI.sub(r":\1:", text).strip()


def _is_me(match: re.Match[str], me: Me) -> bool:
    known: Collection[int] = me.roles if match.group(1) == "&" else {me.id}
    return int(match.group(2)) in known


# --- files -----------------------------------------------------------------------------------------


def files_of(message: discord.Message) -> tuple[discord.Attachment, ...]:
    """The files of a message, and of the ones that it forwards."""
    forwarded = (item for snapshot in message.message_snapshots for item in snapshot.attachments)
    return (*message.attachments, *forwarded)


def attachment_of(item: discord.Attachment, message: discord.Message | None = None) -> Attachment:
    """A file that is read when it is needed. Links expire: then the message is asked for a fresh one.

    Its fetch raises: AttachmentGone.
    """

    async def fetch() -> bytes:
        try:
            return await item.read()
        except discord.HTTPException as err:
            if message is None or err.status not in (403, 404):
                raise AttachmentGone(f"attachment {item.id}: {err}") from err
        try:
            renewed = await message.fetch()
            found = next(fresh for fresh in files_of(renewed) if fresh.id == item.id)
            return await found.read()
        except (discord.HTTPException, StopIteration) as err:
            raise AttachmentGone(f"attachment {item.id}: {err!r}") from err

    return Attachment(item.filename, fetch, item.size, id=str(item.id))


# --- interactions ----------------------------------------------------------------------------------


def read_interaction(
    interaction: discord.Interaction[Any],
    command: str = "",
    text: str = "",
    *,
    ephemeral: bool,
    attachments: Iterable[Attachment] = (),
) -> Inbound:
    """A slash command, a form or a button. It is answered through the interaction, which `place` names."""
    where = place_of(interaction.channel, interaction.guild_id, interaction.channel_id or 0)
    return Inbound(
        PLATFORM,
        where.workspace,
        where.channel,
        str(interaction.user.id),
        text,
        f"interaction-{interaction.id}",  # no message has such an id
        where.thread,
        direct=interaction.guild_id is None,
        ephemeral=ephemeral and interaction.guild_id is not None,
        locale=locale_of(interaction),
        attachments=tuple(attachments),
        command=command,
        place=f"{INTERACTION}{interaction.id}",
        admin=interaction.guild_id is not None and interaction.permissions.manage_guild,
    )


def read_target(interaction: discord.Interaction[Any], message: discord.Message) -> Inbound:
    """The context menu "Remember this": the message is kept as if it had just been sent with its files."""
    inbound = read_interaction(interaction, "remember", message.content.strip(), ephemeral=False)
    files = tuple(attachment_of(item, message) for item in files_of(message))
    return replace(inbound, id=str(message.id), link=message.jump_url, attachments=files)


def at_message(inbound: Inbound, interaction: discord.Interaction[Any]) -> Inbound:
    """A pressed button stands where its message stands: what it posts for everybody goes there."""
    return replace(inbound, place=str(interaction.channel_id))


def linked(text: str) -> tuple[str, str]:
    """The channel or thread that a Discord link names, and the message; "" for what it does not name."""
    found = _LINK.search(text)
    return (found.group(1), found.group(2) or "") if found else ("", "")


def locale_of(interaction: discord.Interaction[Any]) -> Language:
    """The person's own language, else the server's."""
    own = language_of(str(interaction.locale), told=True)
    return own if own != "und" else language_of(str(interaction.guild_locale or ""), told=False)


def language_of(locale: str, *, told: bool) -> Language:
    """Args: told: somebody chose it; a server's English is what Discord puts where nobody did."""
    if locale.startswith("pt"):
        return "pt"
    return "en" if told and locale.startswith("en") else "und"


# --- the inbox -------------------------------------------------------------------------------------


def stored(inbound: Inbound) -> dict[str, Any]:
    """An interaction's `Inbound` as the inbox keeps it; files are not kept, their links would have expired."""
    kept = ("workspace", "channel", "user", "text", "id", "thread", "direct", "ephemeral", "locale", "link")
    more = ("command", "place", "admin")
    return {name: getattr(inbound, name) for name in (*kept, *more)}


def restored(event: Mapping[str, Any], draft: str) -> Inbound:
    """The reverse of `stored`."""
    return Inbound(platform=PLATFORM, draft=draft, **event)
