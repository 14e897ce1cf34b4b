"""What happened while the bot was away: Discord sends no event twice to a session that had ended.

Deletions are found by a comparison of what is kept with what still stands there; questions and files by reading the
latest messages of the channels in which somebody wrote.
"""

import asyncio
import logging
from datetime import datetime
from typing import TYPE_CHECKING, Any

import discord

from adapters.discord.directory import may_read
from adapters.discord.read import DIRECT, files_of
from bot.book import KeptFile

if TYPE_CHECKING:
    from adapters.discord.serve import PolyragClient

log = logging.getLogger("polyrag.discord")
RECONCILE_EVERY = 6 * 3600.0  # seconds
UNKNOWN_CHANNEL, UNKNOWN_MESSAGE = 10003, 10008
CAUGHT_UP = 100  # messages of one channel
PAUSE = 0.3  # seconds between two look-ups: questions come first


async def reconcile(client: "PolyragClient") -> None:
    """Take away what is gone for certain; what cannot be looked up stays, since its readers are checked anyway."""
    for item in client.desk.kept_files():
        try:
            await _check(client, item)
        except discord.HTTPException as err:
            log.info("not reconciled", extra={"tag": item.tag, "error": repr(err)})
        await asyncio.sleep(PAUSE)


async def catch_up(client: "PolyragClient", since: datetime) -> None:
    """Hand over the messages that were written since then; those that are known already are dropped as duplicates."""
    for channel in _spoken_in(client, since):
        joined = channel.guild.me.joined_at or since
        try:
            async for message in channel.history(
                after=max(since, joined), limit=CAUGHT_UP, oldest_first=True
            ):
                await client.on_message(message)
        except discord.HTTPException as err:
            log.info("not caught up", extra={"channel": channel.id, "error": repr(err)})
        await asyncio.sleep(PAUSE)


def _spoken_in(client: "PolyragClient", since: datetime) -> list[Any]:
    """The channels and threads that the bot may read and in which something was written since then."""
    known = [c for guild in client.guilds if not guild.unavailable for c in (*guild.channels, *guild.threads)]
    return [
        channel
        for channel in known
        if isinstance(channel, discord.abc.Messageable)
        and (last := getattr(channel, "last_message_id", None))
        and discord.utils.snowflake_time(last) > since
        and may_read(channel.permissions_for(channel.guild.me))
    ]


async def _check(client: "PolyragClient", item: KeptFile) -> None:
    """Raises: discord.HTTPException."""
    if item.workspace != DIRECT:
        guild = client.get_guild(int(item.workspace))
        if guild is None:
            await client.guild_left(item.workspace)
            return
        if guild.unavailable:
            return
    place = client.posted_in(item) or item.channel
    try:
        channel: Any = client.get_channel(int(place)) or await client.fetch_channel(int(place))
        if not item.message.isdigit():  # it came through a form, and belongs to no message
            return
        message = await channel.fetch_message(int(item.message))
    except discord.NotFound as err:
        if err.code == UNKNOWN_CHANNEL and place == item.channel and item.workspace != DIRECT:
            await client.desk.channel_removed(item.workspace, item.channel)
        elif err.code in (UNKNOWN_CHANNEL, UNKNOWN_MESSAGE):
            await client.desk.message_removed(item.workspace, item.channel, item.message)
        return
    left = {str(file.id) for file in files_of(message)}
    if item.file and item.file not in left:
        await client.desk.file_removed(item.workspace, item.file, item.channel)
