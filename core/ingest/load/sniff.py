"""What bytes are, from the bytes. The name only decides between kinds of plain text."""

import io
import json
import re
import zipfile
from functools import cache

from core.ingest.load.decode import decode, looks_like_text

_HEAD = 16_384
_OLE2 = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PICTURES = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpg"),
    (b"II*\0", "tiff"),
    (b"MM\0*", "tiff"),
    (b"GIF8", "gif"),
    (b"BM", "bmp"),
)
_OFFICE = (
    ("word/document.xml", "docx"),
    ("xl/workbook.xml", "xlsx"),
    ("xl/workbook.bin", "xlsb"),
    ("ppt/presentation.xml", "pptx"),
)
_OPEN_DOCUMENT = {"spreadsheet": "ods", "text": "odt", "presentation": "odp"}
_NAMED = (
    (b"PK\x03\x04", "zip"), (b"\x1f\x8b", "gzip"), (b"Rar!", "rar"), (b"7z\xbc\xaf", "7z"), (b"MZ", "exe"),
    (b"\x7fELF", "elf"), (b"ID3", "mp3"), (b"OggS", "ogg"), (b"SQLite format 3", "sqlite"), (b"PAR1", "parquet"), (b"\0asm", "wasm"),
)  # fmt: skip
_HTML = re.compile(
    r"(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body|title|meta|script)\b",
    re.IGNORECASE | re.DOTALL,
)
_MAIL = re.compile(
    r"(?:(?:From|To|Cc|Subject|Date|Message-ID|MIME-Version|Received|Return-Path|Delivered-To|Content-Type|Reply-To|X-[\w-]+)\s*:.*\n(?:[ \t].*\n)*){3,}",
    re.IGNORECASE,
)
_MARKDOWN = re.compile(r"^(?:#{1,6} \S|```|\|.*\|\s*\n\|[\s:|-]+\|\s*$|\[[^\]]+\]\([^)]+\))", re.MULTILINE)
TEXT_KINDS = frozenset(["csv", "tsv", "md", "txt", "html", "json", "jsonl", "eml", "rtf"])
_EXTENSIONS = {
    "htm": "html", "xhtml": "html", "markdown": "md", "text": "txt", "log": "txt", "tab": "tsv", "ndjson": "jsonl",
    "jpeg": "jpg", "tif": "tiff", "xlsm": "xlsx", "xltx": "xlsx", "docm": "docx", "dotx": "docx", "pptm": "pptx",
}  # fmt: skip


def extension(name: str) -> str:
    """The canonical extension of a name, without the dot: 'htm' is 'html'."""
    ending = name.rsplit(".", 1)[1].lower() if "." in name else ""
    return _EXTENSIONS.get(ending, ending)


def kind_of_bytes(data: bytes, name: str) -> str:
    """The kind of a file: 'pdf', 'xlsx', 'csv', 'encrypted' …; an extension or 'binary' for what is unknown."""
    head = data[:_HEAD]
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip_kind(data, name)
    if head.startswith(_OLE2):
        return _ole_kind(data, name)
    for magic, kind in _PICTURES:
        if head.startswith(magic) and (kind != "bmp" or not looks_like_text(head)):
            return kind
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "webp"
    if looks_like_text(data):
        return _text_kind(data, name)
    known = next((kind for magic, kind in _NAMED if head.startswith(magic)), "")
    return known or extension(name) or "binary"


def _zip_kind(data: bytes, name: str) -> str:
    """Office files are zips; a damaged one is what its name says, so that its reader can say what is wrong."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = set(archive.namelist())
            if "mimetype" in members:
                kind = archive.read("mimetype").decode("ascii", "replace")
                return next((short for long, short in _OPEN_DOCUMENT.items() if long in kind), "zip")
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError, EOFError):
        named = extension(name)
        return named if named in ("xlsx", "docx", "pptx", "ods", "odt", "odp") else "zip"
    return next((kind for member, kind in _OFFICE if member in members), "zip")


def _ole_kind(data: bytes, name: str) -> str:
    """Old Office files, and new ones wrapped for a password."""
    if _utf16("EncryptedPackage") in data or _utf16("EncryptionInfo") in data:
        return "encrypted"
    if _utf16("Workbook") in data or _utf16("Book") in data[:8192]:
        return "xls"
    if _utf16("__properties_version1.0") in data:
        return "msg"
    if _utf16("WordDocument") in data:
        return "doc"
    return "ppt" if _utf16("PowerPoint Document") in data else extension(name) or "ole2"


@cache
def _utf16(text: str) -> bytes:
    return text.encode("utf-16-le")


def _text_kind(data: bytes, name: str) -> str:
    """Marks that only one kind has come first, then the name, then the look of the lines."""
    named = extension(name)
    if data.startswith(b"{\\rtf"):
        return "rtf"
    head = decode(data[:_HEAD]).text.lstrip("\ufeff \t\r\n")
    if _HTML.match(head):
        return "html"
    if named not in ("md", "txt", "csv", "tsv") and _MAIL.match(head):
        return "eml"
    if head[:1] in ("{", "[") and named not in ("md", "csv", "tsv"):
        json_kind = _json_kind(data, head)
        if json_kind:
            return json_kind
    if named in TEXT_KINDS and named not in ("html", "rtf", "json", "jsonl", "eml"):
        return "csv" if named == "txt" and looks_delimited(head) else named
    if looks_delimited(head):
        return "csv"
    return "md" if _MARKDOWN.search(head) else "txt"


def _json_kind(data: bytes, head: str) -> str:
    """'json', 'jsonl' or '' when it only starts with a bracket."""
    first = head.split("\n", 1)[0].strip().rstrip(",")
    try:
        json.loads(first)
        one_line = "\n" not in decode(data).text.strip()
        return "json" if one_line or first in ("[", "{") else "jsonl"
    except ValueError:
        return "json" if re.match(r"[\[{]\s*(?:[\[{\"\]}]|-?\d|true|false|null)", head) else ""


def looks_delimited(head: str) -> bool:
    """Whether lines without a telling name are rows: one delimiter, the same number of times in nearly every line."""
    lines = [line for line in head.split("\n")[:50] if line.strip()]
    if "\n" in head and len(head) >= _HEAD // 2:
        lines = lines[:-1] or lines
    if len(lines) < 3:
        return False
    for delimiter in (";", "\t", "|", ","):
        counts = [
            line.strip().strip(delimiter).count(delimiter) for line in lines
        ]  # a list may end in semicolons
        modal = max(set(counts), key=lambda count: (counts.count(count), count))
        need = 0.9 if delimiter != "," else 0.95
        short = sum(len(line) for line in lines) / len(lines) < 40 * (modal + 1)
        if modal >= (1 if delimiter != "," else 2) and counts.count(modal) >= need * len(lines) and short:
            return delimiter != "|" or not all(line.strip().startswith("|") for line in lines)
    return False
