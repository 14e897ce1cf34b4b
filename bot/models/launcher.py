"""Bring up the server of one role: use the one that runs on this home, or start one and try it."""

import os
import secrets
import socket
import threading
import time
from pathlib import Path

import portalocker

from bot.config import environment
from bot.models.binary import choose_device, find_binary, known_flags, list_devices
from bot.models.catalog import require
from bot.models.command import Plan, command_line, server_environment
from bot.models.faults import PORT, PortTaken, ServerFailed, cause_of_death, last_words, port_taken
from bot.models.probe import Unusable, healthy, smoke_test, usable
from bot.models.process import ServerProcess, end_process, start_detached, start_owned
from bot.models.records import RunFolder, ServerRecord, start_time
from core.errors import ModelUnavailable
from core.settings import RoleSettings, Settings

_POLL_SECONDS = 0.05
_OLD_LOG = 1_000_000  # bytes from which a log is put aside at a start


class Launcher:
    """Starts servers into one home's run folder. `closing` interrupts a start that is under way."""

    def __init__(
        self, settings: Settings, run: RunFolder, cache: Path, closing: threading.Event, *, detached: bool
    ) -> None:
        self._settings, self._run, self._cache = settings, run, cache
        self._closing, self._detached = closing, detached

    def bring_up(self, role: str, chosen: RoleSettings) -> tuple[ServerRecord, ServerProcess | None]:
        """A usable server and, if it was started here, its process.

        Raises: ServerFailed, PortTaken, BinaryMissing, ModelMissing, BadSetting; ModelUnavailable while closing.
        """
        plan = self._plan(role, chosen)
        try:
            with self._run.alone(role, chosen.start_seconds + 30):
                record = self._adopted(role, plan)
                return (record, None) if record is not None else self._started(plan)
        except portalocker.LockException as err:
            why = {
                "en": "another process is still starting it",
                "pt": "outro processo ainda o está iniciando",
            }
            raise ServerFailed(role, why) from err

    def _plan(self, role: str, chosen: RoleSettings) -> Plan:
        entry = self._settings.models[chosen.model]
        files = require(chosen.model, entry, self._cache)
        binary = find_binary(self._settings.servers.binary)
        device = choose_device(chosen.device, list_devices(binary))
        model = files.path if files.state == "present" else None
        return Plan(role, binary, model, files.projector, chosen.model, entry, chosen, device)

    def _adopted(self, role: str, plan: Plan) -> ServerRecord | None:
        """The home's server for this role if it runs, answers, takes the key, and runs what is configured."""
        record = self._run.record(role)
        if record is None or not record.alive:
            return None
        if record.plan != plan.fingerprint and record.owned_elsewhere:
            why = {
                "en": f"another process runs this home's {role} server with {record.model}; stop it or use another --home",
                "pt": f"outro processo usa {record.model} como {role} nesta pasta; pare-o ou use outro --home",
            }
            raise ServerFailed(role, why)
        if record.plan == plan.fingerprint and usable(record.url, record.key()):
            return record
        end_process(record.pid, record.created)
        self._run.drop(role, record.pid)
        return None

    def _started(self, plan: Plan) -> tuple[ServerRecord, ServerProcess]:
        """Start a server and try it. A free port may be taken by someone else meanwhile, so that is tried again."""
        for _ in range(0 if plan.settings.port else 2):
            try:
                return self._started_on(plan, _port(plan.role, 0))
            except PortTaken:
                continue
        return self._started_on(plan, _port(plan.role, plan.settings.port))

    def _started_on(self, plan: Plan, port: int) -> tuple[ServerRecord, ServerProcess]:
        key = secrets.token_urlsafe(32)
        key_file = self._run.write_key(plan.role, key)
        log = self._run.log(plan.role)
        _rotate(log)
        command = command_line(plan, port, key_file, known_flags(plan.binary))
        start = start_detached if self._detached else start_owned
        process = start(command, server_environment(environment(), self._cache), log)
        owner = (0, 0.0) if self._detached else (os.getpid(), start_time(os.getpid()))
        record = ServerRecord(
            plan.role, process.pid, process.created, *owner, port, str(key_file), plan.name, plan.device, plan.fingerprint
        )  # fmt: skip
        try:
            self._await_ready(plan, process, record, key)
            self._run.put(record)
        except BaseException:  # Ctrl-C included: no server is left half started
            process.stop()
            raise
        return record, process

    def _await_ready(self, plan: Plan, process: ServerProcess, record: ServerRecord, key: str) -> None:
        deadline = time.monotonic() + plan.settings.start_seconds
        while not healthy(record.url):
            code = process.exit_code()
            if code is not None:
                raise _death(plan.role, record.port, code, process.said())
            if time.monotonic() > deadline:
                limit = f"{plan.settings.start_seconds:.0f} s"
                why = {
                    "en": f"it was not ready within {limit} (start_seconds)",
                    "pt": f"não ficou pronto em {limit} (start_seconds)",
                }
                raise ServerFailed(plan.role, why, last_words(process.said()))
            if self._closing.wait(_POLL_SECONDS):
                raise ModelUnavailable("shutting down")
        try:
            smoke_test(plan.role, record.url, key, plan.entry, max(1.0, deadline - time.monotonic()))
        except Unusable as err:
            code = process.exit_code()
            if code is not None:
                raise _death(plan.role, record.port, code, process.said()) from err
            raise ServerFailed(plan.role, err.why) from err


def _port(role: str, wanted: int) -> int:
    """The wanted port if it is free, or any free one.

    Raises: PortTaken.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", wanted))
        except OSError as err:
            raise port_taken(role, wanted) from err
        return int(probe.getsockname()[1])


def _death(role: str, port: int, code: int, said: str) -> ServerFailed | PortTaken:
    cause = cause_of_death(code, said)
    return port_taken(role, port) if cause == PORT else ServerFailed(role, cause, last_words(said))


def _rotate(log: Path) -> None:
    """Keep one older log, so that a start never hides why the last one ended."""
    if log.exists() and log.stat().st_size > _OLD_LOG:
        log.replace(log.with_suffix(".log.1"))
