"""`polyrag bench`: how long the arithmetic takes, without models. Synthetic inputs from fixed seeds; medians of many runs."""

import io
import resource
from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from core.cache import AnswerCache, CacheKey, ClauseEvidence
from core.ingest.chunk import build_chunks
from core.ingest.load import BUILTIN_PARSERS, read_file
from core.ingest.tables import build_tables
from core.ports import ReadLimits
from core.router import Anchors, HeadingIndex, route_clause
from core.types import Answer, FloatArray, Found, Heading, Query
from core.vectors import unit_rows
from core.vocabulary import NO_VOCABULARY
from eval.metrics import percentiles

DIMENSION = 384
ROUTES = ("graph", "relational", "text")
ANCHORS, HEADINGS, ENTRIES, RUNS = 500, 5_000, 10_000, 200
CSV_ROWS, XLSX_ROWS, PDF_PAGES = 200_000, 100_000, 100


def bench(groups: Sequence[str], tell: Callable[[str, int, int], None]) -> dict[str, Any]:
    """The figures of the named groups: "core" (milliseconds) and "ingest" (rates and memory)."""
    makers: dict[str, Callable[[], dict[str, Any]]] = {
        "route_decision_ms": route_decision,
        "cache_lookup_ms": cache_lookup,
    }
    if "ingest" in groups:
        makers |= {"csv": csv_rate, "xlsx": xlsx_rate, "pdf": pdf_rate}
        if "core" not in groups:
            makers = {name: makers[name] for name in ("csv", "xlsx", "pdf")}
    report: dict[str, Any] = {}
    for number, (name, make) in enumerate(makers.items(), start=1):
        tell(name, number, len(makers))
        report[name] = make()
    report["peak_memory_mib"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)
    return report


def _vectors(count: int, seed: int) -> FloatArray:
    return unit_rows(np.random.default_rng(seed).normal(size=(count, DIMENSION)))


def _timed(work: Callable[[int], object], runs: int = RUNS) -> dict[str, float]:
    """Milliseconds a run after a tenth of warm-up runs."""
    for number in range(max(1, runs // 10)):
        work(number)
    laps = []
    for number in range(runs):
        start = perf_counter()
        work(number)
        laps.append((perf_counter() - start) * 1000)
    return percentiles(laps)


def route_decision() -> dict[str, Any]:
    """One clause against all anchors and headings, with the signals of three stores; no embedding time."""
    share = ANCHORS // len(ROUTES) + 1
    routes = {name: tuple(f"{name} phrase {n}" for n in range(share)) for name in ROUTES}
    anchors = Anchors.build(routes, _vectors(share * len(ROUTES), 1))
    kinds = ("section", "column", "entity")
    headings = tuple(Heading(kinds[n % 3], f"heading {n}") for n in range(HEADINGS))  # type: ignore[arg-type]
    index = HeadingIndex.build(headings, _vectors(HEADINGS, 2))
    found = {name: Found(signals=(("plan", 0.4), ("coverage", 0.5), ("fact_top", 0.6))) for name in ROUTES}
    questions = _vectors(RUNS, 3)
    text = "quem aprova as despesas da oficina que mantém a caldeira C-2?"

    def decide(number: int) -> object:
        query = Query(text, questions[number % RUNS], "pt")
        return route_clause(query, anchors, found, index, vocabulary=NO_VOCABULARY)

    return _timed(decide) | {"anchors": share * len(ROUTES), "headings": HEADINGS}


def cache_lookup() -> dict[str, Any]:
    """A paraphrase look-up among entries of one scope, and an exact one."""
    cache = AnswerCache(DIMENSION, capacity=ENTRIES)
    vectors = _vectors(ENTRIES, 4)
    answer = Answer("a", "pt", False, (), "miss", "", (), (), (), "", "t", ())
    evidence = (ClauseEvidence(("text",), "", "", ("c1",)),)
    keys = [CacheKey("scope", f"pergunta {n}?", "pt", vectors[n], evidence) for n in range(ENTRIES)]
    for number, key in enumerate(keys):
        cache.put(key, replace(answer, trace_id=str(number)))
    asked = [replace(keys[n * 7 % ENTRIES], question=f"outra pergunta {n}?") for n in range(RUNS)]
    paraphrase = _timed(lambda n: cache.paraphrase(asked[n % RUNS], NO_VOCABULARY, threshold=0.9))
    exact = _timed(lambda n: cache.exact("scope", f"pergunta {n}?", "pt"))
    return paraphrase | {"entries": ENTRIES, "exact": exact}


def _ingested(name: str, data: bytes) -> float:
    """Seconds to read, type and cut one file."""
    start = perf_counter()
    loaded = read_file(data, name, BUILTIN_PARSERS, ReadLimits(max_bytes=1_000_000_000), None)
    tables = build_tables(loaded, "bench")
    build_chunks(loaded, tables, "bench", characters=900)
    return perf_counter() - start


def csv_rate() -> dict[str, Any]:
    source = np.random.default_rng(5)
    amounts = source.integers(100, 10_000_000, CSV_ROWS)
    lines = ["data;cidade;produto;quantidade;valor;código"]
    lines += [
        f"{1 + n % 28:02d}/{1 + n % 12:02d}/2025;Cidade {n % 40};Produto {n % 90};{n % 500};{a // 100},{a % 100:02d};{n:07d}"
        for n, a in enumerate(amounts)
    ]
    seconds = _ingested("bench.csv", "\n".join(lines).encode())
    return {"rows": CSV_ROWS, "seconds": round(seconds, 3), "rows_per_second": round(CSV_ROWS / seconds)}


def xlsx_rate() -> dict[str, Any]:
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet("Dados")
    sheet.append(["data", "cidade", "produto", "quantidade", "valor", "código"])
    for n in range(XLSX_ROWS):
        sheet.append(
            [f"2025-{1 + n % 12:02d}-01", f"Cidade {n % 40}", f"Produto {n % 90}", n % 500, n / 7, f"{n:07d}"]
        )
    buffer = io.BytesIO()
    book.save(buffer)
    seconds = _ingested("bench.xlsx", buffer.getvalue())
    return {"rows": XLSX_ROWS, "seconds": round(seconds, 3), "rows_per_second": round(XLSX_ROWS / seconds)}


def pdf_rate() -> dict[str, Any]:
    """A text PDF, made without a library so that the figure needs no development package."""
    line = "A manutencao da caldeira e feita pela oficina termica a cada trinta dias corridos."
    pages = [
        "BT /F1 11 Tf 60 780 Td 14 TL " + " ".join(f"({p + 1}.{n} {line}) Tj T*" for n in range(45)) + " ET"
        for p in range(PDF_PAGES)
    ]
    seconds = _ingested("bench.pdf", _pdf(pages))
    return {
        "pages": PDF_PAGES,
        "seconds": round(seconds, 3),
        "pages_per_second": round(PDF_PAGES / seconds, 1),
    }


def _pdf(streams: Sequence[str]) -> bytes:
    """The smallest valid PDF around these page streams."""
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(streams)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(streams)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for n, stream in enumerate(streams):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {5 + 2 * n} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    out, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{offset:010d} 00000 n \n".encode() for offset in offsets)
    out += f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)
