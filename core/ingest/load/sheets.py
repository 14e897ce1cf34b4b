"""Spreadsheets: xlsx, xlsb, xls and ods cells through calamine; titles, tables and notes of each sheet kept apart."""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta

from lxml import etree
from python_calamine import CalamineSheet, CalamineWorkbook, PasswordError, SheetTypeEnum, SheetVisibleEnum

from core.errors import DamagedFile, EncryptedFile, OversizedFile
from core.ingest.load.archive import open_archive, read_member
from core.ingest.load.compound import check_chains
from core.ingest.load.pictured import Pictures
from core.ingest.load.reading import Reading, cell
from core.ingest.load.sniff import kind_of_bytes
from core.ingest.load.tabular import add_parts
from core.ingest.load.workbook import SheetFacts, sheet_facts, sheet_pictures
from core.ingest.notes import Note, note
from core.ingest.tables.heads import Merge
from core.ingest.tables.regions import find_regions
from core.language import detect_language
from core.ports import Ocr, ReadLimits
from core.types import Language, Loaded, RawCell

_LANGUAGE_CELLS = 2_000


class SheetParser:
    """Reads spreadsheets."""

    name = "xlsx"
    kinds: tuple[str, ...] = ("xlsx", "xls", "ods")

    def accepts(self, data: bytes, name: str) -> float:
        return 1.0 if kind_of_bytes(data, name) in ("xlsx", "xlsb", "xls", "ods") else 0.0

    def read(self, data: bytes, name: str, limits: ReadLimits, ocr: Ocr | None = None) -> Loaded:
        kind = kind_of_bytes(data, name)
        facts, made = _facts(data, kind, limits)
        reading = Reading(kind)
        with _panics_caught():
            self._add(reading, data, facts, limits)
        if kind == "xlsx":
            _add_pictures(reading, data, limits, ocr)
        return reading.loaded(date=made)

    def _add(self, reading: Reading, data: bytes, facts: dict[str, SheetFacts], limits: ReadLimits) -> None:
        """All sheets. Raises: EncryptedFile, OversizedFile."""
        try:
            book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        except PasswordError as err:
            raise EncryptedFile("workbook with a password") from err
        sheets = [
            (book.get_sheet_by_name(info.name), info.visible != SheetVisibleEnum.Visible)
            for info in book.sheets_metadata
            if info.typ == SheetTypeEnum.WorkSheet
        ]
        cells = 0
        contents = []
        for sheet, hidden in sheets:
            cells += sheet.height * sheet.width
            if cells > limits.max_cells:
                raise OversizedFile(
                    f"{cells} cells", size=f"{cells} cells", limit=f"{limits.max_cells} cells"
                )
            contents.append((sheet, hidden, _rows(sheet, facts.get(sheet.name))))
        language = _language([rows for _, _, rows in contents])
        for sheet, hidden, rows in contents:
            _add_sheet(reading, sheet, rows, facts.get(sheet.name), hidden, language)


@contextmanager
def _panics_caught() -> Iterator[None]:
    """A panic of the Rust library is no Exception of Python's; it means bytes that make no sense.

    Raises: DamagedFile.
    """
    try:
        yield
    except BaseException as err:
        if type(err).__name__ == "PanicException":
            raise DamagedFile(f"calamine: {err}") from None
        raise


def _add_pictures(reading: Reading, data: bytes, limits: ReadLimits, ocr: Ocr | None) -> None:
    pictures = Pictures(reading, ocr)
    with open_archive(data, limits) as archive:
        for sheet, member in sheet_pictures(archive):
            pictures.add(read_member(archive, member), sheet=sheet)
    pictures.close()


def _facts(data: bytes, kind: str, limits: ReadLimits) -> tuple[dict[str, SheetFacts], str]:
    """Facts by sheet and the workbook's date; old binary files tell neither."""
    if kind == "xls":
        check_chains(data)
        return {}, ""
    with open_archive(data, limits) as archive:
        return (sheet_facts(archive, limits) if kind == "xlsx" else {}), document_date(
            read_member(archive, "docProps/core.xml")
        )


def document_date(core_properties: bytes) -> str:
    """The ISO date of the last change in an Office file's properties; "" where there is none."""
    if not core_properties:
        return ""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    root = etree.fromstring(core_properties, parser)
    for tag in ("modified", "created"):
        found = next(root.iter(f"{{*}}{tag}"), None) if root is not None else None
        text = (found.text or "")[:10] if found is not None else ""
        if len(text) == 10 and text[:4].isdigit():
            return text
    return ""


def _rows(sheet: CalamineSheet, facts: SheetFacts | None) -> tuple[tuple[RawCell, ...], ...]:
    """The used rectangle, cells cleaned, percentages as they are shown."""
    top, left = sheet.start or (0, 0)
    percents = {column - left for column, unit in facts.units.items() if unit == "%"} if facts else set()
    widths = {column - left: width for column, width in facts.widths.items()} if facts else {}
    single = {(row - top, column - left) for row, column in facts.percents} if facts else set()
    rows = [tuple(map(_cell, row)) for row in sheet.to_python(skip_empty_area=True)]
    if percents:
        rows = [tuple(_times_hundred(c) if at in percents else c for at, c in enumerate(row)) for row in rows]
    if widths:
        rows = [tuple(_padded(c, widths.get(at, 0)) for at, c in enumerate(row)) for row in rows]
    for row, column in sorted(single):
        if 0 <= row < len(rows) and 0 <= column < len(rows[row]):
            shown = _times_hundred(rows[row][column])
            if isinstance(shown, int | float) and not isinstance(shown, bool):
                cells = list(rows[row])
                cells[column] = f"{shown:.10g}%"
                rows[row] = tuple(cells)
    return tuple(rows)


def _cell(value: object) -> RawCell:
    """A calamine value as a raw cell: whole floats are integers, times and durations are text."""
    if value == "":
        return None
    if isinstance(value, str):
        return cell(value)
    if isinstance(value, bool):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**63 else cell(value)
    if isinstance(value, timedelta):
        minutes, seconds = divmod(int(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}"
    if isinstance(value, time):
        return value.isoformat(timespec="seconds")
    return value if isinstance(value, int | datetime | date) else None


def _times_hundred(value: RawCell) -> RawCell:
    return round(value * 100, 10) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _padded(value: RawCell, digits: int) -> RawCell:
    """A code as its number format shows it: 7 under 0000 is 0007."""
    plain = digits and isinstance(value, int) and not isinstance(value, bool)
    return f"{value:0{digits}d}" if plain else value


def _language(sheets: Sequence[Sequence[Sequence[RawCell]]]) -> Language:
    texts: list[str] = []
    for rows in sheets:
        for row in rows[:50]:
            texts += [value for value in row if isinstance(value, str)]
    return detect_language(" . ".join(texts[:_LANGUAGE_CELLS]))


def _add_sheet(
    reading: Reading,
    sheet: CalamineSheet,
    rows: tuple[tuple[RawCell, ...], ...],
    facts: SheetFacts | None,
    hidden: bool,
    language: Language,
) -> None:
    if not rows:
        return
    top, left = sheet.start or (0, 0)
    width = len(rows[0])
    units = [(facts.unit(left + column) if facts else "") for column in range(width)]
    merges = _merges(sheet, top, left, len(rows), width)
    parts = find_regions(rows, merges)
    tables = add_parts(reading, parts, sheet=sheet.name, first_row=top + 1, units=units, hidden=hidden)
    if tables > 1:
        reading.assumptions.append(note("several_tables", sheet=sheet.name, count=tables).say(language))
    if hidden:
        reading.assumptions.append(note("hidden_sheet", sheet=sheet.name).say(language))
    if facts:
        reading.assumptions += [told.say(language) for told in _told(facts, sheet.name)]


def _told(facts: SheetFacts, sheet: str) -> Iterator[Note]:
    """What a reader of the sheet would see, and its values do not tell."""
    if facts.uncomputed:
        yield note("formulas", count=facts.uncomputed, sheet=sheet)
    if facts.errors:
        words = ", ".join(sorted(set(facts.errors)))
        yield note("cell_errors", count=len(facts.errors), sheet=sheet, words=words)
    if facts.hidden_rows:
        yield note("hidden_rows", count=facts.hidden_rows, sheet=sheet)
    if facts.hidden_columns:
        yield note("hidden_columns", sheet=sheet)


def _merges(sheet: CalamineSheet, top: int, left: int, height: int, width: int) -> list[Merge]:
    """Merged ranges relative to the used rectangle, cut to it."""
    found: list[Merge] = []
    for (first_row, first_column), (last_row, last_column) in sheet.merged_cell_ranges or ():
        merge = (
            first_row - top,
            first_column - left,
            min(last_row - top, height - 1),
            min(last_column - left, width - 1),
        )
        if merge[0] >= 0 and merge[1] >= 0 and merge[0] < height and merge[1] < width:
            found.append(merge)
    return sorted(found)
