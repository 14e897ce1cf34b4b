"""Pictures of pages turned into the same words that a text layer gives, so that one layout code reads both."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from core.ingest.load.ocr import open_picture
from core.ingest.load.pdf.words import Page, Word
from core.ports import Ocr, OcrLine

RENDERED = 2_000  # pixels of a rendered page's longer side; the embedded OCR looks at no more
_NOISE = 0.5  # confidence below which a line is noise
_DOUBTFUL = 0.8  # mean confidence below which other directions are tried
_TURNS = (270, 90, 180)  # degrees counter-clockwise


@dataclass(frozen=True, slots=True)
class Scan:
    """A page read from its picture, and how sure the reader was on average."""

    page: Page
    confidence: float


def read_scan(picture: bytes, number: int, ocr: Ocr) -> Scan | None:
    """Read the picture of one page in the direction that gives most text; None when there is none.

    Raises: DamagedFile when the picture cannot be opened.
    """
    image = open_picture(picture)
    size = (float(image.width), float(image.height))
    best = _kept(ocr.read(picture))
    if not best or _mean(best) < _DOUBTFUL or _sideways(best):
        for turn in _TURNS:
            buffer = io.BytesIO()
            image.rotate(turn, expand=True).save(buffer, "PNG")
            lines = _kept(ocr.read(buffer.getvalue()))
            if _gain(lines) > _gain(best):
                best = lines
                size = (size[1], size[0]) if turn != 180 else size
                if _mean(best) >= _DOUBTFUL and not _sideways(best):
                    break
    if not best:
        return None
    page = Page(number, size[0], size[1], tuple(_even(_words(best))), ())
    return Scan(page, _mean(best))


def _kept(lines: Sequence[OcrLine]) -> list[OcrLine]:
    return [line for line in lines if line.confidence >= _NOISE and line.text.strip()]


def _gain(lines: Sequence[OcrLine]) -> float:
    """Characters read, each counted by how surely; lines that stand on end count half."""
    return sum(len(line.text) * line.confidence**2 * (0.5 if _upright(line) else 1.0) for line in lines)


def _mean(lines: Sequence[OcrLine]) -> float:
    letters = sum(len(line.text) for line in lines)
    return sum(line.confidence * len(line.text) for line in lines) / letters if letters else 0.0


def _upright(line: OcrLine) -> bool:
    left, top, right, bottom = line.box
    return len(line.text) > 3 and bottom - top > 1.5 * (right - left)


def _sideways(lines: Sequence[OcrLine]) -> bool:
    long = [line for line in lines if len(line.text) > 3]
    return sum(map(_upright, long)) * 2 > len(long) > 0


def _words(lines: Sequence[OcrLine]) -> Iterator[Word]:
    """Words with places that are shared out along the line by their letters."""
    for line in lines:
        left, top, right, bottom = line.box
        step = (right - left) / max(len(line.text), 1)
        at = 0
        for text in line.text.split():
            at = line.text.index(text, at)
            yield Word(left + at * step, top, left + (at + len(text)) * step, bottom, text)
            at += len(text)


def _even(words: Iterator[Word]) -> Iterator[Word]:
    """Boxes drawn around ink differ in height within one font; near the usual height they get just that."""
    found = list(words)
    usual = median(word.height for word in found)
    for word in found:
        if 0.7 * usual <= word.height <= 1.35 * usual:
            yield word._replace(top=word.middle - usual / 2, bottom=word.middle + usual / 2)
        else:
            yield word
