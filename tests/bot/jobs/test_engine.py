"""A workflow goes on at the step after the last one that was finished, also in another process."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bot.jobs.engine import DbosEngine
from core.errors import ModelUnavailable

ROOT = Path(__file__).resolve().parents[3]
DIES = """
import os, signal, sys
from bot.jobs.engine import DbosEngine

def first(job, results):
    print("first", flush=True)
    return ["kept"]

def second(job, results):
    os.kill(os.getpid(), signal.SIGKILL)

DbosEngine(sys.argv[1], "a").run("job1", [("first", first), ("second", second)])
"""


def url(folder: Path, name: str = "w") -> str:
    return f"sqlite:///{folder / name}.db"


def test_a_process_that_was_killed_is_continued_after_its_last_finished_step(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DIES, url(tmp_path)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == -9, done.stderr
    assert done.stdout == "first\n"
    engine, calls = DbosEngine(url(tmp_path), "b"), []

    def first(job: str, results: dict[str, Any]) -> Any:
        calls.append("first")

    def second(job: str, results: dict[str, Any]) -> Any:
        calls.append("second")
        return results["first"]

    results = engine.run("job1", [("first", first), ("second", second)])
    engine.close()

    assert calls == ["second"]
    assert results == {"first": ["kept"], "second": ["kept"]}


def test_what_a_step_raises_comes_out_as_it_is_and_the_next_try_starts_anew(tmp_path: Path) -> None:
    engine, calls = DbosEngine(url(tmp_path), "a"), []

    def step(job: str, results: dict[str, Any]) -> Any:
        calls.append(job)
        if len(calls) == 1:
            raise ModelUnavailable("asleep")
        return 7

    with pytest.raises(ModelUnavailable, match="asleep"):
        engine.run("job1", [("step", step)])
    assert engine.run("job1", [("step", step)]) == {"step": 7}
    engine.close()

    assert calls == ["job1", "job1"]


def test_bots_of_two_homes_in_one_process_take_turns(tmp_path: Path) -> None:
    one, two = DbosEngine(url(tmp_path, "one"), "a"), DbosEngine(url(tmp_path, "two"), "a")

    def step(job: str, results: dict[str, Any]) -> Any:
        return job

    for number in range(2):
        assert one.run(f"x{number}", [("step", step)]) == {"step": f"x{number}"}
        assert two.run(f"y{number}", [("step", step)]) == {"step": f"y{number}"}
    one.close()
    two.close()


def test_a_forgotten_job_leaves_no_workflow(tmp_path: Path) -> None:
    engine = DbosEngine(url(tmp_path), "a")
    engine.run("job1", [("step", lambda job, results: "hemlock")])
    engine.forget(["job1"])

    again = engine.run("job1", [("step", lambda job, results: "new")])
    engine.close()

    assert again == {"step": "new"}


def test_a_bot_that_only_answers_does_not_load_the_workflow_library() -> None:
    code = "import sys, bot.wiring, bot.commands.asking\nprint('dbos' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)

    assert done.stdout == "False\n", done.stderr
