"""Where a bot's processor time goes, by stage, and how long the engine takes of each turn: put on from outside for a load run.

The bot's process puts the meter on and answers a line on its input with one line of JSON (`Meter.serve`); the run's process
reads it between two phases (`Bots`). A stage counts what it computes itself, without the stages that it calls.
"""

import asyncio
import functools
import inspect
import json
import sys
import threading
import time
import types
from collections import Counter
from collections.abc import Callable, Coroutine, Generator, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import psutil

import bot.app
from bot.app import App
from bot.book import Book
from bot.clerk import Clerk
from bot.desk import Desk
from bot.records import Records
from core import ask as walk
from core.cache import AnswerCache
from core.stores.ledger import Ledger

LOOP, THREADS = "platform library and loop", "threads, between stages"
ROWS, DESK, SCOPE, TRACE = (
    "rows: book, records, audit",
    "desk",
    "scope and audience",
    "trace and reply blocks",
)
READ, WRITE = "platform: read", "platform: render and send"
LONGEST_LINE = 2**26  # bytes: a line tells of every question since the last one
_ENGINE: ContextVar[list[float] | None] = ContextVar("engine", default=None)


class Meter:
    """Processor seconds by stage. Threads and coroutines are followed; each thread's time is counted once."""

    def __init__(self, *, stages: bool = True) -> None:
        """Args: stages: False leaves the time as it is and only looks at the engine: looking at all costs some itself."""
        self.engine: dict[str, float] = {}  # message id -> milliseconds of the engine's walk
        self._stages = stages
        self._spent: list[Counter[str]] = []  # one for each thread
        self._here = threading.local()

    def put_on(self, app: App) -> None:
        """Wrap what every platform shares; an adapter's own parts are given to `watch`."""
        self._begin(LOOP)
        for owner in (Book, Records):
            self.watch(ROWS, owner, _public(owner))
        self.watch("rows: the clerk's thread", Clerk, ["_commit"])
        self.watch(DESK, Desk, ["message", "command", "_answer", "_begin", "_finish", "_run", "accept"])
        self.watch(SCOPE, App, ["scope"])
        self.watch(TRACE, bot.app, ["trace_body", "asked", "answer_reply"])
        self.watch("engine: view", Ledger, ["view", "generation"])
        self.watch("engine: cache", AnswerCache, _public(AnswerCache))
        self.watch("engine: route", walk, ["route_clause"])
        self.watch("engine: clauses", walk, ["read_clauses", "resolve_followup", "depends_on_history"])
        self.watch("engine: evidence", walk, ["_weighed", "_cache_key", "_cache_scope"])
        self.watch("engine: answer", walk, ["write_answer", "_pen"])
        self.watch("engine: explain", walk, ["explain"])
        self.watch("model (stand-in)", type(app.ask_ports.embedder), ["embed_queries", "embed_passages"])
        for name, store in app.ask_ports.stores.items():
            self.watch(f"engine: store {name}", type(store), ["search"])
        self._time_turns()
        self.watch("engine: walk", bot.app, ["ask"])
        self.watch("app", App, ["handle"])

    def watch(self, stage: str, owner: Any, names: Iterable[str]) -> None:
        for name in names if self._stages else ():
            setattr(owner, name, self._timed(stage, getattr(owner, name)))

    def snapshot(self) -> dict[str, Any]:
        """Milliseconds by stage so far, of the whole process, and the engine's share of the turns since the last one."""
        spent: Counter[str] = Counter()
        for own in list(self._spent):
            spent.update({stage: seconds * 1000 for stage, seconds in list(own.items())})
        engine, self.engine = self.engine, {}
        return {"stages": spent, "process": time.process_time() * 1000, "engine_ms": engine}

    async def serve(self) -> None:
        """Answer each line of the input with a snapshot, until the input closes."""
        while await asyncio.to_thread(sys.stdin.readline):
            print(json.dumps(self.snapshot()), flush=True)

    def _time_turns(self) -> None:
        ask, turn = bot.app.ask, App.ask

        @functools.wraps(ask)
        async def timed_ask(*args: Any, **kwargs: Any) -> Any:
            began = time.perf_counter()
            try:
                return await ask(*args, **kwargs)
            finally:
                spent = _ENGINE.get()
                if spent is not None:
                    spent.append((time.perf_counter() - began) * 1000)

        @functools.wraps(turn)
        async def timed_turn(app: App, inbound: Any, **kwargs: Any) -> Any:
            spent: list[float] = []
            _ENGINE.set(spent)
            try:
                return await turn(app, inbound, **kwargs)
            finally:
                self.engine[inbound.id] = sum(spent)

        bot.app.ask = timed_ask  # type: ignore[assignment]
        App.ask = timed_turn  # type: ignore[method-assign]

    def _timed(self, stage: str, work: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.iscoroutinefunction(work):

            @functools.wraps(work)
            async def stepped(*args: Any, **kwargs: Any) -> Any:
                return await self._driven(stage, work(*args, **kwargs))

            return stepped

        @functools.wraps(work)
        def called(*args: Any, **kwargs: Any) -> Any:
            self._enter(stage)
            try:
                return work(*args, **kwargs)
            finally:
                self._leave()

        return called

    @types.coroutine
    def _driven(self, stage: str, work: Coroutine[Any, Any, Any]) -> Generator[Any, Any, Any]:
        """Each step of a coroutine counts; what other tasks do between two steps does not."""
        step: Callable[[], Any] = functools.partial(work.send, None)
        while True:
            self._enter(stage)
            try:
                waited = step()
            except StopIteration as ended:
                return ended.value
            finally:
                self._leave()
            try:
                step = functools.partial(work.send, (yield waited))
            except GeneratorExit:
                work.close()
                raise
            except BaseException as err:
                step = functools.partial(work.throw, err)

    def _begin(self, base: str) -> None:
        here = self._here
        here.stack, here.last, here.spent = [base], time.thread_time(), Counter()
        self._spent.append(here.spent)

    def _enter(self, stage: str) -> None:
        here = self._here
        if not hasattr(here, "stack"):
            self._begin(THREADS)
        now = time.thread_time()
        here.spent[here.stack[-1]] += now - here.last
        here.stack.append(stage)
        here.last = now

    def _leave(self) -> None:
        here, now = self._here, time.thread_time()
        here.spent[here.stack.pop()] += now - here.last
        here.last = now


@dataclass
class Bots:
    """The bot's processes over one home, and what they said last; the next reading is the difference."""

    children: list[asyncio.subprocess.Process] = field(default_factory=list)
    last: Mapping[str, float] = field(default_factory=dict)

    def worked(self) -> float:
        """Milliseconds that they have computed so far; other work on the machine does not count."""
        times = [psutil.Process(child.pid).cpu_times() for child in self.children]
        return sum((own.user + own.system) * 1000 for own in times)

    def memory(self) -> float:
        """MiB of them and their children."""
        family = [psutil.Process(child.pid) for child in self.children]
        family += [one for member in list(family) for one in member.children(recursive=True)]
        return float(sum(member.memory_info().rss for member in family) / 2**20)

    async def take(self) -> tuple[dict[str, float], float, dict[str, float]]:
        """Milliseconds by stage, and of all processes, since the last reading; message id -> the engine's milliseconds."""
        now: Counter[str] = Counter()
        engine: dict[str, float] = {}
        for child in self.children:
            told = await self._told(child)
            now.update(told["stages"])
            now["process"] += told["process"]
            engine |= told["engine_ms"]
        before, self.last = self.last, now
        spent = {name: ms - before.get(name, 0.0) for name, ms in now.items()}
        return spent, spent.pop("process"), engine

    async def _told(self, child: asyncio.subprocess.Process) -> dict[str, Any]:
        if child.stdin is None or child.stdout is None:
            raise RuntimeError("no pipes to the bot")
        child.stdin.write(b"\n")
        await child.stdin.drain()
        told: dict[str, Any] = json.loads(await child.stdout.readline())
        return told

    async def start(self, command: Sequence[str]) -> str:
        """One more process; the line that it prints when it is ready. Raises: RuntimeError when it ends before."""
        pipe = asyncio.subprocess.PIPE
        child = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, limit=LONGEST_LINE)
        self.children.append(child)
        line = await child.stdout.readline() if child.stdout else b""
        if not line:
            raise RuntimeError("the bot ended before it was ready; it says why above")
        return line.decode()

    async def stop(self) -> None:
        for child in self.children:
            if child.stdin is not None:
                child.stdin.close()
        for child in self.children:
            await child.wait()


def by_stage(stages: Mapping[str, float], process: float, answers: int) -> dict[str, float]:
    """Milliseconds an answer, the dearest stage first; what no stage names comes last."""
    shares = {name: ms / max(1, answers) for name, ms in stages.items()}
    rest = process / max(1, answers) - sum(shares.values())
    ordered = sorted(shares.items(), key=lambda pair: (-pair[1], pair[0]))
    return {name: round(ms, 2) for name, ms in ordered if round(ms, 2)} | {
        "outside all stages": round(rest, 2)
    }


def _public(owner: type) -> list[str]:
    return [n for n, v in vars(owner).items() if inspect.isfunction(v) and not n.startswith("_")]
