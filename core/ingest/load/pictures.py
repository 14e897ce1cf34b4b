"""Uploaded pictures: png, jpg, webp, tiff (all its pages), bmp and gif, through OCR."""

import io
from collections.abc import Iterator

from PIL import Image, ImageSequence

from core.errors import DamagedFile, NoTextLayer, OversizedFile
from core.ingest.load.paged import add_pages
from core.ingest.load.scans import read_scan
from core.ingest.load.sniff import kind_of_bytes
from core.ports import Ocr, ReadLimits
from core.types import Loaded

_KINDS = ("png", "jpg", "webp", "tiff", "bmp", "gif")


class PictureParser:
    """Reads pictures of text."""

    name = "picture"
    kinds: tuple[str, ...] = ("png", "jpg", "webp", "tiff")

    def accepts(self, data: bytes, name: str) -> float:
        return 1.0 if kind_of_bytes(data, name) in _KINDS else 0.0

    def read(self, data: bytes, name: str, limits: ReadLimits, ocr: Ocr | None = None) -> Loaded:
        kind = kind_of_bytes(data, name)
        frames = list(_frames(data, kind, limits.max_pages))
        if ocr is None:
            raise NoTextLayer("picture without OCR", pages=len(frames))
        read = [read_scan(frame, number, ocr) for number, frame in enumerate(frames, start=1)]
        scans = [scan for scan in read if scan is not None]
        if not scans:
            raise NoTextLayer("no text in the picture", pages=len(frames))
        unread = [number for number, scan in enumerate(read, start=1) if scan is None]
        return add_pages(kind, [scan.page for scan in scans], scans=scans, unread=unread, total=len(frames))


def _frames(data: bytes, kind: str, most: int) -> Iterator[bytes]:
    """The picture, or every page of a TIFF as PNG. Raises: OversizedFile, DamagedFile."""
    if kind != "tiff":
        yield data
        return
    try:
        pages = Image.open(io.BytesIO(data))
        count = int(getattr(pages, "n_frames", 1))
        if count > most:
            raise OversizedFile(f"{count} pages", size=f"{count} pages", limit=f"{most} pages")
        for frame in ImageSequence.Iterator(pages):
            buffer = io.BytesIO()
            frame.convert("RGB").save(buffer, "PNG")
            yield buffer.getvalue()
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as err:
        raise DamagedFile(f"tiff: {err}") from err
