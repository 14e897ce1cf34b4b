"""Uploads that a bot has accepted survive its being killed: the next process ends them, each exactly once."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.jobs.rows import JobRows
from core.stores.ledger import Ledger
from tests.walks.test_crashes import ROOT, contents

CONFIG = "channels:\n  geral: {visibility: public, members: [ana]}\njobs: {parallel: 3, starts: 100}\n"
CSV = "#{n};receita\nAroeira;{n},50\nBuriti;2{n},25\n"
MD = "#{n} Linhas\n\nA linha L{n} depende da bomba B-{n}.\n\nA bomba B-{n} é mantida pela Oficina Norte.\n"


def files(folder: Path, count: int) -> list[str]:
    """Sheets and prose; the first line names the file's number."""
    names = []
    for n in range(count):
        name, text = (f"v{n}.csv", CSV) if n % 3 == 0 else (f"l{n}.md", MD)
        (folder / name).write_text(text.replace("{n}", str(n)))
        names.append(name)
    return names


def words(folder: Path, home: Path, names: list[str]) -> list[str]:
    place = [str(home), str(folder / "c.yaml"), str(folder / "in")]
    return [sys.executable, "-m", "tests.walks.job_run", *place, *names]


def number_of(line: str) -> int:
    """`accepted #12;receita` -> 12."""
    return int("".join(c for c in line.split("#")[1].split(";")[0].split(" ")[0] if c.isdigit()))


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    (tmp_path / "c.yaml").write_text(CONFIG)
    (tmp_path / "in").mkdir()
    return tmp_path


def finish(folder: Path, home: Path, names: list[str]) -> str:
    done = subprocess.run(words(folder, home, names), cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    return done.stdout


def facts_of(home: Path) -> tuple[int, list[str]]:
    """(files that were new by the audit trail, unfinished jobs) of a home.

    A file that was accepted but whose process died before it could say so is sent again, and is then "same".
    """
    ledger = Ledger(f"sqlite:///{home / 'polyrag.db'}")
    fresh = "select count(*) from audit where action = 'ingest' and detail like '%\"status\": \"new\"%'"
    with ledger.engine.connect() as connection:
        audited = connection.scalar(sa.text(fresh))
    left = [row.job.name for row in JobRows(ledger.engine).listed() if row.state != "done"]
    ledger.close()
    return int(audited or 0), left


def killed_at(folder: Path, home: Path, names: list[str], pause: float) -> list[int]:
    """Kill the bot some time after it accepted its first file; the numbers of the files that it had accepted."""
    with subprocess.Popen(
        words(folder, home, names), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline()]
        time.sleep(pause)
        process.send_signal(signal.SIGKILL)
        lines += process.stdout.readlines()
    return [number_of(line) for line in lines if line.startswith("accepted ")]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_killed_bots_accepted_uploads_are_finished_by_the_next_one_without_being_sent_again(
    inbox: Path,
) -> None:
    names = files(inbox / "in", 9)
    finish(inbox, inbox / "clean", names)
    wanted = contents(inbox / "clean")

    for attempt, pause in enumerate((0.0, 0.4, 1.2)):
        home = inbox / f"home{attempt}"
        accepted = killed_at(inbox, home, names, pause)
        assert accepted

        again = [name for n, name in enumerate(names) if n not in accepted]
        assert finish(inbox, home, again).splitlines()[-1] == "ended 0"

        assert contents(home) == wanted
        assert facts_of(home) == (len(names), [])
        assert not list((home / "jobs").glob("*.bin"))


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_killed_again_and_again_during_a_mixed_ingest_nothing_is_lost_doubled_or_half_visible(
    inbox: Path,
) -> None:
    names = files(inbox / "in", 12)
    finish(inbox, inbox / "clean", names)
    moments, home, sent = random.Random(7), inbox / "home", set[int]()

    for _ in range(20):
        left = [name for n, name in enumerate(names) if n not in sent]
        if left:
            sent |= set(killed_at(inbox, home, left, moments.uniform(0.0, 0.5)))
    finish(inbox, home, [name for n, name in enumerate(names) if n not in sent])

    assert contents(home) == contents(inbox / "clean")
    assert facts_of(home) == (len(names), [])


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_deletion_that_was_interrupted_is_finished(inbox: Path) -> None:
    names = files(inbox / "in", 4)
    gone = [f"-{names[0]}", f"-{names[1]}"]
    finish(inbox, inbox / "clean", names)
    finish(inbox, inbox / "clean", gone)
    wanted = contents(inbox / "clean")
    finish(inbox, inbox / "home", names)

    moments = random.Random(3)
    for _ in range(6):
        with subprocess.Popen(
            words(inbox, inbox / "home", gone), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            time.sleep(moments.uniform(1.5, 4.0))
            process.kill()
    finish(inbox, inbox / "home", gone)

    assert contents(inbox / "home") == wanted
