"""What each kind of job does, step by step. Every step may be done twice: the first half of it may have been lost."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from bot.jobs.runner import Doing, Steps
from core.errors import NotFound
from core.ingest.walk import ForgetReceipt, Upload, forget, ingest

if TYPE_CHECKING:
    from bot.app import App

Results = Mapping[str, Any]


def job_steps(app: App) -> Mapping[str, Steps]:
    """Kind of job -> its steps in order."""
    return {
        "upload": (
            ("look", partial(_held, app)),
            ("ingest", partial(_ingest, app)),
            ("memory", partial(_replaced, app)),
            ("audit", partial(_audit_upload, app)),
            ("tell", partial(_tell_ingested, app)),
        ),
        "forget": (
            ("look", partial(_to_forget, app)),
            ("withdraw", partial(_withdraw, app)),
            ("memory", partial(_forgotten, app)),
            ("audit", partial(_audit_forget, app)),
            ("tell", partial(_tell_forgotten, app)),
        ),
    }


# --- uploads ---------------------------------------------------------------------------------------


async def _held(app: App, doing: Doing, results: Results) -> list[str]:
    """Documents under this name before the upload: asked again after a crash, the ledger would not know them."""
    return [placement.document for placement in app.held(doing.job.tag, doing.job.name)]


async def _ingest(app: App, doing: Doing, results: Results) -> dict[str, str]:
    doing.report = await _taken_in(app, doing)
    return {"status": doing.report.status, "document": doing.report.document}


async def _taken_in(app: App, doing: Doing) -> Any:
    job = doing.job
    data = await asyncio.to_thread(app.jobs.payloads.read, job.id)
    uploader, link, language = (str(job.body[key]) for key in ("uploader", "link", "language"))
    upload = Upload(job.name, data, job.tag, uploader, job.received, link, language)
    return await ingest(upload, app.ingest_ports, doing.tell)


async def _replaced(app: App, doing: Doing, results: Results) -> None:
    if results["ingest"]["status"] == "version":
        app.erase_memory(results["look"])


async def _audit_upload(app: App, doing: Doing, results: Results) -> None:
    _audit(app, doing, "ingest", results["ingest"])


async def _tell_ingested(app: App, doing: Doing, results: Results) -> None:
    """Plugins watch. After a crash the report is read from the ledger again."""
    if doing.report is None:
        status = results["ingest"]["status"]
        doing.report = replace(await _taken_in(app, doing), status=status, reason="")
    await asyncio.to_thread(app.plugins.ingested, doing.report, doing.job.tag)


def _audit(app: App, doing: Doing, action: str, detail: Results) -> None:
    """One row a job, even when the process died after writing it."""
    own = dict(detail) | {"job": doing.job.id}
    if doing.starts == 1 or not app.records.has_logged(action, own):
        app.records.log(app.stamp(), doing.job.actor, action, doing.job.tag, own)


# --- deletions -------------------------------------------------------------------------------------


async def _to_forget(app: App, doing: Doing, results: Results) -> list[str]:
    """Raises: NotFound when the channel has no such file (or no such version of it, where one is named)."""
    job = doing.job
    documents = [p.document for p in app.held(job.tag, job.name)]
    only = job.body.get("only")
    if not documents or (only and only not in documents):
        raise NotFound(f"{job.name!r} is not in {job.tag}")
    return documents


async def _withdraw(app: App, doing: Doing, results: Results) -> dict[str, Any]:
    documents = tuple(sorted(set(results["look"])))
    receipt = ForgetReceipt(doing.job.name, documents, (), False)
    with suppress(NotFound):  # a process that was killed took it away; catch-up drops what is left of it
        receipt = await forget(doing.job.tag, doing.job.name, app.ingest_ports)
    doing.report = receipt
    return {"documents": list(receipt.documents)}


async def _forgotten(app: App, doing: Doing, results: Results) -> None:
    app.erase_memory(results["withdraw"]["documents"])
    await app.erase_jobs(doing.job.tag, doing.job.name, besides=doing.job.id)


async def _audit_forget(app: App, doing: Doing, results: Results) -> None:
    _audit(app, doing, str(doing.job.body.get("action", "forget")), results["withdraw"])


async def _tell_forgotten(app: App, doing: Doing, results: Results) -> None:
    for document in results["withdraw"]["documents"]:
        await asyncio.to_thread(app.plugins.forgotten, document, doing.job.tag)
