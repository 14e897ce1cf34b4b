"""Relations of prose are the chat model's where the configuration says so; what it fails on the rules find."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.errors import ModelUnavailable
from core.ingest.walk import Upload, index_key, ingest
from core.ports import Message
from core.settings import Settings
from core.types import IngestReport, Triple
from tests.walks.bench import Engine, engine, settings_for_tests

TEXT = "# Linhas\n\nA linha L1 depende da bomba B-7. Contrato 77? Pergunte por Ada Lopes.\n"
SHEET = "setor;chefe\nUtilidades;Rui Prado\nPintura;Ada Melo\n"


class Reader:
    """A chat model that reads one relation, which no rule finds, or does not answer."""

    name = "reader"

    def __init__(self, fails: bool = False) -> None:
        self.fails = fails
        self.asked = 0

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        grammar: str | None = None,
        schema: Mapping[str, Any] | None = None,
    ) -> str:
        self.asked += 1
        if self.fails:
            raise ModelUnavailable("asleep")
        found = {"subject": "Ada Lopes", "relation": "sabe de", "object": "contrato 77"}
        return json.dumps({"triples": [found]})

    def stream(self, messages: Sequence[Message], *, max_tokens: int) -> AsyncIterator[str]:
        raise AssertionError("relations are not streamed")


def settings(relations: str) -> Settings:
    made = settings_for_tests()
    return made.model_copy(update={"ingest": made.ingest.model_copy(update={"relations": relations})})


def taken_in(folder: Path, relations: str, reader: Reader, text: str = TEXT) -> tuple[set[str], IngestReport]:
    """The relations kept of a file, as "subject>object", and its receipt."""
    with engine(folder, settings(relations)) as made:
        report = run(made, reader, text)
        parcel = made.ingest_ports.ledger.parcel(report.document)
        return {pair(triple) for triple in parcel.triples}, report


def run(made: Engine, reader: Reader, text: str) -> IngestReport:
    name = "linhas.md" if text.startswith("#") else "chefes.csv"
    upload = Upload(name, text.encode(), "c", "ana", "2025-01-01T00:00:00Z")
    return asyncio.run(ingest(upload, replace(made.ingest_ports, generator=reader)))


def pair(triple: Triple) -> str:
    return f"{triple.subject}>{triple.object}".lower()


def test_by_rules_no_model_is_asked(tmp_path: Path) -> None:
    reader = Reader()
    found, _ = taken_in(tmp_path, "rules", reader)

    assert reader.asked == 0
    assert any("l1" in one for one in found)
    assert not any("lopes" in one for one in found)


def test_by_the_model_its_relations_take_the_place_of_the_rules(tmp_path: Path) -> None:
    found, report = taken_in(tmp_path, "model", Reader())

    assert any("lopes" in one for one in found)
    assert not any("l1" in one for one in found)
    assert not any("regras" in note for note in report.assumptions)


def test_by_both_neither_is_lost(tmp_path: Path) -> None:
    found, _ = taken_in(tmp_path, "both", Reader())

    assert any("lopes" in one for one in found)
    assert any("l1" in one for one in found)


def test_a_model_that_does_not_answer_leaves_the_rules_and_the_uploader_is_told(tmp_path: Path) -> None:
    found, report = taken_in(tmp_path, "model", Reader(fails=True))

    assert any("l1" in one for one in found)
    assert any("só por regras" in note for note in report.assumptions)


def test_rows_of_tables_are_not_for_the_model(tmp_path: Path) -> None:
    reader = Reader()
    taken_in(tmp_path, "model", reader, SHEET)

    assert reader.asked == 0


@pytest.mark.parametrize("relations", ["model", "both"])
def test_another_finder_of_relations_makes_another_index(relations: str) -> None:
    assert index_key("e", settings(relations)) != index_key("e", settings("rules"))
