"""The measuring commands of readers and extraction, run as a person runs them."""

import json
from pathlib import Path

import pytest

from tests.bot.conftest import Program, make_program


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return make_program(tmp_path)


def test_the_fuzzer_runs_as_a_command_and_reports_every_file(program: Program) -> None:
    done = program.run("eval", "fuzz", "--count", "6", "--seed", "5", "--json")
    report = json.loads(done.stdout)

    assert done.returncode == 0, done.stderr
    assert sum(report["outcomes"].values()) == 6
    assert report["findings"] == []


def test_triples_are_scored_without_a_model_when_answers_are_extractive(program: Program) -> None:
    done = program.run("eval", "triples", "--answers", "extractive", "--json", "out.json")
    report = json.loads((program.folder / "out.json").read_text(encoding="utf-8"))

    assert done.returncode == 0, done.stderr
    assert report["rules"]["recall"] > 0.8
    assert "model" not in report
    assert "rules: {'recall'" in done.stdout


def test_the_bench_names_its_groups_when_asked_for_another(program: Program) -> None:
    done = program.run("bench", "ingestion")

    assert done.returncode != 0
    assert "ingest" in done.stderr
