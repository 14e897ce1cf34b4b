"""A comparison of what is kept with what still stands on Discord: deletions of the time when the bot was away."""

import asyncio
import logging
from typing import TYPE_CHECKING, Any

import discord

from adapters.discord.read import DIRECT, files_of
from bot.book import KeptFile

if TYPE_CHECKING:
    from adapters.discord.serve import PolyragClient

log = logging.getLogger("polyrag.discord")
RECONCILE_EVERY = 6 * 3600.0  # seconds
UNKNOWN_CHANNEL, UNKNOWN_MESSAGE = 10003, 10008
PAUSE = 0.3  # seconds between two look-ups: questions come first


async def reconcile(client: "PolyragClient") -> None:
    """Take away what is gone for certain; what cannot be looked up stays, since its readers are checked anyway."""
    for item in client.desk.kept_files():
        try:
            await _check(client, item)
        except discord.HTTPException as err:
            log.info("not reconciled", extra={"tag": item.tag, "error": repr(err)})
        await asyncio.sleep(PAUSE)


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
