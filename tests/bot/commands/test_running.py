"""`polyrag run` finds adapters by name, says what is missing, and keeps the others when one fails."""

import asyncio
from argparse import Namespace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bot.commandline import CommandLine
from bot.commands import running
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
from core.errors import ModelUnavailable, StoreFailed
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


def app_of(language: str = "en") -> Any:
    return SimpleNamespace(down={}, settings=SimpleNamespace(language=language))


def test_when_one_platform_fails_the_others_go_on_and_it_is_tried_again(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    tries: list[int] = []
    served: list[bool] = []

    async def stands(app: Any) -> None:
        while len(tries) < 3:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        served.append("fails" in app.down)

    async def fails(app: Any) -> None:
        tries.append(len(tries))
        if len(tries) < 3:
            raise ModelUnavailable("http://127.0.0.1:1 with a key")

    platforms = [AdapterSpec("stands", stands), AdapterSpec("fails", fails)]
    asyncio.run(serve_all(platforms, app_of(), pauses=(0.0, 0.001)))

    assert served == [True]  # nobody takes it for working before it has stood for a while
    told = capsys.readouterr().err
    assert told.count("fails is not being served") == 2
    assert "127.0.0.1" not in told
    assert "127.0.0.1" in caplog.text


def test_a_platform_that_stands_again_is_no_longer_told_as_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "STANDS", 0.01)
    app, tries = app_of(), []

    async def stands(app: Any) -> None:
        async with asyncio.timeout(10):
            while not tries or app.down:  # noqa: ASYNC110
                await asyncio.sleep(0.001)

    async def fails_once(app: Any) -> None:
        tries.append(1)
        if len(tries) == 1:
            raise ModelUnavailable("once")
        await asyncio.sleep(0.1)

    asyncio.run(
        serve_all([AdapterSpec("stands", stands), AdapterSpec("fails", fails_once)], app, pauses=(0.0,))
    )
    assert len(tries) == 2


def test_when_no_platform_is_left_the_program_ends_with_the_last_ones_error() -> None:
    async def first(app: Any) -> None:
        raise ModelUnavailable("first")

    async def last(app: Any) -> None:
        while not app.down:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        raise StoreFailed("last")

    platforms = [AdapterSpec("first", first), AdapterSpec("last", last)]
    with pytest.raises(StoreFailed):
        asyncio.run(serve_all(platforms, app_of(), pauses=(60.0,)))


def test_a_platform_alone_that_fails_ends_the_program_with_its_error() -> None:
    async def fails(app: Any) -> None:
        raise ModelUnavailable("no embedder")

    with pytest.raises(ModelUnavailable):
        asyncio.run(serve_all([AdapterSpec("fails", fails)], app_of()))
