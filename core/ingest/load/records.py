"""JSON and JSON lines: lists of records become tables, everything else `name: value` lines."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from core.errors import DamagedFile, OversizedFile
from core.ingest.load.decode import decode
from core.ingest.load.reading import Reading
from core.ingest.load.sniff import kind_of_bytes
from core.ingest.notes import note
from core.ports import Ocr, ReadLimits
from core.types import Loaded, RawCell, Rejected

_DEEPEST = 6
_WIDEST = 400  # columns of one table
_BAD_SHARE = 0.5


class RecordsParser:
    """Reads json and jsonl."""

    name = "json"
    kinds: tuple[str, ...] = ("json", "jsonl")

    def accepts(self, data: bytes, name: str) -> float:
        return 0.8 if kind_of_bytes(data, name) in ("json", "jsonl") else 0.0

    def read(self, data: bytes, name: str, limits: ReadLimits, ocr: Ocr | None = None) -> Loaded:
        kind = kind_of_bytes(data, name)
        reading = Reading(kind)
        text = decode(data).text
        if kind == "jsonl":
            _add(reading, "", _lines(reading, text), limits)
        else:
            try:
                value = json.loads(text)
            except (ValueError, RecursionError) as err:
                raise DamagedFile(f"json: {err}") from err
            _add(reading, "", value, limits)
        return reading.loaded()


def _lines(reading: Reading, text: str) -> list[Any]:
    """One value a line; lines that are none are reported. Raises: DamagedFile when most are none."""
    values: list[Any] = []
    bad = 0
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            values.append(json.loads(line))
        except (ValueError, RecursionError):
            bad += 1
            where = note("where_row", row=number).say("und")
            reading.rejected.append(Rejected(where, note("bad_records").say("und"), line[:200]))
    if bad > _BAD_SHARE * (bad + len(values)):
        raise DamagedFile(f"{bad} bad lines of {bad + len(values)}")
    return values


def _add(reading: Reading, name: str, value: Any, limits: ReadLimits, depth: int = 0) -> None:
    """Tables for lists of records, then what is left as lines of text."""
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        _table(reading, name, value, limits)
    elif isinstance(value, list) and value and all(isinstance(item, list) for item in value):
        rows = [[_scalar(cell) for cell in row] for row in value]
        reading.grid(rows, caption=name, decimal=".")
    elif isinstance(value, dict) and depth < _DEEPEST:
        inner = {key: part for key, part in value.items() if _is_nested(part)}
        plain = {key: part for key, part in value.items() if key not in inner}
        lines = [f"{key}: {cell}" for key, cell in _flat(plain) if cell is not None]
        if lines:
            reading.text("paragraph", "\n".join([name, *lines] if name else lines))
        for key, part in inner.items():
            _add(reading, f"{name} · {key}" if name else str(key), part, limits, depth + 1)
    elif value not in (None, [], {}):
        shown = _scalar(value)
        reading.text("paragraph", f"{name}: {shown}" if name else str(shown))


def _is_nested(value: Any) -> bool:
    """Lists of records, and objects that hold such lists, stand by themselves."""
    if isinstance(value, list):
        return bool(value) and isinstance(value[0], dict | list)
    return isinstance(value, dict) and any(_is_nested(part) for part in value.values())


def _table(reading: Reading, name: str, records: Sequence[dict[str, Any]], limits: ReadLimits) -> None:
    """One row a record, one column a name; names of inner objects are joined with a dot."""
    flat = [dict(_flat(record)) for record in records]
    names = list(dict.fromkeys(key for record in flat for key in record))[:_WIDEST]
    if len(names) * len(flat) > limits.max_cells:
        cells = f"{len(names) * len(flat)} cells"
        raise OversizedFile(cells, size=cells, limit=f"{limits.max_cells} cells")
    rows: list[list[RawCell]] = [[*names], *([record.get(key) for key in names] for record in flat)]
    reading.grid(rows, caption=name, header_rows=1, decimal=".")


def _flat(record: dict[str, Any], prefix: str = "", depth: int = 0) -> Iterator[tuple[str, RawCell]]:
    for key, value in record.items():
        path = f"{prefix}.{key}" if prefix else str(key)
        if isinstance(value, dict) and value and depth < _DEEPEST:
            yield from _flat(value, path, depth + 1)
        else:
            yield path, _scalar(value)


def _scalar(value: Any) -> RawCell:
    """A value as one cell; lists of plain values are joined, anything deeper stays JSON."""
    if isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
        return ", ".join(str(item) for item in value) or None
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False) if value else None
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
