"""The one home of DBOS: a job's steps as a durable workflow, whose finished steps are not done again after a crash.

DBOS is one per process, so bots of different homes in one process take turns: a bot takes it when it has work, and
leaves it to another bot when it has none. Its own event loop helpers are avoided: they replace the default executor
of the loop they are called from.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any, Protocol
from uuid import uuid4

from core.errors import PolyragError

_VERSION = "1"  # of the steps; DBOS does not continue a workflow under another one
_PATIENCE = 60.0  # seconds that a bot waits for another bot of this process to finish its jobs
Step = Callable[[str, dict[str, Any]], Any]  # (job id, results of earlier steps by name) -> JSON


class EngineBusy(PolyragError):
    messages = {
        "en": "Another bot of this process is busy; please try again in a minute.",
        "pt": "Outro bot deste processo está ocupado; tente de novo em um minuto.",
    }


class Engine(Protocol):
    """Runs the steps of a job. Every method blocks; call it off the event loop."""

    def run(self, job: str, steps: Sequence[tuple[str, Step]]) -> dict[str, Any]:
        """Do the steps in order; results by name. A step that a killed process finished is not done again."""
        ...

    def forget(self, jobs: Sequence[str]) -> None:
        """Remove what is kept of these jobs."""
        ...

    def close(self) -> None: ...


class PlainEngine:
    """Without a record of finished steps: what a crash interrupts starts again at its first step."""

    def run(self, job: str, steps: Sequence[tuple[str, Step]]) -> dict[str, Any]:
        results: dict[str, Any] = {}
        for name, step in steps:
            results[name] = step(job, results)
        return results

    def forget(self, jobs: Sequence[str]) -> None:
        """Nothing is kept."""

    def close(self) -> None:
        """Nothing is open."""


@dataclass(slots=True, eq=False)
class _Call:
    """What a workflow of this process works with; a workflow's stored inputs are ids only."""

    steps: Sequence[tuple[str, Step]]
    failure: BaseException | None = None


class DbosEngine:
    """Workflows in a database of their own: SQLite in the home, PostgreSQL by URL."""

    def __init__(self, url: str, slot: str) -> None:
        """
        Args:
            slot: a name that no other living process uses; what is resumed here is dequeued here.
        """
        self._url, self._queue = url, f"polyrag-{slot}"

    def run(self, job: str, steps: Sequence[tuple[str, Step]]) -> dict[str, Any]:
        """Begin the workflow, or go on with it where an earlier process left it."""
        with _PROCESS.lent(self):
            run, known = _next_run(job)
            call = _Call(steps)
            _CALLS[run] = call
            try:
                return self._results(run, job, known)
            except Exception as err:
                raise (call.failure or err) from err
            finally:
                _CALLS.pop(run, None)

    def _results(self, run: str, job: str, known: bool) -> dict[str, Any]:
        from dbos import DBOS, SetWorkflowID

        if known:
            handle = DBOS.resume_workflow(run, queue_name=self._queue)
        else:
            with SetWorkflowID(run):
                handle = DBOS.start_workflow(_workflow(), run, job)
        results: dict[str, Any] = handle.get_result(polling_interval_sec=0.05)
        return results

    def forget(self, jobs: Sequence[str]) -> None:
        if not jobs:
            return
        from dbos import DBOS

        with _PROCESS.lent(self):
            runs = [run for job in jobs for run, _ in _runs(job)]
            if runs:
                DBOS.delete_workflows(runs)

    def close(self) -> None:
        _PROCESS.leave(self)

    def launch(self) -> None:
        """Only for the process's turn-taking."""
        from dbos import DBOS, DBOSConfig

        _workflow()
        config = DBOSConfig(
            name="polyrag",
            system_database_url=self._url,
            executor_id=uuid4().hex,  # nothing is recovered behind the job list's back
            application_version=_VERSION,
            log_level="ERROR",
            console_log_level="CRITICAL",
            notification_listener_polling_interval_sec=0.25,
        )
        DBOS(config=config)
        DBOS.listen_queues([self._queue])
        DBOS.launch()
        DBOS.register_queue(self._queue, polling_interval_sec=0.5)


def _runs(job: str) -> Iterator[tuple[str, str]]:
    """(workflow id, status) of each try of a job."""
    from dbos import DBOS

    for number in count(1):
        run = f"{job}-{number}"
        known = DBOS.get_workflow_status(run)
        if known is None:
            return
        yield run, known.status


def _next_run(job: str) -> tuple[str, bool]:
    """The workflow to go on with, or the name of a new one; one that ended in an error is never continued."""
    runs = list(_runs(job))
    if runs and runs[-1][1] != "ERROR":
        return runs[-1][0], True
    return f"{job}-{len(runs) + 1}", False


_CALLS: dict[str, _Call] = {}
_WORKFLOW: list[Any] = []
_DEFINING = threading.Lock()


def _workflow() -> Any:
    """The workflow, registered once a process, before the first launch."""
    with _DEFINING:
        if not _WORKFLOW:
            from dbos import DBOS

            _WORKFLOW.append(DBOS.workflow(name="polyrag-job")(_work))
        return _WORKFLOW[0]


def _work(run: str, job: str) -> dict[str, Any]:
    """The body of every workflow: one recorded step after the other."""
    from dbos import DBOS

    call = _CALLS[run]
    results: dict[str, Any] = {}
    try:
        for name, step in call.steps:
            results[name] = DBOS.run_step({"name": name}, step, job, dict(results))
    except BaseException as err:
        call.failure = err  # as it is; what DBOS keeps of it went through its serialiser
        raise
    return results


class _Process:
    """DBOS is one per process; this hands it from bot to bot."""

    def __init__(self) -> None:
        self._turn = threading.Condition()
        self._holder: DbosEngine | None = None
        self._users = 0

    @contextmanager
    def lent(self, engine: DbosEngine) -> Iterator[None]:
        """DBOS, open on this engine's database. Raises: EngineBusy."""
        with self._turn:
            if not self._turn.wait_for(lambda: self._holder in (None, engine) or not self._users, _PATIENCE):
                raise EngineBusy("DBOS is held by another home")
            if self._holder is not engine:
                self._shut()
                engine.launch()
                self._holder = engine
            self._users += 1
        try:
            yield
        finally:
            with self._turn:
                self._users = max(0, self._users - 1)
                self._turn.notify_all()

    def leave(self, engine: DbosEngine) -> None:
        with self._turn:
            if self._holder is engine:
                self._shut()
                self._users = 0
                self._turn.notify_all()

    def _shut(self) -> None:
        if self._holder is not None:
            from dbos import DBOS

            DBOS.destroy()
            self._holder = None


_PROCESS = _Process()
