"""Loads plugins and calls them one by one, so that a bad one loses its own result and nobody else's."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import EntryPoint, entry_points
from threading import Thread
from typing import Any, TypeVar

import pluggy

from bot.phrases import say
from bot.plugins.spec import API_VERSION, SPEC_OF, PluginInfo, PolyragSpec
from core.scope import NOTHING
from core.settings import Settings
from core.types import Answer, IngestReport, Scope

GROUP = "polyrag.plugins"
DISTRIBUTION = "polyrag-bot"  # its own entry points always load
BUILT_IN = "built-in"
log = logging.getLogger("polyrag.plugins")
S = TypeVar("S")


class _Blocks(Exception):
    """A module that does not come back from its import."""


class PluginManager:
    """The door. Built-ins and entry points register here; every hook call is separate, timed and caught."""

    def __init__(self, settings: Settings, builtins: Sequence[tuple[str, object]]) -> None:
        self._settings = settings
        self._pm = pluggy.PluginManager("polyrag")
        self._pm.add_hookspecs(PolyragSpec)
        self._infos: dict[str, PluginInfo] = {}
        self._late: dict[str, Thread] = {}  # by plugin: a call that ran out of time and may still run
        for name, plugin in builtins:
            self.register(name, plugin, BUILT_IN)

    def load_entry_points(self, found: Sequence[EntryPoint] | None = None) -> None:
        """Load the project's own entry points and the allowed foreign ones, in name order; others are reported."""
        candidates = list(entry_points(group=GROUP)) if found is None else list(found)
        for entry in sorted(candidates, key=_own_first):
            version = entry.dist.version if entry.dist else ""
            if not _is_own(entry) and entry.name not in self._settings.plugins.allow:
                self._refuse(entry.name, version, "not_allowed")
                continue
            try:
                plugin = entry.load() if _is_own(entry) else self._imported(entry)
            except (Exception, SystemExit) as err:
                if isinstance(err, _Blocks):
                    self._fail(entry.name, version, err, "import_hangs", seconds=err)
                else:
                    self._fail(entry.name, version, err, "import_fails", kind=type(err).__name__)
                continue
            self.register(entry.name, plugin, version)
        for name in self._settings.plugins.allow:
            if name not in {entry.name for entry in candidates}:
                self._refuse(name, "", "not_installed")

    def _imported(self, entry: EntryPoint) -> object:
        """Another's module, imported for at most `hook_seconds`. Raises: what it raises; _Blocks."""
        outcome: list[object] = []
        failure: list[BaseException] = []

        def work() -> None:
            try:
                outcome.append(entry.load())
            except BaseException as err:
                failure.append(err)

        thread = Thread(target=work, name=f"import-{entry.name}", daemon=True)
        thread.start()
        thread.join(self._settings.plugins.hook_seconds)
        if failure:
            raise failure[0]
        if not outcome:
            raise _Blocks(f"{self._settings.plugins.hook_seconds:g}")
        return outcome[0]

    def register(self, name: str, plugin: object, version: str = "") -> bool:
        """Register one plugin; a wrong API version, a misspelt hook or a taken name refuses it and says why."""
        wanted = getattr(plugin, "POLYRAG_API", API_VERSION)
        if wanted != API_VERSION:
            self._refuse(name, version, "other_api", wanted=wanted, own=API_VERSION)
            return False
        if self._pm.get_plugin(name) is not None:
            self._refuse(name, version, "name_taken", plugin=name)
            return False
        try:
            hash(plugin)  # plugins are told apart by their identity; a plugin without one would fail later
            self._pm.register(plugin, name=name)
            self._pm.check_pending()  # a hook that no specification knows is a typo, not a silent nothing
        except (TypeError, ValueError, pluggy.PluginValidationError) as err:
            if self._pm.get_plugin(name) is plugin:
                self._pm.unregister(plugin)
            self._fail(name, version, err, "bad_hooks", said=err)
            return False
        hooks = tuple(sorted(caller.name for caller in self._pm.get_hookcallers(plugin) or ()))
        self._infos[name] = PluginInfo(name, version, "active", "", hooks)
        return True

    def gather(self, hook: str) -> tuple[Any, ...]:
        """All specs that a `register_*` hook gives, built-ins first, then by plugin name.

        A name that is taken already is the later plugin's error: its spec is left out and `/plugins` says so.
        """
        taken: dict[str, str] = {}
        specs: list[Any] = []
        for name, found in sorted(self._each(hook, settings=self._settings), key=self._rank):
            for spec in self._specs(name, hook, found):
                if spec.name in taken:
                    self._blame(name, "spec_taken", hook=hook, spec=spec.name, other=taken[spec.name])
                    continue
                taken[spec.name] = name
                specs.append(spec)
        return tuple(specs)

    def listens(self, hook: str) -> bool:
        """Whether any plugin has this hook: calling it may take long, and is left out where nobody does."""
        return bool(getattr(self._pm.hook, hook).get_hookimpls())

    def narrow(self, scope: Scope, inbound: object) -> tuple[Scope, str]:
        """Let every plugin take tags away; a crash, a late answer or no answer denies everything.

        Returns: what is left, and the plugin that gave no answer, if one did.
        """
        narrowed = scope
        for name, result in self._each("narrow_scope", scope=scope, inbound=inbound):
            if not isinstance(result, Scope):
                log.error("plugin gave no scope, all denied", extra={"plugin": name})
                return NOTHING, name
            narrowed = Scope(narrowed.tags & result.tags)
        return narrowed, ""

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
        """Let go of every plugin; threads that hang end with the process."""
        for name, _ in self._pm.list_name_plugin():
            self._pm.unregister(name=name)

    def _each(self, hook: str, **arguments: object) -> list[tuple[str, Any]]:
        """Call one hook of every plugin, each on its own. One that fails or is silent gives None, if results count."""
        results: list[tuple[str, Any]] = []
        plugins = [(n, p) for n, p in self._pm.list_name_plugin() if p is not None]
        for name, plugin in plugins:
            if not any(caller.name == hook for caller in self._pm.get_hookcallers(plugin) or ()):
                continue
            others = [p for _, p in plugins if p is not plugin]
            caller = self._pm.subset_hook_caller(hook, remove_plugins=others)
            ok, value = self._timed(name, lambda caller=caller: caller(**arguments))  # type: ignore[misc]
            if ok and value:
                results.extend((name, item) for item in value)
            elif hook == "narrow_scope":
                results.append((name, None))
        return results

    def _timed(self, name: str, call: Callable[[], S]) -> tuple[bool, S | None]:
        """Run a plugin's code for at most `hook_seconds`; what hangs is left behind in a thread of its own."""
        if name in self._late and self._late[name].is_alive():
            self._blame(name, "still_away")
            return False, None
        outcome: list[S] = []
        failure: list[BaseException] = []

        def work() -> None:
            try:
                outcome.append(call())
            except BaseException as err:
                failure.append(err)

        if self._infos[name].version == BUILT_IN:
            work()
        else:
            thread = Thread(target=work, name=f"plugin-{name}", daemon=True)
            thread.start()
            thread.join(self._settings.plugins.hook_seconds)
            if thread.is_alive():
                self._late[name] = thread
                self._blame(name, "too_late", seconds=f"{self._settings.plugins.hook_seconds:g}")
                return False, None
        if failure:
            log.warning("plugin failed", extra={"plugin": name, "error": repr(failure[0])})
            self._blame(name, "raised", kind=type(failure[0]).__name__)
            return False, None
        return True, outcome[0]

    def _specs(self, name: str, hook: str, found: object) -> Iterator[Any]:
        """The specs of one plugin; anything else that it gives is its own error."""
        if not isinstance(found, tuple | list):
            self._blame(name, "no_sequence", hook=hook, kind=SPEC_OF[hook].__name__)
            return
        for spec in found:
            if isinstance(spec, SPEC_OF[hook]):
                yield spec
            else:
                self._blame(name, "other_kind", hook=hook, kind=SPEC_OF[hook].__name__)

    def _rank(self, item: tuple[str, Any]) -> tuple[bool, str]:
        return self._infos[item[0]].version != BUILT_IN, item[0]

    def _blame(self, name: str, why: str, **facts: object) -> None:
        self._infos[name] = _because(replace(self._infos[name], state="failed"), why, facts)

    def _refuse(self, name: str, version: str, why: str, **facts: object) -> None:
        self._note(_because(PluginInfo(name, version, "refused"), why, facts))

    def _fail(self, name: str, version: str, err: BaseException, why: str, **facts: object) -> None:
        log.warning("plugin not loaded", extra={"plugin": name, "error": repr(err)})
        self._note(_because(PluginInfo(name, version, "failed"), why, facts))

    def _note(self, info: PluginInfo) -> None:
        """Keep a plugin's state; a second plugin of a taken name is listed beside the first, not over it."""
        key, number = info.name, 2
        while key in self._infos:
            key, number = f"{info.name} ({number})", number + 1
        self._infos[key] = replace(info, name=key)


def _because(info: PluginInfo, why: str, facts: Mapping[str, object]) -> PluginInfo:
    """Args: why: key of the sentence, without its beginning."""
    english, portuguese = (say(f"plugin_why_{why}", language, **facts) for language in ("en", "pt"))
    return replace(info, reason=english, reason_pt=portuguese)


def _is_own(entry: EntryPoint) -> bool:
    return entry.dist is not None and entry.dist.name == DISTRIBUTION


def _own_first(entry: EntryPoint) -> tuple[bool, str, str]:
    return not _is_own(entry), entry.name, entry.value
