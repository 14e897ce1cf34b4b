import struct
from typing import Any

import pytest

from core.errors import DamagedFile
from core.ingest.load.compound import check_chains
from eval.making import compound, old_workbook
from tests.core.ingest.load.making import read, rows, tables

ROWS = [["produto", "qtd"], ["porca", 3.0], ["prego", 4.0]]


def test_an_old_workbook_is_read() -> None:
    assert rows(tables(read(old_workbook(ROWS), "a.xls"))[0]) == [("porca", 3), ("prego", 4)]


def test_sound_chains_of_large_and_small_streams_pass() -> None:
    tree: dict[str, Any] = {"a": b"x" * 70_000, "b": b"y" * 100, "c": {"d": b"z" * 5_000}}
    check_chains(compound(tree))


def test_a_chain_that_runs_in_a_circle_is_damage_and_not_an_endless_read() -> None:
    data = bytearray(old_workbook(ROWS))
    table = 512 * (1 + struct.unpack_from("<I", data, 76)[0])
    struct.pack_into("<I", data, table + 4 * 3, 1)  # the workbook's fourth sector leads back to its second

    with pytest.raises(DamagedFile):
        read(bytes(data), "a.xls")


@pytest.mark.parametrize("length", [20, 70, 600, 3_000])
def test_a_compound_file_cut_short_is_damage(length: int) -> None:
    with pytest.raises(DamagedFile):
        check_chains(old_workbook(ROWS)[:length])
