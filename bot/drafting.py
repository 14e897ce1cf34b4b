"""From the engine's quick, synchronous callbacks to a draft's slow, asynchronous `show`: only the newest state counts."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from types import TracebackType

from bot.messages import Inbound
from bot.phrases import reader_language, say
from core.harmless import harmless, shown_name
from core.ports import Progress
from core.settings import Settings

log = logging.getLogger("polyrag.drafting")
Show = Callable[[str], Awaitable[None]]
PATIENCE = 2.0  # seconds before an upload's progress is worth a message
STEPS = ("read", "embed", "index")


class _Latest:
    """Shows the newest text while the work goes on. A failure to show is no failure of the work."""

    def __init__(self, show: Show, *, wait: float = 0.0) -> None:
        self._show = show
        self._wait = wait
        self._changed = asyncio.Event()
        self._text = ""
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.create_task(self._pump())

    def put(self, text: str) -> None:
        """From any thread."""
        self._text = text
        self._loop.call_soon_threadsafe(self._changed.set)

    async def close(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _pump(self) -> None:
        if self._wait:
            await asyncio.sleep(self._wait)
        while True:
            await self._changed.wait()
            self._changed.clear()
            try:
                await self._show(self._text)
            except Exception as err:
                log.warning("draft not shown", extra={"error": repr(err)})


class Writing:
    """An answer while it is written: gives a function for its pieces."""

    def __init__(self, show: Show) -> None:
        self._show = show
        self._pieces: list[str] = []

    async def __aenter__(self) -> Callable[[str], None]:
        self._latest = _Latest(self._show)
        return self._add

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._latest.close()

    def _add(self, piece: str) -> None:
        self._pieces.append(piece)
        self._latest.put(harmless("".join(self._pieces)))


class Progressing:
    """An upload while it is read: gives a core.ports.Progress; quick files show nothing."""

    def __init__(self, show: Show, name: str, inbound: Inbound, settings: Settings) -> None:
        self._show = show
        self._name = shown_name(name)
        self._language = reader_language(inbound.text, inbound.locale, settings)

    async def __aenter__(self) -> Progress:
        self._latest = _Latest(self._show, wait=PATIENCE)
        return self._tell

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._latest.close()

    def _tell(self, step: str, done: int, total: int) -> None:
        if step in STEPS and total:
            key = f"progress_{step}"
            self._latest.put(
                say(key, self._language, file=self._name, done=min(done + 1, total), total=total)
            )
