"""What an xlsx says about its cells besides their values: number formats, formulas never computed, true extent.

The cells themselves come from calamine, which does not tell these; here the sheet's XML is scanned, not parsed.
"""

import posixpath
import re
import zipfile
from collections import Counter, defaultdict
from dataclasses import dataclass

from lxml import etree
from openpyxl.styles.numbers import BUILTIN_FORMATS
from openpyxl.utils.cell import column_index_from_string

from core.errors import OversizedFile
from core.ingest.load.archive import read_member
from core.ports import ReadLimits

_CELL = re.compile(rb"<c ([^>]*[^/>])>")
_REFERENCE = re.compile(rb'<c [^>]*?r="([A-Z]{1,3})(\d{1,7})"')
_VALUED = re.compile(rb'<c [^>]*?r="([A-Z]{1,3})(\d{1,7})"[^>]*[^/>]>\s*<(?:v|is|f)\b')
_ATTRIBUTE = re.compile(rb'(\w+)="([^"]*)"')
_ERROR = re.compile(rb'<c [^>]*?t="e"[^>]*>(?:<f[^>]*>[^<]*</f>|<f[^>]*/>)?<v>([^<]*)</v>')
_HIDDEN_ROW = re.compile(rb'<row [^>]*?hidden="(?:1|true)"[^>/]*>\s*<c ')
_HIDDEN_COLUMN = re.compile(rb'<col [^>]*?hidden="(?:1|true)"[^>]*/?>')
_ZEROS = re.compile(r"0{2,}")  # a number format of zeros alone shows 7 as 0007
_UNCOMPUTED = re.compile(rb"(?:</f>|<f[^>]*/>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>")
_FORMAT_BYTES = 2_000_000  # of a sheet's XML in which number formats are looked at
_CURRENCIES = (("R$", "R$"), ("US$", "US$"), ("€", "€"), ("£", "£"), ("[$$", "$"), ('"$"', "$"), ("$", "$"))


@dataclass(frozen=True, slots=True)
class SheetFacts:
    """What the XML of one sheet tells. Rows and columns are 0-based."""

    units: dict[int, str]  # column -> "%", "R$", "0000" … where all its figures have that format
    percents: frozenset[tuple[int, int]] = frozenset()  # single percent cells of other columns
    uncomputed: int = 0  # formulas without a stored result
    errors: tuple[str, ...] = ()  # "#N/A" … of each cell whose formula failed
    hidden_rows: int = 0
    hidden_columns: int = 0

    @property
    def widths(self) -> dict[int, int]:
        """column -> digits, where all its figures are shown with leading zeros."""
        return {column: len(unit) for column, unit in self.units.items() if _ZEROS.fullmatch(unit)}

    def unit(self, column: int) -> str:
        """The unit of a column's figures, "" where there is none."""
        unit = self.units.get(column, "")
        return "" if _ZEROS.fullmatch(unit) else unit


def sheet_facts(archive: zipfile.ZipFile, limits: ReadLimits) -> dict[str, SheetFacts]:
    """Facts by sheet name.

    Raises: OversizedFile when a sheet's filled cells span more than the limit: a reader would hold them all.
    """
    formats = _formats(archive)
    read_member(
        archive, "xl/sharedStrings.xml"
    )  # its true size is checked here, before another library trusts it
    return {
        name: _facts(read_member(archive, path), formats, limits) for name, path in _sheets(archive).items()
    }


def _parsed(archive: zipfile.ZipFile, name: str) -> etree._Element | None:
    data = read_member(archive, name)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    return etree.fromstring(data, parser) if data else None


def _sheets(archive: zipfile.ZipFile) -> dict[str, str]:
    """Sheet name to member path."""
    book = _parsed(archive, "xl/workbook.xml")
    links = _parsed(archive, "xl/_rels/workbook.xml.rels")
    if book is None or links is None:
        return {}
    targets = {link.get("Id"): link.get("Target", "") for link in links}
    found: dict[str, str] = {}
    for sheet in book.iter("{*}sheet"):
        relation = next((value for key, value in sheet.attrib.items() if key.endswith("}id")), None)
        target = targets.get(relation, "")
        if target:
            path = target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"xl/{target}")
            found[sheet.get("name", "")] = path
    return found


def sheet_pictures(archive: zipfile.ZipFile) -> list[tuple[str, str]]:
    """(sheet, member) of every picture that stands on a sheet, in a fixed order."""
    found: list[tuple[str, str]] = []
    for sheet, path in _sheets(archive).items():
        for drawing in _targets(archive, path, "/drawing"):
            found += [(sheet, picture) for picture in _targets(archive, drawing, "/image")]
    return found


def _targets(archive: zipfile.ZipFile, member: str, kind: str) -> list[str]:
    """Members that another one leads to by relations of a kind, in a fixed order."""
    folder, name = posixpath.split(member)
    links = _parsed(archive, f"{folder}/_rels/{name}.rels")
    if links is None:
        return []
    inside = [
        link for link in links if link.get("Type", "").endswith(kind) and link.get("TargetMode") != "External"
    ]
    targets = [link.get("Target", "") for link in inside]
    paths = [t.lstrip("/") if t.startswith("/") else posixpath.normpath(f"{folder}/{t}") for t in targets]
    return sorted(paths, key=lambda path: (len(path), path))


def _formats(archive: zipfile.ZipFile) -> list[str]:
    """What each cell style shows: "%", a currency, leading zeros ("0000"), or ""."""
    styles = _parsed(archive, "xl/styles.xml")
    if styles is None:
        return []
    own = {int(f.get("numFmtId", "0")): f.get("formatCode", "") for f in styles.iter("{*}numFmt")}
    cells = styles.find("{*}cellXfs")
    ids = [int(style.get("numFmtId", "0")) for style in cells] if cells is not None else []
    return [_unit(own.get(number) or BUILTIN_FORMATS.get(number, "")) for number in ids]


def _unit(code: str) -> str:
    """The unit in a number format: 0.00% is "%", [$R$-416] #,##0.00 is "R$"; 0000 is itself."""
    shown = code.split(";")[0]
    if _ZEROS.fullmatch(shown):
        return shown
    if "%" in re.sub(r'"[^"]*"|\\.', "", shown):
        return "%"
    return next((unit for mark, unit in _CURRENCIES if mark in shown), "")


def _facts(xml: bytes, formats: list[str], limits: ReadLimits) -> SheetFacts:
    _check_extent(xml, limits)
    seen: dict[int, Counter[str]] = defaultdict(Counter)
    percents: set[tuple[int, int]] = set()
    if any(formats):
        for match in _CELL.finditer(xml, 0, _FORMAT_BYTES):
            marks = dict(_ATTRIBUTE.findall(match[1]))
            reference = re.fullmatch(rb"([A-Z]{1,3})(\d{1,7})", marks.get(b"r", b""))
            if reference is None or marks.get(b"t", b"n") != b"n":
                continue
            style = int(marks.get(b"s", b"0"))
            unit = formats[style] if style < len(formats) else ""
            column = column_index_from_string(reference[1].decode()) - 1
            seen[column][unit] += 1
            if unit == "%":
                percents.add((int(reference[2]) - 1, column))
    units = {
        column: next(iter(counts)) for column, counts in seen.items() if len(counts) == 1 and "" not in counts
    }
    single = frozenset((row, column) for row, column in percents if column not in units)
    return SheetFacts(
        units,
        single,
        len(_UNCOMPUTED.findall(xml)),
        tuple(error.decode("ascii", "replace") for error in _ERROR.findall(xml)),
        len(_HIDDEN_ROW.findall(xml)),
        len(_HIDDEN_COLUMN.findall(xml)),
    )


def _check_extent(xml: bytes, limits: ReadLimits) -> None:
    """Two cells at opposite corners of a sheet span seventeen billion; formatted empty cells do not count."""
    for pattern in (_REFERENCE, _VALUED):
        columns, rows = set(), 0
        for letters, row in pattern.findall(xml):
            columns.add(letters)
            rows = max(rows, int(row))
        widest = max((column_index_from_string(letters.decode()) for letters in columns), default=0)
        if rows * widest <= limits.max_cells:
            return
    cells = f"{rows * widest} cells"
    raise OversizedFile(cells, size=cells, limit=f"{limits.max_cells} cells")
