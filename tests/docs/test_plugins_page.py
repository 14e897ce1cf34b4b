"""The examples of docs/plugins.md run as they stand."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from bot.testkit import FakePlatform

PAGE = Path(__file__).resolve().parents[2] / "docs" / "plugins.md"
CALENDAR = b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:The harvest party\nDTSTART:20260912T180000\nEND:VEVENT\nEND:VCALENDAR\n"


@pytest.fixture(scope="module")
def examples() -> Iterator[dict[str, ModuleType]]:
    """Module name -> the module that a code block of the page is."""
    found: dict[str, ModuleType] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL):
        name = block.splitlines()[0].removeprefix("# ").removesuffix(".py")
        module = ModuleType(name)
        sys.modules[name] = module
        exec(compile(block, f"{PAGE.name}:{name}", "exec"), module.__dict__)
        found[name] = module
    yield found
    for name in found:
        del sys.modules[name]


def test_the_reader_reads_a_calendar_and_refuses_half_of_one(examples: dict[str, ModuleType]) -> None:
    with FakePlatform(plugins={"calendar": examples["calendar_plugin"]}) as chat:
        half = chat.says("ana", files={"half.ics": CALENDAR[:40]})
        chat.says("ana", files={"events.ics": CALENDAR})
        reply = chat.says("ana", "when does the harvest party take place?")

    assert "damaged" in half.text
    assert "2026-09-12" in reply.text


def test_the_test_of_the_page_passes(examples: dict[str, ModuleType]) -> None:
    examples["test_count"].test_the_count_is_of_what_the_reader_may_read()


def test_the_rule_takes_a_channel_away(examples: dict[str, ModuleType]) -> None:
    with FakePlatform(channels={"finance": {}}, plugins={"hours": examples["hours_plugin"]}) as chat:
        chat.says("ana", files={"pay.md": "# Pay\n\nThe bonus is paid in March."})
        inside = chat.says("ana", "when is the bonus paid?")
        outside = chat.says("bob-ext", "when is the bonus paid?")

    assert "March" in inside.text
    assert "March" not in outside.text


def test_the_watcher_sees_files_come_and_go(examples: dict[str, ModuleType]) -> None:
    with FakePlatform(plugins={"ledger": examples["ledger_plugin"]}) as chat:
        chat.says("ana", files={"pay.md": "# Pay\n\nThe bonus is paid in March."})
        chat.says("ana", "/forget pay.md")

    assert [status for status, _ in examples["ledger_plugin"].seen] == ["new", "forgotten"]


def test_the_store_is_asked_on_its_route(examples: dict[str, ModuleType]) -> None:
    with FakePlatform(plugins={"glossary": examples["glossary_plugin"]}) as chat:
        chat.says("ana", files={"terms.md": "# Terms\n\nPTO: paid time off, agreed with the manager.\n"})
        reply = chat.says("ana", "what is PTO?")

    assert "I searched glossary" in reply.explanation
    assert "paid time off" in reply.text


def test_every_example_of_the_page_is_tried_here(examples: dict[str, ModuleType]) -> None:
    assert sorted(examples) == [
        "calendar_plugin",
        "count_plugin",
        "glossary_plugin",
        "hours_plugin",
        "ledger_plugin",
        "test_count",
    ]
