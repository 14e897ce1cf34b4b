"""What a start finds undone: events that an earlier process had accepted, and what was written while there was none.

Discord sends no event twice to a session that had ended.
"""

import asyncio
import logging
from collections.abc import Coroutine
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import discord

from adapters.discord.directory import may_read
from adapters.discord.read import (
    DIRECT,
    PLATFORM,
    attachment_of,
    files_of,
    linked,
    read_message,
    restored,
)
from adapters.discord.reconcile import PAUSE
from bot.messages import Inbound, Reply
from bot.phrases import reader_language, say

if TYPE_CHECKING:
    from adapters.discord.serve import PolyragClient

log = logging.getLogger("polyrag.discord")
CAUGHT_UP = 100  # messages of one channel


async def recover(client: "PolyragClient") -> None:
    """What an earlier process had accepted and not finished."""
    for waiting in client.desk.unfinished():
        try:
            work = await _again(client, waiting.event, waiting.draft)
        except discord.NotFound:
            work = _nothing()  # the message is gone, and with it what was asked
        except discord.HTTPException as err:
            log.warning("not recovered yet", extra={"key": waiting.key, "error": repr(err)})
            continue
        except Exception:  # one event that this version cannot read does not hold up the others
            log.exception("not recovered", extra={"key": waiting.key})
            continue
        client.desk.spawn(waiting.key, work)


async def _again(client: "PolyragClient", event: dict[str, Any], draft: str) -> Coroutine[Any, Any, None]:
    """Raises: discord.HTTPException."""
    if event["kind"] == "message":
        message = await _message(client, event["channel"], event["message"])
        inbound = read_message(message, client.me)
        if inbound is None:
            return _nothing()
        if event["edited"]:
            inbound = replace(inbound, edited=True, mentioned=True)
        return client.desk.message(replace(inbound, draft=draft))
    inbound = restored(event["inbound"], draft)
    if event["kind"] == "press":
        return _pressed(client, inbound, event["action"], event["trace"])
    if not event["files"]:
        return client.desk.command(inbound)
    place, number = linked(inbound.link)
    if not number:
        return _interrupted(client, inbound)
    message = await _message(client, int(place), int(number))
    files = tuple(attachment_of(item, message) for item in files_of(message))
    return client.desk.command(replace(inbound, attachments=files))


async def _message(client: "PolyragClient", channel: int, message: int) -> discord.Message:
    """Raises: discord.HTTPException."""
    place: Any = client.get_channel(channel) or await client.fetch_channel(channel)
    found: discord.Message = await place.fetch_message(message)
    return found


async def _pressed(client: "PolyragClient", inbound: Inbound, action: str, trace: str) -> None:
    if action not in ("why", "csv"):  # those showed something to a person who no longer looks
        await client.desk.press(inbound, action, trace)


async def _interrupted(client: "PolyragClient", inbound: Inbound) -> None:
    """The files of a form cannot be fetched again."""
    language = reader_language("", inbound.locale, client.app.settings)
    await client.outlet.whisper(inbound, Reply(say("discord_interrupted", language), language))


async def _nothing() -> None:
    """An event whose object is gone is dealt with."""


async def catch_up(client: "PolyragClient", since: datetime) -> None:
    """Hand over the messages that were written since then; those that are known already are dropped as duplicates."""
    for channel in _spoken_in(client, since):
        await _hand_over(client, channel, max(since, channel.guild.me.joined_at or since))
    for place in client.app.book.directs(PLATFORM, DIRECT):
        try:
            direct = await client.fetch_channel(int(place))
        except discord.HTTPException as err:  # closed, or the person has gone
            log.info("not caught up", extra={"channel": place, "error": repr(err)})
        else:
            await _hand_over(client, direct, since)


async def _hand_over(client: "PolyragClient", channel: Any, since: datetime) -> None:
    try:
        async for message in channel.history(after=since, limit=CAUGHT_UP, oldest_first=True):
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
        and may_read(channel, channel.guild.me)
    ]
