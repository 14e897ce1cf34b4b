"""Start and end server processes so that none is left behind."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

from bot.models.faults import BinaryMissing
from bot.models.records import same_process, start_time

WATCHDOG = Path(__file__).with_name("watchdog.py")
GRACE_SECONDS = 10.0


class ServerProcess:
    """A server this process started: owned (ends with this process, whatever happens) or detached (stays)."""

    def __init__(self, pid: int, handle: "subprocess.Popen[bytes]", log: Path, log_start: int) -> None:
        self.pid, self.created = pid, start_time(pid)
        self.log, self.log_start = log, log_start
        self._handle = handle

    def exit_code(self) -> int | None:
        """None while it runs; 128 + n if it died of signal n."""
        code = self._handle.poll()
        return code if code is None or code >= 0 else 128 - code

    def said(self) -> str:
        """What it wrote into the log since it started."""
        with self.log.open("rb") as source:
            source.seek(self.log_start)
            return source.read().decode(errors="replace")

    def stop(self) -> None:
        """End it and wait until it is gone."""
        if self._handle.stdin is not None:
            self._handle.stdin.close()  # the watchdog sees it and ends the server
        else:
            self._handle.terminate()
        try:
            self._handle.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self._handle.kill()
            self._handle.wait()
        end_process(self.pid, self.created)  # in case the watchdog was killed and its server was not


def start_owned(command: Sequence[str], environment: Mapping[str, str], log: Path) -> ServerProcess:
    """Start a server under a watchdog that ends it when this process is gone.

    Raises: BinaryMissing if not even the process could be started.
    """
    start = log.stat().st_size if log.exists() else 0
    with log.open("ab") as out:
        handle = subprocess.Popen(
            [sys.executable, "-I", "-S", str(WATCHDOG), *command],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=out, env=dict(environment), start_new_session=True,
        )  # fmt: skip
    if handle.stdout is None:
        raise BinaryMissing("the watchdog has no output")
    with handle.stdout as said:
        pid = said.readline().strip()
    if not pid:
        raise BinaryMissing(f"{command[0]} did not start (watchdog exit code {handle.wait()})")
    return ServerProcess(int(pid), handle, log, start)


def start_detached(command: Sequence[str], environment: Mapping[str, str], log: Path) -> ServerProcess:
    """Start a server that outlives this process; `polyrag servers stop` ends it.

    Raises: BinaryMissing if the process could not be started.
    """
    start = log.stat().st_size if log.exists() else 0
    with log.open("ab") as out:
        try:
            handle = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=dict(environment), start_new_session=True
            )  # fmt: skip
        except OSError as err:
            raise BinaryMissing(f"{command[0]} did not start ({type(err).__name__})") from err
    return ServerProcess(handle.pid, handle, log, start)


def end_process(pid: int, created: float) -> bool:
    """End the process that is `pid` since `created`, gently first; True if it was there."""
    if not same_process(pid, created):
        return False
    try:
        process = psutil.Process(pid)
        process.terminate()
        process.resume()  # a suspended process would not notice
        try:
            process.wait(GRACE_SECONDS)
        except psutil.TimeoutExpired:
            process.kill()
            process.wait(GRACE_SECONDS)
    except psutil.NoSuchProcess:
        return True  # it went by itself meanwhile
    return True


def memory_mib(pid: int) -> float:
    """Resident memory, 0 if the process is gone."""
    try:
        return float(psutil.Process(pid).memory_info().rss) / 2**20
    except psutil.NoSuchProcess:
        return 0.0
