"""Read config.yaml into one frozen Settings object; the only place that looks at the environment.

A wrong configuration is refused before anything starts, in one message that names every wrong key, its value, what is
allowed and the nearest right name, in the language that the configuration chooses.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any, Literal

from platformdirs import user_cache_path, user_data_path
from pydantic import ValidationError

from bot.config_errors import Problem, Said, bad_settings, nearest, problems_of, refuse
from bot.config_yaml import read_mapping
from core.errors import BadSetting
from core.settings import ModelEntry, RoleSettings, ServerSettings, Settings

ROLES = ("chat", "embed", "ocr")
DISTRIBUTION = "polyrag-bot"
# Tables whose entries an administrator adds to and takes from; `null` takes an entry of the defaults away.
OPEN_TABLES = frozenset({"profiles", "models", "routes", "channels", "adapters"})


def default_config() -> Path:
    """The config.yaml that comes with the program: beside the packages in a checkout, in the wheel's data otherwise.

    Raises: BadSetting if it is nowhere, which means a damaged installation.
    """
    beside = Path(__file__).resolve().parent.parent / "config.yaml"
    if beside.is_file():
        return beside
    for path in _installed_files():
        if path.is_file():
            return path
    refuse(
        "config.yaml não veio com esta instalação; reinstale polyrag-bot ou use --config ARQUIVO",
        "config.yaml did not come with this installation; reinstall polyrag-bot, or pass --config FILE",
    )


def _installed_files() -> Iterator[Path]:
    try:
        listed = files(DISTRIBUTION) or []
    except PackageNotFoundError:
        return
    for entry in listed:
        if entry.name == "config.yaml":
            yield Path(str(entry.locate())).resolve()


def load_settings(path: Path | None = None) -> Settings:
    """The packaged defaults with the administrator's file laid over them.

    Tables are merged key by key, lists and values are replaced. Sections left empty change nothing.

    Args:
        path: the administrator's file; None for the defaults alone.
    Raises: BadSetting for all that is wrong at once: file and line, dotted key, value, what is allowed, the nearest name.
    """
    default = default_config()
    values, lines = read_mapping(default)
    source = default
    if path is not None and path.resolve() != default:
        own, lines = read_mapping(path)
        values, source = merged(values, own), path
    try:
        settings = Settings.model_validate_json(json.dumps(values), strict=True)
    except ValidationError as err:
        raise _told(problems_of(err, Settings), source, lines, values) from err
    found = list(contradictions(settings))
    if found:
        raise _told(found, source, lines, values)
    return settings


def _told(
    found: Sequence[Problem], source: Path, lines: Mapping[str, int], values: Mapping[str, Any]
) -> BadSetting:
    """The error, which knows in what language this configuration wants to be spoken to."""
    error = bad_settings(found, source, lines)
    language = values.get("language")
    error.language = language if language in ("pt", "en") else ""
    return error


def merged(defaults: Mapping[str, Any], own: Mapping[str, Any], path: tuple[str, ...] = ()) -> dict[str, Any]:
    """`own` laid over `defaults`: mappings by key, everything else replaced.

    An empty section (null) says nothing; a null entry of an open table takes the default entry away.
    """
    result = dict(defaults)
    for key, value in own.items():
        before = result.get(key)
        if value is None and len(path) == 1 and path[0] in OPEN_TABLES:
            result.pop(key, None)
        elif value is None and isinstance(before, Mapping):
            continue
        elif isinstance(value, Mapping) and isinstance(before, Mapping):
            result[key] = merged(before, value, (*path, key))
        else:
            result[key] = value
    return result


def contradictions(settings: Settings) -> Iterator[Problem]:
    """What each value alone cannot show: (dotted key, problem), first things first."""
    if settings.profile not in settings.profiles:
        yield (
            "profile",
            Said("{name!r} não é um perfil; {near}", "{name!r} is not a profile; {near}").filled(
                name=settings.profile, near=nearest(settings.profile, settings.profiles)
            ),
        )
    for name, profile in settings.profiles.items():
        yield from _profile_problems(f"profiles.{name}", profile, settings.models)
    for name, entry in settings.models.items():
        yield from _model_problems(f"models.{name}", entry)
    if settings.profile in settings.profiles and settings.servers.embed.provider == "off":
        yield (
            f"profiles.{settings.profile}.embed.provider",
            Said(
                "'off' deixa o bot sem modelo de vetores; ele não consegue procurar",
                "'off' leaves the bot without an embedder; it cannot search",
            ),
        )
    yield from _watch_problems(settings)
    asks = settings.ingest.relations != "rules" and settings.profile in settings.profiles
    if asks and settings.servers.chat.provider == "off":
        yield (
            "ingest.relations",
            Said(
                "{value!r} pede um modelo de conversa; profiles.{profile}.chat está desligado (off)",
                "{value!r} asks a chat model; profiles.{profile}.chat is off",
            ).filled(value=settings.ingest.relations, profile=settings.profile),
        )
    limits = settings.router.thresholds
    if limits is not None and limits.route_low > limits.route_high:
        yield (
            "router.thresholds.route_low",
            Said("{low} está acima de route_high ({high})", "{low} is above route_high ({high})").filled(
                low=limits.route_low, high=limits.route_high
            ),
        )


def _watch_problems(settings: Settings) -> Iterator[Problem]:
    taken: dict[str, str] = {}
    for folder, channel in settings.ingest.watch.items():
        where = f"ingest.watch.{folder}"
        if channel in taken:
            yield (
                where,
                Said(
                    "{channel!r} já recebe os arquivos de {folder}; um canal tem uma pasta só",
                    "{channel!r} gets the files of {folder} already; a channel has one folder",
                ).filled(channel=channel, folder=taken[channel]),
            )
        elif ":" not in channel and channel not in settings.channels:
            yield where, _not_among(channel, "channels", settings.channels)
        taken[channel] = folder


def _profile_problems(
    where: str, profile: ServerSettings, models: Mapping[str, ModelEntry]
) -> Iterator[Problem]:
    ports: dict[int, str] = {}
    for role in ROLES:
        chosen: RoleSettings = getattr(profile, role)
        yield from _role_problems(f"{where}.{role}", role, chosen, models)
        if chosen.port and chosen.port in ports:
            yield (
                f"{where}.{role}.port",
                Said(
                    "{port} também é a porta de {role}; cada papel precisa da sua",
                    "{port} is also the port of {role}; each role needs its own",
                ).filled(port=chosen.port, role=ports[chosen.port]),
            )
        if chosen.provider == "llama-server":
            ports[chosen.port] = role


def _role_problems(
    where: str, role: str, chosen: RoleSettings, models: Mapping[str, ModelEntry]
) -> Iterator[Problem]:
    if chosen.provider == "off":
        return
    if chosen.model not in models:
        yield f"{where}.model", _not_among(chosen.model, "models", models)
    elif models[chosen.model].kind != role:
        said = Said("{name!r} é um modelo de {kind}, não de {role}", "{name!r} is a {kind} model, not {role}")
        yield f"{where}.model", said.filled(name=chosen.model, kind=models[chosen.model].kind, role=role)
    if chosen.provider == "url" and not chosen.url.startswith(("http://", "https://")):
        said = Said(
            "{url!r} não é uma URL base; permitido: http://HOST:PORT/v1 ou https://…",
            "{url!r} is not a base URL; allowed: http://HOST:PORT/v1 or https://…",
        )
        yield f"{where}.url", said.filled(url=chosen.url)
    if not 0 <= chosen.port <= 65535:
        said = Said(
            "{port} não é uma porta; permitido: 1 a 65535, ou 0 para qualquer uma livre",
            "{port} is not a port; allowed: 1 to 65535, or 0 for any free one",
        )
        yield f"{where}.port", said.filled(port=chosen.port)


def _not_among(name: str, table: str, known: Iterable[str]) -> Said:
    said = Said("{name!r} não está em `{table}`; {near}", "{name!r} is not in `{table}`; {near}")
    return said.filled(name=name, table=table, near=nearest(name, known))


def _model_problems(where: str, entry: ModelEntry) -> Iterator[Problem]:
    if entry.sha256 and (len(entry.sha256) != 64 or set(entry.sha256) - set("0123456789abcdef")):
        yield (
            f"{where}.sha256",
            Said(
                "{value!r} não é um SHA-256; permitido: 64 dígitos hexadecimais minúsculos",
                "{value!r} is not a SHA-256; allowed: 64 lower-case hexadecimal digits",
            ).filled(value=entry.sha256),
        )
    if entry.kind == "embed" and entry.dimension < 1:
        said = Said(
            "{n} não é um tamanho de vetor; um modelo de vetores precisa de um",
            "{n} is not a vector length; an embedding model needs one",
        )
        yield f"{where}.dimension", said.filled(n=entry.dimension)
    if entry.packages and not (entry.file and entry.sha256 and entry.converter):
        yield (
            f"{where}.packages",
            Said(
                "um modelo que vem de pacotes também precisa de file, sha256 e converter",
                "a model from packages also needs file, sha256 and converter",
            ),
        )
    for package in entry.packages:
        if package.count("==") != 1:
            said = Said(
                "{package!r} não diz a versão exata; permitido: NOME==VERSÃO",
                "{package!r} names no exact version; allowed: NAME==VERSION",
            )
            yield f"{where}.packages", said.filled(package=package)


# --- the environment -------------------------------------------------------------------------------


def secret(name: str) -> str:
    """A token or key, from the environment only.

    Raises: BadSetting naming the variable, never its value.
    """
    value = os.environ.get(name, "").strip()
    if not value:
        refuse(
            "a variável de ambiente {name} não está definida; exporte-a antes de iniciar (segredos não vão no config.yaml)",
            "the environment variable {name} is not set; export it before starting (secrets never go into config.yaml)",
            name=name,
        )
    return value


def missing_variables(names: Iterable[str]) -> tuple[str, ...]:
    """Which of these environment variables are not set, in the given order."""
    return tuple(name for name in names if not os.environ.get(name, "").strip())


def system_language() -> Literal["pt", "en"]:
    """The language of the terminal, for what goes wrong before a configuration is read."""
    chosen = next((v for n in ("LC_ALL", "LC_MESSAGES", "LANG") if (v := os.environ.get(n, ""))), "")
    return "pt" if chosen.lower().startswith("pt") else "en"


def given_home(option: str) -> Path | None:
    """The home that `--home` or $POLYRAG_HOME names; None when neither does."""
    chosen = option or os.environ.get("POLYRAG_HOME", "")
    return Path(chosen).expanduser().resolve() if chosen else None


def own_home() -> Path:
    """The home of a user who named none: the platform's data folder."""
    return user_data_path("polyrag")


def cache_dir() -> Path:
    """Where model files are kept, outside every bot's home: $POLYRAG_CACHE, or the platform's cache folder."""
    chosen = os.environ.get("POLYRAG_CACHE", "")
    return Path(chosen).expanduser().resolve() if chosen else user_cache_path("polyrag")


def hub_endpoint() -> str:
    """A mirror of the model hub, if the administrator set one the usual way ($HF_ENDPOINT); else empty."""
    return os.environ.get("HF_ENDPOINT", "").rstrip("/")


def environment() -> dict[str, str]:
    """A copy of the environment for child processes."""
    return dict(os.environ)
