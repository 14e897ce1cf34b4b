"""The demo corpus is what its description says, can be built again, and keeps its chains apart."""

from __future__ import annotations

import io
import re
import sqlite3
import zipfile
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pypdf
import pytest

from core.normalize import fold
from demo import make_corpus

from .conftest import CORPUS, ROOT, Passages, brazilian, frames

# Each chain is told by facts of at least three files; the names are those that a reader meets on the way.
CHAINS = (
    ("Iogurte Serrano", "linha L2", "PZ-300", "Oficina Térmica", "Gerência de Ativos Industriais"),
    ("E-4021", "PO-17", "plantonista térmico", "técnico de caldeiras"),
    ("Ponte Queimada", "PR-03", "Equipe Campo Norte", "Coordenação de Fomento Leiteiro"),
    ("Harbour Lane Foods", "Queijo Tarumim Reserva", "linha L6", "CM-2", "Oficina de Refrigeração"),
    ("AQ-05", "LX-9", "Automação e Instrumentação", "Gerência de Tecnologia Industrial"),
)


def contents(data: bytes) -> object:
    """Archives by member, since another zlib may compress the same members to other bytes."""
    if not data.startswith(b"PK"):
        return data
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [(item.filename, item.date_time, archive.read(item)) for item in archive.infolist()]


def test_built_files_are_what_the_generator_writes_today() -> None:
    for name, data in make_corpus.build().items():
        assert contents((CORPUS / name).read_bytes()) == contents(data), name


def test_generator_writes_the_same_bytes_twice() -> None:
    assert make_corpus.build() == make_corpus.build()


def test_every_file_is_uploaded_once_to_the_channel_of_its_folder(channels: dict[str, Any]) -> None:
    uploads = [(ROOT / "demo" / entry["file"], entry["channel"]) for entry in channels["corpus"]]

    assert sorted(path for path, _ in uploads) == sorted(path for path in CORPUS.rglob("*") if path.is_file())
    assert all(path.parent.name == channel for path, channel in uploads)
    assert {channel for _, channel in uploads} == set(channels["channels"])


def test_five_channels_with_one_private_and_somebody_who_sits_in_all(channels: dict[str, Any]) -> None:
    rooms = channels["channels"]
    private = [name for name, room in rooms.items() if room["visibility"] == "private"]

    assert len(rooms) == 5
    assert private == ["rh"]
    everywhere = set.intersection(*(set(room["members"]) for room in rooms.values()))
    assert everywhere
    assert set(rooms["geral"]["members"]) - set(rooms["rh"]["members"])


def test_corpus_holds_every_kind_of_file_and_stays_small() -> None:
    files = [path for path in CORPUS.rglob("*") if path.is_file()]
    kinds = Counter(path.suffix for path in files)

    assert 15 <= len(files) <= 18
    assert {".md", ".txt", ".csv", ".tsv", ".xlsx", ".pdf", ".docx"} == set(kinds)
    assert sum(path.stat().st_size for path in files) < 2_000_000


def test_pdfs_have_several_pages_and_headings_in_their_text() -> None:
    for path in CORPUS.rglob("*.pdf"):
        pages = [page.extract_text() for page in pypdf.PdfReader(path).pages]
        assert len(pages) >= 2
        assert all(len(text) > 200 for text in pages)


def test_totals_rows_say_the_sum_of_the_rows_above(gold: sqlite3.Connection) -> None:
    for name, title, query in (
        (
            "geral/vendas_2026.xlsx",
            "Vendas",
            "select sum(quantidade), sum(receita), sum(devolucoes) from vendas",
        ),
        ("geral/vendas_2026.xlsx", "Metas 2026", "select sum(meta1), sum(meta2) from metas"),
        (
            "manutencao/ordens_manutencao_2026.xlsx",
            "Ordens",
            "select sum(horas_plan), sum(custo_plan), sum(horas_real), sum(custo_real) from ordens",
        ),
        ("rh/cargos_e_salarios_2026.xlsx", "Cargos", "select sum(quadro), sum(folha) from cargos"),
    ):
        sheet = openpyxl.load_workbook(CORPUS / name)[title]
        last = [value for value in list(sheet.iter_rows(values_only=True))[-1] if value is not None]
        assert str(last[0]).startswith("Total")
        assert last[1:] == pytest.approx(gold.execute(query).fetchone(), abs=0.01)


def test_work_orders_have_a_two_row_header_with_merged_groups() -> None:
    sheet = openpyxl.load_workbook(CORPUS / "manutencao/ordens_manutencao_2026.xlsx")["Ordens"]

    assert {"F3:G3", "H3:I3"} <= {str(block) for block in sheet.merged_cells.ranges}
    assert [sheet["F4"].value, sheet["G4"].value] == ["Horas", "Custo (R$)"]


def test_price_paid_follows_the_bonus_table_of_the_rules(gold: sqlite3.Connection) -> None:
    """The payment file and the members' rules agree: a lower count never gets a lower quality bonus."""
    rows = gold.execute("select fechamento, cbt, preco, litros, valor from pagamentos").fetchall()
    bonus = dict(gold.execute("select classe, bonus from bonificacao").fetchall())
    base: dict[str, set[float]] = {}
    for day, count, price, litres, paid in rows:
        grade = "Ouro" if count <= 10 else "Prata" if count <= 50 else "Bronze" if count <= 100 else "Base"
        base.setdefault(day, set()).add(round(price - bonus[grade], 2))
        assert paid == pytest.approx(price * litres, abs=0.01)
    # what is left is the base price of the month, with or without the sanitary bonus of R$ 0.02
    assert all(len(prices) <= 2 and max(prices) - min(prices) <= 0.021 for prices in base.values())


@pytest.mark.parametrize("chain", CHAINS, ids=lambda chain: chain[0])
def test_no_single_file_tells_a_whole_chain(chain: tuple[str, ...], passages: Passages) -> None:
    whole = {name: " ".join(texts) for name, texts in passages.items()}
    names = [fold(name) for name in chain]

    links = [
        {file for file, text in whole.items() if first in text and then in text}
        for first, then in pairwise(names)
    ]
    assert all(links)
    assert not any(all(name in text for name in names) for text in whole.values())
    assert len(set().union(*links)) >= 3


def test_private_names_stay_out_of_the_public_channels() -> None:
    public = "\n".join(
        path.read_text("utf-8") for path in CORPUS.glob("*/*.[mt][dx]*") if path.parent.name != "rh"
    )
    for secret in ("Nair Saboia", "Cirilo Antunes", "Zenaide Prado", "sucessor indicado", "coparticipação"):
        assert secret not in public


def test_brazilian_figures_are_read_by_value() -> None:
    read = brazilian(pd.Series(["R$ 1.234,50", "-0,536", "7", "-"]))
    assert read.tolist()[:3] == [1234.5, -0.536, 7.0]
    assert read.isna().tolist() == [False, False, False, True]


def test_codes_keep_their_spelling_and_lots_their_leading_zeros() -> None:
    production = frames()["producao"]

    assert production["lote"].str.fullmatch(r"00\d{5}").all()
    assert re.search(r"\(b\) E-4021:", Path(CORPUS / "manutencao/pasteurizer_runbook.md").read_text("utf-8"))
