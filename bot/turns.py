"""One at a time where order matters: a follow-up waits until the question before it is answered."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Turns:
    """Locks by name; a name that nobody waits for takes no memory."""

    def __init__(self) -> None:
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def of(self, name: str) -> AsyncIterator[None]:
        """Wait for this name's turn."""
        lock, waiting = self._locks.get(name, (asyncio.Lock(), 0))
        self._locks[name] = lock, waiting + 1
        try:
            async with lock:
                yield
        finally:
            lock, waiting = self._locks[name]
            if waiting == 1:
                del self._locks[name]
            else:
                self._locks[name] = lock, waiting - 1

    def __len__(self) -> int:
        return len(self._locks)
