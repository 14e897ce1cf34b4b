"""The jobs of one bot: accepted durably, run in fair turns, tried again, called off, and finished by the next process.

A job is accepted once its row and its bytes are on the disk. From then on it ends in exactly one of: done, failed
(the dead-letter list), cancelled; whatever processes die meanwhile.
"""

import asyncio
import concurrent.futures
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from bot.jobs.engine import DbosEngine, Engine, PlainEngine, Step
from bot.jobs.gate import Gate
from bot.jobs.job import OPEN_STATES, GivenUp, Job, JobCancelled, JobRow
from bot.jobs.payload import Payloads, Slot, is_gone
from bot.jobs.rows import JobRows
from core.errors import ModelUnavailable, NotFound, PolyragError, StoreFailed, TooSlow
from core.ports import Progress
from core.settings import JobSettings, Settings

log = logging.getLogger("polyrag.jobs")
PASSING = (ModelUnavailable, StoreFailed, TooSlow)  # may be gone in a minute
_LOOK = 0.5  # seconds between two looks at whether a job is still wanted
_LONGEST = 60.0  # seconds between two tries at most

Work = Callable[["Doing", Mapping[str, Any]], Awaitable[Any]]  # (the job at work, earlier results) -> JSON
Steps = Sequence[tuple[str, Work]]


@dataclass(slots=True, eq=False)
class Doing:
    """A job at work in this process."""

    job: Job
    watchers: list[Progress] = field(default_factory=list)
    report: Any = None  # what the submitter gets, if the process that accepted the job also ends it
    step: tuple[str, int, int] = ("", 0, 0)
    starts: int = 1  # 2 and more: an earlier process may have done a step without saying so
    stopped: bool = False
    call: "concurrent.futures.Future[Any] | None" = None
    task: "asyncio.Task[Any] | None" = None

    def tell(self, step: str, done: int, total: int) -> None:
        """Progress, from any thread."""
        self.step = (step, done, total)
        for watcher in list(self.watchers):
            watcher(step, done, total)

    def at(self, call: "concurrent.futures.Future[Any]") -> None:
        """The step that runs now; it ends at once if the job was stopped in the meantime."""
        self.call = call
        if self.stopped:
            call.cancel()

    def stop(self) -> None:
        self.stopped = True
        if self.call is not None:
            self.call.cancel()


class Jobs:
    """Lives on the event loop of its app."""

    def __init__(self, rows: JobRows, folder: Path, settings: Settings, steps: Mapping[str, Steps]) -> None:
        self.rows, self.payloads = rows, Payloads(folder)
        self._folder, self._language, self._settings = folder, settings.language, settings.jobs
        self._steps = steps
        self._gate = Gate(settings.jobs.parallel)
        self._doing: dict[str, Doing] = {}
        self._slot: Slot | None = None
        self._engine: Engine = PlainEngine()
        self._threads = ThreadPoolExecutor(settings.jobs.parallel, thread_name_prefix="polyrag-job")
        self._closing = False

    # --- asking for work ---

    async def submit(self, job: Job, data: bytes | None = None, progress: Progress | None = None) -> Any:
        """Accept a job and wait for its report. A caller that is called off leaves the job running.

        Raises: JobCancelled; what the job failed with.
        """
        owner = self.open()
        twin = self._twin(job)
        if twin is None:
            self.rows.add(job, owner)
            twin = self._begin(job, data)
        if progress is not None:
            twin.watchers.append(progress)
        assert twin.task is not None
        try:
            return await asyncio.shield(twin.task)
        finally:
            if progress is not None:
                twin.watchers.remove(progress)

    def open(self) -> str:
        """Take part in the home's jobs: a slot, and what processes that ended left unfinished. Returns the owner name."""
        if self._slot is None:
            self._slot = Slot(self._folder)
            self._engine = _engine(self._settings, self._folder, self._slot)
            self.take_over(self._left_behind(self._slot))
            self.payloads.drop_strays(frozenset(row.job.id for row in self.rows.listed()))
        return self._slot.owner

    def is_left(self, owner: str) -> bool:
        """Whether the process of that name is gone, so that this one may go on with what it had accepted.

        To be asked before this process has accepted anything: its name was a former process's too.
        """
        return self._slot is not None and (not owner or self._slot.is_dead(owner))

    def take_over(self, rows: Sequence[JobRow]) -> None:
        """Go on with jobs that are this process's by now, in order."""
        for row in rows:
            if row.job.kind == "upload" and not self.payloads.has(row.job.id):
                self.rows.remove([row.job.id])  # killed before its bytes were kept: it was never accepted
            else:
                log.info("job taken over", extra={"job": row.job.id, "kind": row.job.kind})
                self._begin(row.job)

    def has_left_behind(self) -> bool:
        """Whether a process ended with work unfinished: a cheap question at start."""
        return bool(self.rows.open_owners())

    async def settle(self) -> None:
        """Wait until nothing is at work or waiting here; failures are in the list, not raised."""
        while self._doing:
            tasks = [doing.task for doing in self._doing.values() if doing.task is not None]
            await asyncio.wait(tasks)

    async def close(self) -> None:
        """Stop what runs; it stays in the list and the next process goes on with it."""
        self._closing = True
        for doing in list(self._doing.values()):
            doing.stop()
            if doing.task is not None and doing.call is None:
                doing.task.cancel()
        tasks = [doing.task for doing in self._doing.values() if doing.task is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=10)
        await asyncio.to_thread(self._engine.close)
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._slot is not None:
            self._slot.close()

    # --- admins ---

    def cancel(self, job: str) -> JobRow:
        """Call a job off. Raises: NotFound for one that is unknown or has ended."""
        row = self.rows.get(job)
        if row is None or row.state not in OPEN_STATES:
            raise NotFound(f"no open job {job}")
        self.rows.change(row.job.id, wanted="cancel")
        doing = self._doing.get(row.job.id)
        if doing is not None:
            doing.stop()
            if doing.call is None and doing.task is not None:
                doing.task.cancel()
        elif is_gone(self._folder, row.owner):
            self.rows.change(row.job.id, state="cancelled")
            self.payloads.drop(row.job.id)
        return row

    def retry(self, job: str) -> "asyncio.Task[Any]":
        """Try a failed job again. Raises: NotFound for one that is unknown or has not failed."""
        row = self.rows.get(job)
        if row is None or row.state != "failed":
            raise NotFound(f"no failed job {job}")
        owner = self.open()
        self.rows.change(row.job.id, state="waiting", owner=owner, starts=0, reason="", wanted="")
        doing = self._begin(row.job)
        assert doing.task is not None
        return doing.task

    async def discard(self, ids: Sequence[str]) -> None:
        """Remove ended jobs, their bytes and their workflows."""
        if not ids:
            return
        self.open()
        self.rows.remove(ids)
        for job in ids:
            self.payloads.drop(job)
        await asyncio.get_running_loop().run_in_executor(None, self._engine.forget, ids)

    # --- steps ---

    def _twin(self, job: Job) -> Doing | None:
        """The upload that is at work already: the same bytes under the same name, and nothing newer behind them."""
        same_name = [d for d in self._doing.values() if (d.job.tag, d.job.name) == (job.tag, job.name)]
        if job.kind == "upload" and same_name:
            latest = same_name[-1]
            if latest.job.kind == "upload" and latest.job.documents == job.documents and not latest.stopped:
                return latest
        return None

    def _left_behind(self, slot: Slot) -> list[JobRow]:
        dead = [owner for owner in self.rows.open_owners() if slot.is_dead(owner)]
        return sorted(
            (row for owner in dead for row in self.rows.adopt(owner, slot.owner)),
            key=lambda row: row.position,
        )

    def _begin(self, job: Job, data: bytes | None = None) -> Doing:
        """Stand in line now, in the order of submission; run when it is the job's turn."""
        doing = Doing(job)
        ticket = self._gate.enter(job)

        async def whole() -> Any:
            try:
                if data is not None:
                    await asyncio.to_thread(self.payloads.keep, job.id, data)
                async with self._gate.turn(ticket):
                    return await self._perform(doing)
            except asyncio.CancelledError as err:
                if self._closing:
                    raise
                await self._end(job, "cancelled")
                raise JobCancelled(job.id) from err

        def ended(task: "asyncio.Task[Any]") -> None:
            self._gate.leave(ticket)
            self._doing.pop(job.id, None)
            _seen(task)

        doing.task = asyncio.create_task(whole(), name=f"job-{job.id}")
        doing.task.add_done_callback(ended)
        self._doing[job.id] = doing
        return doing

    async def _perform(self, doing: Doing) -> Any:
        job, loop = doing.job, asyncio.get_running_loop()
        if self.rows.is_unwanted(job.id):
            raise asyncio.CancelledError
        watch = asyncio.create_task(self._watch(doing))
        try:
            doing.starts = self.rows.started(job.id)
            if doing.starts > self._settings.starts:
                raise GivenUp(f"begun {doing.starts} times", times=doing.starts - 1)
            steps = [(name, self._step(work, doing, loop)) for name, work in self._steps[job.kind]]
            await loop.run_in_executor(self._threads, self._engine.run, job.id, steps)
        except JobCancelled as err:
            raise asyncio.CancelledError from err
        except NotFound:
            await self._end(job, "done")
            raise
        except PolyragError as err:
            log.warning("job failed", extra={"job": job.id, "kind": job.kind, "error": str(err)})
            self.rows.change(job.id, state="failed", reason=err.say(self._language))
            raise
        except Exception as err:
            incident = uuid4().hex[:8]
            log.exception("job crashed", extra={"job": job.id, "kind": job.kind, "incident": incident})
            self.rows.change(job.id, state="failed", reason=f"{type(err).__name__} ({incident})")
            raise
        finally:
            watch.cancel()
        await self._end(job, "done")
        return doing.report

    def _step(self, work: Work, doing: Doing, loop: asyncio.AbstractEventLoop) -> Step:
        """The step as the engine's thread calls it: it runs on the app's loop, where the app's parts belong."""

        def call(job: str, results: dict[str, Any]) -> Any:
            if doing.stopped:
                raise JobCancelled(job)
            running = asyncio.run_coroutine_threadsafe(self._tried(work, doing, results), loop)
            doing.at(running)
            try:
                return running.result()
            except concurrent.futures.CancelledError as err:
                raise JobCancelled(job) from err

        return call

    async def _tried(self, work: Work, doing: Doing, results: Mapping[str, Any]) -> Any:
        """Again after a pause, and a longer one, while what is in the way may pass."""
        pause, tries = self._settings.backoff_seconds, 1
        while True:
            try:
                return await work(doing, results)
            except PASSING as err:
                if tries >= self._settings.attempts:
                    raise
                log.info("job waits", extra={"job": doing.job.id, "error": str(err), "seconds": pause})
            self.rows.change(doing.job.id, state="retrying")
            await asyncio.sleep(min(pause, _LONGEST))
            self.rows.change(doing.job.id, state="running")
            pause, tries = 2 * pause, tries + 1

    async def _watch(self, doing: Doing) -> None:
        """Keep the list's progress near the truth, and hear of another process that calls the job off."""
        shown = doing.step
        while True:
            await asyncio.sleep(_LOOK)
            if self.rows.is_unwanted(doing.job.id):
                doing.stop()
            if doing.step != shown:
                shown = doing.step
                self.rows.change(doing.job.id, step=shown[0], done=shown[1], total=shown[2])

    async def _end(self, job: Job, state: str) -> None:
        self.rows.change(job.id, state=state, wanted="")
        self.payloads.drop(job.id)
        gone = list(self.rows.prune(self._settings.keep))
        if job.kind != "upload" and state == "done":  # the list must not name what was erased
            self.rows.remove([job.id])
            gone.append(job.id)
        if gone:
            await asyncio.get_running_loop().run_in_executor(None, self._engine.forget, gone)


def _engine(settings: JobSettings, folder: Path, slot: Slot) -> Engine:
    if not settings.durable:
        return PlainEngine()
    return DbosEngine(
        settings.database or f"sqlite:///{folder / 'workflows.db'}", slot.owner.replace(":", "-")
    )


def _seen(task: "asyncio.Task[Any]") -> None:
    """A failure is in the list of jobs; nobody need await the task as well."""
    if not task.cancelled():
        with suppress(asyncio.InvalidStateError):
            task.exception()
