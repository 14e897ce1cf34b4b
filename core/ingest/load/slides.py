"""PowerPoint: slides in order with their titles, texts, tables, charts' figures, groups and speaker notes."""

import io
from collections.abc import Iterator, Sequence
from typing import Any

from pptx import Presentation
from pptx.enum.shapes import MSO_SHAPE_TYPE

from core.ingest.load.archive import open_archive, read_member
from core.ingest.load.pictured import Pictures
from core.ingest.load.reading import Reading
from core.ingest.load.sheets import document_date
from core.ingest.load.sniff import kind_of_bytes
from core.ingest.load.tabular import add_table
from core.ingest.tables.heads import Merge
from core.ports import Ocr, ReadLimits
from core.types import Loaded, RawCell

_DEEPEST = 12
_GENERIC = (
    "powerpoint presentation",
    "apresentação do powerpoint",
    "apresentação",
    "presentation",
    "untitled",
)


class SlidesParser:
    """Reads pptx."""

    name = "pptx"
    kinds: tuple[str, ...] = ("pptx",)

    def accepts(self, data: bytes, name: str) -> float:
        return 1.0 if kind_of_bytes(data, name) == "pptx" else 0.0

    def read(self, data: bytes, name: str, limits: ReadLimits, ocr: Ocr | None = None) -> Loaded:
        with open_archive(data, limits) as archive:
            made = document_date(read_member(archive, "docProps/core.xml"))
        show = Presentation(io.BytesIO(data))
        reading = Reading("pptx")
        pictures = Pictures(reading, ocr)
        for number, slide in enumerate(show.slides, start=1):
            _add_slide(reading, slide, number, pictures)
        pictures.close()
        title = (show.core_properties.title or "").strip()
        title = "" if title.lower() in _GENERIC else title
        return reading.loaded(title=title, date=made, pages=len(show.slides))


def _add_slide(reading: Reading, slide: Any, number: int, pictures: Pictures) -> None:
    title = slide.shapes.title
    named = title is not None and bool(title.text_frame.text.strip())
    if named:
        reading.heading(title.text_frame.text, 1, page=number)
    else:
        reading.leave_headings()
    for shape in _in_order(slide.shapes, 0):
        if not named or shape.shape_id != title.shape_id:
            _add_shape(reading, shape, number, pictures)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        reading.text("note", slide.notes_slide.notes_text_frame.text, page=number, part="notes")


def _in_order(shapes: Any, depth: int) -> Iterator[Any]:
    """Shapes from top to bottom, left to right; the members of a group stay together."""
    for shape in sorted(shapes, key=lambda s: (s.top or 0, s.left or 0, s.shape_id)):
        if shape.shape_type == MSO_SHAPE_TYPE.GROUP and depth < _DEEPEST:
            yield from _in_order(shape.shapes, depth + 1)
        else:
            yield shape


def _add_shape(reading: Reading, shape: Any, page: int, pictures: Pictures) -> None:
    if getattr(shape, "has_table", False) and shape.has_table:
        rows, merges = _cells(shape.table)
        header = 1 if shape.table.first_row and len(rows) > 1 else None
        add_table(reading, rows, merges=merges, page=page, header_rows=header)
    elif getattr(shape, "has_chart", False) and shape.has_chart:
        _add_chart(reading, shape.chart, page)
    elif shape.has_text_frame:
        _add_text(reading, shape.text_frame, page)
    elif (picture := _picture(shape)) is not None:
        pictures.add(picture, page=page)


def _picture(shape: Any) -> bytes | None:
    """The bytes of a picture that is stored in the file."""
    try:
        blob: bytes = shape.image.blob
        return blob
    except (AttributeError, ValueError, KeyError):  # no picture, an empty frame, or one that is only linked
        return None


def _add_text(reading: Reading, frame: Any, page: int) -> None:
    """Paragraphs of one box; several short ones are a list."""
    texts = [p.text.replace("\v", "\n").strip() for p in frame.paragraphs]
    texts = [text for text in texts if text]
    for text in texts:
        reading.text("list" if len(texts) > 1 else "paragraph", text, page=page)


def _cells(table: Any) -> tuple[list[list[RawCell]], list[Merge]]:
    rows: list[list[RawCell]] = []
    merges: list[Merge] = []
    for at, row in enumerate(table.rows):
        cells: list[RawCell] = []
        for column, cell in enumerate(row.cells):
            cells.append(None if cell.is_spanned else cell.text_frame.text.replace("\v", "\n"))
            if cell.is_merge_origin:
                merges.append((at, column, at + cell.span_height - 1, column + cell.span_width - 1))
        rows.append(cells)
    return rows, merges


def _add_chart(reading: Reading, chart: Any, page: int) -> None:
    """The figures behind a chart: one row a category, one column a series."""
    caption = (
        chart.chart_title.text_frame.text if chart.has_title and chart.chart_title.has_text_frame else ""
    )
    for plot in chart.plots:
        categories = [" / ".join(labels) for labels in plot.categories.flattened_labels]
        series = list(plot.series)
        values: list[Sequence[float | None]] = [list(one.values) for one in series]
        if not categories:
            categories = [str(at) for at in range(1, max((len(v) for v in values), default=0) + 1)]
        rows: list[list[RawCell]] = [[None, *(one.name for one in series)]]
        for at, category in enumerate(categories):
            rows.append([category, *(v[at] if at < len(v) else None for v in values)])
        reading.grid(rows, page=page, caption=caption, header_rows=1, decimal=".")
