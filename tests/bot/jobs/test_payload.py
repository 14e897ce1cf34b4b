"""Bytes on the disk or not at all, and who of a home is alive."""

import subprocess
import sys
from pathlib import Path

from bot.jobs.payload import Payloads, Slot, is_gone

ROOT = Path(__file__).resolve().parents[3]


def test_bytes_come_back_and_go(tmp_path: Path) -> None:
    payloads = Payloads(tmp_path / "jobs")
    payloads.keep("a", b"\x00bytes")

    assert payloads.read("a") == b"\x00bytes"
    assert (tmp_path / "jobs" / "a.bin").stat().st_mode & 0o077 == 0
    payloads.drop("a")
    assert not payloads.has("a")
    payloads.drop("a")


def test_half_written_bytes_and_those_of_unknown_jobs_are_swept_away(tmp_path: Path) -> None:
    payloads = Payloads(tmp_path)
    payloads.keep("known", b"1")
    payloads.keep("stray", b"2")
    (tmp_path / "half.part").write_bytes(b"3")

    payloads.drop_strays(frozenset({"known"}))

    assert sorted(path.name for path in tmp_path.iterdir()) == ["known.bin"]


def test_two_processes_of_a_home_have_two_slots_and_a_freed_one_is_taken_again(tmp_path: Path) -> None:
    first, second = Slot(tmp_path), Slot(tmp_path)
    assert first.owner != second.owner
    assert not first.is_dead(second.owner)

    second.close()

    assert first.is_dead(second.owner)
    assert Slot(tmp_path).owner == second.owner


def test_a_killed_process_frees_its_slot(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom bot.jobs.payload import Slot\n"
        "print(Slot(Path(sys.argv[1])).owner, flush=True)\nos.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, capture_output=True, text=True
    )

    assert is_gone(tmp_path, done.stdout.strip())


def test_processes_of_another_home_are_never_declared_dead(tmp_path: Path) -> None:
    mine, other = Slot(tmp_path / "a"), Slot(tmp_path / "b")
    other.close()

    assert not mine.is_dead(other.owner)
