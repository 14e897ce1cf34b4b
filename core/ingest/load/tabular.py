"""Rectangles of cells into a reading: titles become captions, forms and stray lines stay text, each table is one grid."""

from collections.abc import Sequence
from typing import Literal

from core.ingest.load.reading import Reading, cell, tidy
from core.ingest.tables.frames import Lines, Region, frame, is_form, values_differ
from core.ingest.tables.heads import Merge
from core.types import Grid, RawCell

_TITLE_LENGTH = 120
_TITLES = 3


def add_parts(
    reading: Reading,
    parts: Sequence[Lines | Region],
    *,
    sheet: str = "",
    first_row: int = 1,
    decimal: Literal["", ",", "."] = "",
    units: Sequence[str] = (),
    hidden: bool = False,
) -> int:
    """Add the parts of one sheet in order; returns how many tables there were.

    Args:
        first_row: the sheet row, as people count, of row 0 of the parts.
        units: from number formats, one a sheet column.
    """
    waiting: list[str] = []  # titles that wait for their table
    heading = ""  # the sheet's own title: the first one, for tables that have none
    tables = 0
    for part in parts:
        row = first_row + part.row
        if isinstance(part, Lines):
            for text in part.texts:
                if part.title and _is_title(text):
                    waiting.append(text)
                else:
                    reading.text("paragraph", text, sheet=sheet, row=row)
            continue
        caption = " · ".join(dict.fromkeys(waiting[-_TITLES:]))
        for text in waiting[:-_TITLES]:
            reading.text("paragraph", text, sheet=sheet, row=row)
        waiting = []
        trail = (*reading.trail, heading) if heading and not caption else reading.trail
        heading = heading or (caption if not tables else "")
        place = reading.place(sheet=sheet, row=row)
        columns = tuple(units[part.column : part.column + len(part.rows[0])])
        reading.rectangle(
            Grid(
                part.rows,
                place,
                tidy(caption),
                trail,
                part.merges,
                hidden,
                part.header_rows,
                decimal,
                columns,
            )
        )
        tables += 1
    for text in waiting:
        reading.text("paragraph", text, sheet=sheet)
    return tables


def _is_title(text: str) -> bool:
    """Short, and not a label with its value."""
    return len(text) <= _TITLE_LENGTH and ": " not in text


def add_table(
    reading: Reading,
    rows: Sequence[Sequence[RawCell]],
    *,
    merges: Sequence[Merge] = (),
    page: int | None = None,
    part: str = "",
    caption: str = "",
    header_rows: int | None = None,
    labelled: bool = False,
) -> None:
    """Add one table of a document: as a grid, or as text where it only lays text out.

    Args:
        rows: as they stand; short rows are padded.
        header_rows: how many header rows there are, where the file marks them.
        labelled: the first column is marked as labels and the first row is not marked as a header.
    """
    width = max((len(row) for row in rows), default=0)
    cells = [tuple(cell(value) for value in row) + (None,) * (width - len(row)) for row in rows]
    used = [at for at, row in enumerate(cells) if any(value is not None for value in row)]
    if not used:
        return
    columns = [c for c in range(width) if any(cells[at][c] is not None for at in used)]
    form = header_rows is None and len(columns) <= 2 and is_form(cells, labelled=labelled)
    pairs = [tuple(cells[at][c] for c in columns) for at in used]
    if len(columns) == 1 or form or (header_rows is None and len(columns) == 2 and values_differ(pairs)):
        if caption:
            reading.text("caption", caption, page=page, part=part)
        lines = (": ".join(str(v).rstrip(" :") if at == 0 and len(columns) > 1 else str(v) for at, v in enumerate(row) if v is not None) for row in pairs)  # fmt: skip
        reading.text("paragraph", "\n".join(lines), page=page, part=part)
        return
    titles = [caption] if caption else []
    for piece in frame(cells, merges, header_rows):
        if isinstance(piece, Region):
            reading.grid(
                piece.rows,
                page=page,
                part=part,
                caption=" · ".join(titles),
                merges=piece.merges,
                header_rows=piece.header_rows,
            )
            titles = []
        elif piece.title and piece.lone is None:
            titles += piece.texts
        else:
            reading.text("paragraph", "\n".join((*titles, *piece.texts)), page=page, part=part)
            titles = []
    if titles:
        reading.text("paragraph", "\n".join(titles), page=page, part=part)
