"""Jobs end in exactly one of done, failed and cancelled: whoever submits, calls off, tries again or dies meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bot.config import load_settings
from bot.jobs.job import GivenUp, Job, JobCancelled
from bot.jobs.rows import JobRows
from bot.jobs.runner import Doing, Jobs, Work
from core.errors import ModelUnavailable, NotFound
from core.settings import JobSettings, Settings
from core.stores.ledger import Ledger


def settings(**jobs: Any) -> Settings:
    chosen = JobSettings(**({"durable": False, "backoff_seconds": 0.01} | jobs))
    return load_settings().model_copy(update={"jobs": chosen})


@asynccontextmanager
async def opened(folder: Path, work: Work, **jobs: Any) -> AsyncIterator[Jobs]:
    ledger = Ledger(f"sqlite:///{folder / 'l.db'}")
    made = Jobs(JobRows(ledger.engine), folder / "jobs", settings(**jobs), {"upload": (("work", work),)})
    try:
        yield made
    finally:
        await made.close()
        ledger.close()


def upload(name: str, document: str = "d") -> Job:
    return Job(f"id-{name}-{document}", "upload", "s:T1", "s:T1/C1", name, "s:U1", "2025", (document,))


async def seconds(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110  a row of a database rings no bell
            await asyncio.sleep(0.01)


async def test_a_job_is_noted_with_its_bytes_until_it_is_done(tmp_path: Path) -> None:
    seen: list[bytes] = []

    async def work(doing: Doing, results: Mapping[str, Any]) -> None:
        seen.append(jobs.payloads.read(doing.job.id))
        doing.tell("embed", 3, 4)
        doing.report = "report"

    told: list[tuple[str, int, int]] = []
    async with opened(tmp_path, work) as jobs:
        report = await jobs.submit(upload("a"), b"bytes", lambda *step: told.append(step))

        assert (report, seen, told) == ("report", [b"bytes"], [("embed", 3, 4)])
        (row,) = jobs.rows.listed()
        assert (row.state, row.starts) == ("done", 1)
        assert not jobs.payloads.has(row.job.id)


async def test_a_model_that_comes_back_is_waited_for(tmp_path: Path) -> None:
    tries: list[str] = []

    async def work(doing: Doing, results: Mapping[str, Any]) -> None:
        tries.append(jobs.rows.listed()[0].state)
        if len(tries) < 3:
            raise ModelUnavailable("asleep")

    async with opened(tmp_path, work, attempts=3) as jobs:
        await jobs.submit(upload("a"), b"")

        assert len(tries) == 3
        assert jobs.rows.listed()[0].state == "done"


async def test_one_that_stays_away_puts_the_job_into_the_list_with_its_reason_and_bytes(
    tmp_path: Path,
) -> None:
    away = [True]

    async def work(doing: Doing, results: Mapping[str, Any]) -> None:
        if away[0]:
            raise ModelUnavailable("http://10.0.0.1 refused")
        doing.report = "late"

    async with opened(tmp_path, work, attempts=2) as jobs:
        with pytest.raises(ModelUnavailable):
            await jobs.submit(upload("a"), b"bytes")
        (row,) = jobs.rows.listed(["failed"])
        assert "modelo" in row.reason
        assert "10.0.0.1" not in row.reason
        assert jobs.payloads.read(row.job.id) == b"bytes"

        away[0] = False
        assert await jobs.retry(row.job.id) == "late"
        assert jobs.rows.listed()[0].state == "done"
        with pytest.raises(NotFound):
            jobs.retry(row.job.id)


async def test_an_unexpected_error_fails_the_job_without_its_words_in_the_list(tmp_path: Path) -> None:
    async def work(doing: Doing, results: Mapping[str, Any]) -> None:
        raise RuntimeError("secret.txt line 3")

    async with opened(tmp_path, work) as jobs:
        with pytest.raises(RuntimeError):
            await jobs.submit(upload("a"), b"")

        assert jobs.rows.listed()[0].reason.startswith("RuntimeError (")
        assert "secret" not in jobs.rows.listed()[0].reason


@pytest.mark.parametrize("durable", [False, True])
async def test_a_job_at_work_is_called_off(tmp_path: Path, durable: bool) -> None:
    async def work(doing: Doing, results: Mapping[str, Any]) -> None:
        await asyncio.sleep(60)

    async with opened(tmp_path, work, durable=durable) as jobs:
        task = asyncio.create_task(jobs.submit(upload("a"), b"x"))
        await seconds(lambda: any(row.state == "running" for row in jobs.rows.listed()))
        await asyncio.sleep(0.3)

        jobs.cancel("id-a-d")

        with pytest.raises(JobCancelled):
            await asyncio.wait_for(task, 5)
        assert jobs.rows.listed()[0].state == "cancelled"
        assert not jobs.payloads.has("id-a-d")
        with pytest.raises(NotFound):
            jobs.cancel("id-a-d")


async def test_a_waiting_job_is_called_off_and_never_begins(tmp_path: Path) -> None:
    begun: list[str] = []
    go = asyncio.Event()

    async def work(doing: Doing, results: Mapping[str, Any]) -> None:
        begun.append(doing.job.name)
        await go.wait()

    async with opened(tmp_path, work, parallel=1) as jobs:
        first = asyncio.create_task(jobs.submit(upload("a"), b"x"))
        second = asyncio.create_task(jobs.submit(upload("b"), b"x"))
        await seconds(lambda: begun == ["a"])
        jobs.cancel("id-b-d")
        with pytest.raises(JobCancelled):
            await second
        go.set()
        await first

        assert begun == ["a"]
        assert [row.state for row in jobs.rows.listed()] == ["done", "cancelled"]


async def test_another_process_calls_a_job_off(tmp_path: Path) -> None:
    async def work(doing: Doing, results: Mapping[str, Any]) -> None:
        await asyncio.sleep(60)

    async with opened(tmp_path, work) as jobs, opened(tmp_path, work) as other:
        task = asyncio.create_task(jobs.submit(upload("a"), b"x"))
        await seconds(lambda: any(row.state == "running" for row in other.rows.listed()))

        other.cancel("id-a")

        with pytest.raises(JobCancelled):
            await asyncio.wait_for(task, 5)


@pytest.mark.parametrize("durable", [False, True])
async def test_what_a_bot_leaves_unfinished_the_next_one_finishes_once(tmp_path: Path, durable: bool) -> None:
    done: list[str] = []

    async def stuck(doing: Doing, results: Mapping[str, Any]) -> None:
        await asyncio.sleep(60)

    async def work(doing: Doing, results: Mapping[str, Any]) -> None:
        done.append(jobs.payloads.read(doing.job.id).decode())

    async with opened(tmp_path, stuck, durable=durable) as first:
        tasks = [
            asyncio.create_task(first.submit(upload(name, name), name.encode())) for name in ("a", "b", "c")
        ]
        await seconds(lambda: [row.state for row in first.rows.listed()].count("running") == 2)
        await asyncio.sleep(0.3)
    await asyncio.gather(*tasks, return_exceptions=True)

    async with opened(tmp_path, work, durable=durable) as jobs:
        assert jobs.has_left_behind()
        jobs.open()
        await jobs.settle()
        assert sorted(done) == ["a", "b", "c"]
        assert not jobs.has_left_behind()

    async with opened(tmp_path, work, durable=durable) as jobs:
        jobs.open()
        await jobs.settle()
        assert sorted(done) == ["a", "b", "c"]


async def test_a_living_process_keeps_its_jobs(tmp_path: Path) -> None:
    begun: list[str] = []

    async def work(doing: Doing, results: Mapping[str, Any]) -> None:
        begun.append(doing.job.name)
        await asyncio.sleep(0.3)

    async with opened(tmp_path, work) as jobs, opened(tmp_path, work) as other:
        task = asyncio.create_task(jobs.submit(upload("a"), b"x"))
        await seconds(lambda: bool(begun))
        other.open()
        await other.settle()
        await task

    assert begun == ["a"]


async def test_a_job_over_which_process_after_process_ends_is_given_up(tmp_path: Path) -> None:
    async def work(doing: Doing, results: Mapping[str, Any]) -> None:
        raise AssertionError("it must not begin again")

    ledger = Ledger(f"sqlite:///{tmp_path / 'l.db'}")
    rows = JobRows(ledger.engine)
    async with opened(tmp_path, work, starts=3) as jobs:
        owner = jobs.open()
        jobs.payloads.keep("id-a-d", b"x")
    rows.add(upload("a"), owner)
    rows.change("id-a-d", starts=3, state="running")

    async with opened(tmp_path, work, starts=3) as jobs:
        jobs.open()
        await jobs.settle()

        (row,) = jobs.rows.listed()
        assert row.state == "failed"
        assert row.reason == GivenUp(times=3).say("pt")
    ledger.close()


async def test_an_upload_that_was_never_acknowledged_is_not_invented(tmp_path: Path) -> None:
    async def work(doing: Doing, results: Mapping[str, Any]) -> None:
        raise AssertionError("there are no bytes")

    async with opened(tmp_path, work) as jobs:
        owner = jobs.open()
        jobs.rows.add(upload("a"), owner)

    async with opened(tmp_path, work) as jobs:
        jobs.open()
        await jobs.settle()

        assert jobs.rows.listed() == ()


async def test_the_same_upload_twice_at_once_is_one_job(tmp_path: Path) -> None:
    begun: list[str] = []

    async def work(doing: Doing, results: Mapping[str, Any]) -> None:
        begun.append(doing.job.id)
        await asyncio.sleep(0.1)
        doing.report = "report"

    async with opened(tmp_path, work) as jobs:
        twice = upload("a"), Job("id-2", *list_of(upload("a"))[1:])
        reports = await asyncio.gather(*(jobs.submit(one, b"x") for one in twice))

        assert reports == ["report", "report"]
        assert begun == ["id-a-d"]


def list_of(job: Job) -> list[Any]:
    return [getattr(job, name) for name in Job.__slots__]


async def test_the_list_keeps_only_the_latest_of_what_is_done(tmp_path: Path) -> None:
    async def work(doing: Doing, results: Mapping[str, Any]) -> None:
        return None

    async with opened(tmp_path, work, keep=2) as jobs:
        for number in range(5):
            await jobs.submit(upload(f"f{number}", str(number)), b"x")

        assert [row.job.name for row in jobs.rows.listed()] == ["f3", "f4"]


async def test_a_caller_that_goes_away_leaves_the_job_running(tmp_path: Path) -> None:
    ended: list[str] = []

    async def work(doing: Doing, results: Mapping[str, Any]) -> None:
        await asyncio.sleep(0.2)
        ended.append(doing.job.name)

    async with opened(tmp_path, work) as jobs:
        task = asyncio.create_task(jobs.submit(upload("a"), b"x"))
        await asyncio.sleep(0.1)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await jobs.settle()

    assert ended == ["a"]


def test_no_table_of_jobs_holds_bytes() -> None:
    from bot.jobs.rows import jobs

    assert not any(isinstance(column.type, sa.LargeBinary) for column in jobs.columns)
