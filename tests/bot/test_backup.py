"""A home comes back from its backup with the same answers to the byte, also when the bot was at work meanwhile."""

import io
import json
import shutil
import sqlite3
import tarfile
import threading
from pathlib import Path

import pytest

from bot.backup import BadBackup, HomeNotEmpty, NoHome, export_home, import_home
from bot.jobs.job import Job
from bot.testkit import STARTED, FakePlatform
from tests.bot.conftest import Program

CHANNELS = {"geral": {"visibility": "public"}, "rh": {"visibility": "private", "members": ["ana"]}}
FILES = {
    "copa.md": "# Copa\n\nA copa fecha às 18h.\n\nA copa depende da bomba B-7.\n\nA bomba B-7 é mantida pela Oficina Norte.\n",
    "vendas.csv": "cidade;receita\nAroeira;10,50\nBuriti;20,25\n",
}
QUESTIONS = (
    "quando fecha a copa?",
    "qual a receita total?",
    "quem mantém a bomba da copa?",
    "receita de buriti",
)


def opened(home: Path) -> FakePlatform:
    return FakePlatform(channels=CHANNELS, home=home)


def answers(chat: FakePlatform) -> list[str]:
    """Everything of the replies but what names the run (ids of traces, timings)."""
    found = []
    for question in QUESTIONS:
        inbound_id = chat.says("ana", question, channel="rh", fresh=True)
        found.append(repr((inbound_id.text, inbound_id.sources)))
    return found


async def finished(chat: FakePlatform) -> None:
    """What an earlier process left unfinished is done."""
    chat.app.jobs.open()
    await chat.app.jobs.settle()


def test_a_restored_home_gives_the_same_answers_to_the_byte(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as chat:
        chat.says("ana", files=dict(FILES), channel="rh")
        chat.says("ana", "quando fecha a copa?", channel="rh", thread="t1")
        before = answers(chat)
        made = export_home(tmp_path / "a", tmp_path / "b.tgz", STARTED)
    shutil.rmtree(tmp_path / "a")

    restored = import_home(tmp_path / "b.tgz", tmp_path / "c")

    assert made.documents == restored.documents == 2
    with opened(tmp_path / "c") as chat:
        assert answers(chat) == before
        assert chat.app.records.is_known_thread("console:local/rh#t1")


def test_a_backup_taken_while_files_come_in_is_one_moments_state(tmp_path: Path) -> None:
    stop, problems = threading.Event(), list[BaseException]()

    def export() -> None:
        number = 0
        while not stop.is_set():
            try:
                export_home(tmp_path / "a", tmp_path / f"b{number % 3}.tgz", STARTED)
            except BaseException as err:
                problems.append(err)
            number += 1

    with opened(tmp_path / "a") as chat:
        thread = threading.Thread(target=export)
        thread.start()
        for number in range(8):
            chat.says("ana", files={f"n{number}.md": f"# N{number}\n\nA sala {number} fica no bloco 3.\n"})
        stop.set()
        thread.join()

    assert problems == []
    for number in range(3):
        import_home(tmp_path / f"b{number}.tgz", tmp_path / f"c{number}")
        with opened(tmp_path / f"c{number}") as chat:
            chat._runner.run(finished(chat))
            ledger = chat.app.ingest_ports.ledger
            placed = ledger.placements(["console:local/geral"])
            assert {p.document for p in placed} == set(ledger.complete(chat.app.ingest_ports.index_key))
            assert ledger.unfinished() == ()


def test_uploads_that_had_not_ended_are_finished_in_the_restored_home(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as chat:
        chat.says("ana", files={"vendas.csv": FILES["vendas.csv"]})
        data = FILES["copa.md"].encode()
        body = {"uploader": "ana", "link": "", "language": "pt"}
        waiting = Job(
            "f" * 32, "upload", "console:local", "console:local/geral", "copa.md", "console:ana",
            "2025-01-01T00:00:00+00:00", ("0" * 64,), body,
        )  # fmt: skip
        chat.app.jobs.rows.add(waiting, chat.app.jobs.open())
        chat.app.jobs.payloads.keep(waiting.id, data)
        made = export_home(tmp_path / "a", tmp_path / "b.tgz", STARTED)
    assert made.jobs == 1

    import_home(tmp_path / "b.tgz", tmp_path / "c")

    with opened(tmp_path / "c") as chat:
        chat._runner.run(finished(chat))
        assert "18h" in chat.says("ana", "quando fecha a copa?").text


def test_a_home_with_a_bot_is_not_overwritten(tmp_path: Path) -> None:
    with opened(tmp_path / "a"):
        export_home(tmp_path / "a", tmp_path / "b.tgz", STARTED)

    with pytest.raises(HomeNotEmpty):
        import_home(tmp_path / "b.tgz", tmp_path / "a")


def test_a_backup_is_for_its_owner_only_and_names_no_account(tmp_path: Path) -> None:
    with opened(tmp_path / "a"):
        export_home(tmp_path / "a", tmp_path / "b.tgz", STARTED)

    assert (tmp_path / "b.tgz").stat().st_mode & 0o077 == 0
    with tarfile.open(tmp_path / "b.tgz") as archive:
        assert {(m.uname, m.gname, m.uid) for m in archive} == {("", "", 0)}
    import_home(tmp_path / "b.tgz", tmp_path / "c")
    assert (tmp_path / "c" / "polyrag.db").stat().st_mode & 0o077 == 0


def test_an_empty_home_is_not_exported(tmp_path: Path) -> None:
    with pytest.raises(NoHome):
        export_home(tmp_path, tmp_path / "b.tgz", STARTED)
    assert not (tmp_path / "b.tgz").exists()


def evil(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> None:
    with tarfile.open(path, "w:gz") as archive:
        for info, data in members:
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))


def test_a_foreign_or_damaged_file_makes_no_home(tmp_path: Path) -> None:
    manifest = (tarfile.TarInfo("manifest.json"), json.dumps({"format": 1, "documents": 0}).encode())
    link = tarfile.TarInfo("jobs/x")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    with sqlite3.connect(tmp_path / "ok.db") as connection:
        connection.execute("create table documents (id)")
    whole = (tmp_path / "ok.db").read_bytes()
    (tmp_path / "text.tgz").write_bytes(b"not a backup")
    evil(tmp_path / "path.tgz", manifest, (tarfile.TarInfo("../evil"), b"x"))
    evil(tmp_path / "link.tgz", manifest, (link, b""))
    evil(tmp_path / "noise.tgz", manifest, (tarfile.TarInfo("polyrag.db"), b"noise" * 1000))
    evil(tmp_path / "none.tgz", manifest)
    evil(tmp_path / "cut.tgz", manifest, (tarfile.TarInfo("polyrag.db"), whole))
    (tmp_path / "cut.tgz").write_bytes((tmp_path / "cut.tgz").read_bytes()[:-200])

    for number, path in enumerate(sorted(tmp_path.glob("*.tgz"))):
        with pytest.raises(BadBackup):
            import_home(path, tmp_path / f"home{number}")
        assert not (tmp_path / f"home{number}" / "polyrag.db").exists(), path
    assert not (tmp_path / "evil").exists()


def test_the_command_line_exports_and_imports(fresh_program: Program) -> None:
    folder = fresh_program.folder
    fresh_program.run("ingest", "docs", "--channel", "geral", "--user", "ana")
    first = fresh_program.run(
        "ask", "quando é pedida a viagem internacional?", "--channel", "geral", "--user", "ana"
    )
    assert fresh_program.run("export", "tudo.tgz").returncode == 0
    assert "Não existe a pasta nenhuma." in fresh_program.run("export", "nenhuma/tudo.tgz").stderr
    before = (fresh_program.folder / "tudo.tgz").read_bytes()
    refused = fresh_program.run("export", "tudo.tgz")
    assert refused.returncode == 1
    assert "--force" in refused.stderr
    assert (fresh_program.folder / "tudo.tgz").read_bytes() == before
    assert fresh_program.run("export", "tudo.tgz", "--force").returncode == 0
    assert fresh_program.run("--home", str(folder / "novo"), "import", "tudo.tgz").returncode == 0

    again = fresh_program.run(
        "--home", str(folder / "novo"), "ask", "quando é pedida a viagem internacional?", "--channel", "geral",
        "--user", "ana", "--fresh",
    )  # fmt: skip

    assert "30" in first.stdout
    assert again.stdout.splitlines()[0] == first.stdout.splitlines()[0]
    assert fresh_program.run("import", "tudo.tgz").returncode == 1
    assert fresh_program.run("--home", str(folder / "x"), "import", "docs/viagens.md").returncode == 1
