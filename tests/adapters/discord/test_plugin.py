"""The invite link and what an admin reads about Discord."""

import ast
import base64
import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import discord
import pytest

import adapters.discord
from adapters.discord.options import intents, options_of
from adapters.discord.permissions import WHY, Need, invite_link, permissions
from adapters.discord.plugin import application_of
from bot.program import run_program
from bot.testkit import stand_in_settings
from core.errors import BadSetting

SOURCES = sorted(Path(adapters.discord.__file__).parent.glob("*.py"))
GUIDE = Path(adapters.discord.__file__).parents[2] / "docs" / "discord.md"


def test_the_link_asks_for_exactly_what_the_table_says() -> None:
    query = parse_qs(urlsplit(invite_link(42)).query)

    assert query["client_id"] == ["42"]
    bits = sum(discord.Permissions.VALID_FLAGS[need.name] for need in Need)
    assert int(query["permissions"][0]) == permissions().value == bits
    assert set(query["scope"][0].split()) == {"bot", "applications.commands"}


def test_every_permission_is_explained_and_is_one_of_discords() -> None:
    assert set(WHY) == set(Need)
    assert {need.name for need in Need} <= set(discord.Permissions.VALID_FLAGS)


def test_every_request_that_the_code_makes_is_covered_by_a_permission_of_the_table() -> None:
    """The calls of discord.py that need a permission, and which one; a new call has to find its permission here."""
    needed = {
        "create_thread": Need.create_public_threads,
        "add_reaction": Need.add_reactions,
        "fetch_message": Need.read_message_history,
        "to_reference": Need.read_message_history,
        "fetch_channel": Need.view_channel,
        "fetch_members": Need.view_channel,
        "send": Need.send_messages,
        "File": Need.attach_files,
    }
    free = {
        "edit", "delete", "remove_reaction", "get_partial_message", "create_dm", "fetch_user", "fetch_member", "fetch",
        "edit_original_response", "delete_original_response", "defer", "send_modal", "send_message", "sync",
    }  # fmt: skip
    guarded = {
        "pin", "unpin", "ban", "kick", "create_role", "add_roles", "create_webhook", "create_invite", "purge",
        "delete_messages", "edit_permissions", "set_permissions", "add_user", "create_text_channel", "publish",
    }  # fmt: skip
    called = {
        node.func.attr
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }

    assert set(needed) <= called | {"File"}
    assert not called & guarded
    covered = {needed[name] for name in called & set(needed)} | {Need.send_messages_in_threads}
    assert covered == set(Need)
    assert free & called


def test_the_guide_names_every_permission_intent_and_the_bits() -> None:
    text = GUIDE.read_text(encoding="utf-8")

    for need in Need:
        assert need.value in text
    assert str(permissions().value) in text
    for switch in ("Message Content Intent", "Server Members Intent", "DISCORD_BOT_TOKEN"):
        assert switch in text


def test_only_two_privileged_intents_are_asked_for() -> None:
    asked = intents()

    assert asked.members
    assert asked.message_content
    assert not asked.presences


def test_the_token_says_which_application_it_is_of() -> None:
    head = base64.b64encode(b"1234567890").decode().rstrip("=")

    assert application_of(f"{head}.x.y") == 1234567890
    assert application_of("wire.fake.token") == 0
    assert application_of("") == 0


def test_invite_prints_a_link(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run_program(["discord", "invite", "--application", "42", "--home", str(tmp_path)]) == 0

    assert re.search(r"client_id=42", capsys.readouterr().out)


def test_invite_without_an_application_says_where_to_find_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISCORD_BOT_TOKEN", raising=False)

    assert run_program(["discord", "invite", "--home", str(tmp_path)]) == 1
    assert "--application" in capsys.readouterr().err


def test_running_without_a_token_says_which_and_where(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISCORD_BOT_TOKEN", raising=False)

    assert run_program(["run", "--adapter", "discord", "--home", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert "DISCORD_BOT_TOKEN" in error
    assert "Developer Portal" in error


def test_options_are_checked_before_anything_starts() -> None:
    def given(**options: object) -> dict[str, float]:
        return options_of(stand_in_settings({}, {"adapters": {"discord": {"options": options}}}, ()))

    assert given() == {"parallel": 8, "drain_seconds": 10, "catch_up_minutes": 60}
    assert given(drain_seconds=0, parallel=2) == {"parallel": 2, "drain_seconds": 0, "catch_up_minutes": 60}
    for wrong in ({"paralel": 2}, {"parallel": "many"}, {"drain_seconds": -1}):
        with pytest.raises(BadSetting):
            given(**wrong)
