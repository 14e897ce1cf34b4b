"""The reader process: takes one order at a time from its parent, sends back what it made, and dies when told or orphaned.

Everything that a broken or hostile file can do to a parser, it does here: hang, eat memory, end the process.
"""

import os
import pickle
import resource
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any

import psutil

from bot.refusing import packed
from core.errors import PolyragError
from core.ingest.make import Made, ReadOrder, make
from core.ports import Ocr, OcrLine, Parser

_MIB = 1024 * 1024
_LIBRARIES = 1024 * _MIB  # address space that libraries reserve and never fill (thread stacks, arenas)
_ORPHAN_SECONDS = 1.0
_QUIET = 0.1  # seconds between two words about progress


@dataclass(frozen=True, slots=True)
class Task:
    """An order with what it is read by."""

    order: ReadOrder
    parsers: tuple[bytes, ...]  # each pickled alone: one that is unknown here does not hide the others
    ocr: str  # "none" | "here" (the embedded reader) | "parent" (a model server that the parent knows)
    memory: int  # bytes


def serve(descriptor: int) -> None:
    """Work until the parent hangs up."""
    threading.Thread(target=_leave_with_parent, args=(os.getppid(),), daemon=True).start()
    os.nice(5)  # questions are answered first
    line = Connection(descriptor)
    known: dict[bytes, Parser] = {}
    here = _Embedded()
    while True:
        try:
            task: Task = pickle.loads(line.recv_bytes())  # noqa: S301  the parent is this program
        except EOFError:
            return
        line.send_bytes(pickle.dumps(_answer(task, line, known, here), pickle.HIGHEST_PROTOCOL))


def _answer(task: Task, line: Connection, known: dict[bytes, Parser], here: "_Embedded") -> tuple[str, Any]:
    """("made", Made), ("refused", what bot.refusing packed), ("memory", "") or ("strange", positions of parsers unknown here)."""
    strange = [n for n, blob in enumerate(task.parsers) if not _is_known(blob, known)]
    if strange:
        return "strange", strange

    line.send_bytes(
        pickle.dumps(("begun", ""))
    )  # from here on the clock runs for the file, not for our imports
    said = 0.0

    def tell(step: str, done: int, total: int) -> None:
        nonlocal said
        if done < total and monotonic() - said < _QUIET:
            return
        said = monotonic()
        line.send_bytes(pickle.dumps(("progress", (step, done, total))))

    choices: dict[str, Callable[[], Ocr | None]] = {
        "none": lambda: None,
        "here": lambda: here.reader,
        "parent": lambda: _Asking(line),
    }
    order = replace(task.order, limits=replace(task.order.limits, tell=tell))
    before = resource.getrlimit(resource.RLIMIT_AS)
    try:
        _bound(task.memory, before)
        made: Made = make(order, [known[blob] for blob in task.parsers], choices[task.ocr]())
        return "made", made
    except MemoryError:
        return "memory", ""
    except PolyragError as err:
        return _refused(err)
    except Exception as err:
        return "broken", f"{type(err).__name__}: {err}"
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def _bound(memory: int, before: tuple[int, int]) -> None:
    """One huge allocation fails at once; growth in small steps is what the parent watches."""
    limit = psutil.Process().memory_info().vms + memory + _LIBRARIES
    hard = before[1]
    resource.setrlimit(
        resource.RLIMIT_AS, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard)
    )


def _is_known(blob: bytes, known: dict[bytes, Parser]) -> bool:
    if blob not in known:
        try:
            known[blob] = pickle.loads(blob)  # noqa: S301
        except (
            Exception
        ):  # whatever a plugin's module does when it is imported: the parent reads with it itself
            return False
    return True


def _refused(err: PolyragError) -> tuple[str, Any]:
    try:
        return "refused", packed(err)
    except Exception as wrong:  # a plugin's sentence that cannot be filled in
        return "broken", f"{type(err).__name__}: {err} ({type(wrong).__name__}: {wrong})"


class _Embedded:
    """The embedded OCR, loaded when the first picture comes and kept while the process lives."""

    def __init__(self) -> None:
        self._reader: Ocr | None = None

    @property
    def reader(self) -> Ocr:
        if self._reader is None:
            from core.ingest.load.ocr import RapidOcr

            self._reader = RapidOcr()
        return self._reader


class _Asking:
    """core.ports.Ocr over the parent: keys, addresses and the starting of model servers stay there."""

    name = "parent"

    def __init__(self, line: Connection) -> None:
        self._line = line

    def read(self, image: bytes) -> tuple[OcrLine, ...]:
        """Raises: what the parent's reader raised."""
        self._line.send_bytes(pickle.dumps(("picture", image)))
        kind, value = pickle.loads(self._line.recv_bytes())  # noqa: S301
        if kind == "error":
            raise value
        lines: tuple[OcrLine, ...] = value
        return lines


def _leave_with_parent(parent: int) -> None:
    """A parent that was killed cannot hang up on a child that is deep in a file."""
    pause = threading.Event()
    while os.getppid() == parent:
        pause.wait(_ORPHAN_SECONDS)
    os._exit(1)
