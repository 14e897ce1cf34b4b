"""The model servers of one home: one llama-server per role, started, tried, watched, restarted and ended.

Owned servers end with this process, whatever ends it. Detached ones (`polyrag servers start`) outlive it. Processes
on the same home share servers: whoever comes second uses what runs.
"""

import atexit
import logging
import os
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from bot.config import cache_dir, secret
from bot.models.endpoint import Endpoint
from bot.models.faults import ServerFailed, ServerStopped, cause_of_death
from bot.models.launcher import Launcher
from bot.models.probe import Unusable, healthy, read_props, read_tail
from bot.models.process import ServerProcess, end_process, memory_mib
from bot.models.records import RunFolder, ServerRecord
from core.errors import ModelUnavailable, PolyragError
from core.settings import RoleSettings, Settings

log = logging.getLogger("polyrag.models")

ROLES = ("embed", "chat", "ocr")  # in the order in which they are started
BACK_OFF = (0.0, 1.0, 2.0, 4.0, 8.0)  # seconds before the n-th restart; after that the role has failed
_FORGIVE_SECONDS = 600.0  # deaths longer ago do not count
_HANG_CHECKS = 3  # health checks missed in a row before a living server counts as hung
_LOG_LIMIT = 20_000_000
_HUNG = {"en": "it stopped answering", "pt": "parou de responder"}
State = Literal["off", "plugin", "remote", "stopped", "running", "sleeping", "failed"]


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """One role at a glance."""

    role: str
    provider: str
    state: State
    model: str = ""
    pid: int = 0
    port: int = 0
    device: str = ""  # "none" is the CPU
    memory_mib: float = 0.0
    context: int = 0  # tokens one request may hold
    mode: Literal["", "owned", "detached", "shared"] = ""
    why: Mapping[str, str] = field(default_factory=dict)  # what is or was wrong, by language


class _Slot:
    """What this process knows of one role. Guarded by `lock`."""

    def __init__(self, role: str) -> None:
        self.role = role
        self.lock = threading.RLock()
        self.process: ServerProcess | None = None  # only if this process started it
        self.record: ServerRecord | None = None
        self.used = False  # this process has had a server for the role
        self.wanted = False  # started here and not stopped since: the watcher keeps it alive
        self.deaths: tuple[float, ...] = ()
        self.why: Mapping[str, str] = {}
        self.missed = 0
        self.checked = 0.0


class ServerManager:
    """Use as a context manager, or call `close()`; owned servers end with the process in any case."""

    def __init__(
        self,
        settings: Settings,
        home: Path,
        *,
        detached: bool = False,
        cache: Path | None = None,
        watch_seconds: float = 1.0,
        back_off: Sequence[float] = BACK_OFF,
        hang_seconds: float = 10.0,
    ) -> None:
        """Nothing is started here.

        Args:
            home: the bot's home; records, keys and logs go to its `run` folder.
            detached: servers started here outlive this process.
            cache: the model cache; default: the user's.
            watch_seconds: how often owned servers are looked after.
            back_off: seconds to wait before each restart; as many restarts as it has entries.
            hang_seconds: a living server that misses three health checks this far apart is replaced.
        """
        self._settings = settings
        self._run = RunFolder(home)
        self._detached = detached
        self._watch_seconds = watch_seconds
        self._back_off = tuple(back_off)
        self._hang_seconds = hang_seconds
        self._slots = {role: _Slot(role) for role in ROLES}
        self._closing = threading.Event()
        self._launcher = Launcher(settings, self._run, cache or cache_dir(), self._closing, detached=detached)
        self._watcher: threading.Thread | None = None

    def __enter__(self) -> "ServerManager":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- use ---------------------------------------------------------------------------------------

    def endpoint(self, role: str, suspect: bool = False) -> Endpoint:
        """A live endpoint for the role, starting or restarting its server if need be. Blocks; may take a while.

        Args:
            suspect: the caller had trouble with the last one; look before trusting it.
        Raises: ModelUnavailable, ModelMissing, BadSetting.
        """
        chosen = self.role(role)
        if chosen.provider == "url":
            return self._remote(role, chosen)
        if chosen.provider != "llama-server":
            raise ModelUnavailable(f"the {role} role has no server (provider {chosen.provider!r})")
        slot = self._slots[role]
        with slot.lock:
            if (
                slot.record is not None
                and self._lives(slot)
                and not (suspect and not healthy(slot.record.url))
            ):
                return self._local(slot.record)
            self._note_death(slot)
            self._refuse_if_stopped(slot)
            self._wait_for_turn(slot)
            return self._local(self._bring_up(slot))

    def start(self, role: str) -> ServerStatus:
        """Start a role's server if it does not run; forgets earlier stops and failures.

        Raises: as `endpoint`.
        """
        slot = self._slots[role]
        with slot.lock:
            slot.deaths, slot.why = (), {}
        if self._run.stopped(role):
            self._run.mark_stopped(role, False)
        if self.role(role).provider == "llama-server":
            self.endpoint(role)
        return self.status_of(role)

    def start_all(self) -> dict[str, PolyragError]:
        """Start every server of the profile; what failed, by role (the others run)."""
        failures: dict[str, PolyragError] = {}
        for role in ROLES:
            try:
                self.start(role)
            except PolyragError as err:
                failures[role] = err
        return failures

    def stop(self, role: str) -> bool:
        """End a role's server, whoever started it, and leave it stopped until `start`; True if it ran."""
        self._run.mark_stopped(role, True)
        return self._end(role)

    def stop_all(self) -> tuple[str, ...]:
        """End every server of this home; the roles that ran. A bot that used them leaves them stopped until `start`;
        with no bot running, whoever needs one next starts it."""
        for role in ROLES:
            record = self._run.record(role)
            if self._slots[role].used or (record is not None and record.owned_elsewhere):
                self._run.mark_stopped(role, True)
        return tuple(role for role in ROLES if self._end(role))

    def restart(self, role: str) -> ServerStatus:
        """End and start a role's server.

        Raises: as `endpoint`.
        """
        self._end(role)
        return self.start(role)

    def close(self) -> None:
        """End the servers this process owns. Safe to call twice."""
        self._closing.set()
        for slot in self._slots.values():
            with slot.lock:
                if slot.process is not None and not self._detached:
                    self._forget(slot)
                    slot.process.stop()
                slot.process, slot.record, slot.wanted = None, None, False
        if self._watcher is not None and self._watcher is not threading.current_thread():
            self._watcher.join(timeout=2 * self._watch_seconds + 1)
        atexit.unregister(self.close)

    # --- look --------------------------------------------------------------------------------------

    def status(self) -> tuple[ServerStatus, ...]:
        """Every role, whoever runs its server."""
        return tuple(self.status_of(role) for role in ROLES)

    def status_of(self, role: str) -> ServerStatus:
        chosen = self.role(role)
        bare = ServerStatus(role, chosen.provider, "off", chosen.model)
        if chosen.provider == "off":
            return replace(bare, model="")
        if chosen.provider == "url":
            return replace(bare, state="remote")
        if chosen.provider != "llama-server":
            return replace(bare, state="plugin")
        slot = self._slots[role]
        record = slot.record or self._run.record(role)
        if record is None or not record.alive:
            if len(slot.deaths) > len(self._back_off):
                return replace(bare, state="failed", why=_given_up(len(slot.deaths), slot.why))
            return replace(bare, state="stopped", why=slot.why)
        return self._described(bare, slot, record)

    def log_tail(self, role: str, lines: int = 40) -> str:
        """The last lines of a role's log; empty if it never ran."""
        return "\n".join(read_tail(self._run.log(role)).splitlines()[-lines:])

    def role(self, role: str) -> RoleSettings:
        """The settings of a role in the chosen profile."""
        chosen: RoleSettings = getattr(self._settings.servers, role)
        return chosen

    def _described(self, bare: ServerStatus, slot: _Slot, record: ServerRecord) -> ServerStatus:
        mode: Literal["owned", "detached", "shared"] = "shared" if record.owned_elsewhere else "owned"
        if record.owner == 0:
            mode = "detached"
        known = replace(
            bare, state="running", model=record.model, pid=record.pid, port=record.port, device=record.device,
            memory_mib=round(memory_mib(record.pid), 1), mode=mode, why=slot.why,
        )  # fmt: skip
        try:
            props = read_props(record.url, record.key())
        except Unusable as err:
            return replace(known, state="failed", why=err.why)
        return replace(known, state="sleeping" if props.sleeping else "running", context=props.context)

    # --- start -------------------------------------------------------------------------------------

    def _remote(self, role: str, chosen: RoleSettings) -> Endpoint:
        entry = self._settings.models[chosen.model]
        key = secret(chosen.api_key_env) if chosen.api_key_env else ""
        return Endpoint(role, chosen.url.rstrip("/"), entry.hub or chosen.model, key, managed=False)

    def _local(self, record: ServerRecord) -> Endpoint:
        return Endpoint(record.role, f"{record.url}/v1", record.model, record.key())

    def _lives(self, slot: _Slot) -> bool:
        if slot.process is not None:
            return slot.process.exit_code() is None
        return slot.record is not None and slot.record.alive

    def _refuse_if_stopped(self, slot: _Slot) -> None:
        """A role stopped by name stays down. Without its embedder a bot is nothing, so a new process starts that one."""
        if self._run.stopped(slot.role) and (slot.used or slot.role != "embed"):
            slot.wanted = False
            raise ServerStopped(f"the {slot.role} server was stopped by an administrator", role=slot.role)

    def _wait_for_turn(self, slot: _Slot) -> None:
        """Back off between restarts; give up after as many as were allowed."""
        recent = tuple(death for death in slot.deaths if time.monotonic() - death < _FORGIVE_SECONDS)
        slot.deaths = recent
        if len(recent) > len(self._back_off):
            slot.wanted = False
            raise ServerFailed(slot.role, _given_up(len(recent), slot.why))
        if recent:
            wait = recent[-1] + self._back_off[len(recent) - 1] - time.monotonic()
            if wait > 0 and self._closing.wait(wait):
                raise ModelUnavailable("shutting down")

    def _bring_up(self, slot: _Slot) -> ServerRecord:
        try:
            record, process = self._launcher.bring_up(slot.role, self.role(slot.role))
        except ServerFailed as err:
            slot.deaths, slot.why = (*slot.deaths, time.monotonic()), err.why
            raise
        slot.record, slot.process, slot.used, slot.missed = record, process, True, 0
        slot.checked = time.monotonic()
        log.info(
            "model server ready", extra={"role": slot.role, "pid": record.pid, "here": process is not None}
        )
        if process is not None and not self._detached:
            slot.wanted = True
            self._look_after_from_now_on()
        return record

    # --- end and watch -----------------------------------------------------------------------------

    def _end(self, role: str) -> bool:
        slot = self._slots[role]
        with slot.lock:
            record = slot.record or self._run.record(role)
            ran = record is not None and record.alive
            if slot.process is not None:
                slot.process.stop()
            elif record is not None:
                end_process(record.pid, record.created)
            if record is not None:
                self._run.drop(role, record.pid)
            slot.process, slot.record, slot.wanted = None, None, False
        return ran

    def _forget(self, slot: _Slot) -> None:
        if slot.record is not None:
            self._run.drop(slot.role, slot.record.pid)

    def _note_death(self, slot: _Slot) -> None:
        """Count a server that died or hung, and keep why."""
        if slot.record is None:
            return
        if slot.process is not None:
            code = slot.process.exit_code()
            said = slot.process.said() if code is not None else ""
            slot.why = cause_of_death(code, said) if code is not None else _HUNG
            slot.deaths = (*slot.deaths, time.monotonic())
            log.warning("model server died", extra={"role": slot.role, "cause": slot.why["en"]})
            slot.process.stop()
        self._forget(slot)
        slot.process = slot.record = None

    def _look_after_from_now_on(self) -> None:
        if self._watcher is None:
            atexit.register(self.close)
            self._watcher = threading.Thread(target=self._watch, name="model-servers", daemon=True)
            self._watcher.start()

    def _watch(self) -> None:
        while not self._closing.wait(self._watch_seconds):
            for slot in self._slots.values():
                if slot.wanted and slot.lock.acquire(blocking=False):
                    try:
                        self._look_after(slot)
                    finally:
                        slot.lock.release()

    def _look_after(self, slot: _Slot) -> None:
        """Restart a server of ours that died or hangs, unless someone stopped it on purpose."""
        if slot.process is not None:
            _trim(slot.process.log)
            if slot.process.exit_code() is None and not self._hangs(slot):
                return
        try:
            self.endpoint(slot.role, suspect=True)
        except ServerFailed as err:  # tried again at the next look, until it has failed too often
            log.warning("model server not restarted", extra={"role": slot.role, "error": str(err)})
        except (
            PolyragError
        ) as err:  # stopped on purpose, or its file or port is gone: whoever asks next is told
            slot.wanted = False
            log.warning("model server left alone", extra={"role": slot.role, "error": str(err)})

    def _hangs(self, slot: _Slot) -> bool:
        now = time.monotonic()
        if slot.record is None or now - slot.checked < self._hang_seconds:
            return False
        slot.checked = now
        slot.missed = 0 if healthy(slot.record.url, self._hang_seconds) else slot.missed + 1
        return slot.missed >= _HANG_CHECKS


def _given_up(times: int, why: Mapping[str, str]) -> dict[str, str]:
    """The reason of a role that failed too often to be tried again by itself."""
    return {
        "en": f"it failed {times} times and is left alone until `polyrag servers restart`; {why.get('en', '')}",
        "pt": f"falhou {times} vezes e só volta com `polyrag servers restart`; {why.get('pt', '')}",
    }


def _trim(log: Path) -> None:
    """A server that runs for months must not fill the disk; it appends, so cutting the file is safe."""
    if log.exists() and log.stat().st_size > _LOG_LIMIT:
        log.with_suffix(".log.1").write_text(read_tail(log, _LOG_LIMIT // 20), encoding="utf-8")
        os.truncate(log, 0)
