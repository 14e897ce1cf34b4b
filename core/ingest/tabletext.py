"""Tables as text: rows as `column: value` lines for small tables, one profile for large ones."""

import re
from collections.abc import Iterator, Sequence

from core.normalize import fold
from core.types import Column, Grid, Language, RawCell, Table, Value

SHEET_MEDIA = frozenset(["csv", "tsv", "xlsx", "xlsm", "xls", "ods"])
SHEET_ROWS = 60  # a longer sheet is asked in SQL; as passages its rows would crowd out prose
PROSE_ROWS = 400  # a table inside prose is part of the text unless it is a data dump
_ISO_DATE = re.compile(r"^(\d{4})-(\d{2})-(\d{2})")


def is_profiled(table: Table, media: str) -> bool:
    """Whether a table is too long to be passages."""
    return len(table.rows) > (SHEET_ROWS if media in SHEET_MEDIA else PROSE_ROWS)


def profile(table: Table, language: Language) -> str:
    """One line that says what a large table holds. Undecided documents get Portuguese words around their names."""
    columns = ", ".join(_named(column) for column in table.columns)
    if language == "en":
        facts = [f"Table with {len(table.rows)} rows", f"columns: {columns}"]
    else:
        facts = [f"Tabela com {len(table.rows)} linhas", f"colunas: {columns}"]
    names = dict.fromkeys(part for part in (table.caption, table.locator.sheet) if part)
    return ". ".join([*names, *facts]) + "."


def row_lines(table: Table, grid: Grid | None, language: Language) -> tuple[str, ...]:
    """Every row as `column: value; column: value`, cells as the document wrote them where that is known."""
    raw_rows = _aligned(table, grid)
    lines = []
    for row, raw in zip(table.rows, raw_rows, strict=True):
        cells = (
            f"{column.name.strip()}: {shown}"
            for column, value, source in zip(table.columns, row, raw, strict=True)
            if (shown := _shown(value, column, source, language))
        )
        lines.append("; ".join(cells))
    return tuple(line for line in lines if line)


def grid_lines(grid: Grid) -> tuple[str, ...]:
    """The rows of a grid that became no table: nothing a document says may be lost."""
    rows = ("; ".join(str(cell).strip() for cell in row if cell not in (None, "")) for row in grid.rows)
    return tuple(row for row in rows if row)


def _named(column: Column) -> str:
    name = column.name.strip()
    return f"{name} ({column.unit})" if column.unit and column.unit not in name else name


def _shown(value: Value, column: Column, source: RawCell, language: Language) -> str:
    """A cell for people: the source's own writing, or the typed value in the document's number style."""
    if value is None:
        return ""
    if isinstance(source, str) and source.strip():
        return " ".join(source.split())
    if isinstance(value, bool):
        return ("yes" if value else "no") if language == "en" else ("sim" if value else "não")
    if isinstance(value, int | float) and column.type in ("integer", "real"):
        return _number(value, column.unit, language)
    if column.type in ("date", "datetime") and language != "en":
        return _ISO_DATE.sub(r"\3/\2/\1", str(value), count=1).replace("T", " ")
    return " ".join(str(value).split())


def _number(value: int | float, unit: str, language: Language) -> str:
    """Grouped by thousands; money with two decimals. 1234.5 is `1.234,5` in Portuguese, `1,234.5` in English."""
    places = 2 if unit in ("R$", "$", "US$", "€", "£") and value != int(value) else None
    text = f"{value:,.{places}f}" if places is not None else f"{value:,}"
    text = text.removesuffix(".0")
    if language != "en":
        text = text.translate(str.maketrans(",.", ".,"))
    if unit == "%":
        return f"{text}%"
    return f"{unit} {text}" if unit in ("R$", "$", "US$", "€", "£") else text


def _aligned(table: Table, grid: Grid | None) -> Iterator[Sequence[RawCell]]:
    """For each typed row the raw row it came from, found by its text cells; blanks where that is not certain."""
    width = len(table.columns)
    blank: tuple[RawCell, ...] = (None,) * width
    text_columns = [index for index, column in enumerate(table.columns) if column.type == "text"]
    raw_rows = [row for row in (grid.rows if grid else ()) if len(row) == width]
    position = 0
    for row in table.rows:
        match = next(
            (i for i in range(position, len(raw_rows)) if _same_texts(row, raw_rows[i], text_columns)), None
        )
        if match is None:
            yield blank
        else:
            position = match + 1
            yield raw_rows[match]


def _same_texts(row: tuple[Value, ...], raw: Sequence[RawCell], text_columns: list[int]) -> bool:
    """Whether all text cells agree (a filled merged cell may be empty in the source) and at least one is there."""
    agreed = 0
    for index in text_columns:
        source = raw[index]
        if source in (None, "") or row[index] is None:
            continue
        if fold(str(source)) != fold(str(row[index])):
            return False
        agreed += 1
    return agreed > 0
