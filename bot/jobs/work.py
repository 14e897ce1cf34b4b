"""What each kind of job does, step by step. Every step may be done twice: the first half of it may have been lost."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from bot.erasing import (
    Removed,
    erase_memory,
    erase_person,
    erase_place,
    files_of,
    places_of,
    removed_json,
    removed_of,
    withdraw,
)
from bot.jobs.job import RETRACT
from bot.jobs.runner import Doing, Steps
from bot.versions import Former
from core.errors import NotFound
from core.ingest.walk import ForgetReceipt, Upload, forget, ingest, stage_all

if TYPE_CHECKING:
    from bot.app import App
    from core.types import Language, Placement

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
        "reindex": (("stage", partial(_stage, app)),),
        "forget_channel": (
            ("look", partial(_files_of_channel, app)),
            ("withdraw", partial(_withdraw_all, app)),
            ("memory", partial(_forgotten_channel, app)),
            ("audit", partial(_audit_erased, app, "forget_channel")),
            ("tell", partial(_tell_erased, app)),
        ),
        "erase_user": (
            ("look", partial(_files_of_person, app)),
            ("withdraw", partial(_withdraw_all, app)),
            ("memory", partial(_forgotten_person, app)),
            ("audit", partial(_audit_erased, app, "erase_user")),
            ("tell", partial(_tell_erased, app)),
        ),
    }


# --- uploads ---------------------------------------------------------------------------------------


async def _held(app: App, doing: Doing, results: Results) -> list[list[str]]:
    """(document, uploader) under this name before the upload: after a crash, the ledger would not know them."""
    held = app.held(doing.job.tag, doing.job.name)
    return [[p.document, p.uploader] for p in held if not _is_ours(p, doing)]


def _is_ours(placement: Placement, doing: Doing) -> bool:
    """Whether a process that was killed stored it for this very job."""
    return placement.received == doing.job.received and placement.document in doing.job.documents


async def _ingest(app: App, doing: Doing, results: Results) -> dict[str, str]:
    doing.report = report = await _taken_in(app, doing)
    if report.status == "same" and doing.starts > 1:
        mine = [p for p in app.held(doing.job.tag, doing.job.name) if _is_ours(p, doing)]
        former = [document for document, _ in results["look"]]
        if mine and report.document not in former:  # to the uploader it is not "the same"
            doing.report = replace(report, status="version" if former else "new")
    doing.report = _told_whose(doing, results)
    return {"status": doing.report.status, "document": doing.report.document}


def _told_whose(doing: Doing, results: Results) -> Any:
    """The report with both names where one person's file took the place of another's."""
    uploader = str(doing.job.body["uploader"])
    others = [user for _, user in results["look"] if user != uploader]
    if doing.report.status != "version" or not others:
        return doing.report
    return replace(doing.report, replaced=others[-1], uploader=uploader)


async def _taken_in(app: App, doing: Doing) -> Any:
    job = doing.job
    data = await asyncio.to_thread(app.jobs.payloads.read, job.id)
    uploader, link, language = (str(job.body[key]) for key in ("uploader", "link", "language"))
    upload = Upload(job.name, data, job.tag, uploader, job.received, link, language)
    return await ingest(upload, app.ingest_ports, doing.tell)


async def _replaced(app: App, doing: Doing, results: Results) -> None:
    if results["ingest"]["status"] == "version":
        erase_memory(app, [document for document, _ in results["look"]])
        language: Language = doing.job.body["language"] or "und"
        former = [Former(document, user, language) for document, user in results["look"]]
        app.versions.replaced(doing.job.tag, doing.job.name, former)


async def _audit_upload(app: App, doing: Doing, results: Results) -> None:
    _audit(app, doing, "ingest", results["ingest"])


async def _tell_ingested(app: App, doing: Doing, results: Results) -> None:
    """Plugins watch. After a crash the report is read from the ledger again."""
    if doing.report is None:
        status = results["ingest"]["status"]
        doing.report = replace(await _taken_in(app, doing), status=status, reason="")
        doing.report = _told_whose(doing, results)
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
    erase_memory(app, results["withdraw"]["documents"])
    app.book.erase_documents(doing.job.tag, results["withdraw"]["documents"])
    if doing.job.body.get("action") != RETRACT:  # whoever forgets a name means every version of it
        app.book.erase_names({(doing.job.tag, doing.job.name)})
        app.versions.erase_names({(doing.job.tag, doing.job.name)})
    await _erase_jobs(app, doing, {(doing.job.tag, doing.job.name)})


async def _audit_forget(app: App, doing: Doing, results: Results) -> None:
    _audit(app, doing, str(doing.job.body.get("action", "forget")), results["withdraw"])


async def _tell_forgotten(app: App, doing: Doing, results: Results) -> None:
    for document in results["withdraw"]["documents"]:
        await asyncio.to_thread(app.plugins.forgotten, document, doing.job.tag)


async def _stage(app: App, doing: Doing, results: Results) -> int:
    doing.report = await stage_all(app.ingest_ports, doing.tell)
    return int(doing.report)


# --- whole channels and whole people ---------------------------------------------------------------


async def _files_of_channel(app: App, doing: Doing, results: Results) -> dict[str, Any]:
    placed = [p for p in app.ingest_ports.ledger.everything(doing.job.tag) if p.tag == doing.job.tag]
    return _files([(p.tag, p.name) for p in placed], {p.document for p in placed})


async def _files_of_person(app: App, doing: Doing, results: Results) -> dict[str, Any]:
    placed = files_of(app, *_person(doing))
    return _files([(p.tag, p.name) for p in placed], {p.document for p in placed})


def _files(names: Iterable[tuple[str, str]], documents: Iterable[str]) -> dict[str, Any]:
    return {"names": sorted({*names}), "documents": sorted(documents)}


def _person(doing: Doing) -> tuple[str, str, str]:
    """(platform, workspace, user)."""
    platform, _, workspace = doing.job.workspace.partition(":")
    return platform, workspace, doing.job.name


async def _withdraw_all(app: App, doing: Doing, results: Results) -> dict[str, Any]:
    return removed_json(await withdraw(app, [(tag, name) for tag, name in results["look"]["names"]]))


async def _forgotten_channel(app: App, doing: Doing, results: Results) -> dict[str, Any]:
    job = doing.job
    removed = removed_of(results["withdraw"]).plus(erase_memory(app, results["look"]["documents"]))
    removed = removed.plus(erase_place(app, job.tag))
    removed = removed.plus(await _erase_jobs(app, doing, tag=job.tag))
    return removed_json(await _compacted(app, removed))


async def _forgotten_person(app: App, doing: Doing, results: Results) -> dict[str, Any]:
    platform, workspace, user = _person(doing)
    removed = removed_of(results["withdraw"]).plus(erase_memory(app, results["look"]["documents"]))
    removed = removed.plus(erase_person(app, platform, workspace, user))
    for tag in {tag for tag, _ in results["look"]["names"]}:
        app.book.erase_documents(tag, results["look"]["documents"])
    names = {(tag, name) for tag, name in results["look"]["names"]}
    app.book.erase_names(names)
    app.versions.erase_names(names)
    removed = removed.plus(await _erase_jobs(app, doing, names, actor=f"{platform}:{user}"))
    return removed_json(await _compacted(app, removed))


async def _erase_jobs(
    app: App, doing: Doing, names: Collection[tuple[str, str]] = (), tag: str = "", actor: str = ""
) -> Removed:
    """What the list of jobs kept of these files, this channel or this person; what is at work ends first."""
    ended = app.jobs.rows.listed(("done", "failed", "cancelled"))
    platform, _, workspace = doing.job.workspace.partition(":")
    places = places_of(platform, workspace)
    gone = [
        row.job.id
        for row in ended
        if row.job.id != doing.job.id
        and (
            (row.job.tag, row.job.name) in names
            or (tag and row.job.tag == tag)
            or (actor and row.job.actor == actor and row.job.workspace in places)
        )
    ]
    await app.jobs.discard(gone)
    return Removed(jobs=len(gone))


async def _compacted(app: App, removed: Removed) -> Removed:
    """No file keeps the bytes of erased rows: the ledger's now, the stores' when they are next opened."""
    await asyncio.to_thread(app.ingest_ports.ledger.compact)
    app.rebuild_later()
    return removed


async def _audit_erased(app: App, action: str, doing: Doing, results: Results) -> None:
    """Counts only: neither names of files nor the person's."""
    doing.report = removed_of(results["memory"])
    counts = {key: value for key, value in results["memory"].items() if key != "stores"}
    _audit(app, doing, action, counts)


async def _tell_erased(app: App, doing: Doing, results: Results) -> None:
    doing.report = removed_of(results["memory"])
    for tag in sorted({tag for tag, _ in results["look"]["names"]}):
        for document in results["look"]["documents"]:
            await asyncio.to_thread(app.plugins.forgotten, document, tag)
