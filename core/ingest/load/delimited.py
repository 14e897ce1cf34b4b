"""CSV and TSV as people have them: any delimiter, encoding and decimal mark, titles above, ragged rows."""

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from core.errors import OversizedFile
from core.ingest.load.decode import clean, decode
from core.ingest.load.reading import Reading
from core.ingest.load.sniff import kind_of_bytes
from core.ingest.load.tabular import add_parts
from core.ingest.notes import note
from core.ingest.tables.regions import find_regions
from core.ingest.tables.repair import Ragged, regular_rows
from core.language import detect_language
from core.ports import Ocr, ReadLimits
from core.types import Language, Loaded, RawCell, Rejected

_DELIMITERS = (";", "\t", "|", ",")  # ties go to the earlier: a comma is also a decimal mark
_SNIFFED_LINES = 400
_STRIPPED = " \t\r\n\u00a0\u200b\ufeff"
_INTERNED = 200_000  # distinct cell texts that are shared between rows


class DelimitedParser:
    """Reads csv, tsv and other delimited text."""

    name = "csv"
    kinds: tuple[str, ...] = ("csv", "tsv")

    def accepts(self, data: bytes, name: str) -> float:
        return 0.9 if kind_of_bytes(data, name) in ("csv", "tsv") else 0.0

    def read(self, data: bytes, name: str, limits: ReadLimits, ocr: Ocr | None = None) -> Loaded:
        decoded = decode(data)
        text = decoded.text.replace("\0", "")
        language = detect_language(text[:20_000])
        reading = Reading("csv")
        if decoded.guessed:
            reading.assumptions.append(note("encoding", encoding=decoded.encoding).say(language))
        text, told = _declared(text)
        delimiter = told or choose_delimiter(text)
        rows, quoted = _rows(text, delimiter)
        if not quoted:
            reading.assumptions.append(note("quotes").say(language))
        cells = sum(map(len, rows))
        if cells > limits.max_cells:
            raise OversizedFile(f"{cells} cells", size=f"{cells} cells", limit=f"{limits.max_cells} cells")
        _add(reading, regular_rows(rows, delimiter), _mark(delimiter), language)
        return reading.loaded()


def choose_delimiter(text: str) -> str:
    """The delimiter that cuts most lines into the same number of cells; a comma when nothing cuts."""
    best, best_score = ",", (0.0, 0)
    sample = "\n".join(text.split("\n")[:_SNIFFED_LINES])
    for delimiter in _DELIMITERS:
        try:
            widths = [len(row) for row in csv.reader(io.StringIO(sample), delimiter=delimiter) if any(row)]
        except csv.Error:
            continue
        several = Counter(width for width in widths if width > 1)
        if not several:
            continue
        width, count = max(several.items(), key=lambda item: (item[1], item[0]))
        score = (round(count / len(widths), 2), width)
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _declared(text: str) -> tuple[str, str]:
    """Excel's first line `sep=;` names the delimiter and is no data."""
    first, _, rest = text.partition("\n")
    line = first.strip().strip('"').lower()
    return (rest, line[4:] or ",") if line.startswith("sep=") and len(line) <= 5 else (text, "")


def _mark(delimiter: str) -> Literal["", ",", "."]:
    """A comma between cells leaves the dot for decimals; a semicolon is used where the comma is the decimal mark."""
    return "." if delimiter == "," else "," if delimiter == ";" else ""


def _rows(text: str, delimiter: str) -> tuple[list[tuple[RawCell, ...]], bool]:
    """Cells, and whether quotation marks could be believed: an unclosed one must not swallow the rest of the file."""
    try:
        rows = list(_cells(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=False)))
        if not _swallowed(rows):
            return rows, True
    except csv.Error:
        pass  # a cell over the library's limit: the sign of an unclosed quote
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quoting=csv.QUOTE_NONE)
    unquoted = [tuple(c.strip('"') if isinstance(c, str) else c for c in row) for row in _cells(reader)]
    return unquoted, False


def _cells(reader: Iterator[list[str]]) -> Iterator[tuple[RawCell, ...]]:
    """Rows with stripped cells; equal texts are one object, so that a million rows fit in memory."""
    shared: dict[str, str | None] = {}
    for row in reader:
        cells: list[RawCell] = []
        for text in row:
            known = shared.get(text, shared)
            if known is shared:
                known = (text if text.isascii() and text.isprintable() else clean(text)).strip(
                    _STRIPPED
                ) or None
                if len(shared) < _INTERNED:
                    shared[text] = known
            cells.append(known)  # type: ignore[arg-type]
        yield tuple(cells)


def _swallowed(rows: Sequence[tuple[RawCell, ...]]) -> bool:
    """Whether a cell holds lines that look like rows."""
    longest = max((str(cell) for row in rows for cell in row if cell is not None), key=len, default="")
    return longest.count("\n") > 100


def _add(reading: Reading, ragged: Ragged, decimal: Literal["", ",", "."], language: Language) -> None:
    """Tables and the text around them, and a word on every row that was not regular."""
    add_parts(reading, find_regions(ragged.rows), decimal=decimal)
    if ragged.short:
        reading.assumptions.append(note("short_rows", count=ragged.short).say(language))
    for row, text in ragged.repaired:
        where = note("where_row", row=row + 1).say(language)
        reading.assumptions.append(note("repaired", where=where, text=text[:80]).say(language))
    for row, text in ragged.surplus:
        where = note("where_row", row=row + 1).say(language)
        reading.text("note", f"{where}: {text}", row=row + 1)
        reading.rejected.append(Rejected(where, note("overlong").say(language), text))
