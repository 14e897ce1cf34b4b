"""status, help, plugins and servers: the same facts for everybody who may see them, and no folders in a chat."""

from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from bot.commands.servers import act, status_line
from bot.commands.status import plugin_line
from bot.messages import Inbound, Reply
from bot.models.servers import ServerStatus
from bot.plugins.spec import PluginInfo
from bot.testkit import FakePlatform
from core.errors import ModelUnavailable

CHANNELS = {"geral": {}, "rh": {"visibility": "private", "members": ["ana"]}}


class Servers:
    """A server manager that notes what it is told to do."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def role(self, role: str) -> SimpleNamespace:
        return SimpleNamespace(provider="off" if role == "ocr" else "llama-server")

    def start(self, role: str) -> None:
        self.done.append(f"start {role}")

    def stop(self, role: str) -> None:
        self.done.append(f"stop {role}")

    def restart(self, role: str) -> None:
        self.done.append(f"restart {role}")

    def stop_all(self) -> None:
        self.done.append("stop all")

    def status_of(self, role: str) -> ServerStatus:
        return ServerStatus(role, "llama-server", "running", "m", 7, 8080, "none", 120.0)

    def log_tail(self, role: str, lines: int) -> str:
        return "loading /home/ana/models/secret.gguf\n```\nready"


@pytest.fixture(scope="module")
def chat() -> Iterator[FakePlatform]:
    with FakePlatform(channels=CHANNELS, admins=["root"], settings={"language": "pt"}) as platform:
        platform.says("ana", files={"a.md": "# A\n\nTexto de ana."}, channel="rh")
        platform.says("ana", files={"b.md": "# B\n\nTexto de todos."}, channel="geral")
        yield platform


def test_status_counts_what_its_reader_may_read(chat: FakePlatform) -> None:
    assert "1 arquivo(s) que você pode ler aqui, em 1 canal(is)" in chat.says("bia", "!status").text
    assert (
        "2 arquivo(s) que você pode ler aqui, em 2 canal(is)"
        in chat.says("ana", "!status", channel="rh").text
    )
    assert "as respostas são citações" in chat.says("bia", "!status").text


def test_a_platform_that_is_down_is_told_to_those_the_configuration_names_alone(chat: FakePlatform) -> None:
    chat.app.down["discord"] = ModelUnavailable("token abc at /home/ana")
    try:
        told, others = chat.says("root", "!status").text, chat.says("ana", "!status").text
        by_word = manager_says(chat, "status").text
    finally:
        chat.app.down.clear()

    assert "discord não está no ar" in told
    assert "/home/ana" not in told
    assert "discord" not in others
    assert "discord" not in by_word


@pytest.mark.parametrize(
    ("line", "done"),
    [
        ("!servers start chat", ["start chat"]),
        ("!servers start", ["start embed", "start chat"]),
        ("!servers stop", ["stop all"]),
        ("!servers restart embed", ["restart embed"]),
        ("!servers", []),
        ("!servers fly", []),
        ("!servers start everything", []),
        ("!servers stop chat embed", []),
    ],
)
def test_an_admin_controls_servers_by_role(chat: FakePlatform, line: str, done: list[str]) -> None:
    servers = Servers()
    chat.app.servers = servers  # type: ignore[assignment]
    reply = chat.says("root", line)

    assert servers.done == done
    assert ("Uso:" in reply.text) == (not reply.ephemeral)


@pytest.mark.parametrize(
    "line", ["servers start chat", "servers stop", "servers restart", "servers logs", "plugins"]
)
def test_an_admin_by_the_platforms_word_may_not_touch_what_concerns_the_whole_bot(
    chat: FakePlatform, line: str
) -> None:
    servers = Servers()
    chat.app.servers = servers  # type: ignore[assignment]

    refused = manager_says(chat, line)

    assert "`permissions.admins`" in refused.text
    assert "bot inteiro" in refused.text
    assert servers.done == []
    assert "permissions.admins" not in chat.says("root", f"!{line}").text
    assert "rodando" in manager_says(chat, "servers status").text


def manager_says(chat: FakePlatform, line: str) -> Reply:
    """Somebody whom the platform calls an admin, and the configuration does not."""
    command, _, rest = line.partition(" ")
    inbound = Inbound("console", "local", "geral", "eva", rest, line, admin=True, command=command)
    return chat._runner.run(chat.app.handle(inbound))


def test_controlling_a_server_is_audited_and_looking_is_not(chat: FakePlatform) -> None:
    chat.app.servers = Servers()  # type: ignore[assignment]
    before = len(chat.app.records.audit_tail(500))
    chat.says("root", "!servers status")
    chat.says("root", "!servers stop chat")
    rows = chat.app.records.audit_tail(500)[before:]

    assert [(row["actor"], row["action"], row["detail"]) for row in rows] == [
        ("console:root", "servers stop", {"roles": ["chat"]})
    ]


def test_logs_in_a_chat_name_no_folders_and_stay_in_their_fence(chat: FakePlatform) -> None:
    chat.app.servers = Servers()  # type: ignore[assignment]
    text = chat.says("root", "!servers logs embed").text

    assert "/home/ana" not in text
    assert "…/secret.gguf" in text
    assert text.count("\n```") == 2  # one fence, opened and closed


def test_a_status_line_says_where_and_how_much(chat: FakePlatform) -> None:
    line = status_line(Servers().status_of("embed"), "pt")

    assert line.split() == ["embed", "rodando", "m", "CPU", "120", "MiB", "127.0.0.1:8080", "pid", "7"]
    assert "desligado" in act(_Off(), "status", ["ocr"], "pt")  # type: ignore[arg-type]


class _Off(Servers):
    def status_of(self, role: str) -> ServerStatus:
        return ServerStatus(role, "off", "off")


def test_a_plugins_reason_names_no_folders() -> None:
    reason = (
        "refused by its hooks: unknown hook 'x' in plugin <module 'bad' from '/home/ana/bad/__init__.py'>"
    )
    line = plugin_line(PluginInfo("bad", "1.0", "failed", reason), "en")

    assert line == "✗ bad 1.0: failed (refused by its hooks: unknown hook 'x' in plugin bad)"


def test_an_unknown_command_names_the_nearest(chat: FakePlatform) -> None:
    assert "`sources`" in chat.says("bia", "!source").text
    assert "`help`" in chat.says("bia", "!xyzzy").text
    assert chat.says("bia", "!fontes").text == chat.says("bia", "!sources").text


def test_why_a_plugin_is_not_there_is_said_in_the_readers_language() -> None:
    with FakePlatform(settings={"plugins": {"allow": ["gohst"]}}) as chat:
        chat.app.plugins.load_entry_points([])
        (info,) = [info for info in chat.app.plugins.infos() if info.name == "gohst"]

    assert "nenhum pacote instalado" in plugin_line(info, "pt")
    assert "no installed package" in plugin_line(info, "en")


def test_help_lists_only_what_an_admin_of_a_platform_may_run(chat: FakePlatform) -> None:
    assert "`plugins`" in chat.says("root", "!help").text
    listed = manager_says(chat, "help").text
    assert "`plugins`" not in listed
    assert "`audit`" in listed
    assert "permissions.admins" in manager_says(chat, "plugins").text
