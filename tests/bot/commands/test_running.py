"""`polyrag run` finds adapters by name, says what is missing, and stops all of them when one fails."""

import asyncio
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from bot.commandline import CommandLine
from bot.commands.running import (
    MissingVariables,
    NoAdapter,
    UnknownAdapter,
    chosen_adapters,
    main_run,
    serve_all,
)
from bot.plugins.manager import PluginManager
from bot.plugins.spec import AdapterSpec, hookimpl
from core.errors import ModelUnavailable
from core.settings import AdapterSettings, Settings


async def _nothing(app: object) -> None:
    return None


class Platforms:
    @hookimpl
    def register_adapters(self, settings: Any) -> tuple[AdapterSpec, ...]:
        needs = ("CHATTER_APP_TOKEN", "CHATTER_BOT_TOKEN")
        return (
            AdapterSpec("chatter", _nothing, needs, "Both are on the app's page at chatter."),
            AdapterSpec("quiet", _nothing),
        )


def line(**enabled: bool) -> CommandLine:
    settings = Settings(adapters={name: AdapterSettings(enabled=on) for name, on in enabled.items()})
    plugins = PluginManager(settings, (("platforms", Platforms()),))
    return CommandLine(settings, Path("unused"), True, None, plugins)


def test_the_adapters_named_run_else_the_enabled_ones() -> None:
    both = line(chatter=True, quiet=False)

    assert [spec.name for spec in chosen_adapters([], both)] == ["chatter"]
    assert [spec.name for spec in chosen_adapters(["quiet", "chatter", "quiet"], both)] == [
        "quiet",
        "chatter",
    ]


def test_an_unknown_adapter_is_named_with_the_nearest_one() -> None:
    with pytest.raises(UnknownAdapter) as err:
        chosen_adapters(["chater"], line())

    assert "'chater'" in err.value.say("en")
    assert "'chatter'" in err.value.say("pt")


def test_no_adapter_at_all_says_how_to_enable_one() -> None:
    with pytest.raises(NoAdapter) as err:
        chosen_adapters([], line(chatter=False))

    assert "enabled: true" in err.value.say("pt")
    assert "chatter, quiet" in err.value.say("en")


def test_missing_variables_are_named_before_anything_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHATTER_BOT_TOKEN", "a-secret-value")
    monkeypatch.delenv("CHATTER_APP_TOKEN", raising=False)
    with pytest.raises(MissingVariables) as err:
        main_run(Namespace(adapter=["chatter"]), line())

    text = err.value.say("en")
    assert "CHATTER_APP_TOKEN" in text
    assert "CHATTER_BOT_TOKEN" not in text
    assert "chatter." in text  # where to get it
    assert "a-secret-value" not in text


def test_when_one_adapter_fails_the_others_are_called_off_and_its_error_is_told() -> None:
    ended: list[str] = []

    async def waits(app: object) -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("waits")

    async def fails(app: object) -> None:
        await asyncio.sleep(0)
        raise ModelUnavailable("no embedder")

    with pytest.raises(ModelUnavailable):
        asyncio.run(serve_all([AdapterSpec("waits", waits), AdapterSpec("fails", fails)], app=None))  # type: ignore[arg-type]
    assert ended == ["waits"]
