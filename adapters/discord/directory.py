"""Discord's channels as scope needs them: who may see and read them, computed from overwrites and roles as of now.

Only the person who asks is looked up: `core.scope` asks nothing about anybody else.
"""

import logging
from collections.abc import MutableMapping
from functools import lru_cache
from typing import Any

import discord
from discord import abc

from adapters.discord.read import DIRECT, PLATFORM
from bot.messages import Inbound
from core.errors import NotAllowed
from core.scope import Channel

log = logging.getLogger("polyrag.discord")
_JOINED = (discord.VoiceChannel, discord.StageChannel)


class NotThere(NotAllowed):
    """The bot does not know this server now (it left, or Discord has an outage), so nobody reads anything of it."""


class DiscordDirectory:
    """Live from the gateway's cache; only members of private threads need a request, and are kept until one changes."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client
        self._in_thread: dict[int, frozenset[int]] = {}

    async def channels(self, inbound: Inbound) -> tuple[Channel, ...]:
        """The channels of the message's server; for a direct message, of every server that bot and person share.

        Raises: NotThere, discord.HTTPException: the caller denies.
        """
        user = int(inbound.user)
        if inbound.workspace != DIRECT:
            guild = self._client.get_guild(int(inbound.workspace))
            if guild is None or guild.unavailable:
                raise NotThere(f"server {inbound.workspace} is not available")
            return await self._channels_of(guild, user)
        found: list[Channel] = []
        for guild in sorted(self._client.guilds, key=lambda g: g.id):
            if not guild.unavailable and await self._member(guild, user) is not None:
                found += await self._channels_of(guild, user)
        return tuple(found)

    def forget_thread(self, thread: int) -> None:
        """Somebody joined or left a thread, or it changed."""
        self._in_thread.pop(thread, None)

    def forget_all(self) -> None:
        """Events may have been missed."""
        self._in_thread.clear()

    async def _channels_of(self, guild: discord.Guild, user: int) -> tuple[Channel, ...]:
        member = await self._member(guild, user)
        plain: dict[type, bool] = {}  # kind -> whether a channel of it that changes no permission is public
        found = [
            channel_entry(guild, channel, member, plain)
            for channel in guild.channels
            if not isinstance(channel, discord.CategoryChannel)
        ]
        for thread in guild.threads:
            if thread.is_private():
                found.append(await self._thread_entry(guild, thread, member))
        return tuple(sorted(found, key=lambda c: c.tag))

    async def _member(self, guild: discord.Guild, user: int) -> discord.Member | None:
        """A member of this server; None for everybody else. Raises: discord.HTTPException."""
        known = guild.get_member(user)
        if known is not None or guild.chunked:
            return known
        try:
            return await guild.fetch_member(user)
        except discord.NotFound:
            return None

    async def _thread_entry(
        self, guild: discord.Guild, thread: discord.Thread, member: discord.Member | None
    ) -> Channel:
        tag = channel_tag(guild.id, thread.id)
        parent = thread.parent
        if member is None or parent is None or not may_read(parent, member):
            return Channel(tag, "private")
        if parent.permissions_for(member).manage_threads or member.id in await self._members(thread):
            return Channel(tag, "private", frozenset({str(member.id)}))
        return Channel(tag, "private")

    async def _members(self, thread: discord.Thread) -> frozenset[int]:
        kept = self._in_thread.get(thread.id)
        if kept is None:
            kept = frozenset(entry.id for entry in await thread.fetch_members())
            self._in_thread[thread.id] = kept
        return kept


def channel_tag(guild: int, channel: int) -> str:
    return f"{PLATFORM}:{guild}/{channel}"


def channel_entry(
    guild: discord.Guild,
    channel: abc.GuildChannel,
    member: discord.Member | None,
    plain: MutableMapping[type, bool],
) -> Channel:
    """Public, or private with the person who asks as its member if they may read it.

    Args: plain: what was found for channels of the same server at the same moment; most of them change no permission, and
        then all of a kind are alike.
    """
    if getattr(channel, "nsfw", False) or channel.overwrites:
        public = is_public(guild, channel)
    else:
        kind = type(channel)
        if kind not in plain:
            plain[kind] = is_public(guild, channel)
        public = plain[kind]
    if public:
        return _public_entry(guild.id, channel.id)
    tag = channel_tag(guild.id, channel.id)
    reads = member is not None and may_read(channel, member)
    return Channel(
        tag, "private", frozenset({str(member.id)}) if member is not None and reads else frozenset()
    )


@lru_cache(maxsize=20_000)
def _public_entry(guild: int, channel: int) -> Channel:
    return Channel(channel_tag(guild, channel), "public")


def is_public(guild: discord.Guild, channel: abc.GuildChannel) -> bool:
    """Whether everybody in the server reads along: @everyone may at any age, and no role or person is kept out."""
    if getattr(channel, "nsfw", False) or not may_read(channel, guild.default_role):
        return False
    return not any(
        _keeps_out(channel, overwrite)
        for target, overwrite in channel.overwrites.items()
        if _person(guild, target)
    )


def may_read(channel: abc.GuildChannel | discord.Thread, who: discord.Member | discord.Role) -> bool:
    """Whether somebody reads what is written there, also before they came.

    Seeing a channel without its history does not make one a reader of its files. The chat of a voice or stage channel
    is only for those who may join it, although discord.py leaves the two other permissions standing without that one.
    """
    granted = channel.permissions_for(who)
    joins = granted.connect or not isinstance(channel, _JOINED)
    return granted.administrator or (granted.view_channel and granted.read_message_history and joins)


def _keeps_out(channel: abc.GuildChannel, overwrite: discord.PermissionOverwrite) -> bool:
    """Whether it takes away one of the permissions that reading this channel needs."""
    not_joining = isinstance(channel, _JOINED) and overwrite.connect is False
    return overwrite.view_channel is False or overwrite.read_message_history is False or not_joining


def _person(guild: discord.Guild, target: Any) -> bool:
    """Whether an overwrite is about people who read: not about @everyone (already asked), bots, or who has left."""
    if isinstance(target, discord.Role):
        return target != guild.default_role and not target.is_bot_managed()
    if isinstance(target, discord.Object):  # unknown here: a role that is gone, or a person
        return target.type is not discord.Role and not guild.chunked
    return not getattr(target, "bot", False)
