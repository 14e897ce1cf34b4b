"""Hot folders: what is put into a folder is stored in a channel, what changes is a new version, what goes is forgotten.

Polling, because network shares tell nobody. A file is taken in once it has kept still for a while and did not change
while it was read; a folder that cannot be read at all forgets nothing.
"""

import asyncio
import logging
import os
import stat
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bot.attachments import system_words
from bot.audience import CONSOLE, WORKSPACE
from core.errors import FileRejected, NotFound, OversizedFile, PolyragError
from core.settings import Settings

if TYPE_CHECKING:
    from bot.app import App

log = logging.getLogger("polyrag.watch")
UPLOADER = "folder"
ACTOR = f"{CONSOLE}:{UPLOADER}"
_ABSENT = 2  # looks in a row that must miss a file before it is forgotten

Print = tuple[int, int, int]  # size, modification time in ns, inode


@dataclass(slots=True)
class Watched:
    """One folder: what was seen of it and what was done about it."""

    folder: Path
    tag: str
    problem: Mapping[str, str] = field(default_factory=dict)  # why the folder itself cannot be read
    refused: dict[str, str] = field(default_factory=dict)  # file -> reason
    seen: dict[str, Print] = field(default_factory=dict)  # at the last look
    handled: dict[str, Print] = field(default_factory=dict)  # taken in or refused as it was then
    missing: dict[str, int] = field(default_factory=dict)  # looks in a row without it
    still_since: dict[str, float] = field(default_factory=dict)  # loop time of its last change


def watched_folders(settings: Settings) -> tuple[Watched, ...]:
    """Those of the configuration, sorted by folder."""
    folders = sorted(settings.ingest.watch.items())
    return tuple(Watched(Path(folder).expanduser(), tag_of(channel)) for folder, channel in folders)


def tag_of(channel: str) -> str:
    """The tag of a configured channel, or the tag itself ("slack:T1/C7")."""
    return channel if ":" in channel and "/" in channel else f"{CONSOLE}:{WORKSPACE}/{channel}"


@asynccontextmanager
async def watching(app: "App") -> AsyncIterator[None]:
    """Watch the configured folders while the body runs."""
    app.watched = watched_folders(app.settings)
    task = asyncio.create_task(_watch(app)) if app.watched else None
    try:
        yield
    finally:
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def _watch(app: "App") -> None:
    while True:
        for item in app.watched:
            try:
                await look(item, app)
            except Exception:
                log.exception("watching failed", extra={"folder": str(item.folder)})
        await asyncio.sleep(app.settings.ingest.watch_seconds)


async def look(item: Watched, app: "App") -> None:
    """One look at a folder: take in what is new and still, forget what is gone, in the order of names."""
    found = await asyncio.to_thread(_files, item)
    if found is None:
        return
    now = asyncio.get_running_loop().time()
    for name, print_ in sorted(found.items()):
        if item.seen.get(name) != print_:
            item.still_since[name] = now
    item.seen = dict(found)
    settle = app.settings.ingest.watch_settle_seconds
    for name in sorted(found):
        if item.handled.get(name) != found[name] and now - item.still_since[name] >= settle:
            await _take_in(item, name, found[name], app)
    await _forget_missing(item, found, app)


def _files(item: Watched) -> dict[str, Print] | None:
    """Name -> print of the files of a folder, hidden ones and links left out; None when it cannot be read."""
    found: dict[str, Print] = {}

    def fail(error: OSError) -> None:
        raise error

    try:
        for place, folders, names in os.walk(item.folder, onerror=fail):
            folders[:] = sorted(f for f in folders if not f.startswith("."))
            for name in sorted(names):
                path = Path(place) / name
                print_ = None if name.startswith(".") else _print(path)
                if print_ is not None:
                    found[path.relative_to(item.folder).as_posix()] = print_
    except OSError as err:
        if not item.problem:
            log.warning("folder unreadable", extra={"folder": str(item.folder), "error": repr(err)})
        item.problem = system_words(err)
        return None
    item.problem = {}
    return found


def _print(path: Path) -> Print | None:
    """None for what is no plain file, or gone."""
    try:
        facts = path.lstat()
    except FileNotFoundError:
        return None
    return (facts.st_size, facts.st_mtime_ns, facts.st_ino) if stat.S_ISREG(facts.st_mode) else None


async def _take_in(item: Watched, name: str, print_: Print, app: "App") -> None:
    try:
        data = await asyncio.to_thread(_whole, item.folder / name, print_, app.settings.ingest.max_bytes)
        if data is None:
            return  # it changed meanwhile; the next look sees it anew
        report = await app.store(item.tag, name, data, uploader=UPLOADER, actor=ACTOR)
        reason = report.reason if report.status == "rejected" else ""
        log.info("watched file", extra={"status": report.status, "tag": item.tag})
    except FileRejected as err:
        reason = err.say(app.settings.language)
    except (
        PolyragError
    ) as err:  # a model that is away: the job is in the list; the next change or start tries again
        reason = err.say(app.settings.language)
        log.warning("watched file failed", extra={"error": str(err), "tag": item.tag})
    except OSError as err:
        log.warning("watched file unreadable", extra={"error": repr(err), "tag": item.tag})
        reason = system_words(err)[app.settings.language]
    item.handled[name] = print_
    item.refused.pop(name, None)
    if reason:
        item.refused[name] = reason


def _whole(path: Path, print_: Print, limit: int) -> bytes | None:
    """The bytes of a file that did not change while they were read; None when it did. Raises: OversizedFile, OSError."""
    if print_[0] > limit:
        size, most = f"{print_[0] / 1e6:.1f} MB", f"{limit / 1e6:.1f} MB"
        raise OversizedFile(f"{print_[0]} bytes", size=size, limit=most)
    data = path.read_bytes()
    return data if len(data) == print_[0] and _print(path) == print_ else None


async def _forget_missing(item: Watched, found: Mapping[str, Print], app: "App") -> None:
    """Files that came from this folder and are no longer in it leave the channel; those that people sent stay."""
    placed = app.ingest_ports.ledger.placements([item.tag])
    gone = sorted({p.name for p in placed if p.uploader == UPLOADER and p.name not in found})
    item.missing = {name: item.missing.get(name, 0) + 1 for name in gone}
    for name in gone:
        if item.missing[name] >= _ABSENT:
            with suppress(NotFound):
                await app.remove(item.tag, name, actor=ACTOR)
            log.info("watched file gone", extra={"tag": item.tag})
    for name in set(item.handled) - set(found):
        item.handled.pop(name)
        item.refused.pop(name, None)
        item.still_since.pop(name, None)
