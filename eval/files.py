"""`polyrag eval files`: does everything that must come out of a file come out of it? Each file is ingested alone."""

import html
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import EncryptedFile, PolyragError
from core.ingest.chunk import build_chunks
from core.ingest.load import read_file
from core.ingest.tables import build_tables
from core.normalize import fold
from core.numbers import holds, quantities
from core.ports import Ocr, Parser, ReadLimits
from core.settings import IngestSettings
from core.types import Table, Value

_CELL_MARKS = re.compile(r"[;,\t|]")


@dataclass(frozen=True, slots=True)
class Stored:
    """What one file became: the text of its passages and its tables."""

    texts: tuple[str, ...]
    tables: tuple[Table, ...]


def stored(
    data: bytes, name: str, parsers: Sequence[Parser], limits: ReadLimits, ocr: Ocr | None, characters: int
) -> Stored:
    """Read, type and cut one file as the write walk does. Raises: FileRejected."""
    loaded = read_file(data, name, tuple(parsers), limits, ocr)
    tables = build_tables(loaded, "file")
    chunks = build_chunks(loaded, tables, "file", characters=characters)
    return Stored(tuple(c.indexed for c in chunks), tables)


def check_file(
    path: Path, expected: dict[str, Any], parsers: Sequence[Parser], settings: IngestSettings, ocr: Ocr | None
) -> dict[str, Any]:
    """The verdict on one line of expected.jsonl: `right`, what is `missing`, and the `reason`."""
    name = str(expected["file"])
    limits = ReadLimits(settings.max_bytes, settings.max_pages, settings.max_cells, settings.max_seconds)
    try:
        data = path.read_bytes()
    except OSError as err:
        return {"file": name, "right": False, "missing": [], "reason": f"cannot be opened: {err.strerror}"}
    try:
        found = stored(data, path.name, parsers, limits, ocr, settings.chunk_characters)
    except EncryptedFile as refused:
        return {
            "file": name,
            "right": bool(expected.get("password")),
            "missing": [],
            "reason": refused.say("en"),
        }
    except PolyragError as refused:
        return {"file": name, "right": False, "missing": [], "reason": refused.say("en")}
    if expected.get("password"):
        return {"file": name, "right": False, "missing": [], "reason": "a protected file was not refused"}
    missing = [wanted for wanted in expected.get("must_contain") or () if not contains(found, str(wanted))]
    missing += _wrong_shape(found.tables, expected.get("facts") or {})
    return {"file": name, "right": not missing, "missing": missing, "reason": _why(found, missing)}


def _why(found: Stored, missing: Sequence[str]) -> str:
    """What is known about strings that were not found."""
    if not missing:
        return ""
    plain = [html.unescape(wanted) for wanted in missing]
    if all(other != wanted and contains(found, other) for wanted, other in zip(missing, plain, strict=True)):
        return f"the file says {', '.join(map(repr, plain))}; the listing writes that as HTML"
    return "not found"


def contains(found: Stored, wanted: str) -> bool:
    """Spaces folded, numbers by value: in a passage, in a cell, or as neighbouring cells of a row."""
    needle = fold(wanted)
    if any(needle in fold(text) for text in found.texts):
        return True
    cells = [value for table in found.tables for row in _rows(table) for value in row]
    if any(_in_cell(wanted, needle, value) for value in cells):
        return True
    parts = [part.strip() for part in _CELL_MARKS.split(wanted)]
    if len(parts) > 1 and any(_in_row(wanted, row) for table in found.tables for row in _rows(table)):
        return True
    return _is_number(wanted) and any(holds(text, wanted) for text in found.texts)


def _rows(table: Table) -> Iterable[tuple[Value, ...]]:
    yield tuple(column.name for column in table.columns)
    yield from table.rows


def _in_cell(wanted: str, needle: str, value: Value) -> bool:
    if value is None:
        return False
    return needle in fold(str(value)) or (_is_number(wanted) and holds(_shown(value), wanted))


def _in_row(wanted: str, row: tuple[Value, ...]) -> bool:
    """A delimited line: its parts are neighbouring cells. Commas may be marks between cells or inside numbers."""
    for mark in (";", "\t", "|", ","):
        parts = [part.strip() for part in wanted.split(mark)]
        if len(parts) > 1 and _neighbours(parts, row):
            return True
    return False


def _neighbours(parts: list[str], row: tuple[Value, ...]) -> bool:
    while parts and not parts[-1]:
        parts = parts[:-1]
    for at in range(len(row) - len(parts) + 1):
        if all(_equal(part, value) for part, value in zip(parts, row[at : at + len(parts)], strict=True)):
            return True
    return False


def _equal(part: str, value: Value) -> bool:
    if value is None:
        return not part
    return fold(part) == fold(str(value)) or (_is_number(part) and holds(_shown(value), part))


def _shown(value: Value) -> str:
    return repr(value) if isinstance(value, float) else str(value)


def _is_number(text: str) -> bool:
    return bool(quantities(text)) and not any(char.isalpha() for char in text)


def _wrong_shape(tables: Sequence[Table], facts: dict[str, Any]) -> list[str]:
    """`rows` and `columns` of the largest table, where the line states them. Totals are rows too."""
    largest = max(tables, key=lambda t: (len(t.rows) * len(t.columns), t.id), default=None)
    wrong = []
    for key, count in (
        ("rows", len(largest.rows) if largest else 0),
        ("columns", len(largest.columns) if largest else 0),
    ):
        wanted = facts.get(key)
        if isinstance(wanted, int) and not isinstance(wanted, bool) and wanted != count:
            wrong.append(f"{key}: {count} instead of {wanted}")
    return wrong


def files_report(
    listing: Path,
    parsers: Sequence[Parser],
    settings: IngestSettings,
    ocr: Ocr | None,
    tell: Callable[[str, int, int], None] = lambda step, done, total: None,
) -> dict[str, Any]:
    """`{"overall": {"right", "n"}, "files": [...]}` for every line of an expected.jsonl; bad lines are listed too."""
    lines = [line for line in listing.read_text(encoding="utf-8").splitlines() if line.strip()]
    verdicts = []
    for number, line in enumerate(lines, start=1):
        tell("files", number, len(lines))
        try:
            expected = json.loads(line)
            path = listing.parent / expected["file"]
        except (ValueError, KeyError, TypeError):
            verdicts.append(
                {"file": f"line {number}", "right": False, "missing": [], "reason": "malformed line"}
            )
            continue
        verdicts.append(check_file(path, expected, parsers, settings, ocr))
    right = sum(1 for verdict in verdicts if verdict["right"])
    share = round(right / len(verdicts), 4) if verdicts else None
    return {"overall": {"right": share, "n": len(verdicts)}, "files": verdicts}
