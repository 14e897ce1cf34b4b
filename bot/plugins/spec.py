"""Hook specifications: the one door through which every part registers, built-in or foreign."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pluggy

from core.ports import Embedder, Generator, Parser, Store
from core.types import Answer, IngestReport, Scope

API_VERSION = 1
hookspec = pluggy.HookspecMarker("polyrag")
hookimpl = pluggy.HookimplMarker("polyrag")


@dataclass(frozen=True, slots=True)
class AdapterSpec:
    """A chat platform. `serve(app)` runs until cancelled; `app` is bot.app.App."""

    name: str
    serve: Callable[[Any], Awaitable[None]]
    needs: tuple[str, ...] = ()  # environment variables it cannot run without
    where: str | Mapping[str, str] = ""  # where to get them, one line; by language, or the same for all


@dataclass(frozen=True, slots=True)
class ParserSpec:
    """A file reader."""

    name: str
    parser: Parser


@dataclass(frozen=True, slots=True)
class StoreSpec:
    """A store; `open(context)` gets a bot.wiring.StoreContext and returns a core.ports.Store."""

    name: str
    open: Callable[[Any], Store]


@dataclass(frozen=True, slots=True)
class RouteSpec:
    """A route beyond those of config.yaml: which store it asks and its example phrases."""

    name: str
    store: str
    anchors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModelContext:
    """What an embedder or a generator is opened with."""

    settings: Any  # core.settings.Settings
    role: Any  # its core.settings.RoleSettings
    entry: Any  # its core.settings.ModelEntry, None where the role names no model
    resolve: Callable[
        [bool], Any
    ]  # gives a live bot.models.endpoint.Endpoint for providers that have a server


@dataclass(frozen=True, slots=True)
class EmbedderSpec:
    """An embedder; its name is the role's `provider`. `open(context)` gets a ModelContext."""

    name: str
    open: Callable[[ModelContext], Embedder]


@dataclass(frozen=True, slots=True)
class GeneratorSpec:
    """A chat model client; its name is the role's `provider`. `open(context)` gets a ModelContext."""

    name: str
    open: Callable[[ModelContext], Generator]


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """A chat or console command: `run(app, inbound, arguments)` returns a bot.messages.Reply.

    With `configure` and `main` it is (also) a subcommand of `polyrag`: `configure(parser)` adds its arguments to
    those that every subcommand has (--home, --config, --verbose), `main(args, line)` runs and returns the exit code;
    `line` is a bot.commandline.CommandLine.
    """

    name: str
    who: str  # "all" | "members" | "admins" | "bot admins": those of the configuration, for what concerns the whole bot
    summary: Mapping[str, str]  # language -> one line
    run: Callable[..., Awaitable[Any]] | None = None
    usage: str = ""
    aliases: tuple[str, ...] = ()
    configure: Callable[[Any], None] | None = None
    main: Callable[..., int] | None = None


@dataclass(frozen=True, slots=True)
class CheckSpec:
    """A line of `polyrag doctor`: `run(home)` returns (ok, what was found, how to fix it)."""

    name: str
    run: Callable[..., tuple[bool, str, str]]


@dataclass(frozen=True, slots=True)
class PluginInfo:
    """What `/plugins` shows."""

    name: str
    version: str
    state: str  # "active" | "failed" | "refused"
    reason: str = ""  # in English
    provides: tuple[str, ...] = field(default_factory=tuple)
    reason_pt: str = ""


class PolyragSpec:
    """The hooks. Each `register_*` gets the frozen settings and returns a sequence of specs."""

    @hookspec
    def register_adapters(self, settings: Any) -> tuple[AdapterSpec, ...]:  # type: ignore[empty-body]
        """Chat platforms."""

    @hookspec
    def register_parsers(self, settings: Any) -> tuple[ParserSpec, ...]:  # type: ignore[empty-body]
        """File readers."""

    @hookspec
    def register_stores(self, settings: Any) -> tuple[StoreSpec, ...]:  # type: ignore[empty-body]
        """Stores."""

    @hookspec
    def register_routes(self, settings: Any) -> tuple[RouteSpec, ...]:  # type: ignore[empty-body]
        """Routes."""

    @hookspec
    def register_embedders(self, settings: Any) -> tuple[EmbedderSpec, ...]:  # type: ignore[empty-body]
        """Embedders."""

    @hookspec
    def register_generators(self, settings: Any) -> tuple[GeneratorSpec, ...]:  # type: ignore[empty-body]
        """Chat models."""

    @hookspec
    def register_commands(self, settings: Any) -> tuple[CommandSpec, ...]:  # type: ignore[empty-body]
        """Commands, in chat and on the command line."""

    @hookspec
    def register_checks(self, settings: Any) -> tuple[CheckSpec, ...]:  # type: ignore[empty-body]
        """Lines of `polyrag doctor`."""

    @hookspec
    def narrow_scope(self, scope: Scope, inbound: Any) -> Scope:  # type: ignore[empty-body]
        """Take tags away from a scope. The result is intersected; a crash denies."""

    @hookspec
    def on_ingested(self, report: IngestReport, tag: str) -> None:
        """A file was ingested, versioned, or refused."""

    @hookspec
    def on_answered(self, inbound: Any, answer: Answer) -> None:
        """A question was answered."""

    @hookspec
    def on_feedback(self, trace_id: str, positive: bool, user: str) -> None:
        """A reader judged an answer."""

    @hookspec
    def forget(self, document: str, tag: str) -> None:
        """A document left a channel."""


SPEC_OF: Mapping[str, type] = {
    "register_adapters": AdapterSpec,
    "register_parsers": ParserSpec,
    "register_stores": StoreSpec,
    "register_routes": RouteSpec,
    "register_embedders": EmbedderSpec,
    "register_generators": GeneratorSpec,
    "register_commands": CommandSpec,
    "register_checks": CheckSpec,
}
