"""Bytes become blocks and grids: the reader is chosen by what the bytes are, never by what the file is called."""

from collections.abc import Sequence

from core.errors import (
    DamagedFile,
    EmptyFile,
    EncryptedFile,
    FileRejected,
    OversizedFile,
    PolyragError,
    UnsupportedFile,
    WebPageInstead,
)
from core.ingest.load.delimited import DelimitedParser
from core.ingest.load.mail import mail_parser
from core.ingest.load.members import Budget, Container, OpenMember
from core.ingest.load.opendoc import OpenDocumentParser
from core.ingest.load.outlook import outlook_parser
from core.ingest.load.packed import ZipParser
from core.ingest.load.pictures import PictureParser
from core.ingest.load.plain import MarkdownParser, TextParser
from core.ingest.load.portable import PdfParser
from core.ingest.load.records import RecordsParser
from core.ingest.load.refusals import in_own_words
from core.ingest.load.rich import RichTextParser
from core.ingest.load.sheets import SheetParser
from core.ingest.load.slides import SlidesParser
from core.ingest.load.sniff import extension, kind_of_bytes
from core.ingest.load.source import SourceParser
from core.ingest.load.web import WebParser
from core.ingest.load.word import WordParser
from core.ports import Ocr, Parser, ReadLimits
from core.types import Loaded

__all__ = ["BUILTIN_PARSERS", "read_file"]

BUILTIN_PARSERS: tuple[Parser, ...] = (
    DelimitedParser(),
    mail_parser(),
    MarkdownParser(),
    OpenDocumentParser(),
    outlook_parser(),
    PdfParser(),
    PictureParser(),
    RecordsParser(),
    RichTextParser(),
    SheetParser(),
    SlidesParser(),
    SourceParser(),
    TextParser(),
    WebParser(),
    WordParser(),
    ZipParser(),
)
_ASKING = (b"<form", b"<input", b"<script")  # what a page has that wants something of a person
_PAGE_NAMES = frozenset(
    ["html", "mhtml", "mht", "md", "txt", "", "xml", "svg", "php", "asp", "aspx", "jsp", "eml"]
)


def read_file(
    data: bytes, name: str, parsers: Sequence[Parser], limits: ReadLimits, ocr: Ocr | None
) -> Loaded:
    """Read one uploaded file.

    Args:
        data: the bytes.
        name: the uploaded name; a hint only.
        parsers: candidates; the surest one reads, ties go to the first by name.
        limits: bounds of size, pages and cells.
        ocr: reads pictures and scanned pages; None where no OCR is configured.
    Raises: FileRejected and its kin (empty, encrypted, damaged, too large, unknown, a web page, no text).
    """
    return _read_file(data, name, parsers, limits, ocr, Budget.of(limits), 0)


def _read_file(
    data: bytes,
    name: str,
    parsers: Sequence[Parser],
    limits: ReadLimits,
    ocr: Ocr | None,
    budget: Budget,
    depth: int,
) -> Loaded:
    """Read a file, or a member of one: what it holds is read with what the budget has left."""
    _check_bytes(data, name, limits)
    parser = _choose(data, name, parsers)
    if parser is None:
        known = ", ".join(sorted({shown for candidate in parsers for shown in candidate.kinds}))
        kind = kind_of_bytes(data, name)
        raise UnsupportedFile(f"kind {kind}", kind=kind, known=known)

    def open_member(inner: bytes, path: str) -> Loaded:
        budget.take(len(inner), depth + 1)
        return _read_file(inner, path, parsers, limits, ocr, budget, depth + 1)

    loaded = _read(parser, data, name, limits, ocr, open_member)
    if not loaded.items:
        raise EmptyFile(f"{parser.name} found nothing")
    return loaded


def _check_bytes(data: bytes, name: str, limits: ReadLimits) -> None:
    """Raises: OversizedFile, EmptyFile, EncryptedFile, WebPageInstead: what is clear before any parser looks."""
    if len(data) > limits.max_bytes:
        size, limit = f"{len(data) / 1e6:.1f} MB", f"{limits.max_bytes / 1e6:.1f} MB"
        raise OversizedFile(f"{len(data)} bytes", size=size, limit=limit)
    if not data.strip(b"\0 \t\r\n\xef\xbb\xbf\xff\xfe"):
        raise EmptyFile("no bytes")
    kind = kind_of_bytes(data, name)
    if kind == "encrypted":
        raise EncryptedFile("encrypted office file")
    if kind == "html" and extension(name) not in _PAGE_NAMES and not _is_exported_table(data, name):
        raise WebPageInstead(f"html delivered as .{extension(name)}")


def _is_exported_table(data: bytes, name: str) -> bool:
    """Many programs "export to Excel" by writing an HTML table into an .xls; a login page asks for something."""
    page = data.lower()
    return extension(name) == "xls" and page.count(b"<tr") > 1 and not any(mark in page for mark in _ASKING)


def _choose(data: bytes, name: str, parsers: Sequence[Parser]) -> Parser | None:
    scored = [(parser.accepts(data, name), parser) for parser in parsers]
    willing = [(score, parser) for score, parser in scored if score > 0]
    return min(willing, key=lambda pair: (-pair[0], pair[1].name))[1] if willing else None


def _read(
    parser: Parser, data: bytes, name: str, limits: ReadLimits, ocr: Ocr | None, open_member: OpenMember
) -> Loaded:
    """Whatever a parsing library throws at bytes it cannot make sense of means that the file is damaged."""
    try:
        if isinstance(parser, Container):
            return parser.read_members(data, name, limits, ocr, open_member)
        return parser.read(data, name, limits, ocr)
    except FileRejected as refusal:
        in_own_words(refusal, parser)
        raise
    except (PolyragError, MemoryError):
        raise
    except Exception as err:
        raise DamagedFile(f"{parser.name}: {type(err).__name__}: {err}") from err
