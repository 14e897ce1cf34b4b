"""What one home's model servers are: a small owner-only file that other processes on the same home read."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import portalocker
import psutil

_LOCK_SECONDS = 30.0
_SAME_START = 0.5  # seconds; a process id is used again, but not with the same start time


@dataclass(frozen=True, slots=True)
class ServerRecord:
    """One running server. The key itself stands in `key_file`, readable by its owner only."""

    role: str
    pid: int
    created: float  # start time of that process, so that a reused pid is not taken for it
    owner: int  # process that stops it at its end; 0: it outlives whoever started it
    owner_created: float
    port: int
    key_file: str
    model: str
    device: str
    plan: str  # fingerprint of all that decides how it runs

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def alive(self) -> bool:
        return same_process(self.pid, self.created)

    @property
    def owned_elsewhere(self) -> bool:
        """Another living process watches it."""
        return self.owner not in (0, os.getpid()) and same_process(self.owner, self.owner_created)

    def key(self) -> str:
        """Empty when the key file is gone: the server then refuses, and is started anew."""
        path = Path(self.key_file)
        return path.read_text(encoding="ascii").strip() if path.is_file() else ""


def start_time(pid: int) -> float:
    """Seconds since the epoch; 0 if there is no such process."""
    try:
        return psutil.Process(pid).create_time()
    except psutil.NoSuchProcess:
        return 0.0


def same_process(pid: int, created: float) -> bool:
    """Whether `pid` still is the process that started at `created` (a zombie is none)."""
    try:
        process = psutil.Process(pid)
        return abs(process.create_time() - created) < _SAME_START and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


class RunFolder:
    """`<home>/run`: records, keys, logs and locks of one home's servers. Owner-only."""

    def __init__(self, home: Path) -> None:
        self.path = home / "run"
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.path.chmod(0o700)
        self._file = self.path / "servers.json"

    def log(self, role: str) -> Path:
        return self.path / f"{role}.log"

    def write_key(self, role: str, key: str) -> Path:
        """Store a new key, readable by its owner only from the first byte."""
        path = self.path / f"{role}.key"
        path.unlink(missing_ok=True)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as out:
            out.write(key + "\n")
        return path

    @contextmanager
    def alone(self, name: str, seconds: float = _LOCK_SECONDS) -> Iterator[None]:
        """One process at a time; the lock goes with its holder, however that ends.

        Raises: portalocker.LockException past the deadline.
        """
        with portalocker.Lock(self.path / f"{name}.lock", "a", timeout=seconds, check_interval=0.05):
            yield

    def record(self, role: str) -> ServerRecord | None:
        return self._read()[0].get(role)

    def stopped(self, role: str) -> bool:
        """Whether an administrator stopped the role by name and nobody started it since."""
        return role in self._read()[1]

    def put(self, record: ServerRecord) -> None:
        """Remember a started server; the role counts as wanted again."""
        with self.alone("servers"):
            servers, stopped = self._read()
            self._write({**servers, record.role: record}, stopped - {record.role})

    def drop(self, role: str, pid: int) -> None:
        """Forget a role's server, unless another one has taken its place."""
        with self.alone("servers"):
            servers, stopped = self._read()
            kept = {name: record for name, record in servers.items() if name != role or record.pid != pid}
            self._write(kept, stopped)

    def mark_stopped(self, role: str, stop: bool) -> None:
        with self.alone("servers"):
            servers, stopped = self._read()
            self._write(servers, stopped | {role} if stop else stopped - {role})

    def _read(self) -> tuple[dict[str, ServerRecord], frozenset[str]]:
        """Written in one step, so it is whole or absent; another version's fields make it worth nothing."""
        try:
            state = json.loads(self._file.read_text(encoding="utf-8"))
            servers = {role: ServerRecord(**fields) for role, fields in state["servers"].items()}
            return servers, frozenset(state["stopped"])
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return {}, frozenset()

    def _write(self, servers: Mapping[str, ServerRecord], stopped: frozenset[str]) -> None:
        state = {
            "servers": {role: asdict(record) for role, record in servers.items()},
            "stopped": sorted(stopped),
        }
        fresh = self._file.with_suffix(".new")
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as out:
            json.dump(state, out, indent=1, sort_keys=True)
        fresh.replace(self._file)
