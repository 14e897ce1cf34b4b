"""Every test of this folder runs on every platform that can do what it needs."""

from collections.abc import Callable

import pytest

from tests.adapters.discord.stage import DiscordStage
from tests.adapters.slack.stage import SlackHttpStage, SlackStage
from tests.platforms.console import ConsoleStage
from tests.platforms.memory import MemoryStage
from tests.platforms.stage import Stage

STAGES: tuple[type, ...] = (MemoryStage, ConsoleStage, SlackStage, SlackHttpStage, DiscordStage)
Open = Callable[..., Stage]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`stage` becomes each platform in turn; `@pytest.mark.needs(...)` names what a platform must be able to do."""
    if "open_stage" not in metafunc.fixturenames:
        return
    marker = metafunc.definition.get_closest_marker("needs")
    needed = set(marker.args) if marker else set()
    able = [stage for stage in STAGES if needed <= stage.features]  # type: ignore[attr-defined]
    metafunc.parametrize("open_stage", able, ids=[stage.name for stage in able])  # type: ignore[attr-defined]
