"""Pictures inside documents, read through OCR where they stand: screenshots of tables, scanned letters pasted into a page.

Logos, icons and rules are left alone. Every picture that was read is told with how surely; so is the number of those
that were not.
"""

from dataclasses import replace
from hashlib import sha256
from io import BytesIO

from PIL import Image

from core.errors import FileRejected, NoTextLayer
from core.ingest.load.paged import add_pages
from core.ingest.load.reading import Reading
from core.ingest.load.scans import Scan, read_scan
from core.ingest.notes import note
from core.language import detect_language
from core.ports import Ocr
from core.types import Block, Grid, Rejected

PART = "picture"
MOST = 60  # pictures of one file that are given to OCR
_SIDE, _AREA = 48, 24_000  # pixels; what is smaller holds no sentence
_LONG = 14  # a picture so many times longer than wide is a rule or a banner's edge
_SURE = 0.6  # mean confidence below which a picture shows things, not text
_LETTERS = 8
_FLAT = 3  # colours at most, of a picture that only paints a surface


def is_decoration(picture: bytes) -> bool:
    """Too small, too thin or too plain to be read; also what cannot be opened as a picture."""
    try:
        with Image.open(BytesIO(picture)) as image:
            width, height = image.size
            if min(width, height) < _SIDE or width * height < _AREA:
                return True
            if max(width, height) > _LONG * min(width, height):
                return True
            small = image.convert("L").resize((32, 32))
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return True
    low, high = small.getextrema()
    return float(high[0] if isinstance(high, tuple) else high) - float(low[0] if isinstance(low, tuple) else low) <= _FLAT  # fmt: skip


class Pictures:
    """Reads the pictures of one document into its reading. Lives only while a reader runs."""

    def __init__(self, reading: Reading, ocr: Ocr | None) -> None:
        self._reading = reading
        self._ocr = ocr
        self._seen: set[str] = set()
        self._read: list[tuple[str, float]] = []  # where, confidence
        self._unread = 0

    def add(self, picture: bytes, *, page: int | None = None, sheet: str = "") -> None:
        """Read one picture; the same picture twice is read once."""
        digest = sha256(picture).hexdigest()
        if digest in self._seen or is_decoration(picture):
            return
        self._seen.add(digest)
        if self._ocr is None or len(self._seen) > MOST:
            self._unread += 1
            return
        try:
            scan = read_scan(picture, 1, self._ocr)
        except FileRejected:
            self._unread += 1
            return
        if scan is not None and _is_text(scan):
            self._append(scan, page, sheet)

    @property
    def full(self) -> bool:
        """Whether another picture would only be counted."""
        return self._ocr is None or len(self._seen) >= MOST

    def miss(self) -> None:
        """Count a picture that is not even looked at."""
        self._unread += 1

    def close(self, *, alone: bool = True) -> None:
        """Tell what was read and how surely, and how many were not.

        Args: alone: the reading holds the whole document, not only its pictures.
        Raises: NoTextLayer when the document is nothing but pictures that could not be read.
        """
        if alone and self._unread and not self._reading.items:
            raise NoTextLayer("only pictures", pages=self._unread)
        prose = "\n".join(item.text for item in self._reading.items if isinstance(item, Block))
        language = detect_language(prose[:20_000])
        if self._read:
            mean = round(100 * sum(sure for _, sure in self._read) / len(self._read))
            shown = ", ".join(f"{where} ({round(100 * sure)} %)" for where, sure in self._read[:20])
            told = note("ocr_pictures", count=len(self._read), confidence=mean, places=shown)
            self._reading.assumptions.append(told.say(language))
        if self._unread:
            key = "pictures_no_ocr" if self._ocr is None else "pictures_unread"
            where = note("where_pictures", count=self._unread).say(language)
            self._reading.rejected.append(Rejected(where, note(key).say(language)))

    def _append(self, scan: Scan, page: int | None, sheet: str) -> None:
        """Its blocks and tables under the headings in force; a heading inside a picture heads nothing outside it."""
        loaded = add_pages(PART, [scan.page], scans=[], unread=[], total=1)
        for item in loaded.items:
            place = replace(self._reading.place(page=page, sheet=sheet, part=PART))
            if isinstance(item, Grid):
                self._reading.items.append(replace(item, locator=place, headings=self._reading.trail))
            else:
                kind = item.kind if item.kind in ("list", "code") else "paragraph"
                self._reading.items.append(Block(kind, item.text, place))
        where = f"p. {page}" if page is not None else sheet or str(len(self._read) + 1)
        self._read.append((where, scan.confidence))


def _is_text(scan: Scan) -> bool:
    letters = sum(sum(map(str.isalnum, word.text)) for word in scan.page.words)
    return scan.confidence >= _SURE and letters >= _LETTERS
