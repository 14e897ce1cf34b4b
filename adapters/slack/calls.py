"""The Web API with manners: what must arrive waits for Slack's limits, what is only nice to have is left out."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.async_handler import AsyncRetryHandler
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.http_retry.interval_calculator import RetryIntervalCalculator
from slack_sdk.http_retry.request import HttpRequest
from slack_sdk.http_retry.response import HttpResponse
from slack_sdk.http_retry.state import RetryState
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

log = logging.getLogger("polyrag.slack")
RETRIES = 5
PAUSES = (1.0, 2.0, 4.0)  # seconds before a call that failed in passing is tried again
UNDELIVERED = "not_delivered"  # our name, beside Slack's, for an answer that never came
BROKEN = (aiohttp.ClientError, TimeoutError)
_UNDONE = frozenset({"ratelimited", "service_unavailable", "request_timeout"})  # nothing was carried out
_UNSURE = frozenset({"internal_error", "fatal_error", UNDELIVERED})  # "some aspect may have succeeded"
_NOT_TWICE = "/chat.postMessage"
REST = 600.0  # seconds that a method is left alone that this app may not call at all
_NEVER = ("missing_scope", "unknown_method", "not_allowed_token_type", "no_permission")
BURST, PER_SECOND = 3.0, 1.0  # messages into one channel: a few at once, then one a second


class _Growing(RetryIntervalCalculator):
    def __init__(self, pauses: Sequence[float]) -> None:
        self._pauses = pauses

    def calculate_sleep_duration(self, current_attempt: int) -> float:
        return self._pauses[min(current_attempt, len(self._pauses) - 1)]


class Again(AsyncRetryHandler):
    """Tries again what failed in passing: Slack's own errors, servers, connections.

    A chat.postMessage only when nothing was carried out for sure; the doubtful rest of it is Posting's.
    """

    def __init__(self, pauses: Sequence[float]) -> None:
        super().__init__(len(pauses), _Growing(pauses))

    async def _can_retry_async(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> bool:
        once = request.url.endswith(_NOT_TWICE)
        if error is not None:
            return isinstance(error, aiohttp.ClientConnectorError if once else BROKEN)
        if response is None or response.status_code == 429:
            return False
        name = str((response.body or {}).get("error", ""))
        if name in _UNDONE:
            return True
        return not once and (response.status_code >= 500 or name in _UNSURE)


def patient_client(
    token: str, api_url: str, session: aiohttp.ClientSession, *, pauses: Sequence[float] = PAUSES
) -> AsyncWebClient:
    """Waits as long as Slack says (429) and tries again when something fails in passing."""
    handlers = [AsyncRateLimitErrorRetryHandler(max_retry_count=RETRIES), Again(pauses)]
    return AsyncWebClient(token=token, base_url=api_url, session=session, retry_handlers=handlers)


def light_client(token: str, api_url: str, session: aiohttp.ClientSession) -> AsyncWebClient:
    """Tries once."""
    return AsyncWebClient(token=token, base_url=api_url, session=session, retry_handlers=[])


def error_of(err: SlackApiError) -> str:
    """Slack's short name of what went wrong."""
    return str(err.response.get("error", "") if err.response is not None else "")


def is_passing(err: SlackApiError) -> bool:
    """Whether the same call may succeed a little later: the fault is none of the message's."""
    status = int(getattr(err.response, "status_code", 200))
    return status == 429 or status >= 500 or error_of(err) in _UNDONE | _UNSURE


def is_doubtful(err: SlackApiError) -> bool:
    """Whether Slack may have carried out what it did not confirm."""
    return is_passing(err) and error_of(err) not in _UNDONE


async def told(call: Callable[..., Awaitable[AsyncSlackResponse]], **arguments: Any) -> AsyncSlackResponse:
    """A call whose every failure is a SlackApiError, a broken connection's too."""
    try:
        return await call(**arguments)
    except BROKEN as err:
        answer = {"ok": False, "error": UNDELIVERED}
        raise SlackApiError(f"no answer: {err!r}", answer) from err  # type: ignore[no-untyped-call]


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
        except BROKEN as err:
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
