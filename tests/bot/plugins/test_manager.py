"""A bad plugin loses its own result, is named with its reason, and stops nobody else."""

import time
from importlib.metadata import EntryPoint
from threading import Event
from types import ModuleType
from typing import Any

import pytest

from bot.plugins.builtin import BUILTINS
from bot.plugins.manager import PluginManager
from bot.plugins.spec import SPEC_OF, AdapterSpec, CommandSpec, PluginInfo, hookimpl
from core.scope import NOTHING
from core.settings import PluginSettings, Settings
from core.types import Scope

SCOPE = Scope(frozenset({"console:local/a", "console:local/b"}))


async def _reply(app: object, inbound: object, arguments: str) -> None:
    return None


def command(name: str) -> CommandSpec:
    return CommandSpec(name, "all", {"en": name}, _reply)


class Brings:
    """A plugin with one command."""

    def __init__(self, name: str) -> None:
        self._name = name

    @hookimpl
    def register_commands(self, settings: Any) -> tuple[CommandSpec, ...]:
        return (command(self._name),)


class Crashes:
    @hookimpl
    def register_commands(self, settings: Any) -> tuple[CommandSpec, ...]:
        raise RuntimeError("secret detail")

    @hookimpl
    def narrow_scope(self, scope: Scope, inbound: Any) -> Scope:
        raise RuntimeError("secret detail")


class Hangs:
    def __init__(self) -> None:
        self.calls = 0
        self.release = Event()

    @hookimpl
    def register_commands(self, settings: Any) -> tuple[CommandSpec, ...]:
        self.calls += 1
        self.release.wait(20)
        return (command("late"),)


def manager(seconds: float = 2.0, allow: tuple[str, ...] = ()) -> PluginManager:
    return PluginManager(Settings(plugins=PluginSettings(allow=allow, hook_seconds=seconds)), ())


def info(plugins: PluginManager, name: str) -> PluginInfo:
    return next(found for found in plugins.infos() if found.name == name)


def names(specs: tuple[Any, ...]) -> list[str]:
    return [spec.name for spec in specs]


def entry(name: str, value: str, distribution: str = "elsewhere") -> EntryPoint:
    class Distribution:
        version = "1.2"

        def __init__(self) -> None:
            self.name = distribution

    found = EntryPoint(name, value, "polyrag.plugins")
    vars(found)["dist"] = Distribution()
    return found


def test_every_hook_that_registers_has_a_kind_of_spec() -> None:
    assert all(hook.startswith("register_") for hook in SPEC_OF)
    assert {
        hook for hook in dir(PluginManager(Settings(), ())._pm.hook) if hook.startswith("register_")
    } == set(SPEC_OF)


def test_built_in_parts_come_through_the_door() -> None:
    plugins = PluginManager(Settings(), BUILTINS)

    assert names(plugins.gather("register_stores")) == ["graph", "relational", "text"]
    assert {"ask", "ingest", "servers"} <= set(names(plugins.gather("register_commands")))
    assert names(plugins.gather("register_parsers"))
    assert info(plugins, "polyrag").state == "active"


def test_a_crashing_plugin_loses_its_own_specs_only() -> None:
    plugins = manager()
    plugins.register("bad", Crashes())
    plugins.register("good", Brings("good"))

    assert names(plugins.gather("register_commands")) == ["good"]
    assert info(plugins, "bad").state == "failed"
    assert info(plugins, "bad").reason == "raised RuntimeError"  # the kind, never the text
    assert info(plugins, "good").state == "active"


def test_a_hanging_plugin_is_left_behind_and_not_called_again_while_it_hangs() -> None:
    plugins = manager(seconds=0.1)
    hanging = Hangs()
    plugins.register("slow", hanging)
    plugins.register("good", Brings("good"))

    started = time.monotonic()
    found = [names(plugins.gather("register_commands")) for _ in range(6)]
    took = time.monotonic() - started
    hanging.release.set()

    assert found == [["good"]] * 6
    assert hanging.calls == 1
    assert took < 2
    assert info(plugins, "slow").state == "failed"


def test_a_misspelt_hook_refuses_the_plugin_and_names_it() -> None:
    class Misspelt:
        @hookimpl
        def on_anwsered(self, inbound: Any, answer: Any) -> None: ...

    plugins = manager()

    assert not plugins.register("typo", Misspelt())
    assert "on_anwsered" in info(plugins, "typo").reason
    assert plugins.register("good", Brings("good"))  # nothing of the refused one stays behind


def test_a_hook_with_an_unknown_argument_refuses_the_plugin() -> None:
    class Wrong:
        @hookimpl
        def on_answered(self, question: Any) -> None: ...

    plugins = manager()

    assert not plugins.register("wrong", Wrong())
    assert "question" in info(plugins, "wrong").reason


def test_another_api_version_is_refused_with_both_versions() -> None:
    old = ModuleType("old")
    vars(old)["POLYRAG_API"] = 0

    plugins = manager()

    assert not plugins.register("old", old)
    assert info(plugins, "old").reason == "made for plugin API 0, this bot has 1"


def test_a_plugin_name_taken_twice_is_an_error_and_the_first_keeps_working() -> None:
    plugins = manager()
    plugins.register("same", Brings("first"), "1")

    assert not plugins.register("same", Brings("second"), "2")
    assert names(plugins.gather("register_commands")) == ["first"]
    assert info(plugins, "same").state == "active"
    assert "taken" in info(plugins, "same (2)").reason


def test_a_spec_name_taken_twice_is_the_later_plugins_error() -> None:
    plugins = manager()
    plugins.register("b", Brings("ask"))
    plugins.register("a", Brings("ask"))

    assert len(plugins.gather("register_commands")) == 1
    assert info(plugins, "a").state == "active"
    assert info(plugins, "b").reason == "register_commands: the name 'ask' is taken by a"


@pytest.mark.parametrize(
    "given", [(AdapterSpec("x", _reply),), ("text",), "text", 7, command("not in a tuple")]
)
def test_what_is_no_spec_of_the_hook_is_left_out(given: Any) -> None:
    class Odd:
        @hookimpl
        def register_commands(self, settings: Any) -> Any:
            return given

    plugins = manager()
    plugins.register("odd", Odd())
    plugins.register("good", Brings("good"))

    assert names(plugins.gather("register_commands")) == ["good"]
    assert info(plugins, "odd").state == "failed"


def test_a_plugin_without_an_identity_is_refused() -> None:
    class Unhashable(Brings):
        __hash__ = None  # type: ignore[assignment]

    plugins = manager()

    assert not plugins.register("odd", Unhashable("x"))
    assert plugins.gather("register_commands") == ()


def test_narrow_scope_can_only_take_away() -> None:
    class Widens:
        @hookimpl
        def narrow_scope(self, scope: Scope, inbound: Any) -> Scope:
            return Scope(frozenset({"console:local/a", "console:local/secret"}))

    plugins = manager()
    plugins.register("wide", Widens())

    assert plugins.narrow(SCOPE, None) == (Scope(frozenset({"console:local/a"})), "")


class Silent:
    @hookimpl
    def narrow_scope(self, scope: Scope, inbound: Any) -> None:
        return None


class NoScope:
    @hookimpl
    def narrow_scope(self, scope: Scope, inbound: Any) -> frozenset[str]:
        return scope.tags


class Exits:
    @hookimpl
    def narrow_scope(self, scope: Scope, inbound: Any) -> Scope:
        raise SystemExit(0)


class Slow:
    @hookimpl
    def narrow_scope(self, scope: Scope, inbound: Any) -> Scope:
        time.sleep(1)
        return scope


@pytest.mark.parametrize("plugin", [Crashes(), Silent(), NoScope(), Exits(), Slow()])
def test_a_permission_check_that_fails_in_any_way_denies_everything(plugin: object) -> None:
    plugins = manager(seconds=0.2)
    plugins.register("check", plugin)

    assert plugins.narrow(SCOPE, None) == (NOTHING, "check")


def test_a_foreign_plugin_loads_only_when_the_configuration_allows_it() -> None:
    foreign = entry("extra", "tests.bot.plugins.test_manager:FOREIGN")

    closed, opened = manager(), manager(allow=("extra",))
    closed.load_entry_points([foreign])
    opened.load_entry_points([foreign])

    assert info(closed, "extra").state == "refused"
    assert closed.gather("register_commands") == ()
    assert info(opened, "extra") == PluginInfo("extra", "1.2", "active", "", ("register_commands",))


def test_the_projects_own_entry_points_load_first_and_a_foreign_one_cannot_take_their_name() -> None:
    own = entry("z", "tests.bot.plugins.test_manager:FOREIGN", "polyrag-bot")
    thief = entry("z", "tests.bot.plugins.test_manager:THIEF", "a-thief")

    plugins = manager(allow=("z",))
    plugins.load_entry_points([thief, own])

    assert names(plugins.gather("register_commands")) == ["foreign"]
    assert info(plugins, "z (2)").state == "refused"


@pytest.mark.parametrize("value", ["tests.bot.plugins.no_such_module", "tests.bot.plugins.exits_on_import"])
def test_a_plugin_that_cannot_be_imported_is_reported(value: str) -> None:
    plugins = manager(allow=("broken",))
    plugins.load_entry_points([entry("broken", value)])

    assert info(plugins, "broken").state == "failed"
    assert info(plugins, "broken").reason.startswith("could not be imported (")


def test_a_plugin_that_hangs_while_it_is_imported_is_left_behind() -> None:
    plugins = manager(0.2, allow=("hanging", "extra"))
    hanging = entry("hanging", "tests.bot.plugins.blocks_on_import")
    plugins.load_entry_points([hanging, entry("extra", "tests.bot.plugins.test_manager:FOREIGN")])

    assert info(plugins, "hanging").state == "failed"
    assert "within 0.2 s" in info(plugins, "hanging").reason
    assert info(plugins, "extra").state == "active"


def test_a_plugin_that_is_allowed_and_not_installed_is_named() -> None:
    plugins = manager(allow=("gohst",))
    plugins.load_entry_points([])

    assert info(plugins, "gohst").state == "refused"
    assert "no installed package" in info(plugins, "gohst").reason


FOREIGN = Brings("foreign")
THIEF = Brings("thief")
