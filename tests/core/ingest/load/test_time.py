"""Long runs of one sign cost time in proportion to their length, not to its square."""

from time import process_time

import pytest

from core.ingest.chunk import build_chunks
from core.ingest.tables import build_tables
from tests.core.ingest.load.making import read

LENGTH = 120_000
SECONDS = 20.0  # of this process; what was quadratic took minutes


@pytest.mark.parametrize(
    ("name", "piece"),
    [
        ("a.txt", ".."),
        ("a.txt", "?"),
        ("a.txt", "`abc"),
        ("a.py", '"""Contas."""'),
        ("a.md", "![]("),
        ("a.csv", "9,"),
        ("a.csv", "&amp;"),
        ("a.eml", "To: a@example.org, " * 3),
    ],
)
def test_a_long_run_of_the_same_signs_is_read_in_time(name: str, piece: str) -> None:
    head = "From: a@example.org\nSubject: oi\nX-Long: " if name == "a.eml" else ""
    started = process_time()
    loaded = read(head + piece * (LENGTH // len(piece)) + "\n\nfim", name)
    build_chunks(loaded, build_tables(loaded, "doc"), "doc", characters=900)

    assert process_time() - started < SECONDS
