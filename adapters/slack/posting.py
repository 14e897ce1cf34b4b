"""chat.postMessage without silence and without doubles.

When a connection breaks, or Slack answers `internal_error`, nobody knows whether the message was posted. Posting it
again unseen would show the answer twice; leaving it might show none. Asking is no way out: conversations.replies is
not open to bot tokens in channels, and answers stand in threads. But Slack announces the bot's own messages to it like
everybody's, so what was posted is heard of: a doubtful message is posted again only if it is not heard within a pause.
Least harm, if the announcement too is late: twice, once, for a lost answer is worse than one too many.
"""

import asyncio
import html
import logging
import re
from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.calls import PAUSES, UNDELIVERED, error_of, is_doubtful, told

log = logging.getLogger("polyrag.slack")
HEARD, CLAIMED = 200, 2_000  # announcements, and ids of messages that are known to be answers to a call
LOST = 1  # answers that never came; after one more the network is to blame, and each try may be a double
ALIKE = 0.8  # share of a message's words; Slack rewrites links and emoji
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Heard:
    """A message of the bot's own, as its event tells."""

    number: int
    channel: str
    message: str
    thread: str
    words: frozenset[str]


class Posting:
    """Posts messages; `hear` brings what Slack announces."""

    def __init__(self, client: AsyncWebClient, *, pauses: Sequence[float] = PAUSES) -> None:
        """Args: pauses: seconds after each doubtful failure, in which the message may be heard of."""
        self._client = client
        self._pauses = pauses
        self._heard: deque[Heard] = deque(maxlen=HEARD)
        self._number = 0
        self._claimed: OrderedDict[str, None] = OrderedDict()

    def hear(self, channel: str, message: str, thread: str, text: str) -> None:
        self._number += 1
        self._heard.append(Heard(self._number, channel, message, thread, words(text)))

    async def __call__(self, *, channel: str, text: str, thread: str = "", **more: Any) -> str:
        """The message's id. Raises: SlackApiError."""
        since, lost = self._number, 0
        for pause in (*self._pauses, self._pauses[-1]):
            try:
                return await self._once(channel, text, thread, more)
            except SlackApiError as err:
                if not is_doubtful(err):
                    raise
                failed, lost = err, lost + (error_of(err) == UNDELIVERED)
            log.warning("post in doubt", extra={"channel": channel, "error": error_of(failed)})
            await asyncio.sleep(max(self._pauses) if lost else pause)  # a broken network announces late
            if found := self._found(since, channel, text, thread):
                log.info("post heard of", extra={"channel": channel, "message_id": found})
                return found
            if lost > LOST:
                break
        raise failed

    async def _once(self, channel: str, text: str, thread: str, more: dict[str, Any]) -> str:
        answer = await told(
            self._client.chat_postMessage,
            channel=channel, text=text, thread_ts=thread or None, unfurl_links=False, unfurl_media=False, **more,
        )  # fmt: skip
        return self._claim(str(answer["ts"]))

    def _claim(self, message: str) -> str:
        self._claimed[message] = None
        while len(self._claimed) > CLAIMED:
            self._claimed.popitem(last=False)
        return message

    def _found(self, since: int, channel: str, text: str, thread: str) -> str:
        """A message like this one, announced since, that is no other call's; "" if none."""
        wanted = words(text)
        for item in self._heard:
            alike = len(item.words & wanted) >= ALIKE * len(wanted) if wanted else not item.words
            here = (item.channel, item.thread) == (channel, thread)
            if item.number > since and here and alike and item.message not in self._claimed:
                return self._claim(item.message)
        return ""


def words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(html.unescape(text).casefold()))
