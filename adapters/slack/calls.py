"""The Web API with manners: what must arrive waits for Slack's limits, what is only nice to have is left out."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import (
    AsyncConnectionErrorRetryHandler,
    AsyncRateLimitErrorRetryHandler,
    AsyncServerErrorRetryHandler,
)
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

log = logging.getLogger("polyrag.slack")
RETRIES = 5
REST = 600.0  # seconds that a method is left alone that this app may not call at all
_NEVER = ("missing_scope", "unknown_method", "not_allowed_token_type", "no_permission")
BURST, PER_SECOND = 3.0, 1.0  # messages into one channel: a few at once, then one a second


def patient_client(token: str, api_url: str, session: aiohttp.ClientSession) -> AsyncWebClient:
    """Waits as long as Slack says (429) and tries again when a server fails."""
    handlers = [
        AsyncRateLimitErrorRetryHandler(max_retry_count=RETRIES),
        AsyncConnectionErrorRetryHandler(),
        AsyncServerErrorRetryHandler(max_retry_count=2),
    ]
    return AsyncWebClient(token=token, base_url=api_url, session=session, retry_handlers=handlers)


def light_client(token: str, api_url: str, session: aiohttp.ClientSession) -> AsyncWebClient:
    """Tries once."""
    return AsyncWebClient(token=token, base_url=api_url, session=session, retry_handlers=[])


def error_of(err: SlackApiError) -> str:
    """Slack's short name of what went wrong."""
    return str(err.response.get("error", "") if err.response is not None else "")


class Lightly:
    """Calls that may be left out: statuses, reactions, the middle of a stream. A method that met its limit, or a closed door, rests."""

    def __init__(self) -> None:
        self._rests: dict[str, float] = {}  # method -> loop time until which it is left alone

    async def __call__(
        self, call: Callable[..., Awaitable[AsyncSlackResponse]], **arguments: Any
    ) -> AsyncSlackResponse | None:
        """The answer, or None: refused, resting, or not delivered."""
        name = getattr(call, "__name__", "")
        now = asyncio.get_running_loop().time()
        if self._rests.get(name, 0.0) > now:
            return None
        try:
            return await call(**arguments)
        except SlackApiError as err:
            if err.response.status_code == 429:
                self._rests[name] = now + float(err.response.headers.get("Retry-After", "1"))
            elif error_of(err) in _NEVER:
                self._rests[name] = now + REST
            log.info("left out", extra={"method": name, "error": error_of(err)})
        except (aiohttp.ClientError, TimeoutError) as err:
            log.info("left out", extra={"method": name, "error": repr(err)})
        return None


class Pace:
    """One message a second into a channel, a few at once after a pause: Slack's own limit, kept before it is met."""

    def __init__(self, *, burst: float = BURST, per_second: float = PER_SECOND, most: int = 5_000) -> None:
        self._burst = burst
        self._per_second = per_second
        self._most = most
        self._next: dict[str, float] = {}  # channel -> when its allowance is full again

    async def wait(self, channel: str) -> None:
        """Until a message may be posted there."""
        now = asyncio.get_running_loop().time()
        full = max(self._next.pop(channel, now), now)
        delay = full - now - (self._burst - 1) / self._per_second
        self._next[channel] = full + 1 / self._per_second
        while len(self._next) > self._most:
            del self._next[next(iter(self._next))]
        if delay > 0:
            await asyncio.sleep(delay)
