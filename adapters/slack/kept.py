"""Look-ups that are kept for a short while and forgotten when Slack says that they changed."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """Values by name. Who asks while a look-up runs waits for it; a failed look-up is nobody's value."""

    def __init__(self, look_up: Callable[[str], Awaitable[T]], *, seconds: float, most: int = 10_000) -> None:
        """
        Args:
            look_up: gets a name. Raises whatever; the one who asked gets it.
            seconds: how long a value counts.
            most: names kept; the oldest go.
        """
        self._look_up = look_up
        self._seconds = seconds
        self._most = most
        self._values: dict[str, tuple[float, T]] = {}
        self._running: dict[str, asyncio.Task[T]] = {}

    async def get(self, name: str) -> T:
        kept = self._values.get(name)
        if kept is not None and kept[0] > asyncio.get_running_loop().time():
            return kept[1]
        task = self._running.get(name)
        if task is None:
            task = asyncio.create_task(self._fetch(name))
            self._running[name] = task
            task.add_done_callback(lambda done: self._ended(name, done))
        return await asyncio.shield(task)

    def has(self, name: str) -> bool:
        """Whether a value is kept that still counts."""
        kept = self._values.get(name)
        return kept is not None and kept[0] > asyncio.get_running_loop().time()

    def drop(self, name: str = "") -> None:
        """Forget one value, or all; a look-up that runs now may be of before, so nobody new waits for it."""
        for held in (self._values, self._running):
            if name:
                held.pop(name, None)
            else:
                held.clear()

    async def _fetch(self, name: str) -> T:
        me = asyncio.current_task()
        value = await self._look_up(name)
        if self._running.get(name) is me:  # not dropped meanwhile
            self._values.pop(name, None)
            self._values[name] = (asyncio.get_running_loop().time() + self._seconds, value)
            while len(self._values) > self._most:
                del self._values[next(iter(self._values))]
        return value

    def _ended(self, name: str, task: asyncio.Task[T]) -> None:
        if self._running.get(name) is task:
            del self._running[name]
        if not task.cancelled():
            task.exception()  # whoever waits has it; without a waiter it is nobody's
