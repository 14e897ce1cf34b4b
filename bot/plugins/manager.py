"""Loads plugins and calls them one by one, so that a bad one loses its own result and nobody else's."""

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from dataclasses import replace
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeVar

import pluggy

from bot.plugins.spec import API_VERSION, PluginInfo, PolyragSpec
from core.scope import NOTHING
from core.settings import Settings
from core.types import Answer, IngestReport, Scope

GROUP = "polyrag.plugins"
DISTRIBUTION = "polyrag-bot"  # its own entry points always load
log = logging.getLogger("polyrag.plugins")
S = TypeVar("S")


class PluginManager:
    """The door. Built-ins and entry points register here; every hook call is separate, timed and caught."""

    def __init__(self, settings: Settings, builtins: Sequence[tuple[str, object]]) -> None:
        self._settings = settings
        self._pm = pluggy.PluginManager("polyrag")
        self._pm.add_hookspecs(PolyragSpec)
        self._infos: dict[str, PluginInfo] = {}
        self._pool = ThreadPoolExecutor(max_workers=4, thread_name_prefix="plugin")
        for name, plugin in builtins:
            self.register(name, plugin, "built-in")

    def load_entry_points(self, found: Sequence[EntryPoint] | None = None) -> None:
        """Load the project's own entry points and the allowed foreign ones, in name order; others are reported."""
        candidates = list(entry_points(group=GROUP)) if found is None else list(found)
        for entry in sorted(candidates, key=lambda e: (e.name, e.value)):
            distribution = entry.dist.name if entry.dist else ""
            own = distribution == DISTRIBUTION
            version = entry.dist.version if entry.dist else ""
            if not own and entry.name not in self._settings.plugins.allow:
                reason = "not in plugins.allow of the configuration"
                self._infos[entry.name] = PluginInfo(entry.name, version, "refused", reason)
                continue
            try:
                plugin = entry.load()
            except Exception as err:
                self._fail(entry.name, version, f"could not be imported ({type(err).__name__})", err)
                continue
            self.register(entry.name, plugin, version)

    def register(self, name: str, plugin: object, version: str = "") -> bool:
        """Register one plugin; a wrong API version, a misspelt hook or a taken name refuses it and says why."""
        wanted = getattr(plugin, "POLYRAG_API", API_VERSION)
        if wanted != API_VERSION:
            reason = f"made for plugin API {wanted}, this bot has {API_VERSION}"
            self._infos[name] = PluginInfo(name, version, "refused", reason)
            return False
        try:
            self._pm.register(plugin, name=name)
            self._check_spelling(plugin, name)
        except (ValueError, pluggy.PluginValidationError) as err:
            if self._pm.get_plugin(name) is plugin:
                self._pm.unregister(plugin)
            self._fail(name, version, f"refused by its hooks: {err}", err)
            return False
        hooks = tuple(sorted(caller.name for caller in self._pm.get_hookcallers(plugin) or ()))
        self._infos[name] = PluginInfo(name, version, "active", "", hooks)
        return True

    def _check_spelling(self, plugin: object, name: str) -> None:
        """A hook implementation without a specification is a typo, not a silent nothing."""
        self._pm.check_pending()
        for caller in self._pm.get_hookcallers(plugin) or ():
            if not caller.has_spec():
                raise pluggy.PluginValidationError(plugin, f"unknown hook {caller.name!r} in {name}")

    def gather(self, hook: str) -> tuple[Any, ...]:
        """All specs that a `register_*` hook gives, built-ins first, then by plugin name.

        A name that is taken already is the later plugin's error: its spec is left out and `/plugins` says so.
        """
        taken: dict[str, str] = {}
        specs: list[Any] = []
        for name, found in sorted(self._each(hook, settings=self._settings), key=self._rank):
            for spec in found or ():
                if spec.name in taken:
                    self._blame(name, f"{hook}: the name {spec.name!r} is taken by {taken[spec.name]}")
                    continue
                taken[spec.name] = name
                specs.append(spec)
        return tuple(specs)

    def _rank(self, item: tuple[str, Any]) -> tuple[bool, str]:
        return self._infos[item[0]].version != "built-in", item[0]

    def narrow(self, scope: Scope, inbound: object) -> Scope:
        """Let every plugin take tags away; a crash or a late answer denies everything."""
        narrowed = scope
        for name, result in self._each("narrow_scope", scope=scope, inbound=inbound):
            if not isinstance(result, Scope):
                log.warning("plugin denied scope", extra={"plugin": name})
                return NOTHING
            narrowed = Scope(narrowed.tags & result.tags)
        return narrowed

    def ingested(self, report: IngestReport, tag: str) -> None:
        """Tell the watchers; what they do wrong stays with them."""
        self._each("on_ingested", report=report, tag=tag)

    def answered(self, inbound: object, answer: Answer) -> None:
        self._each("on_answered", inbound=inbound, answer=answer)

    def feedback(self, trace_id: str, positive: bool, user: str) -> None:
        self._each("on_feedback", trace_id=trace_id, positive=positive, user=user)

    def forgotten(self, document: str, tag: str) -> None:
        self._each("forget", document=document, tag=tag)

    def infos(self) -> tuple[PluginInfo, ...]:
        """What `/plugins` shows, by name."""
        return tuple(self._infos[name] for name in sorted(self._infos))

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _each(self, hook: str, **arguments: object) -> list[tuple[str, Any]]:
        """Call one hook of every plugin, each on its own. A failed one gives None in the result of `narrow_scope`."""
        results: list[tuple[str, Any]] = []
        plugins = [(n, p) for n, p in self._pm.list_name_plugin() if p is not None]
        for name, plugin in plugins:
            if not any(caller.name == hook for caller in self._pm.get_hookcallers(plugin) or ()):
                continue
            others = [p for _, p in plugins if p is not plugin]
            caller = self._pm.subset_hook_caller(hook, remove_plugins=others)
            ok, value = self._timed(name, lambda caller=caller: caller(**arguments))  # type: ignore[misc]
            if ok:
                results.extend((name, item) for item in value or ())
            elif hook == "narrow_scope":
                results.append((name, None))
        return results

    def _timed(self, name: str, call: Callable[[], S]) -> tuple[bool, S | None]:
        try:
            return True, self._pool.submit(call).result(self._settings.plugins.hook_seconds)
        except Late:
            self._blame(name, f"did not answer within {self._settings.plugins.hook_seconds:g} s")
        except Exception as err:
            log.warning("plugin failed", extra={"plugin": name, "error": repr(err)})
            self._blame(name, f"raised {type(err).__name__}")
        return False, None

    def _blame(self, name: str, reason: str) -> None:
        self._infos[name] = replace(self._infos[name], state="failed", reason=reason)

    def _fail(self, name: str, version: str, reason: str, err: BaseException) -> None:
        log.warning("plugin not loaded", extra={"plugin": name, "error": repr(err)})
        self._infos[name] = PluginInfo(name, version, "failed", reason)
