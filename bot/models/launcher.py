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
from bot.models.probe import PortTaken, ServerFailed, cause_of_death, healthy, smoke_test, usable
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

        Raises: ServerFailed, ModelMissing, BadSetting; ModelUnavailable while closing.
        """
        plan = self._plan(role, chosen)
        try:
            with self._run.alone(role, chosen.start_seconds + 30):
                record = self._adopted(role, plan)
                return (record, None) if record is not None else self._started(plan)
        except portalocker.LockException as err:
            raise ServerFailed(f"another process is still starting the {role} server") from err

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
            raise ServerFailed(
                f"another process on this home runs a different {role} server ({record.model}); "
                "stop it, or use another --home"
            )
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
                raise _death(plan.role, plan.settings.port, code, process.said())
            if time.monotonic() > deadline:
                raise ServerFailed(
                    f"the {plan.role} server was not ready within {plan.settings.start_seconds:.0f} s; "
                    f"raise start_seconds, or see `polyrag servers logs {plan.role}`"
                )
            if self._closing.wait(_POLL_SECONDS):
                raise ModelUnavailable("shutting down")
        try:
            smoke_test(plan.role, record.url, key, plan.entry, max(1.0, deadline - time.monotonic()))
        except ServerFailed as err:
            code = process.exit_code()
            if code is not None:
                raise _death(plan.role, plan.settings.port, code, process.said()) from err
            raise ServerFailed(f"the {plan.role} server runs but does not work: {err}") from err


def _port(role: str, wanted: int) -> int:
    """The wanted port if it is free, or any free one.

    Raises: PortTaken.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", wanted))
        except OSError as err:
            raise _port_taken(role, wanted) from err
        return int(probe.getsockname()[1])


def _port_taken(role: str, port: int) -> PortTaken:
    remedy = f"end that program, or set the port of {role} to another number or to 0 (any free one)"
    return PortTaken(
        f"port {port} for the {role} server is in use by another program; {remedy}", port=port, role=role
    )


def _death(role: str, port: int, code: int, said: str) -> ServerFailed:
    cause = cause_of_death(code, said)
    if "port is used" in cause:
        return _port_taken(role, port)
    return ServerFailed(f"the {role} server did not start: {cause}")


def _rotate(log: Path) -> None:
    """Keep one older log, so that a start never hides why the last one ended."""
    if log.exists() and log.stat().st_size > _OLD_LOG:
        log.replace(log.with_suffix(".log.1"))
