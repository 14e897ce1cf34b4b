"""The built-in parts, through the same door as anybody's plugin. Heavy libraries load when a part is opened."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from bot.plugins.spec import (
    CheckSpec,
    CommandSpec,
    EmbedderSpec,
    GeneratorSpec,
    ModelContext,
    ParserSpec,
    RouteSpec,
    StoreSpec,
    hookimpl,
)

if TYPE_CHECKING:
    from bot.wiring import StoreContext
    from core.ports import Embedder, Generator, Store
    from core.settings import Settings


@hookimpl
def register_parsers(settings: Any) -> tuple[ParserSpec, ...]:
    from core.ingest.load import BUILTIN_PARSERS

    return tuple(ParserSpec(parser.name, parser) for parser in BUILTIN_PARSERS)


@hookimpl
def register_routes(settings: Settings) -> tuple[RouteSpec, ...]:
    """Those of the configuration."""
    return tuple(
        RouteSpec(name, route.store, route.anchors) for name, route in sorted(settings.routes.items())
    )


@hookimpl
def register_stores(settings: Any) -> tuple[StoreSpec, ...]:
    return (
        StoreSpec("graph", _open_graph),
        StoreSpec("relational", _open_relational),
        StoreSpec("text", _open_text),
    )


@hookimpl
def register_commands(settings: Any) -> tuple[CommandSpec, ...]:
    from bot.commands import (
        asking,
        audit,
        backup,
        erasing,
        files,
        jobs,
        links,
        listening,
        reindex,
        running,
        servers,
        status,
    )

    modules = (
        asking,
        audit,
        backup,
        erasing,
        files,
        jobs,
        links,
        listening,
        reindex,
        running,
        servers,
        status,
    )
    return tuple(spec for module in modules for spec in module.COMMANDS)


@hookimpl
def register_checks(settings: Settings) -> tuple[CheckSpec, ...]:
    from bot.models.doctor import checks

    return checks(settings)


@hookimpl
def register_embedders(settings: Any) -> tuple[EmbedderSpec, ...]:
    """A managed llama-server, or any OpenAI-compatible URL."""
    return EmbedderSpec("llama-server", _open_embedder), EmbedderSpec("url", _open_embedder)


@hookimpl
def register_generators(settings: Any) -> tuple[GeneratorSpec, ...]:
    return GeneratorSpec("llama-server", _open_generator), GeneratorSpec("url", _open_generator)


def _open_embedder(context: ModelContext) -> Embedder:
    from bot.models.clients import OpenAIEmbedder

    batch, seconds = context.settings.ingest.embed_batch, context.role.request_seconds
    return OpenAIEmbedder(context.role.model, context.entry, context.resolve, batch=batch, seconds=seconds)


def _open_generator(context: ModelContext) -> Generator:
    from bot.models.clients import OpenAIGenerator

    return OpenAIGenerator(context.role.model, context.resolve, seconds=context.role.request_seconds)


def _open_relational(context: StoreContext) -> Store:
    from core.stores.relational.store import RelationalStore

    stores = context.settings.stores
    context.folder.mkdir(parents=True, exist_ok=True)
    url = stores.tables or f"sqlite:///{context.folder / 'tables.db'}"
    return RelationalStore(url, rows=stores.sql_rows, seconds=stores.sql_seconds)


def _open_text(context: StoreContext) -> Store:
    from bot.wiring import api_key
    from core.stores.text.store import TextStore

    chosen = context.settings.stores.text
    return TextStore.open(
        context.folder,
        chosen,
        context.settings.retrieval,
        context.dimension,
        api_key(chosen.api_key_env),
        fingerprint=context.fingerprint,
        fusion="dense" if context.settings.mode == "seed" else "adaptive",
    )


def _open_graph(context: StoreContext) -> Store:
    from core.stores.graph import GraphStore

    context.folder.mkdir(parents=True, exist_ok=True)
    return GraphStore(context.folder / "graph.db", context.settings.retrieval, context.thresholds)


BUILTINS: tuple[tuple[str, object], ...] = (("polyrag", sys.modules[__name__]),)
