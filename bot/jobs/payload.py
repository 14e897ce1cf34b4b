"""Uploaded bytes wait in the home until their job has ended; and which process of the home has which job."""

import os
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import portalocker

from core.errors import HomeBusy

_SLOTS = 64  # processes of one home that may have jobs at a time


class Payloads:
    """Files in `<home>/jobs`, for their owner only."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, job: str, data: bytes) -> None:
        """On the disk when this returns, whole or not at all."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        partial = self._folder / f"{job}.part"
        with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(self._path(job))
        _sync_folder(self._folder)

    def read(self, job: str) -> bytes:
        """Raises: FileNotFoundError."""
        return self._path(job).read_bytes()

    def has(self, job: str) -> bool:
        return self._path(job).is_file()

    def drop(self, job: str) -> None:
        with suppress(FileNotFoundError):
            self._path(job).unlink()

    def drop_strays(self, wanted: frozenset[str]) -> None:
        """Bytes whose job is not in the list: a job is noted before its bytes are kept."""
        for path in sorted(self._folder.glob("*.bin")) + sorted(self._folder.glob("*.part")):
            if path.stem not in wanted:
                path.unlink(missing_ok=True)

    def _path(self, job: str) -> Path:
        return self._folder / f"{job}.bin"


class Slot:
    """A number among the processes of a home, held by a file lock that the system frees when the process ends."""

    def __init__(self, folder: Path) -> None:
        """Raises: HomeBusy when all are taken."""
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.home = _home_id(folder)
        for number in range(_SLOTS):
            lock = _lock(folder, number)
            if lock is not None:
                self._held, self.number = lock, number
                return
        raise HomeBusy(f"{_SLOTS} processes at work")

    @property
    def owner(self) -> str:
        """How rows name this process: never the same for two homes."""
        return f"{self.home}:{self.number}"

    def is_dead(self, owner: str) -> bool:
        """Whether a process of this home is gone; those of other homes are none of ours.

        To be asked before this process has jobs: what its own slot has then is a former holder's.
        """
        return owner == self.owner or is_gone(self._folder, owner)

    def close(self) -> None:
        self._held.release()


def is_gone(folder: Path, owner: str) -> bool:
    """Whether no living process of this home has that name."""
    home, _, number = owner.rpartition(":")
    if home != _home_id(folder) or not number.isdigit():
        return False
    lock = _lock(folder, int(number))
    if lock is None:
        return False
    lock.release()
    return True


def _lock(folder: Path, number: int) -> portalocker.Lock | None:
    lock = portalocker.Lock(
        folder / f"slot-{number}.lock",
        "a",
        timeout=0,
        fail_when_locked=True,
        flags=portalocker.LOCK_EX | portalocker.LOCK_NB,
    )
    try:
        lock.acquire()
    except portalocker.exceptions.LockException:
        return None
    return lock


def _home_id(folder: Path) -> str:
    """A random name of this home, made once."""
    path = folder / "home"
    if not path.is_file():
        mine = folder / f"{uuid4().hex}.new"
        mine.write_text(uuid4().hex)
        with suppress(FileExistsError):
            os.link(mine, path)  # the first process wins
        mine.unlink()
    return path.read_text().strip()


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
