"""Where the console's lines come from and go to: a terminal with colours and bars, or a pipe with plain text."""

import asyncio
import os
import select
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from adapters.console.write import answer_shown, plain, rendered
from bot.plain import Line, clean
from core.ports import Progress as Report


class Screen:
    """One output. On a terminal, an answer is seen while it is written; in a pipe only what is final is printed."""

    def __init__(self, out: TextIO | None = None, *, terminal: bool | None = None) -> None:
        self._out = out or sys.stdout
        self.terminal = self._out.isatty() if terminal is None else terminal
        self._console = (
            Console(file=self._out, highlight=False, force_terminal=True) if self.terminal else None
        )

    def show(self, lines: Iterable[Line]) -> None:
        """Print lines, flushed at once."""
        if self._console is None:
            print(plain(lines), file=self._out, flush=True)
            return
        for item in rendered(lines):
            self._console.print(item)

    def ask(self, prompt: str) -> None:
        """Show the prompt on a terminal."""
        if self.terminal:
            print(prompt, end="", file=self._out, flush=True)

    def end(self) -> None:
        """Leave the terminal's cursor on a line of its own."""
        if self.terminal:
            print(file=self._out, flush=True)

    @contextmanager
    def coming_in(self) -> Iterator[Callable[[str], None] | None]:
        """A function for the pieces of an answer; what it showed is wiped, the final reply takes its place."""
        if self._console is None:
            yield None
            return
        pieces: list[str] = []
        with Live(console=self._console, transient=True, refresh_per_second=8) as live:

            def more(piece: str) -> None:
                pieces.append(piece)
                live.update(answer_shown("".join(pieces)))

            yield more

    @contextmanager
    def progress(self, label: str) -> Iterator[Report | None]:
        """A bar for an upload."""
        if self._console is None:
            yield None
            return
        columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
        with Progress(*columns, console=self._console, transient=True) as bars:
            task = bars.add_task(clean(label), total=None)

            def report(step: str, done: int, total: int) -> None:
                text = f"{clean(label)} · {step}"
                bars.update(task, description=text, completed=done, total=total or None)

            yield report


async def typed_lines(stream: TextIO | None = None) -> AsyncIterator[str]:
    """Lines of a terminal, pipe or file until its end, without a thread that would outlive an interruption."""
    descriptor = (stream or sys.stdin).fileno()
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    try:
        loop.add_reader(descriptor, ready.set)
    except PermissionError:  # a regular file: it is always ready
        for line in (stream or sys.stdin).read().splitlines():
            yield line
        return
    rest = b""
    try:
        while True:
            ready.clear()
            await ready.wait()
            if not select.select([descriptor], [], [], 0)[0]:
                continue  # the loop told of data that was read already; reading now would block it
            read = os.read(descriptor, 65536)
            *complete, rest = (rest + read).split(b"\n")
            for line in complete:
                yield line.decode(errors="replace").rstrip("\r")
            if not read:
                break
        if rest:
            yield rest.decode(errors="replace")
    finally:
        loop.remove_reader(descriptor)
