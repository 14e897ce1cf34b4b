from pathlib import Path

import pytest

from eval import ingest_bench
from eval.ingest_bench import ingest_figures, measure


def test_a_file_is_timed_step_by_step_beside_the_bare_library(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    ingest_bench._pdf(path, 3)
    found = measure(path, 2)

    assert set(found["steps"]) == {"read", "type", "cut"}
    assert found["ratio"] > 1
    assert found["peak_mib"] > 20
    assert found["bytes"] == path.stat().st_size


def test_a_bomb_is_measured_as_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    ingest_bench._bomb(path, 300_000_000, "{}.csv")

    assert "too large" in measure(path, 1)["refused"]


@pytest.mark.parametrize(
    ("value", "sign", "met"), [(99.0, ">=", False), (100.0, ">=", True), (100.5, "<=", False)]
)
def test_a_target_is_met_or_missed_by_its_own_sign(value: float, sign: str, met: bool) -> None:
    assert ingest_bench._met({"x": value}, "x", sign, 100.0)["met"] is met


@pytest.mark.slow
def test_the_bench_measures_every_kind_in_a_process_of_its_own() -> None:
    report = ingest_figures(lambda step, done, total: None, scale=0.002)

    assert set(report["targets"]) == {"pdf", "xlsx", "csv", "csv_memory"}
    assert all(report[name]["within_memory_limit"] for name in ("pdf", "pdf_long", "xlsx", "csv", "zip_bomb", "xlsx_bomb"))  # fmt: skip
    assert report["csv"]["rows"] == 2000
