"""Opens one bot: servers, ledger, stores, anchors, cache; and closes all of it again, whatever happened."""

import asyncio
import logging
import shutil
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import Any, TextIO

import numpy as np
import portalocker

from bot.app import REBUILD, App
from bot.codeversion import code_version
from bot.config import secret
from bot.config_errors import Said, refuse
from bot.jobs.rows import JobRows
from bot.jobs.runner import Jobs
from bot.jobs.work import job_steps
from bot.models.servers import ServerManager
from bot.plugins.manager import PluginManager
from bot.plugins.spec import (
    CommandSpec,
    EmbedderSpec,
    GeneratorSpec,
    ModelContext,
    ParserSpec,
    RouteSpec,
    StoreSpec,
)
from bot.reading import ReaderPool
from bot.records import Records
from bot.telemetry import Telemetry
from core.ask import AskPorts
from core.cache import AnswerCache
from core.errors import PolyragError
from core.ingest.walk import IngestPorts, index_key
from core.kinship import WordKeeper
from core.lore import LoreKeeper
from core.ports import Embedder, Generator, Ocr, Store
from core.router import Anchors
from core.settings import RoleSettings, Settings, Thresholds
from core.stores.ledger import Ledger
from core.types import FloatArray

log = logging.getLogger("polyrag.wiring")
LEDGER = "polyrag.db"


@dataclass(frozen=True, slots=True)
class StoreContext:
    """What a store is opened with."""

    settings: Settings
    folder: Path  # of this store under this index key; its own to fill
    thresholds: Thresholds
    dimension: int
    fingerprint: str  # of the embedding model


@asynccontextmanager
async def open_app(
    settings: Settings,
    home: Path,
    plugins: PluginManager,
    *,
    chat: bool = True,
    embedder: Embedder | None = None,
    catch_up: bool = True,
) -> AsyncIterator[App]:
    """One bot, open.

    Args:
        home: all its state; made when missing, for its owner only.
        chat: whether a chat model is wanted; without it answers are extractive.
        embedder: stands in for the configured one (tests, the test kit).
        catch_up: bring the stores to the ledger's state first; False leaves another index that serves alone.
    Raises: PolyragError when the bot cannot work at all; a missing chat model only degrades it.
    """
    await asyncio.to_thread(partial(home.mkdir, parents=True, exist_ok=True, mode=0o700))
    async with AsyncExitStack() as stack:
        presence = await asyncio.to_thread(stack.enter_context, _presence(home))
        servers = stack.enter_context(ServerManager(settings, home))
        chosen = embedder or open_embedder(settings, servers, plugins)
        generator = open_generator(settings, servers, plugins) if chat else None
        relations = _relations_model(settings, servers, plugins)
        stack.push_async_callback(_close_clients, [chosen, generator, relations])
        thresholds = thresholds_of(settings)
        url = settings.stores.database or f"sqlite:///{home / LEDGER}"
        ledger = Ledger(url)
        stack.callback(ledger.close)
        records = Records(ledger.engine, keep_traces=settings.telemetry.keep_traces)
        anchors = await load_anchors(settings, routes_of(plugins), chosen, home)
        stores: dict[str, Store] = {}
        key = index_key(chosen.fingerprint, settings)
        for spec in _specs(plugins, "register_stores", StoreSpec):
            folder = home / "stores" / key[:16] / spec.name
            context = StoreContext(settings, folder, thresholds, chosen.dimension, chosen.fingerprint)
            stores[spec.name] = spec.open(context)
            stack.callback(stores[spec.name].close)
        cache = AnswerCache(chosen.dimension, capacity=settings.cache.capacity, rows=records)
        parsers = tuple(spec.parser for spec in _specs(plugins, "register_parsers", ParserSpec))
        ocr = open_ocr(settings, servers)
        reader = ReaderPool(parsers, settings.ingest, ocr) if settings.ingest.readers else None
        ingest_ports = IngestPorts(
            ledger, stores, parsers, chosen, anchors, settings, thresholds, ocr, reader, relations
        )
        ask_ports = AskPorts(
            ledger=ledger,
            stores=stores,
            embedder=chosen,
            generator=generator,
            anchors=anchors,
            cache=cache,
            lore=LoreKeeper(ledger, stores),
            routes=stores_by_route(plugins, stores),
            settings=settings,
            thresholds=thresholds,
            ticker=perf_counter,
            words=WordKeeper(chosen, low=thresholds.kin_low, high=thresholds.kin_high),
            code=code_version(),
        )
        commands = {spec.name: spec for spec in _specs(plugins, "register_commands", CommandSpec)}
        app = App(settings, plugins, records, ingest_ports, ask_ports, commands, servers)
        stack.callback(app.clerk.close)
        if settings.telemetry.otlp_endpoint:
            app.telemetry = Telemetry.open(settings.telemetry.otlp_endpoint)
            stack.callback(app.telemetry.close)
        app.folder, app.is_alone = home, presence.is_alone
        app.jobs = Jobs(JobRows(ledger.engine), home / "jobs", settings, job_steps(app))
        stack.push_async_callback(app.jobs.close)
        if catch_up:
            await app.refresh()
        yield app


@dataclass(frozen=True, slots=True)
class Presence:
    """A process's sign that it has a home open."""

    held: TextIO

    def is_alone(self) -> bool:
        """Whether no other process has the home open right now."""
        try:
            portalocker.lock(self.held, portalocker.LOCK_EX | portalocker.LOCK_NB)
        except portalocker.LockException:
            return False
        portalocker.lock(self.held, portalocker.LOCK_SH)
        return True


@contextmanager
def _presence(home: Path) -> Iterator[Presence]:
    """Hold a home open. Who comes alone first drops the stores that an erasure marked: all is in the ledger."""
    with (home / "open.lock").open("a") as held:
        if (home / REBUILD).exists():
            try:
                portalocker.lock(held, portalocker.LOCK_EX | portalocker.LOCK_NB)
                shutil.rmtree(home / "stores", ignore_errors=True)
                (home / REBUILD).unlink()
                log.info("stores dropped after an erasure; they are made anew")
            except portalocker.LockException:
                log.info("stores wait to be made anew until no other process uses them")
        portalocker.lock(held, portalocker.LOCK_SH)
        yield Presence(held)


def drop_other_indexes(app: App) -> None:
    """Remove the stores of former configurations; only for a process that is alone on its home."""
    for path in sorted((app.folder / "stores").glob("*")):
        if path.is_dir() and path.name != app.ingest_ports.index_key[:16]:
            shutil.rmtree(path)


def thresholds_of(settings: Settings) -> Thresholds:
    """The configured cut-offs; else those of the embedding model's catalogue entry."""
    if settings.router.thresholds is not None:
        return settings.router.thresholds
    entry = settings.models.get(settings.servers.embed.model)
    return entry.thresholds if entry else Thresholds()


def open_embedder(settings: Settings, servers: ServerManager, plugins: PluginManager) -> Embedder:
    """The embedder of the chosen profile. Raises: BadSetting when the profile has none."""
    role = settings.servers.embed
    if role.provider == "off":
        refuse(
            "profiles.{profile}.embed: o bot precisa de um modelo de vetores",
            "profiles.{profile}.embed: the bot needs an embedding model",
            profile=settings.profile,
        )
    spec = _provider("embed", role, _specs(plugins, "register_embedders", EmbedderSpec), settings, plugins)
    opened: Embedder = spec.open(_context("embed", role, settings, servers))
    return opened


def open_generator(settings: Settings, servers: ServerManager, plugins: PluginManager) -> Generator | None:
    """The chat model of the chosen profile, None where it is off or answers are always extractive."""
    if settings.servers.chat.provider == "off" or settings.answer.mode == "extractive":
        return None
    return _generator(settings, servers, plugins)


def _relations_model(settings: Settings, servers: ServerManager, plugins: PluginManager) -> Generator | None:
    """The chat model that finds relations in files, where the configuration wants one."""
    return None if settings.ingest.relations == "rules" else _generator(settings, servers, plugins)


def _generator(settings: Settings, servers: ServerManager, plugins: PluginManager) -> Generator:
    role = settings.servers.chat
    spec = _provider("chat", role, _specs(plugins, "register_generators", GeneratorSpec), settings, plugins)
    opened: Generator = spec.open(_context("chat", role, settings, servers))
    return opened


def _context(name: str, role: RoleSettings, settings: Settings, servers: ServerManager) -> ModelContext:
    return ModelContext(settings, role, settings.models.get(role.model), partial(servers.endpoint, name))


def open_ocr(settings: Settings, servers: ServerManager) -> Ocr | None:
    """The vision role where it is configured, else the reader in this process, else none."""
    if settings.ingest.ocr == "off":
        return None
    role = settings.servers.ocr
    if role.provider in ("llama-server", "url"):
        from bot.models.clients import OpenAIVision

        return OpenAIVision(role.model, partial(servers.endpoint, "ocr"), seconds=role.request_seconds)
    from core.ingest.load.ocr import RapidOcr

    return RapidOcr()


def _provider(
    name: str, role: RoleSettings, specs: tuple[Any, ...], settings: Settings, plugins: PluginManager
) -> Any:
    """The spec that the role names. Raises: BadSetting, naming what there is, and what might have been."""
    by_name = {spec.name: spec for spec in specs}
    if role.provider not in by_name:
        known = ", ".join(["off", *sorted(by_name)])
        refuse(
            "profiles.{profile}.{role}.provider: {given!r} não é um destes: {known}{failed}",
            "profiles.{profile}.{role}.provider: {given!r} is not one of {known}{failed}",
            profile=settings.profile,
            role=name,
            given=role.provider,
            known=known,
            failed=_not_loaded(plugins),
        )
    return by_name[role.provider]


def _not_loaded(plugins: PluginManager) -> Said:
    """The plugins that might have brought what is missing, with what kept them away."""
    away = [info for info in plugins.infos() if info.state != "active"]
    if not away:
        return Said("", "")
    return Said(
        "; não carregados: " + ", ".join(f"{i.name} ({i.reason_pt})" for i in away),
        "; not loaded: " + ", ".join(f"{i.name} ({i.reason})" for i in away),
    )


def routes_of(plugins: PluginManager) -> dict[str, tuple[str, ...]]:
    """Route -> example phrases: the configuration's come through the built-in plugin."""
    return {spec.name: tuple(spec.anchors) for spec in _specs(plugins, "register_routes", RouteSpec)}


def stores_by_route(plugins: PluginManager, stores: Mapping[str, Store]) -> dict[str, str]:
    """Route -> store. Raises: BadSetting for a store that does not exist: its questions would be lost silently."""
    routes = {spec.name: spec.store for spec in _specs(plugins, "register_routes", RouteSpec)}
    for name, store in sorted(routes.items()):
        if store not in stores:
            refuse(
                "routes.{name}.store: não há o acervo {store!r}; há: {known}",
                "routes.{name}.store: there is no store {store!r}; there are: {known}",
                name=name,
                store=store,
                known=", ".join(sorted(stores)),
            )
    return routes


async def load_anchors(
    settings: Settings, routes: Mapping[str, tuple[str, ...]], embedder: Embedder, home: Path
) -> Anchors:
    """Anchor vectors, embedded once per set of phrases and model, kept in the home."""
    phrases = [phrase for name in sorted(routes) for phrase in routes[name]]
    digest = sha256("\n".join([embedder.fingerprint, *phrases]).encode()).hexdigest()[:16]
    kept = home / "anchors" / f"{digest}.npy"
    vectors: FloatArray | None = None
    if kept.is_file():
        try:
            vectors = np.load(kept, allow_pickle=False)
        except (OSError, ValueError) as err:
            log.warning("anchor vectors unreadable, embedding again", extra={"error": repr(err)})
    if vectors is None or vectors.shape != (len(phrases), embedder.dimension):
        vectors = await embedder.embed_queries(phrases)
        await asyncio.to_thread(_keep, kept, vectors)
    return Anchors.build(routes, vectors)


def _keep(path: Path, vectors: FloatArray) -> None:
    """Write beside, then rename: a crash leaves the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial_path = path.with_suffix(".part.npy")
    np.save(partial_path, vectors)
    partial_path.replace(path)


async def _close_clients(clients: Iterable[object]) -> None:
    for client in clients:
        close = getattr(client, "close", None)
        if close is not None:
            try:
                await close()
            except PolyragError as err:
                log.warning("client did not close", extra={"error": str(err)})


def _specs(plugins: PluginManager, hook: str, kind: type) -> tuple:  # type: ignore[type-arg]
    """Specs of one hook that are of the right kind; others are the plugin's mistake and are left out."""
    return tuple(spec for spec in plugins.gather(hook) if isinstance(spec, kind))


def api_key(name: str) -> str:
    """The secret of that name, empty where none is configured."""
    return secret(name) if name else ""
