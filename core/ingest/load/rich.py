"""Rich text (rtf): striprtf reads the markup; tables, headings and notes are marked for it before, found again after."""

import re
from collections.abc import Iterator

from striprtf.striprtf import rtf_to_text

from core.ingest.load.plain import read_text
from core.ingest.load.reading import Reading
from core.ingest.load.sniff import kind_of_bytes
from core.ingest.load.tabular import add_table
from core.ports import Ocr, ReadLimits
from core.types import Loaded

# Signs of a private use area survive striprtf, whose own marks (| and line breaks) also occur in texts.
_CELL, _ROW, _START, _LEVEL = "\ue000", "\ue001", "\ue002", 0xE010
_MARKS = ((re.compile(r"\\cell(?![a-z])"), _CELL), (re.compile(r"\\row(?![a-z])"), _ROW),
          (re.compile(r"\\trowd(?![a-z])"), _START))  # fmt: skip
_OUTLINE = re.compile(r"\\outlinelevel([0-8])(?!\d)")
_BESIDE = re.compile(r"\{(?:\\\*)?\s*\\(footnote|annotation|header[lrf]?|footer[lrf]?|shptxt)(?![a-z])")
_PARTS = {"footnote": "footnote", "annotation": "comment", "shptxt": "text box", "header": "header", "footer": "footer"}  # fmt: skip
_INFO = re.compile(r"\{\\title ")
_PAGE = re.compile(r"\\ansicpg\d+")
_BRACE = re.compile(r"\\[{}\\]|[{}]")
_BLANK = " \t\r\n\u00a0"


class RichTextParser:
    """Reads rtf."""

    name = "rtf"
    kinds: tuple[str, ...] = ("rtf",)

    def accepts(self, data: bytes, name: str) -> float:
        return 0.9 if kind_of_bytes(data, name) == "rtf" else 0.0

    def read(self, data: bytes, name: str, limits: ReadLimits, ocr: Ocr | None = None) -> Loaded:
        source = data.decode("latin-1")  # 7-bit by its own rules; stray bytes keep their places
        reading = Reading("rtf")
        _add(reading, _plain(_marked(source)))
        head = "{\\rtf1\\ansi" + "".join(_PAGE.findall(source)[:1]) + _fonts(source)
        for part, group in _beside(source):
            reading.text(
                "note" if part in ("footnote", "comment") else "paragraph",
                _plain(head + group + "}").strip(_BLANK),
                part=part,
            )
        title = next((_group(source, found.start()) for found in _INFO.finditer(source)), "")
        return reading.loaded(title=_plain(head + title.replace("\\title", "") + "}").strip(_BLANK))


def _marked(source: str) -> str:
    for pattern, mark in _MARKS:
        source = pattern.sub(lambda _, mark=mark: mark, source)  # type: ignore[misc]
    return _OUTLINE.sub(lambda found: chr(_LEVEL + int(found[1])), source)


def _plain(source: str) -> str:
    """The text; \\u pairs that stand for one sign beyond the basic plane are joined."""
    text: str = rtf_to_text(source, errors="replace")  # type: ignore[no-untyped-call]
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _add(reading: Reading, text: str) -> None:
    """Prose and tables in turn: a row runs from its start mark, or its first cell's line, to its row mark."""
    rows: list[list[str]] = []
    pieces = text.split(_ROW)
    for at, piece in enumerate(pieces):
        prose, cells = _row(piece) if at < len(pieces) - 1 else (piece.replace(_START, ""), [])
        if prose.strip(_BLANK) and rows:
            add_table(reading, rows)
            rows = []
        _add_prose(reading, prose.replace(_CELL, " "))
        if cells:
            rows.append(cells)
    if rows:
        add_table(reading, rows)


def _row(piece: str) -> tuple[str, list[str]]:
    """What stands before a row, and its cells."""
    first = piece.find(_CELL)
    if first < 0:
        return piece.replace(_START, ""), []
    start = piece.find(_START)
    if not 0 <= start < first:
        start = piece.rfind("\n", 0, first)
    cells = piece[start + 1 :].replace(_START, "").split(_CELL)
    return piece[: max(start, 0)], [" ".join(_unlevelled(cell).split()) for cell in cells[:-1]]


def _add_prose(reading: Reading, text: str) -> None:
    """Paragraphs; those with an outline level are headings."""
    plain: list[str] = []
    for line in text.split("\n"):
        level = next((ord(sign) - _LEVEL + 1 for sign in line if _LEVEL <= ord(sign) < _LEVEL + 9), 0)
        line = _unlevelled(line)
        if level and line.strip(_BLANK):
            read_text(reading, "\n\n".join(plain), titled=False)
            plain = []
            reading.heading(line, level)
        else:
            plain.append(line)
    read_text(reading, "\n\n".join(plain), titled=False)


def _unlevelled(text: str) -> str:
    return "".join(sign for sign in text if not _LEVEL <= ord(sign) < _LEVEL + 9)


def _beside(source: str) -> Iterator[tuple[str, str]]:
    """Footnotes, comments, text boxes, headers and footers, which striprtf leaves out; each text once."""
    seen: set[str] = set()
    for found in _BESIDE.finditer(source):
        word = found[1]
        part = _PARTS.get(word) or _PARTS[word[:6]]
        group = _group(source, found.start())
        inner = "{" + group[len(found[0]) :]
        if inner not in seen:
            seen.add(inner)
            yield part, inner


def _fonts(source: str) -> str:
    """The font table, which names the code page of each font."""
    at = source.find("{\\fonttbl")
    return _group(source, at) if at >= 0 else ""


def _group(source: str, start: int) -> str:
    """From an opening brace to the one that closes it; "" when none does."""
    depth = 0
    for found in _BRACE.finditer(source, start):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0:
            return source[start : found.end()]
    return ""
