from pathlib import Path

import pytest

from eval import fuzz as fuzzer
from eval.fuzz import fuzz, mutated, outcome_of
from eval.samples import samples

SILENT = lambda step, done, total: None  # noqa: E731


def test_every_sample_is_read_as_it_stands() -> None:
    outcomes = {name: outcome_of(data, name) for name, data in samples().items()}

    assert [name for name, outcome in outcomes.items() if not outcome.startswith("loaded")] == []


def test_a_mutation_is_the_same_in_every_run_and_differs_from_its_neighbours() -> None:
    files = samples()

    assert files == samples()
    assert mutated(7, 1, files) == mutated(7, 1, files)
    assert len({mutated(number, 1, files)[1] for number in range(30)}) == 30


def test_what_is_neither_read_nor_refused_is_an_error_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> object:
        raise ValueError("strange bytes")

    monkeypatch.setattr(fuzzer, "build_tables", broken)

    assert outcome_of(b"a;b;c\n1;2;3\n4;5;6\n", "a.csv") == "error: ValueError: strange bytes"


def test_a_child_that_hangs_is_a_finding_and_the_next_one_goes_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[int] = []

    def child(seed: int, start: int, count: int, folder: Path | None, seconds: float):  # type: ignore[no-untyped-def]
        seen.append(start)
        for number in range(start, count):
            if number == 2:
                yield number, "hang: over 1 s"
                return
            yield number, "refused DamagedFile"

    monkeypatch.setattr(fuzzer, "_child", child)
    report = fuzz(5, 1, SILENT)

    assert seen == [0, 3]
    assert report["outcomes"] == {"hang": 1, "refused": 4}
    assert [finding["number"] for finding in report["findings"]] == [2]


@pytest.mark.slow
def test_broken_files_of_every_kind_are_read_or_refused_and_nothing_else_happens() -> None:
    report = fuzz(300, 2025, SILENT)

    assert report["findings"] == []
    assert sum(report["outcomes"].values()) == 300
    assert min(report["outcomes"].values()) > 50  # damage that is always or never noticed would test little
