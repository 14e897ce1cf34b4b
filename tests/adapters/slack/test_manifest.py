"""The manifest asks for exactly what the code uses: no permission too many, none missing."""

import ast
import json
from pathlib import Path

import pytest

import adapters.slack
from adapters.slack.manifest import LONG, manifest
from adapters.slack.meaning import (
    PREFIX,
)
from adapters.slack.options import SlackOptions, needed, slack_options
from adapters.slack.read import READERS
from adapters.slack.tables import COMMANDS, EVENTS, HELPERS, METHODS, SHORTCUTS, scopes
from bot.cli import main
from bot.testkit import stand_in_settings
from core.errors import BadSetting

FOLDER = Path(adapters.slack.__file__).parent
NO_CALLS = {"token", "base_url", "session"}  # attributes of a client that call nothing


def called() -> set[str]:
    """The methods of the Web API that the adapter's source calls on a client."""
    names: set[str] = set()
    for path in sorted(FOLDER.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and _is_client(node.value):
                names.add(node.attr)
    methods: set[str] = set()
    for name in names - NO_CALLS:
        methods |= set(HELPERS.get(name, (name.replace("_", "."),)))
    return methods


def _is_client(node: ast.expr) -> bool:
    """`client`, `self._client`, `out.client`, `out.light`."""
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name.lstrip("_") in ("client", "light")


def test_the_methods_that_are_called_are_those_of_the_table() -> None:
    assert called() == set(METHODS)


def test_the_events_that_are_read_are_those_that_are_subscribed() -> None:
    assert set(manifest()["settings"]["event_subscriptions"]["bot_events"]) == set(EVENTS)
    assert {name.split(".")[0] for name in EVENTS} == set(READERS)


def test_the_scopes_are_those_that_something_needs() -> None:
    asked = set(manifest()["oauth_config"]["scopes"]["bot"])
    used = {scope for table in (EVENTS, METHODS) for names in table.values() for scope in names}
    assert asked == used | {"commands"}
    assert asked == set(scopes())


def test_commands_and_menu_entries_are_offered_as_they_are_read() -> None:
    features = manifest()["features"]
    assert [c["command"] for c in features["slash_commands"]] == [f"/{c.name}" for c in COMMANDS]
    assert all(c["should_escape"] for c in features["slash_commands"])
    assert [s["callback_id"] for s in features["shortcuts"]] == [PREFIX + s.id for s in SHORTCUTS]


def test_slack_takes_its_lengths() -> None:
    made = manifest()
    assert 174 < len(LONG) <= 4000
    assert len(made["display_information"]["description"]) <= 140
    assert all(len(s["name"]) <= 24 and len(s["description"]) <= 150 for s in made["features"]["shortcuts"])
    assert all(
        len(c["description"]) <= 2000 and len(c["command"]) <= 32 for c in made["features"]["slash_commands"]
    )
    assert len(made["features"]["agent_view"]["agent_description"]) <= 300


def test_http_needs_an_address_everywhere_and_no_socket() -> None:
    made = manifest(url="https://bot.acme.test/slack/events")
    assert made["settings"]["socket_mode_enabled"] is False
    assert made["settings"]["event_subscriptions"]["request_url"] == "https://bot.acme.test/slack/events"
    assert made["settings"]["interactivity"]["request_url"] == "https://bot.acme.test/slack/events"
    assert all(c["url"] == "https://bot.acme.test/slack/events" for c in made["features"]["slash_commands"])
    assert manifest()["settings"]["socket_mode_enabled"] is True


def test_it_is_printed_as_json_and_nothing_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--home", str(tmp_path), "slack", "manifest"]) == 0
    assert json.loads(capsys.readouterr().out) == manifest()


@pytest.mark.parametrize(
    ("mode", "names"),
    [
        ("socket", ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN")),
        ("http", ("SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET")),
    ],
)
def test_running_without_tokens_says_which_two_and_where_they_are(
    mode: str, names: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    for name in ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET"):
        monkeypatch.delenv(name, raising=False)
    config = tmp_path / "c.yaml"
    config.write_text(f"adapters: {{slack: {{enabled: true, options: {{mode: {mode}}}}}}}", encoding="utf-8")
    assert main(["--home", str(tmp_path), "--config", str(config), "run", "--adapter", "slack"]) == 1
    said = capsys.readouterr().err
    assert f"{names[0]}, {names[1]}" in said
    assert "api.slack.com/apps" in said
    assert needed(SlackOptions(mode=mode)) == names  # type: ignore[arg-type]


@pytest.mark.parametrize("enabled", [True, False])
def test_the_doctor_asks_for_the_tokens_of_an_enabled_slack(
    enabled: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-x")
    monkeypatch.delenv("SLACK_APP_TOKEN", raising=False)
    config = tmp_path / "c.yaml"
    config.write_text(f"adapters: {{slack: {{enabled: {str(enabled).lower()}}}}}", encoding="utf-8")
    main(["--home", str(tmp_path), "--config", str(config), "doctor"])
    assert ("✗ slack: modo socket; não definidos: SLACK_APP_TOKEN" in capsys.readouterr().out) is enabled


def test_a_wrong_option_is_named_by_the_doctor_and_does_not_hide_the_adapter(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    config = tmp_path / "c.yaml"
    config.write_text("adapters: {slack: {enabled: true, options: {mod: http}}}", encoding="utf-8")
    words = ["--home", str(tmp_path), "--config", str(config)]
    main([*words, "doctor"])
    (line,) = [text for text in capsys.readouterr().out.splitlines() if text.startswith("✗ slack: ")]
    assert "adapters.slack.options.mod não existe; quis dizer 'mode'?" in line
    assert main([*words, "run", "--adapter", "slack"]) == 1
    assert "SLACK_BOT_TOKEN" in capsys.readouterr().err


def options(**values: object) -> SlackOptions:
    return slack_options(stand_in_settings({}, {"adapters": {"slack": {"options": values}}}, ()))


def test_options_are_checked_by_name_and_kind() -> None:
    assert options(mode="http", port=8080, lookup_seconds=5).lookup_seconds == 5.0
    assert options() == SlackOptions()
    for wrong in ({"mod": "http"}, {"mode": "websocket"}, {"port": "3000"}, {"port": True}, {"stream": 1}):
        with pytest.raises(BadSetting):
            options(**wrong)
