"""What a subcommand of `polyrag` works with: settings, home, plugins, and an app that is opened and closed for it."""

import asyncio
import getpass
import json
import logging
import os
import signal
import sys
import threading
from argparse import ArgumentParser, Namespace
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from bot.audience import CONSOLE, DIRECT, WORKSPACE, ConfiguredChannels, console_channel
from bot.messages import Inbound
from bot.phrases import say
from bot.plugins.manager import PluginManager
from core.ports import Embedder, Progress
from core.settings import Settings

if TYPE_CHECKING:
    from bot.app import App
    from bot.records import Records

INTERRUPTED = 130
_GRACE = 1.0  # seconds that worker threads get to end after an interruption


@dataclass(frozen=True, slots=True)
class CommandLine:
    """One run of the program. Nothing is opened before a subcommand asks for it."""

    settings: Settings
    home: Path
    home_given: bool  # by --home or POLYRAG_HOME; without it `home` is the user's own bot
    config: Path | None
    plugins: PluginManager
    embedder: Embedder | None = None  # in place of the configured one: tests and the test kit

    def run(
        self, work: Callable[["App"], Awaitable[int]], *, chat: bool = True, catch_up: bool = True
    ) -> int:
        """Open the app, do the work, close the app; also when interrupted or terminated. Returns the exit code.

        Args:
            work: gets the open app.
            chat: whether the work writes answers, so that the chat model is worth starting.
            catch_up: whether the stores are brought to the ledger's state first.
        """

        async def opened() -> int:
            from bot.wiring import open_app  # late: `--help` and usage errors need no engine

            opening = open_app(
                self.settings, self.home, self.plugins, chat=chat, embedder=self.embedder, catch_up=catch_up
            )
            async with AsyncExitStack() as stack:
                with waiting(say("starting", self.settings.language)):
                    app = await stack.enter_async_context(opening)
                app.directories.setdefault(CONSOLE, ConfiguredChannels(self.settings.channels))
                return await work(app)

        return run_async(opened())

    @contextmanager
    def records(self) -> Iterator["Records | None"]:
        """The home's records alone, without models and stores; None when the home has none yet."""
        from bot.records import Records
        from bot.wiring import LEDGER
        from core.stores.ledger import Ledger

        url = self.settings.stores.database
        if not url and not (self.home / LEDGER).is_file():
            yield None
            return
        ledger = Ledger(url or f"sqlite:///{self.home / LEDGER}")
        try:
            yield Records(ledger.engine, keep_traces=self.settings.telemetry.keep_traces)
        finally:
            ledger.close()


def run_async(work: Awaitable[int]) -> int:
    """Run to the end or to SIGINT, SIGTERM or SIGHUP, which cancel the work so that it closes what it opened."""
    received: list[int] = []

    async def guarded() -> int:
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task is not None

        def stop(number: int) -> None:
            if not received:  # a second signal must not call off the closing of servers and stores
                task.cancel()
            received.append(number)

        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                loop.add_signal_handler(number, stop, number)
        try:
            return await work
        except asyncio.CancelledError:
            if not received:
                raise
            _leave_threads_behind(128 + received[0])
            return 128 + received[0]

    return asyncio.run(guarded())


def _leave_threads_behind(code: int) -> None:
    """End the process when a worker thread (a reader deep in a file) does not notice that the work was called off.

    Everything is closed by now, and a half-written upload is invisible and repaired by the next run.
    """
    deadline = threading.Event()
    for _ in range(int(_GRACE / 0.05)):
        if not _busy_threads():
            return
        deadline.wait(0.05)
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _busy_threads() -> bool:
    """Whether a worker of the event loop is inside a call; idle workers wait in their queue."""
    frames = sys._current_frames()
    workers = [t for t in threading.enumerate() if t.name.startswith("asyncio_") and t.ident in frames]
    return any(not _is_idle(frames[t.ident]) for t in workers if t.ident is not None)


def _is_idle(frame: Any) -> bool:
    return bool(frame.f_code.co_name == "_worker")


# --- what subcommands share ------------------------------------------------------------------------


def add_place(parser: ArgumentParser, *, required: bool = False) -> None:
    """--channel and --user."""
    parser.add_argument(
        "--channel",
        metavar="C",
        required=required,
        default=DIRECT,
        help="a channel of the configuration, or dm for a direct message"
        + ("" if required else " (default)"),
    )
    parser.add_argument(
        "--user", metavar="U", default=system_user(), help="who asks (default: you, %(default)s)"
    )


def add_json(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")


def system_user() -> str:
    """The account that runs the program; a fixed name where the system knows none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "user"


def inbound_of(args: Namespace, settings: Settings, text: str = "", **more: Any) -> Inbound:
    """The message that the options describe. Raises: UnknownChannel."""
    channel = console_channel(args.channel, args.user, settings.channels)
    thread = getattr(args, "thread", "") or ""
    return Inbound(
        CONSOLE, WORKSPACE, channel, args.user, text, uuid4().hex, thread, direct=not channel, **more
    )


def print_json(value: Any) -> None:
    """One JSON document on stdout."""
    print(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """A turning sign on a terminal while something starts."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(text):
        yield


@contextmanager
def progress_of(label: str) -> Iterator[Progress | None]:
    """Bars on a terminal, nothing in a pipe; on stderr, so that stdout holds results only."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(escape(label), total=None)

        def show(step: str, done: int, total: int) -> None:
            bars.update(task, description=f"{escape(label)} · {step}", completed=done, total=total or None)

        yield show
