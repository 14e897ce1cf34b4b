"""What a PDF says about itself: password, title, date, outline; the one home of pypdf."""

import io
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pypdf import PdfReader
from pypdf.errors import PyPdfError

from core.errors import EncryptedFile
from core.ingest.load.decode import clean
from core.normalize import fold

_GENERIC = re.compile(
    r"(?:microsoft (?:word|excel|powerpoint).*|untitled.*|sem t[íi]tulo.*|documento?\d*|\(anonymous\)|slide \d+|.*\.(?:docx?|xlsx?|pptx?|pdf|indd|odt|rtf|tmp|html?))",
    re.IGNORECASE,
)
logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what it repairs is no news for a console
_MOST = 2_000  # outline entries


@dataclass(frozen=True, slots=True)
class Facts:
    """Metadata of a PDF."""

    title: str = ""
    date: str = ""
    outline: dict[str, int] = field(default_factory=dict)  # folded title -> level, 1 is outermost


def read_facts(data: bytes) -> Facts:
    """Title, date and outline; nothing where the file's structure is too damaged to tell.

    Raises: EncryptedFile when the text needs a password.
    """
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise EncryptedFile("PDF with a password")
        information = reader.metadata
        title = clean(str(information.title or "")).strip() if information else ""
        dated = (information.modification_date or information.creation_date) if information else None
        outline = dict(reversed(list(_entries(reader.outline, 1))))
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OSError):
        return Facts()  # pages may still be readable: PDFium repairs more than pypdf does
    return Facts(
        "" if _GENERIC.fullmatch(title) else title, dated.date().isoformat() if dated else "", outline
    )


def _entries(outline: Any, level: int) -> Iterator[tuple[str, int]]:
    """Titles depth first; a nested list holds the children of the entry before it."""
    for at, entry in enumerate(outline):
        if at > _MOST:
            return
        if isinstance(entry, list):
            yield from _entries(entry, level + 1)
        elif entry.get("/Title"):
            yield fold(str(entry["/Title"])), level
