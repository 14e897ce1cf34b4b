"""A hot folder and its channel: what is in the one is what the other knows, and nothing half written is ever read."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.config import contradictions, load_settings
from bot.testkit import FakePlatform
from bot.watch import Watched, look, tag_of, watched_folders, watching
from core.errors import BadSetting

TAG = "console:local/geral"
CHANNELS = {"geral": {"visibility": "public"}, "rh": {"visibility": "private", "members": ["ana"]}}
COPA = "# Copa\n\nA copa fecha às 18h.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "hot").mkdir()
    return tmp_path / "hot"


@pytest.fixture
def chat(folder: Path) -> Iterator[FakePlatform]:
    watch = {"watch": {str(folder): "geral"}, "watch_settle_seconds": 0.0, "watch_seconds": 0.05}
    with FakePlatform(channels=CHANNELS, admins=["root"], settings={"ingest": watch}) as platform:
        yield platform


@pytest.fixture
def item(chat: FakePlatform) -> Watched:
    (one,) = chat.app.watched = watched_folders(chat.app.settings)
    return one


def looks(chat: FakePlatform, item: Watched, times: int = 1) -> None:
    for _ in range(times):
        chat._runner.run(look(item, chat.app))


def known(chat: FakePlatform) -> dict[str, int]:
    """name -> version of what the channel knows."""
    return {p.name: p.version for p in chat.app.ingest_ports.ledger.placements([TAG])}


def test_new_changed_and_removed_files_are_stored_versioned_and_forgotten(
    chat: FakePlatform, item: Watched, folder: Path
) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "copa.md").write_text(COPA)
    (folder / "b.md").write_text("# B\n\nB fica no bloco 2.\n")
    looks(chat, item)
    assert known(chat) == {"b.md": 1, "sub/copa.md": 1}
    assert "18h" in chat.says("ana", "quando fecha a copa?").text

    (folder / "sub" / "copa.md").write_text(COPA.replace("18h", "20h30"))
    looks(chat, item)
    assert known(chat) == {"b.md": 1, "sub/copa.md": 2}
    assert "20h30" in chat.says("ana", "quando fecha a copa?").text

    (folder / "sub" / "copa.md").unlink()
    looks(chat, item)
    assert "sub/copa.md" in known(chat), "one look that misses a file is not enough"
    looks(chat, item)
    assert known(chat) == {"b.md": 1}
    assert "20h30" not in chat.says("ana", "quando fecha a copa?").text


def test_files_are_taken_in_in_the_order_of_their_names(
    chat: FakePlatform, item: Watched, folder: Path
) -> None:
    for name in ("c.md", "a.md", "b.md"):
        (folder / name).write_text(f"# {name}\n\nO arquivo {name} existe.\n")
    looks(chat, item)

    placed = sorted(chat.app.ingest_ports.ledger.placements([TAG]), key=lambda p: p.received)
    assert [p.name for p in placed] == ["a.md", "b.md", "c.md"]


def test_a_file_that_is_still_growing_is_left_alone(chat: FakePlatform, folder: Path) -> None:
    item = Watched(folder, TAG)
    slow = chat.app.settings.ingest.model_copy(update={"watch_settle_seconds": 0.2})
    chat.app.settings = chat.app.settings.model_copy(update={"ingest": slow})
    for part in range(3):
        with (folder / "a.md").open("a") as file:
            file.write(f"# Parte {part}\n\nMais um pouco.\n\n")
        looks(chat, item)
    assert known(chat) == {}

    chat._runner.run(asyncio.sleep(0.25))
    looks(chat, item)
    assert known(chat) == {"a.md": 1}


def test_a_file_that_changes_while_it_is_read_is_read_again(
    chat: FakePlatform, item: Watched, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "a.md"
    path.write_text("# Velho\n\nA copa fecha às 18h.\n")
    read = Path.read_bytes

    def meddling(self: Path) -> bytes:
        data = read(self)
        if self == path:
            monkeypatch.undo()
            path.write_text("# Novo\n\nA copa fecha às 19h.\n")
            os.utime(path, ns=(1, 1))
        return data

    monkeypatch.setattr(Path, "read_bytes", meddling)
    looks(chat, item)
    assert known(chat) == {}
    looks(chat, item)
    assert "19h" in chat.says("ana", "quando fecha a copa?").text


def test_hidden_files_and_links_are_not_read(
    chat: FakePlatform, item: Watched, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere.md").write_text(COPA)
    (folder / "link.md").symlink_to(tmp_path / "elsewhere.md")
    (folder / ".a.md.swp").write_text(COPA)
    (folder / ".git").mkdir()
    (folder / ".git" / "a.md").write_text(COPA)
    looks(chat, item)

    assert known(chat) == {}


def test_a_folder_that_cannot_be_read_forgets_nothing_and_says_so(
    chat: FakePlatform, item: Watched, folder: Path
) -> None:
    (folder / "copa.md").write_text(COPA)
    looks(chat, item)
    folder.rename(folder.with_name("away"))
    looks(chat, item, 3)

    assert known(chat) == {"copa.md": 1}
    assert "hot" in chat.says("ana", "/status").text
    assert "cannot read" in chat.says("ana", "/status").text

    folder.with_name("away").rename(folder)
    looks(chat, item)
    assert "cannot read" not in chat.says("ana", "/status").text
    assert known(chat) == {"copa.md": 1}


def test_a_refused_file_is_told_in_the_status_of_its_channel_only_and_not_tried_again(
    chat: FakePlatform, item: Watched, folder: Path
) -> None:
    (folder / "vazio.txt").write_text("")
    looks(chat, item, 2)

    assert "vazio.txt" in chat.says("ana", "/status", channel="geral").text
    assert "empty" in chat.says("ana", "/status", channel="geral").text
    tries = [row for row in chat.app.records.audit_tail(50) if row["action"] == "ingest"]
    assert len(tries) == 1
    (folder / "vazio.txt").write_text(COPA)
    looks(chat, item)
    assert "vazio.txt" not in chat.says("ana", "/status", channel="geral").text
    assert known(chat) == {"vazio.txt": 1}


def test_what_people_sent_to_the_channel_stays(chat: FakePlatform, item: Watched, folder: Path) -> None:
    chat.says("ana", files={"meu.md": COPA}, channel="geral")
    (folder / "copa.md").write_text(COPA)  # the same bytes
    looks(chat, item, 2)
    (folder / "copa.md").unlink()
    looks(chat, item, 3)

    assert known(chat) == {"meu.md": 1}


def test_what_went_while_the_bot_was_off_is_forgotten_at_the_next_start(
    chat: FakePlatform, item: Watched, folder: Path
) -> None:
    (folder / "a.md").write_text(COPA)
    (folder / "b.md").write_text("# B\n\nB fica no bloco 2.\n")
    looks(chat, item)
    (folder / "a.md").unlink()

    (again,) = watched_folders(chat.app.settings)
    looks(chat, again, 2)

    assert known(chat) == {"b.md": 1}


def test_the_watcher_runs_beside_the_bot(chat: FakePlatform, folder: Path) -> None:
    async def work() -> None:
        async with watching(chat.app), asyncio.timeout(20):
            (folder / "copa.md").write_text(COPA)
            while not known(chat):  # noqa: ASYNC110  files ring no bell
                await asyncio.sleep(0.05)

    chat._runner.run(work())
    assert known(chat) == {"copa.md": 1}


def test_a_channel_is_named_as_configured_or_by_its_tag() -> None:
    assert tag_of("geral") == TAG
    assert tag_of("slack:T1/C7") == "slack:T1/C7"


def test_a_wrong_channel_or_two_folders_of_one_are_refused_at_start(tmp_path: Path) -> None:
    for watch, word in (("{/a: gerall}", "geral"), ("{/a: geral, /b: geral}", "one folder")):
        config = tmp_path / "c.yaml"
        config.write_text(f"channels: {{geral: {{}}}}\ningest: {{watch: {watch}}}\n")
        with pytest.raises(BadSetting, match=word):
            load_settings(config)
    assert not list(contradictions(load_settings()))
