"""What was written while no process of the bot was there: Slack sends its events again for minutes only."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.calls import told
from adapters.slack.meaning import Json, Me

log = logging.getLogger("polyrag.slack")
PAUSE = 1.3  # seconds between two look-ups: Slack allows 50 a minute of these, and questions come first
PAGE = 200  # conversations of one call
LATEST = 100  # messages of one conversation
THREADS_BACK = 86_400.0  # seconds: a thread that began within them is looked into when it has new replies
_KINDS = {"is_im": "im", "is_mpim": "mpim", "is_private": "group"}


async def catch_up(
    client: AsyncWebClient, me: Me, since: float, hand_over: Callable[[dict[str, Any]], Awaitable[None]]
) -> None:
    """Hand over every message since then, as Slack would have delivered it, oldest first in each conversation.

    Args:
        since: seconds since 1970.
        hand_over: gets the body of an event; what is known already it drops.

    A conversation that cannot be read is left out, and the log says so.
    """
    async for channel in _conversations(client):
        try:
            messages = await _messages(client, channel, since)
        except SlackApiError as err:
            log.info("not caught up", extra={"channel": channel["id"], "error": repr(err)})
            continue
        for message in since_joined(messages, me):
            if float(message["ts"]) > since:
                await hand_over(body_of(message, channel, me))


async def _conversations(client: AsyncWebClient) -> AsyncIterator[Json]:
    """Those that the bot is in. Ends early where they cannot be listed; the log says so."""
    cursor = ""
    while True:
        try:
            page = await told(
                client.users_conversations,
                types="public_channel,private_channel,mpim,im",
                exclude_archived=True,
                limit=PAGE,
                cursor=cursor,
            )
        except SlackApiError as err:
            log.warning("not caught up: conversations not listed", extra={"error": repr(err)})
            return
        for channel in page["channels"]:
            yield channel
            await asyncio.sleep(PAUSE)
        cursor = str((page.get("response_metadata") or {}).get("next_cursor") or "")
        if not cursor:
            return


async def _messages(client: AsyncWebClient, channel: Json, since: float) -> list[Json]:
    """Of the conversation and of its threads, oldest first. Raises: SlackApiError."""
    page = await told(
        client.conversations_history,
        channel=channel["id"],
        oldest=_stamp(since - THREADS_BACK),
        limit=LATEST,
    )
    found = {str(message["ts"]): message for message in page["messages"]}
    for root in [m for m in found.values() if float(m.get("latest_reply") or 0) > since]:
        found |= {str(reply["ts"]): reply for reply in await _replies(client, channel, root, since)}
    return [found[ts] for ts in sorted(found)]


async def _replies(client: AsyncWebClient, channel: Json, root: Json, since: float) -> Sequence[Json]:
    """Where Slack does not let a bot read threads, those questions wait to be asked again."""
    await asyncio.sleep(PAUSE)
    try:
        page = await told(
            client.conversations_replies,
            channel=channel["id"],
            ts=root["ts"],
            oldest=_stamp(since),
            limit=LATEST,
        )
    except SlackApiError as err:
        log.info("thread not caught up", extra={"channel": channel["id"], "error": repr(err)})
        return ()
    replies: Sequence[Json] = page["messages"]
    return replies


def since_joined(messages: Sequence[Json], me: Me) -> Sequence[Json]:
    """What was said before the bot came to the channel is not for it.

    Args: messages: oldest first.
    """
    joins = [
        number
        for number, message in enumerate(messages)
        if message.get("subtype") in ("channel_join", "group_join") and message.get("user") == me.user
    ]
    return messages[joins[-1] + 1 :] if joins else messages


def body_of(message: Json, channel: Json, me: Me) -> dict[str, Any]:
    """The event that Slack would have delivered for it; without the mark of an edit, it has the key of its message."""
    kind = next((name for flag, name in _KINDS.items() if channel.get(flag)), "channel")
    event = {name: value for name, value in message.items() if name != "edited"}
    event |= {"type": "message", "channel": channel["id"], "channel_type": kind}
    return {"type": "event_callback", "team_id": me.team, "event": event}


def _stamp(seconds: float) -> str:
    return f"{max(seconds, 0.0):.6f}"
