"""The demo files read a second way, with pandas and the plain libraries, to check what the sets claim."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docx
import pandas as pd
import pypdf
import pytest
import yaml

from core.normalize import fold

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "demo" / "corpus"
Passages = dict[str, list[str]]


def brazilian(column: pd.Series[str]) -> pd.Series[float]:
    """ "R$ 1.234,50" -> 1234.5; words and "-" -> missing."""
    plain = column.str.replace("R$ ", "").str.replace(".", "").str.replace(",", ".")
    return pd.to_numeric(plain.mask(~plain.str.contains(r"\d")))


def markdown_table(path: Path, header: str) -> pd.DataFrame:
    """The pipe table whose header line starts with `header`, all cells as text."""
    lines = path.read_text("utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {header} |"))
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return pd.DataFrame(rows[2:], columns=rows[0])


def sheet(name: str, title: str, header: int | list[int], total: str = "Total") -> pd.DataFrame:
    frame = pd.read_excel(CORPUS / name, sheet_name=title, header=header, engine="openpyxl")
    return frame[~frame.iloc[:, 0].astype(str).str.startswith(total)]


def frames() -> dict[str, pd.DataFrame]:
    """Every table of the corpus under a short name with plain column names, totals rows left out."""
    production = pd.read_csv(CORPUS / "producao/producao_2026.csv", sep=";", encoding="cp1252", dtype=str)
    production.columns = pd.Index(
        ["data", "linha", "produto", "turno", "lote", "volume", "perdas", "parada", "custo"]
    )
    payments = pd.read_csv(CORPUS / "campo/pagamento_leite_2026.tsv", sep="\t", dtype=str)
    payments.columns = pd.Index(
        ["matricula", "propriedade", "municipio", "fechamento", "litros", "gordura", "cbt", "preco", "valor"]
    )
    for frame, date, figures in (
        (production, "data", ("volume", "perdas", "parada", "custo")),
        (payments, "fechamento", ("litros", "gordura", "cbt", "preco", "valor")),
    ):
        frame[date] = pd.to_datetime(frame[date], format="%d/%m/%Y").dt.strftime("%Y-%m-%d")
        for figure in figures:
            frame[figure] = brazilian(frame[figure])
    books = {
        "vendas": (sheet("geral/vendas_2026.xlsx", "Vendas", 3), "mes regiao produto quantidade receita devolucoes"),
        "metas": (sheet("geral/vendas_2026.xlsx", "Metas 2026", 2), "produto meta1 meta2 carteira"),
        "ordens": (
            sheet("manutencao/ordens_manutencao_2026.xlsx", "Ordens", [2, 3]),
            "ordem abertura equipamento oficina prioridade horas_plan custo_plan horas_real custo_real situacao",
        ),
        "pecas": (
            sheet("manutencao/ordens_manutencao_2026.xlsx", "Peças", 0),
            "peca descricao equipamento estoque minimo preco",
        ),
        "cargos": (
            sheet("rh/cargos_e_salarios_2026.xlsx", "Cargos", 3),
            "cargo area nivel quadro salario adicional folha",
        ),
        "ferias": (sheet("rh/cargos_e_salarios_2026.xlsx", "Férias programadas", 0), "nome cargo inicio fim dias"),
    }  # fmt: skip
    found = {"producao": production, "pagamentos": payments}
    for name, (frame, columns) in books.items():
        found[name] = frame.set_axis(columns.split(), axis=1)
    sources = ROOT / "demo" / "sources"
    for name, path, header, columns in (
        ("alcadas", CORPUS / "geral/alcadas_de_aprovacao.md", "Nível", "nivel limite prazo"),
        ("exportacao", CORPUS / "geral/export_customers_brief.md", "Product", "product days customer"),
        (
            "viagens",
            sources / "politica_viagens_reembolso.md",
            "Classe da cidade",
            "classe hotel comida exemplos",
        ),
        (
            "bonificacao",
            sources / "regulamento_do_cooperado.md",
            "Faixa de CBT (mil UFC/mL)",
            "faixa bonus classe",
        ),
        ("limites", sources / "manual_da_qualidade.md", "Parâmetro", "parametro minimo maximo unidade"),
        ("calibracao", sources / "manual_da_qualidade.md", "Instrumento", "instrumento onde dias"),
    ):
        frame = markdown_table(path, header).set_axis(columns.split(), axis=1)
        for column in {"limite", "prazo", "days", "hotel", "comida", "bonus", "minimo", "maximo", "dias"}:
            if column in frame:
                frame[column] = brazilian(frame[column])
        found[name] = frame
    return found


@pytest.fixture(scope="session")
def gold() -> Iterator[sqlite3.Connection]:
    """The tables of the corpus in SQLite, for the gold queries of the question sets."""
    with sqlite3.connect(":memory:") as base:
        for name, frame in frames().items():
            frame.to_sql(name, base, index=False)
        yield base


def paragraphs(path: Path) -> list[str]:
    """What any chunker can keep together: paragraphs and tables; in a PDF, those sentences that one page holds."""
    if path.suffix in {".md", ".txt"}:
        return re.split(r"\n\s*\n", path.read_text("utf-8"))
    if path.suffix == ".docx":
        return [paragraph.text for paragraph in docx.Document(str(path)).paragraphs]
    if path.suffix == ".pdf":
        pages = [fold(page.extract_text()) for page in pypdf.PdfReader(path).pages]
        source = (ROOT / "demo/sources" / path.name).with_suffix(".md")
        parts = [re.split(r"(?<=\.)\s+", text) for text in paragraphs(source)]
        return [" ".join(s for s in part if fold(s) in page) for page in pages for part in parts]
    return []


@pytest.fixture(scope="session")
def passages() -> Passages:
    """Folded paragraphs by file, as "channel/name"."""
    files = sorted(path for path in CORPUS.glob("*/*") if path.is_file())
    return {
        str(path.relative_to(CORPUS)): [fold(text) for text in paragraphs(path) if text.strip()]
        for path in files
    }


def load(path: Path) -> dict[str, Any]:
    loaded = yaml.safe_load(path.read_text("utf-8"))
    assert isinstance(loaded, dict)
    return loaded


@pytest.fixture(scope="session")
def channels() -> dict[str, Any]:
    return load(ROOT / "demo" / "channels.yaml")


@pytest.fixture(scope="session")
def script() -> dict[str, Any]:
    return load(ROOT / "demo" / "script.yaml")


@pytest.fixture(scope="session", params=("golden", "compound", "unanswerable", "cache"))
def question_set(request: pytest.FixtureRequest) -> tuple[Path, dict[str, Any]]:
    path = ROOT / "eval" / "sets" / f"{request.param}.yaml"
    return path, load(path)
