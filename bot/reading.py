"""Files are read in child processes: one that hangs, eats memory or dies costs its own file and nothing else.

Children are warm (started once, used again), know nothing of a bot (every order brings parsers and limits), and are
therefore shared by all bots of a process. What comes back is taken in only if it consists of core's own values.
"""

import asyncio
import atexit
import contextlib
import io
import logging
import os
import pickle
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any

import psutil

from bot.config import environment
from bot.reading_child import Task
from bot.refusing import unpacked
from core.errors import DamagedFile, HeavyFile, PolyragError, ReaderCrashed, SlowFile
from core.ingest.make import Made, ReadOrder, make
from core.ports import Ocr, Parser, Progress
from core.settings import IngestSettings

log = logging.getLogger("polyrag.reading")
_MIB = 1024 * 1024
_LOOK = 0.05  # seconds between two looks at a child's memory and clock
_START = 120.0  # seconds that a child may take to start and load its libraries
_FILES = 200  # a child is replaced after so many files: libraries leak
_GROWN = 0.5  # ... or once it holds so much of its limit when idle
_DETAIL = 2000  # characters of what a child says for the log
_NEEDED = ("PATH", "HOME", "LANG", "LC_", "TMP", "TEMP", "TZ", "PYTHON", "OMP_", "OPENBLAS_", "MKL_", "LD_")
_SAFE = {
    "datetime": {"date", "datetime", "time", "timedelta", "timezone"},
    "decimal": {"Decimal"},
    "builtins": {"frozenset", "set"},
}


class ReaderPool:
    """core.ports.Reader over child processes, at most `readers` at a time."""

    def __init__(self, parsers: Sequence[Parser], settings: IngestSettings, ocr: Ocr | None) -> None:
        self._settings, self._ocr = settings, ocr
        self._blobs = {parser.name: _pickled(parser) for parser in parsers}
        self._parsers = tuple(parsers)
        self._free = asyncio.Semaphore(settings.readers)

    async def __call__(self, order: ReadOrder, tell: Progress) -> Made:
        """Make a document.

        Raises: FileRejected and its kin, with SlowFile, HeavyFile and ReaderCrashed for what the file did to its reader;
        what a vision model raises.
        """
        stop = threading.Event()
        async with self._free:
            try:
                return await asyncio.to_thread(self._read, order, tell, stop)
            except asyncio.CancelledError:
                stop.set()  # the thread ends the child at its next look
                raise

    def _read(self, order: ReadOrder, tell: Progress, stop: threading.Event) -> Made:
        while True:
            foreign = [p for p in self._parsers if not self._blobs[p.name]]
            if order.loaded is None and any(p.accepts(order.data, order.name) > 0 for p in foreign):
                log.warning("read without limits", extra={"parsers": [p.name for p in foreign]})
                return make(replace(order, limits=replace(order.limits, tell=tell)), self._parsers, self._ocr)
            names = [p.name for p in self._parsers if self._blobs[p.name]]
            kind, value = self._in_child(order, tuple(self._blobs[name] for name in names), tell, stop)
            if kind != "strange":
                return _made(kind, value)
            for position in value:  # a parser that only this process can import
                self._blobs[names[position]] = b""

    def _in_child(
        self, order: ReadOrder, parsers: tuple[bytes, ...], tell: Progress, stop: threading.Event
    ) -> tuple[str, Any]:
        memory = self._settings.max_memory_mib * _MIB
        child = _IDLE.take()
        try:
            task = Task(order, parsers, _where(self._ocr), memory)
            answer = child.work(task, self._settings.max_seconds, tell, self._ocr, stop)
        except BaseException:
            child.end()
            raise
        _IDLE.put_back(child, memory)
        return answer


def _made(kind: str, value: Any) -> Made:
    if kind == "made" and isinstance(value, Made):
        return value
    if kind == "refused":
        raise unpacked(value)
    if kind == "memory":
        raise HeavyFile("the reader ran out of memory")
    if kind == "broken":
        raise DamagedFile(f"reader: {str(value)[:_DETAIL]}")
    raise ReaderCrashed(f"the reader said {kind!r}")


def _where(ocr: Ocr | None) -> str:
    if ocr is None:
        return "none"
    return "here" if ocr.name == "rapidocr" else "parent"


def _pickled(parser: Parser) -> bytes:
    """Empty for a parser that cannot travel; it is then used in this process."""
    try:
        return pickle.dumps(parser)
    except Exception as err:  # a plugin's object may raise anything here
        log.warning("parser stays", extra={"parser": parser.name, "error": repr(err)})
        return b""


def _bare_environment() -> dict[str, str]:
    """What Python and its libraries need; the bot's tokens and keys are not for a process that strange files may take."""
    needed = {name: value for name, value in environment().items() if name.startswith(_NEEDED)}
    paths = os.pathsep.join(filter(None, sys.path))
    return needed | {"PYTHONPATH": paths, "MALLOC_ARENA_MAX": "2"}


class Child:
    """One reader process and the line to it."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            code = f"from bot.reading_child import serve; serve({theirs.fileno()})"
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", code],
                env=_bare_environment(),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the bot, which ends its readers itself
            )
        self._line = Connection(ours.detach())
        self._files = 0

    def work(
        self, task: Task, seconds: float, tell: Progress, ocr: Ocr | None, stop: threading.Event
    ) -> tuple[str, Any]:
        """One order. Any error means that the child is to be ended. Raises: SlowFile, HeavyFile, ReaderCrashed."""
        self._files += 1
        try:
            self._line.send_bytes(pickle.dumps(task, pickle.HIGHEST_PROTOCOL))
            deadline, looked = monotonic() + _START, monotonic()
            while True:
                ready = self._line.poll(_LOOK)
                if monotonic() - looked >= _LOOK:  # also between two words of a child that talks all the time
                    self._look(task.memory, deadline, seconds, stop)
                    looked = monotonic()
                if not ready:
                    continue
                kind, value = _taken_in(self._line.recv_bytes(4 * task.memory))
                if kind == "begun":
                    deadline = monotonic() + seconds
                elif kind == "progress":
                    tell(*value)
                elif kind == "picture" and ocr is not None:
                    asked = monotonic()
                    self._line.send_bytes(pickle.dumps(_looked_at(ocr, value)))
                    deadline += monotonic() - asked  # a model server has a time limit of its own
                else:
                    return kind, value
        except (EOFError, OSError, pickle.UnpicklingError) as err:
            raise ReaderCrashed(
                f"reader ended: {type(err).__name__}: {err}, exit {self._process.poll()}"
            ) from err

    def _look(self, memory: int, deadline: float, seconds: float, stop: threading.Event) -> None:
        if stop.is_set():
            raise ReaderCrashed("called off")
        if monotonic() > deadline:
            raise SlowFile(f"over {seconds} s", seconds=round(seconds))
        if self.resident() > memory:
            raise HeavyFile(f"over {memory} bytes")

    def resident(self) -> int:
        """Bytes of memory held now; 0 of a process that ended."""
        try:
            return int(psutil.Process(self._process.pid).memory_info().rss)
        except psutil.Error:
            return 0

    def is_fit(self, memory: int) -> bool:
        """Whether it may take another file."""
        return self._process.poll() is None and self._files < _FILES and self.resident() < _GROWN * memory

    def end(self) -> None:
        """Kill it, whatever it is doing."""
        self._line.close()
        self._process.kill()
        self._process.wait()


def _looked_at(ocr: Ocr, image: bytes) -> tuple[str, Any]:
    try:
        return "lines", ocr.read(image)
    except PolyragError as err:
        return "error", err


class _Taking(pickle.Unpickler):
    """A pickle of core's own values only: a child that a file took over cannot make the parent run anything."""

    def find_class(self, module: str, name: str) -> Any:
        ours = module == "core.types" or (module, name) == ("core.ingest.make", "Made")
        if (ours and "." not in name) or name in _SAFE.get(module, ()):
            found = super().find_class(module, name)
            if isinstance(found, type):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is not one of core's values")


def _taken_in(message: bytes) -> tuple[str, Any]:
    kind, value = _Taking(io.BytesIO(message)).load()
    return str(kind), value


class _Idle:
    """Children without work, shared by all bots of this process; they end with it."""

    def __init__(self) -> None:
        self._children: list[Child] = []
        self._lock = threading.Lock()

    def take(self) -> Child:
        with self._lock:
            if self._children:
                return self._children.pop()
        return Child()

    def put_back(self, child: Child, memory: int) -> None:
        if child.is_fit(memory):
            with self._lock:
                self._children.append(child)
        else:
            child.end()

    def warm(self, readers: int) -> None:
        with self._lock:
            while len(self._children) < readers:
                self._children.append(Child())

    def close(self) -> None:
        with self._lock:
            children, self._children = self._children, []
        for child in children:
            with contextlib.suppress(OSError):
                child.end()


_IDLE = _Idle()
atexit.register(_IDLE.close)


def warm(readers: int) -> None:
    """Start children before the first file comes. Blocks for as long as a process takes to start, not to import."""
    _IDLE.warm(readers)
