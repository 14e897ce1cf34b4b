"""jobs: admins see what waits and what failed, try it again or call it off; on the command line without any model."""

import json
from collections.abc import Iterator, Sequence

import pytest

from bot.jobs.job import Job
from bot.messages import Inbound, Reply
from bot.testkit import FakePlatform, StandInEmbedder
from core.errors import ModelUnavailable
from core.types import FloatArray
from tests.bot.conftest import Program

CHANNELS = {
    "geral": {"visibility": "public"},
    "rh": {"visibility": "private", "members": ["ana"]},
}
COPA = "# Copa\n\nA copa fecha às 18h.\n"


class Sleeping(StandInEmbedder):
    """A model that answers for questions only, until it is woken."""

    asleep = True

    async def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        if self.asleep:
            raise ModelUnavailable("connection refused by 127.0.0.1:9")
        return await super().embed_passages(texts)

    async def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        return await StandInEmbedder.embed_passages(self, texts)


@pytest.fixture
def sleeping(monkeypatch: pytest.MonkeyPatch) -> type[Sleeping]:
    monkeypatch.setattr("bot.testkit.StandInEmbedder", Sleeping)
    monkeypatch.setattr(Sleeping, "asleep", True)
    return Sleeping


@pytest.fixture
def chat(sleeping: type[Sleeping]) -> Iterator[FakePlatform]:
    quick = {"jobs": {"attempts": 2, "backoff_seconds": 0.01}}
    with FakePlatform(channels=CHANNELS, admins=["root"], settings=quick) as platform:
        yield platform


def failed_id(chat: FakePlatform) -> str:
    (row,) = chat.app.jobs.rows.listed(("failed",))
    return row.job.id


def test_an_upload_that_could_not_be_stored_is_listed_and_done_when_tried_again(
    chat: FakePlatform, sleeping: type[Sleeping]
) -> None:
    told = chat.says("ana", files={"copa.md": COPA}, channel="geral").text
    assert "model server is not answering" in told

    listed = chat.says("root", "/jobs", channel="geral")
    assert listed.ephemeral
    assert "copa.md" in listed.text
    assert "failed" in listed.text
    assert "127.0.0.1" not in listed.text
    assert "1 that failed" in chat.says("root", "/status", channel="geral").text

    sleeping.asleep = False
    assert "again" in chat.says("root", f"/jobs retry {failed_id(chat)[:8]}", channel="geral").text
    chat._runner.run(chat.app.jobs.settle())

    assert "18h" in chat.says("ana", "when does the copa close? quando fecha a copa?", channel="geral").text
    assert "Nothing is waiting" in chat.says("root", "/jobs", channel="geral").text


def test_a_private_channels_file_names_are_not_shown_elsewhere(chat: FakePlatform) -> None:
    chat.says("ana", files={"segredo.md": COPA}, channel="rh")

    assert "segredo" not in chat.says("root", "/jobs", channel="geral").text
    assert "failed" in chat.says("root", "/jobs", channel="geral").text


def test_only_admins_see_and_touch_jobs(chat: FakePlatform) -> None:
    chat.says("ana", files={"copa.md": COPA}, channel="geral")

    for command in ("/jobs", f"/jobs retry {failed_id(chat)}", f"/jobs cancel {failed_id(chat)}"):
        assert "Only admins" in chat.says("ana", command, channel="geral").text
    assert "that failed" not in chat.says("ana", "/status", channel="geral").text


def test_what_is_unknown_or_not_open_is_not_touched(chat: FakePlatform) -> None:
    chat.says("ana", files={"copa.md": COPA}, channel="geral")

    assert "found nothing" in chat.says("root", "/jobs retry beefbeef", channel="geral").text
    assert "found nothing" in chat.says("root", f"/jobs cancel {failed_id(chat)}", channel="geral").text
    assert "jobs [retry|cancel ID]" in chat.says("root", "/jobs nonsense", channel="geral").text


def test_a_forgotten_file_leaves_the_list_with_its_bytes(
    chat: FakePlatform, sleeping: type[Sleeping]
) -> None:
    chat.says("ana", files={"copa.md": COPA}, channel="geral")
    job = failed_id(chat)
    sleeping.asleep = False
    chat.says("ana", files={"copa.md": COPA.replace("18h", "19h")}, channel="geral")
    assert chat.app.jobs.payloads.has(job)

    chat.says("ana", "/forget copa.md", channel="geral")

    assert chat.app.jobs.rows.listed() == ()
    assert not chat.app.jobs.payloads.has(job)


def manager_says(chat: FakePlatform, text: str, workspace: str) -> Reply:
    """Somebody whom the platform calls an admin of a workspace, and the configuration does not."""
    command, _, rest = text.removeprefix("/").partition(" ")
    inbound = Inbound("console", workspace, "geral", "eva", rest, text, admin=True, command=command)
    return chat._runner.run(chat.app.handle(inbound))


def test_an_admin_by_the_platforms_word_acts_on_the_own_workspace_alone(
    chat: FakePlatform, sleeping: type[Sleeping]
) -> None:
    chat.says("ana", files={"copa.md": COPA}, channel="geral")
    job = failed_id(chat)

    assert "Nothing is waiting" in manager_says(chat, "/jobs", "elsewhere").text
    assert "that failed" not in manager_says(chat, "/status", "elsewhere").text
    for command in (f"/jobs retry {job}", f"/jobs retry {job[:8]}", f"/jobs cancel {job}"):
        assert "found nothing" in manager_says(chat, command, "elsewhere").text
    assert failed_id(chat) == job

    assert job[:8] in manager_says(chat, "/jobs", "local").text
    sleeping.asleep = False
    assert "again" in manager_says(chat, f"/jobs retry {job[:8]}", "local").text


# --- command line ----------------------------------------------------------------------------------


def test_the_list_needs_no_model_and_no_bot(fresh_program: Program) -> None:
    assert "Nada na fila" in fresh_program.run("jobs").stdout
    fresh_program.run("ingest", "docs", "--channel", "geral", "--user", "ana")

    found = json.loads(fresh_program.run("jobs", "list", "--json").stdout)["jobs"]

    assert [(job["file"], job["state"], job["channel"]) for job in found] == [
        ("vendas.csv", "done", "geral"), ("viagens.md", "done", "geral"),
    ]  # fmt: skip
    assert "2 feita(s)" in fresh_program.run("jobs").stdout


def test_a_job_of_a_process_that_is_gone_is_called_off(fresh_program: Program) -> None:
    from bot.commandline import CommandLine
    from bot.commands.jobs import known_jobs
    from bot.config import load_settings
    from bot.plugins.manager import PluginManager

    fresh_program.run("ingest", "docs", "--channel", "geral", "--user", "ana")
    settings = load_settings()
    line = CommandLine(settings, fresh_program.home, True, None, PluginManager(settings, ()))
    with known_jobs(line) as found:
        owner = found.rows.listed()[0].owner
        found.rows.add(Job("abcdef12", "upload", "w", "t", "n.md", "a", "2025", ("d",)), owner)

    assert fresh_program.run("jobs", "cancel", "abcd").returncode == 0
    assert "abcdef12" not in fresh_program.run("jobs").stdout
    assert fresh_program.run("jobs", "cancel", "abcd").returncode == 1
    assert fresh_program.run("jobs", "retry").returncode == 2


def test_erase_and_reindex_print_what_they_did(fresh_program: Program) -> None:
    fresh_program.run("ingest", "docs", "--channel", "geral", "--user", "ana")
    fresh_program.run("ingest", "secreto", "--channel", "rh", "--user", "ana")
    assert json.loads(fresh_program.run("reindex", "--json").stdout) == {"documents": 0, "switched": True}

    gone = json.loads(fresh_program.run("erase", "channel", "rh", "--json").stdout)["removed"]

    assert gone["files"] == 1
    assert gone["passages"] > 0
    assert "2 arquivo(s)" in fresh_program.run("erase", "user", "ana").stdout
    again = fresh_program.run("erase", "user", "ana")
    assert again.returncode == 1
    assert "não havia nada para apagar" in again.stderr
