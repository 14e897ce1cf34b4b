"""A job whose process died between doing a step and saying so tells, audits and counts the same as an undisturbed one."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from bot.jobs.job import Job
from bot.testkit import FakePlatform
from core.ingest.walk import Upload, forget, ingest

TAG = "console:local/geral"
RECEIVED = "2025-05-05T05:05:05+00:00"
OLD = "# Copa\n\nA copa fecha às 18h.\n"
NEW = "# Copa\n\nA copa fecha às 20h30.\n"


@pytest.fixture
def chat(tmp_path: Path) -> Iterator[FakePlatform]:
    with FakePlatform(channels={"geral": {}}, home=tmp_path) as platform:
        yield platform


def interrupted(chat: FakePlatform, job: Job, data: bytes | None) -> None:
    """A job that another process had begun; this one goes on with it."""
    rows = chat.app.jobs.rows
    rows.add(job, "0:0")
    rows.change(job.id, starts=1, state="running")
    if data is not None:
        chat.app.jobs.payloads.keep(job.id, data)

    async def finish() -> None:
        owner = chat.app.jobs.open()
        chat.app.jobs.rows.adopt("0:0", owner)
        chat.app.jobs.take_over(rows.listed(("waiting",)))
        await chat.app.jobs.settle()

    chat._runner.run(finish())


def upload_job(text: str) -> Job:
    documents = (sha256(text.encode()).hexdigest(),)
    body = {"uploader": "ana", "link": "", "language": "en"}
    return Job("a1" * 16, "upload", "console:local", TAG, "copa.md", "console:ana", RECEIVED, documents, body)


def audited(chat: FakePlatform, action: str) -> list[str]:
    rows = chat.app.records.audit_tail(50)
    return [str(row["detail"].get("status", "")) for row in rows if row["action"] == action]


def stored(chat: FakePlatform, text: str) -> None:
    """What the killed process had done already."""
    upload = Upload("copa.md", text.encode(), TAG, "ana", RECEIVED, "", "en")
    chat._runner.run(ingest(upload, chat.app.ingest_ports))


def test_an_upload_stored_by_the_process_that_died_is_new_and_audited_once(chat: FakePlatform) -> None:
    stored(chat, OLD)

    interrupted(chat, upload_job(OLD), OLD.encode())

    assert audited(chat, "ingest") == ["new"]
    assert [row.state for row in chat.app.jobs.rows.listed()] == ["done"]


def test_bytes_that_were_there_before_the_job_are_the_same_after_it(chat: FakePlatform) -> None:
    chat.says("ana", files={"copa.md": OLD})

    interrupted(chat, upload_job(OLD), OLD.encode())

    assert audited(chat, "ingest") == ["new", "same"]


def test_what_a_replaced_version_left_in_memory_goes_although_the_process_died(chat: FakePlatform) -> None:
    chat.says("ana", files={"copa.md": OLD})
    told = chat.says("ana", "quando fecha a copa?", thread="t")
    assert "18h" in str(chat.app.records.trace(told.trace_id).body)  # type: ignore[union-attr]

    interrupted(chat, upload_job(NEW), NEW.encode())

    assert audited(chat, "ingest") == ["new", "version"]
    assert "18h" not in str(chat.app.records.trace(told.trace_id).body)  # type: ignore[union-attr]


def test_a_deletion_is_finished_although_the_file_is_gone_already(chat: FakePlatform) -> None:
    chat.says("ana", files={"copa.md": OLD})
    job = Job("b2" * 16, "forget", "console:local", TAG, "copa.md", "console:ana", RECEIVED)

    interrupted(chat, job, None)

    assert "copa" not in chat.says("ana", "/sources").text
    assert len(audited(chat, "forget")) == 1

    chat.says("ana", files={"copa.md": OLD})
    chat._runner.run(forget(TAG, "copa.md", chat.app.ingest_ports))
    interrupted(
        chat, Job("c3" * 16, "forget", "console:local", TAG, "copa.md", "console:ana", RECEIVED), None
    )
    assert len(audited(chat, "forget")) == 1  # there was nothing left to forget
    assert chat.app.jobs.rows.listed(("waiting", "running", "failed")) == ()
