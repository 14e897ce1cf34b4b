"""Query results as CSV files, for people who open them in a spreadsheet."""

import csv
import io
from collections.abc import Sequence

from bot.messages import OutFile
from core.types import Source, Value

_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a cell that starts so would be run, not shown


def csv_files(sources: Sequence[Source]) -> tuple[OutFile, ...]:
    """One file a result, named by rank: UTF-8 with a byte order mark, so that spreadsheets read the accents."""
    names = ["result.csv"] if len(sources) == 1 else [f"result-{n}.csv" for n in range(1, len(sources) + 1)]
    return tuple(OutFile(name, _csv(source)) for name, source in zip(names, sources, strict=True))


def _csv(source: Source) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([_cell(name) for name in source.columns])
    writer.writerows([_cell(value) for value in row] for row in source.rows)
    return ("\ufeff" + out.getvalue()).encode()


def _cell(value: Value) -> Value:
    """Text that a spreadsheet would take for a formula is marked as text."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
