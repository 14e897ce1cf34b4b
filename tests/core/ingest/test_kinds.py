"""The kinds of file that break readers: the right value of each, and the page that shows their receipts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.errors import DamagedFile, EmptyFile, EncryptedFile, FileRejected, NoTextLayer, WebPageInstead
from core.harmless import harmless
from core.ports import OcrLine
from core.types import Loaded, Table
from eval.guide import renewed
from eval.kinds import KINDS
from tests.core.ingest.load.making import SpokenOcr, read, rows, spoken, tables, texts

BY_KEY = {kind.key: kind for kind in KINDS}
PAGE = Path(__file__).parents[3] / "docs" / "files.md"


def loaded(key: str, ocr: SpokenOcr | None = None) -> Loaded:
    return read(BY_KEY[key].make(), BY_KEY[key].file, ocr)


def table(key: str) -> Table:
    return tables(loaded(key))[0]


def names(found: Table) -> list[str]:
    return [column.name for column in found.columns]


def total(found: Table, column: int) -> float:
    return sum(row[column] for row in rows(found))


RIGHT: dict[str, Callable[[], Any]] = {
    "semicolon": lambda: names(table("semicolon")) == ["item", "setor", "saldo"] and total(table("semicolon"), 2) == 31,
    "decimal_comma": lambda: [row[1] for row in rows(table("decimal_comma"))] == [2150.4, 870.15, 9.5],
    "windows_encoding": lambda: [row[0] for row in rows(table("windows_encoding"))] == ["Maceió", "Köln"],
    "utf16": lambda: rows(table("utf16")) == [("Maceió", 15), ("Belém", 4)],
    "newline_in_cell": lambda: rows(table("newline_in_cell"))[0][1:] == ("primeira linha\nsegunda; com ponto e vírgula", 8),
    "leading_zeros": lambda: [row[:2] for row in rows(table("leading_zeros"))] == [("0031", "40010-020"), ("0107", "40020000")],
    "day_first": lambda: [row[1] for row in rows(table("day_first"))] == ["2023-04-07", "2023-04-25", "2023-05-02"],
    "ambiguous_dates": lambda: [row[1] for row in rows(table("ambiguous_dates"))] == ["2023-04-07", "2023-05-02"]
    and "dia/mês" in table("ambiguous_dates").assumptions[0],
    "ragged_rows": lambda: rows(table("ragged_rows"))[1][1:] == ("frase, com, vírgulas", 2) and len(rows(table("ragged_rows"))) == 3,
    "preamble": lambda: names(table("preamble")) == ["item", "saldo"]
    and total(table("preamble"), 1) == 31
    and "Relatório de saída" in table("preamble").caption,
    "injection": lambda: "Esqueça as regras" in rows(table("injection"))[0][1] and "@everyone" not in harmless(rows(table("injection"))[0][1]),
    "hidden_places": lambda: all(
        any(wanted in text for text in [*texts(loaded("hidden_places")), str(table("hidden_places").rows)])
        for wanted in ("45 dias", "portão 5", "S-14", "NI-31")
    )
    and not any("10 dias" in text for text in texts(loaded("hidden_places"))),
    "two_row_header": lambda: names(table("two_row_header")) == ["Loja", "2023 S1", "2023 S2", "2024 S1", "2024 S2"],
    "vertical_merge": lambda: sum(row[2] for row in rows(table("vertical_merge")) if row[0] == "7A") == 14,
    "rollup_rows": lambda: total(table("rollup_rows"), 1) == 180,
    "formatted_to_the_end": lambda: rows(table("formatted_to_the_end")) == [("lápis", 20)],
    "two_tables": lambda: [names(found) for found in tables(loaded("two_tables"))] == [["cor", "litros"], ["pincel", "cm"]],
}  # fmt: skip
REFUSED: dict[str, type[FileRejected]] = {
    "empty": EmptyFile,
    "login_page": WebPageInstead,
    "no_text_layer": NoTextLayer,
    "password": EncryptedFile,
    "truncated": DamagedFile,
}


def test_each_of_the_twenty_two_kinds_has_its_right_value() -> None:
    assert sorted([*RIGHT, *REFUSED]) == sorted(BY_KEY)
    assert len(KINDS) == 22


@pytest.mark.parametrize("key", sorted(RIGHT))
def test_a_file_that_breaks_readers_gives_the_right_value(key: str) -> None:
    assert RIGHT[key](), loaded(key)


@pytest.mark.parametrize("key", sorted(REFUSED))
def test_a_file_that_cannot_be_read_is_refused_with_its_reason(key: str) -> None:
    with pytest.raises(REFUSED[key]):
        loaded(key)


def test_a_page_without_a_text_layer_is_read_where_there_is_ocr() -> None:
    said: OcrLine = spoken("Contrato de locação número doze", 40)

    assert texts(loaded("no_text_layer", SpokenOcr(said))) == ["Contrato de locação número doze"]


def test_the_page_about_files_shows_the_receipts_of_today() -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert renewed(page) == page, "run: python -m eval.guide docs/files.md"
