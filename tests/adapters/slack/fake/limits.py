"""Rate limits per method, and failures that a test orders."""

import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from tests.adapters.slack.fake.state import Json

TIERS = {1: 1, 2: 20, 3: 50, 4: 100}  # calls a minute
METHOD_TIERS = {
    "auth.test": 4, "apps.connections.open": 1, "bots.info": 3, "team.info": 3,
    "chat.update": 3, "chat.delete": 3, "chat.postEphemeral": 4, "chat.getPermalink": 4,
    "chat.startStream": 2, "chat.appendStream": 4, "chat.stopStream": 2,
    "conversations.info": 3, "conversations.list": 2, "conversations.members": 4, "conversations.open": 3,
    "conversations.history": 3, "conversations.replies": 3, "reactions.add": 3, "reactions.remove": 2,
    "users.info": 4, "users.list": 2, "users.conversations": 3,
    "files.info": 4, "files.getUploadURLExternal": 4, "files.completeUploadExternal": 4,
    "views.publish": 4, "views.open": 4,
    "assistant.threads.setStatus": 4, "assistant.threads.setTitle": 4, "assistant.threads.setSuggestedPrompts": 4,
}  # fmt: skip
POST_BURST = 3  # messages in a row into one channel before one a second is held to


class Bucket:
    """Allows `capacity` calls at once and `rate` calls a second after that."""

    def __init__(self, capacity: float, rate: float) -> None:
        self._capacity, self._rate = capacity, rate
        self._left, self._at = capacity, 0.0

    def take(self, now: float) -> float:
        """0 when the call may pass, else the seconds to wait."""
        self._left = min(self._capacity, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left >= 1:
            self._left -= 1
            return 0.0
        return (1 - self._left) / self._rate


class Limits:
    """Off until `on` is set. `tiers` may be changed before the first call, so that a test need not make 50 of them."""

    def __init__(self) -> None:
        self.on = False
        self.tiers = dict(TIERS)
        self.post_burst = POST_BURST
        self.refused: dict[str, int] = defaultdict(int)  # method → calls answered with 429
        self._buckets: dict[str, Bucket] = {}

    def retry_after(self, method: str, arguments: Json, now: float) -> int:
        """Whole seconds for the Retry-After header; 0 lets the call pass."""
        if not self.on:
            return 0
        key = f"{method} {arguments.get('channel', '')}" if method == "chat.postMessage" else method
        if key not in self._buckets:
            self._buckets[key] = self._bucket(method)
        wait = math.ceil(self._buckets[key].take(now))
        self.refused[method] += bool(wait)
        return wait

    def _bucket(self, method: str) -> Bucket:
        if method == "chat.postMessage":
            return Bucket(self.post_burst, 1.0)
        calls = self.tiers[METHOD_TIERS.get(method, 3)]
        return Bucket(calls, calls / 60)


@dataclass(slots=True)
class Fault:
    """What happens to the next `times` calls of a method that `when` holds for."""

    method: str
    error: str = ""
    status: int = 200
    retry_after: int = 0
    delay: float = 0.0  # seconds before the answer
    drop: bool = False  # the connection closes without an answer
    after: bool = False  # the call is carried out, and only its answer is lost or replaced
    times: int = 1
    skip: int = 0
    when: Callable[[Json], bool] = lambda _arguments: True

    @property
    def spoils(self) -> bool:
        """A mere delay lets the call happen."""
        return bool(self.error or self.status != 200 or self.retry_after or self.drop)


class Faults:
    def __init__(self) -> None:
        self._waiting: list[Fault] = []

    def add(self, fault: Fault) -> None:
        self._waiting.append(fault)

    def clear(self) -> None:
        self._waiting.clear()

    def next(self, method: str, arguments: Json) -> Fault | None:
        """The fault that meets this call, counted down; None lets it pass."""
        for fault in self._waiting:
            if fault.method != method or not fault.when(arguments):
                continue
            if fault.skip > 0:
                fault.skip -= 1
                return None
            fault.times -= 1
            if fault.times == 0:
                self._waiting.remove(fault)
            return fault
        return None
