"""What Discord takes away: as it happens, and by a comparison of what is kept with what still stands there."""

import asyncio
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import discord

from adapters.discord.read import DIRECT, PLATFORM, files_of, linked, place_of
from bot.book import KeptFile
from bot.messages import Inbound

if TYPE_CHECKING:
    from adapters.discord.serve import PolyragClient

log = logging.getLogger("polyrag.discord")
RECONCILE_EVERY = 6 * 3600.0  # seconds
UNKNOWN_CHANNEL, UNKNOWN_MESSAGE = 10003, 10008
PAUSE = 0.3  # seconds between two look-ups: questions come first


async def messages_gone(
    client: "PolyragClient", guild: int | None, channel: int, messages: Sequence[int]
) -> None:
    """Message ids are unique on Discord; that of an unknown (archived) thread is looked up in what is kept."""
    known = client.get_channel(channel)
    for message in messages:
        if guild is None:
            await client.desk.message_removed(DIRECT, str(channel), str(message))
        elif known is not None:
            where = place_of(known, guild, channel)
            await client.desk.message_removed(where.workspace, where.channel, str(message))
        else:
            for item in client.desk.kept_files():
                if item.message == str(message):
                    await client.desk.message_removed(item.workspace, item.channel, item.message)


async def attachments_gone(client: "PolyragClient", inbound: Inbound) -> None:
    """Files that an edit took out of a message."""
    place = inbound.place if inbound.direct else inbound.channel
    left = {item.id for item in inbound.attachments}
    for item in client.app.book.kept_of_message(PLATFORM, inbound.workspace, place, inbound.id):
        if item.file and item.file not in left:
            await client.desk.file_removed(inbound.workspace, item.file, place)


async def thread_gone(client: "PolyragClient", guild: int, thread: int, *, private: bool) -> None:
    """A private thread is a channel of its own; a public one takes the files of its messages along."""
    if private:
        await client.desk.channel_removed(str(guild), str(thread))
        return
    for item in client.desk.kept_files():
        if item.workspace == str(guild) and posted_in(client, item) == str(thread):
            await client.desk.message_removed(item.workspace, item.channel, item.message)


async def server_gone(client: "PolyragClient", guild: str) -> None:
    """The bot is in this server no more."""
    for place in sorted({item.channel for item in client.desk.kept_files() if item.workspace == guild}):
        await client.desk.channel_removed(guild, place)


def posted_in(client: "PolyragClient", item: KeptFile) -> str:
    """The channel or thread of the message that brought a file, from the link that was kept with it."""
    for placement in client.app.ingest_ports.ledger.placements([item.tag]):
        if placement.name == item.name and placement.document == item.document:
            return linked(placement.link)[0]
    return ""


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
            await server_gone(client, item.workspace)
            return
        if guild.unavailable:
            return
    place = posted_in(client, item) or item.channel
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
