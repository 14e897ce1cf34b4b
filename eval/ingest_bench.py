"""`polyrag bench ingest`: how fast files become passages and typed tables, and how much memory that takes.

Timed is reading, typing the tables and cutting passages, as the write walk does them; embedding and storing are not part
of it. Each file is made from a fixed seed and read in a process of its own, whose peak memory is its own. Beside each
time stands that of the bare library on the same bytes in the same process: the ratio does not depend on the machine.
"""

import io
import json
import resource
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np

from core.errors import FileRejected
from core.ingest.chunk import build_chunks
from core.ingest.load import BUILTIN_PARSERS, read_file
from core.ingest.tables import build_tables
from core.ports import ReadLimits
from core.settings import IngestSettings
from eval.making import pdf_of

CSV_ROWS, XLSX_ROWS, PDF_PAGES, LONG_PAGES = 1_000_000, 100_000, 100, 500
BOMB_BYTES = 1_000_000_000
SECONDS = 900.0  # a reader that hangs fails the bench
TARGETS = {
    "pdf": ("pages_per_second", ">=", 100.0),
    "xlsx": ("seconds", "<=", 6.0),
    "csv": ("seconds", "<=", 40.0),
    "csv_memory": ("peak_mib", "<=", 1.2 * 1024),
}


def ingest_figures(tell: Callable[[str, int, int], None], *, scale: float = 1.0) -> dict[str, Any]:
    """Figures by kind of file. Args: scale: of the files' sizes; the targets are meant for 1."""
    csv_rows, xlsx_rows = max(1, int(CSV_ROWS * scale)), max(1, int(XLSX_ROWS * scale))
    pages, long_pages = max(1, int(PDF_PAGES * scale)), max(1, int(LONG_PAGES * scale))
    bomb = max(1, int(BOMB_BYTES * scale))
    makers: dict[str, tuple[str, Callable[[Path], dict[str, int]], int]] = {
        "pdf": ("bench.pdf", lambda path: _pdf(path, pages), 5),
        "pdf_long": ("bench.pdf", lambda path: _pdf(path, long_pages), 1),
        "xlsx": ("bench.xlsx", lambda path: _xlsx(path, xlsx_rows), 3),
        "csv": ("bench.csv", lambda path: _csv(path, csv_rows), 1),
        "zip_bomb": ("bench.zip", lambda path: _bomb(path, bomb, "{}.csv"), 1),
        "xlsx_bomb": ("bench.xlsx", lambda path: _bomb(path, bomb, "xl/worksheets/sheet{}.xml"), 1),
    }
    report: dict[str, Any] = {}
    limit = float(IngestSettings().max_memory_mib)
    with tempfile.TemporaryDirectory(prefix="polyrag-bench-") as folder:
        for number, (name, (file, make, runs)) in enumerate(makers.items(), start=1):
            tell(name, number, len(makers))
            path = Path(folder) / file
            size = make(path)
            report[name] = size | _in_child(path, runs)
            report[name]["within_memory_limit"] = report[name]["peak_mib"] <= limit
            path.unlink()
    for name in ("pdf", "pdf_long"):
        figures = report[name]
        figures["pages_per_second"] = round(figures["pages"] / figures["seconds"], 1)
        figures["pages_per_cpu_second"] = round(figures["pages"] / figures["cpu_seconds"], 1)
    for name in ("xlsx", "csv"):
        report[name]["rows_per_second"] = round(report[name]["rows"] / report[name]["seconds"])
    report["targets"] = {name: _met(report[name.split("_")[0]], *target) for name, target in TARGETS.items()}
    report["memory_limit_mib"] = limit
    return report


def _met(figures: dict[str, Any], key: str, sign: str, target: float) -> dict[str, Any]:
    value = float(figures[key])
    return {"target": f"{key} {sign} {target:g}", "met": value >= target if sign == ">=" else value <= target}


def _in_child(path: Path, runs: int) -> dict[str, Any]:
    """What a fresh process measured. Raises: CalledProcessError, TimeoutExpired."""
    command = [sys.executable, "-m", "eval.ingest_bench", str(path), str(runs)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=SECONDS)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


# --- inside the child -------------------------------------------------------------------------------


def measure(path: Path, runs: int) -> dict[str, Any]:
    """Median seconds of the three steps, the bare library's, and the peak of this process in MiB.

    The bare library runs last, after the peak was taken: its memory is not ours.
    """
    data = path.read_bytes()
    limits = ReadLimits(max_bytes=max(len(data), IngestSettings().max_bytes))
    laps: list[tuple[float, float, float]] = []
    cpu: list[float] = []
    refused = ""
    for _ in range(runs):
        busy = process_time()
        try:
            laps.append(_lap(data, path.name, limits))
        except FileRejected as refusal:
            refused = refusal.say("en")
        cpu.append(process_time() - busy)
    found: dict[str, Any] = {"bytes": len(data), "peak_mib": _peak_mib()}
    if refused:
        return found | {"refused": refused}
    seconds = median(sum(lap) for lap in laps)
    bare = median(_bare(data, path.suffix) for _ in range(runs))
    steps = {
        name: round(median(lap[at] for lap in laps), 3) for at, name in enumerate(("read", "type", "cut"))
    }
    return found | {
        "seconds": round(seconds, 3),
        "cpu_seconds": round(median(cpu), 3),
        "steps": steps,
        "bare_seconds": round(bare, 3),
        "ratio": round(seconds / bare, 2),
        "runs": runs,
    }


def _lap(data: bytes, name: str, limits: ReadLimits) -> tuple[float, float, float]:
    start = perf_counter()
    loaded = read_file(data, name, BUILTIN_PARSERS, limits, None)
    read = perf_counter()
    tables = build_tables(loaded, "bench")
    typed = perf_counter()
    build_chunks(loaded, tables, "bench", characters=IngestSettings().chunk_characters)
    return read - start, typed - read, perf_counter() - typed


def _bare(data: bytes, kind: str) -> float:
    """Seconds that the library alone needs to give up what the file holds."""
    start = perf_counter()
    if kind == ".pdf":
        import pypdfium2

        document = pypdfium2.PdfDocument(data)
        for page in document:
            page.get_textpage().get_text_range()
    elif kind == ".xlsx":
        from python_calamine import CalamineWorkbook

        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        for name in book.sheet_names:
            book.get_sheet_by_name(name).to_python()
    else:
        import csv

        for _ in csv.reader(io.StringIO(data.decode(), newline=""), delimiter=";"):
            pass
    return perf_counter() - start


def _peak_mib() -> float:
    """Most memory this process ever held. The kernel's own mark, because ru_maxrss also counts the parent's."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return round(int(line.split()[1]) / 1024, 1)
    scale = 1024 * 1024 if sys.platform == "darwin" else 1024
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale, 1)


# --- files ------------------------------------------------------------------------------------------


def _csv(path: Path, rows: int) -> dict[str, int]:
    amounts = np.random.default_rng(5).integers(100, 10_000_000, rows).tolist()
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("data;cidade;produto;quantidade;valor;código\n")
        for n, a in enumerate(amounts):
            file.write(
                f"{1 + n % 28:02d}/{1 + n % 12:02d}/2025;Cidade {n % 40};Produto {n % 90};{n % 500};{a // 100},{a % 100:02d};{n:07d}\n"
            )
    return {"rows": rows, "columns": 6}


def _xlsx(path: Path, rows: int) -> dict[str, int]:
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet("Dados")
    sheet.append(["data", "cidade", "produto", "quantidade", "valor", "código"])
    for n in range(rows):
        sheet.append(
            [f"2025-{1 + n % 12:02d}-01", f"Cidade {n % 40}", f"Produto {n % 90}", n % 500, n / 7, f"{n:07d}"]
        )
    book.save(path)
    return {"rows": rows, "columns": 6}


def _pdf(path: Path, pages: int) -> dict[str, int]:
    """A text PDF of full pages, each line different."""
    line = "A manutencao da caldeira e feita pela oficina termica a cada trinta dias corridos."
    streams = [
        "BT /F1 11 Tf 60 780 Td 14 TL " + " ".join(f"({p + 1}.{n} {line}) Tj T*" for n in range(45)) + " ET"
        for p in range(pages)
    ]
    path.write_bytes(pdf_of(streams))
    return {"pages": pages}


def _bomb(path: Path, size: int, pattern: str) -> dict[str, int]:
    """Members of zeros that would unpack to gigabytes."""
    block = bytes(1_000_000)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        if "xl/" in pattern:
            archive.writestr("xl/workbook.xml", "<workbook/>")
        for number in range(1, 3):
            with archive.open(pattern.format(number), "w", force_zip64=True) as member:
                for _ in range(-(-size // len(block))):
                    member.write(block)
    return {"unpacked_bytes": 2 * -(-size // len(block)) * len(block)}


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]), int(sys.argv[2]))))
