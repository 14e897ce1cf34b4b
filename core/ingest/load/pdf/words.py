"""Words and ruled lines of a page with their places, through PDFium; the one home of pypdfium2.

PDFium is asked for each character once and for boxes only where words begin and end: that keeps pages cheap.
Coordinates are those of the page as it is shown: points from the top left corner, rotation undone.
"""

import ctypes
import itertools
import re
import sys
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from math import pi
from typing import Any, NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from core.errors import DamagedFile, EncryptedFile

_WORD = re.compile(
    "([^\\s\x00-\x1f\u200b\ufffe\uffff]+)([\ufffe\x02])?"
)  # then PDFium's hyphen at a line's end
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl"}
_SHAPES = 4_000  # drawn objects looked at on a page
_SEGMENTS = 12_000
_STRAIGHT = 1.0  # points that a ruled line may deviate
_BOLD_FLAG = 1 << 18
_FIGURE_SIDE = 28.0  # points
_FIGURE_SHARE = 0.02  # of the page
_BANDS, _SPREAD = 10, 4  # words in so many tenths of a picture, both ways, are its text layer; a stamp is not
_SCALE = 100.0  # device units per point when PDFium maps page to device


class Word(NamedTuple):
    """One word, or one line of recognised text."""

    x0: float
    top: float
    x1: float
    bottom: float
    text: str
    bold: bool = False

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2


class Rule(NamedTuple):
    """A straight ruled line."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def horizontal(self) -> bool:
        return self.y1 - self.y0 <= self.x1 - self.x0


@dataclass(frozen=True, slots=True)
class Page:
    """What stands on one page."""

    number: int  # 1-based
    width: float
    height: float
    words: tuple[Word, ...]
    rules: tuple[Rule, ...]
    aside: tuple[Word, ...] = ()  # words in another direction than most: stamps, side notes
    pictures: float = 0.0  # share of the page that pictures cover
    figures: tuple[tuple[float, float, float, float], ...] = ()  # large pictures without words over them


class PdfFile:
    """An open PDF. Use as a context manager."""

    def __init__(self, data: bytes) -> None:
        """Raises: EncryptedFile when a password is needed; DamagedFile when PDFium cannot open it."""
        try:
            self._document = pdfium.PdfDocument(data)
        except pdfium.PdfiumError as err:
            if getattr(err, "err_code", None) == raw.FPDF_ERR_PASSWORD or "password" in str(err).lower():
                raise EncryptedFile("PDF with a password") from err
            raise DamagedFile(f"PDFium: {err}") from err

    def __enter__(self) -> "PdfFile":
        return self

    def __exit__(self, *_: object) -> None:
        self._document.close()

    def __len__(self) -> int:
        return len(self._document)

    def page(self, number: int) -> Page:
        """Read page `number`, 1-based. Raises: DamagedFile."""
        page = self._open(number)
        try:
            return _read_page(page, number)
        finally:
            page.close()

    def picture(
        self, number: int, *, longest: int, box: tuple[float, float, float, float] | None = None
    ) -> bytes:
        """Page `number` rendered as PNG, its longer side `longest` pixels, as it is shown; or only a box of it."""
        page = self._open(number)
        try:
            scale = min(longest / max(page.get_size()), 6.0)
            image = page.render(scale=scale).to_pil().convert("RGB")
            if box is not None:
                x0, y0, x1, y1 = (round(side * scale) for side in box)
                image = image.crop((max(x0, 0), max(y0, 0), min(x1, image.width), min(y1, image.height)))
        finally:
            page.close()
        buffer = BytesIO()
        image.save(buffer, "PNG")
        return buffer.getvalue()

    def _open(self, number: int) -> Any:
        try:
            return self._document[number - 1]
        except pdfium.PdfiumError as err:
            raise DamagedFile(f"page {number}: {err}") from err


class _Affine(NamedTuple):
    """Page space to shown space."""

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float

    def box(self, x0: float, y0: float, x1: float, y1: float) -> tuple[float, float, float, float]:
        ax, ay = self.a * x0 + self.c * y0 + self.e, self.b * x0 + self.d * y0 + self.f
        bx, by = self.a * x1 + self.c * y1 + self.e, self.b * x1 + self.d * y1 + self.f
        return (
            (ax, ay, bx, by)
            if ax <= bx and ay <= by
            else (min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))
        )


def _read_page(page: Any, number: int) -> Page:
    width, height = page.get_size()
    affine = _affine(page, width, height)
    rules, boxes = _drawn(page, affine)
    textpage = raw.FPDFText_LoadPage(page)
    try:
        found = list(_words(textpage, affine)) if textpage else []
    finally:
        if textpage:
            raw.FPDFText_ClosePage(textpage)
    main = _main_angle(found)
    figures = tuple(box for box in boxes if _is_figure(box, width * height, found))
    pictures = sum(max(x1 - x0, 0.0) * max(y1 - y0, 0.0) for x0, y0, x1, y1 in boxes)
    upright = [word for word, angle in found if angle == main]
    aside = tuple(word for word, angle in found if angle != main)
    turned = -(main + page.get_rotation()) % 360 if upright else 0  # both angles are clockwise
    if turned:
        upright = [_spin(word, turned, width, height) for word in upright]
        rules = [_spin_rule(rule, turned, width, height) for rule in rules]
        if turned != 180:
            width, height = height, width
    share = min(pictures / (width * height), 1.0) if width and height else 0.0
    return Page(number, width, height, tuple(upright), tuple(rules), aside, share, figures)


def _affine(page: Any, width: float, height: float) -> _Affine:
    """Ask PDFium where three points of the page are shown."""
    x, y = ctypes.c_int(), ctypes.c_int()

    def shown(px: float, py: float) -> tuple[float, float]:
        raw.FPDF_PageToDevice(page, 0, 0, int(width * _SCALE), int(height * _SCALE), 0, px, py, x, y)
        return x.value / _SCALE, y.value / _SCALE

    (ex, ey), (ax, ay), (cx, cy) = shown(0, 0), shown(1000, 0), shown(0, 1000)
    return _Affine((ax - ex) / 1000, (ay - ey) / 1000, (cx - ex) / 1000, (cy - ey) / 1000, ex, ey)


# --- text ------------------------------------------------------------------------------------------


def _words(textpage: Any, affine: _Affine) -> Iterator[tuple[Word, int]]:
    """Words with the direction they are written in, in degrees (0, 90, 180, 270 in page space)."""
    text = _characters(textpage)
    box = _Boxes(textpage, affine)
    for match in _WORD.finditer(text):
        yield box.word(match.start(1), match.end(1) - 1, match[1] + ("\u00ad" if match[2] else ""))


def _characters(textpage: Any) -> str:
    """The page's characters, so that each one's place in the text is PDFium's number for it.

    PDFium gives them all in one call, except where it leaves some out of its text: then they are asked for one by one.
    """
    count = raw.FPDFText_CountChars(textpage)
    buffer = (ctypes.c_ushort * (count + 1))()
    if raw.FPDFText_GetText(textpage, 0, count, buffer) == count + 1:
        text = bytes(buffer)[: 2 * count].decode(f"utf-16-{sys.byteorder[0]}e", errors="replace")
        if len(text) == count:
            return text
    get = raw.FPDFText_GetUnicode
    codes = array("I", (get(textpage, at) for at in range(count)))
    return codes.tobytes().decode(f"utf-32-{sys.byteorder[0]}e", errors="replace")


# The same functions taking plain addresses: converting arguments costs more than what PDFium does with them.
_loose_box = ctypes.cast(
    raw.FPDFText_GetLooseCharBox,
    ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p),
)
_text_object = ctypes.cast(
    raw.FPDFText_GetTextObject, ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
)


class _Boxes:
    """Reusable buffers around PDFium's per-character calls."""

    def __init__(self, textpage: Any, affine: _Affine) -> None:
        self._page = textpage
        self._address = ctypes.cast(textpage, ctypes.c_void_p).value
        self._affine = affine
        self._corners = array("f", [0.0] * 8)  # left, top, right, bottom of the first and the last character
        self._first = self._corners.buffer_info()[0]
        self._last = self._first + 4 * self._corners.itemsize
        self._flags = ctypes.c_int()
        self._name = ctypes.create_string_buffer(80)
        self._object = 0  # the text object met last: within one, direction and font do not change
        self._style = (0, False)

    def word(self, first: int, last: int, text: str) -> tuple[Word, int]:
        _loose_box(self._address, first, self._first)
        if last > first:
            _loose_box(self._address, last, self._last)
            x0, y1, x1, y0, left, top, right, bottom = self._corners
            x0, y0 = x0 if x0 < left else left, y0 if y0 < bottom else bottom
            x1, y1 = x1 if x1 > right else right, y1 if y1 > top else top
        else:
            x0, y1, x1, y0 = self._corners[:4]
        angle, bold = self._styled(first)
        text = text.translate(_LIGATURES) if not text.isascii() else text
        return Word(*self._affine.box(x0, y1, x1, y0), text, bold), angle

    def _styled(self, at: int) -> tuple[int, bool]:
        """Direction and weight of a character."""
        owner = _text_object(self._address, at)
        if owner is None or owner != self._object:
            angle = round(raw.FPDFText_GetCharAngle(self._page, at) * 2 / pi) % 4 * 90
            self._style = (angle, self._bold(at))
            self._object = owner or 0
        return self._style

    def _bold(self, at: int) -> bool:
        raw.FPDFText_GetFontInfo(self._page, at, self._name, 80, self._flags)
        name = self._name.value.lower()
        return b"bold" in name or b"black" in name or b"heavy" in name or bool(self._flags.value & _BOLD_FLAG)


def _main_angle(words: list[tuple[Word, int]]) -> int:
    """The direction that most letters are written in."""
    letters = dict.fromkeys((0, 90, 180, 270), 0)
    for word, angle in words:
        letters[angle] += len(word.text)
    return max(letters, key=lambda angle: letters[angle])


def _spin(word: Word, turned: int, width: float, height: float) -> Word:
    return Word(*_spun(word.x0, word.top, word.x1, word.bottom, turned, width, height), word.text, word.bold)


def _spin_rule(rule: Rule, turned: int, width: float, height: float) -> Rule:
    return Rule(*_spun(rule.x0, rule.y0, rule.x1, rule.y1, turned, width, height))


def _spun(
    x0: float, y0: float, x1: float, y1: float, turned: int, width: float, height: float
) -> tuple[float, float, float, float]:
    """A box on the page turned so that text which runs upwards (90) or downwards (270) runs to the right."""
    if turned == 90:
        return height - y1, x0, height - y0, x1
    if turned == 270:
        return y0, width - x1, y1, width - x0
    return width - x1, height - y1, width - x0, height - y0


# --- drawings --------------------------------------------------------------------------------------


def _is_figure(box: tuple[float, float, float, float], page: float, words: list[tuple[Word, int]]) -> bool:
    """A picture large enough to be read that is neither a background nor under a text layer of its own."""
    x0, y0, x1, y1 = box
    if min(x1 - x0, y1 - y0) < _FIGURE_SIDE or (x1 - x0) * (y1 - y0) < _FIGURE_SHARE * page:
        return False
    over = [w for w, _ in words if x0 < (w.x0 + w.x1) / 2 < x1 and y0 < w.middle < y1]
    rows = {int((w.middle - y0) / (y1 - y0) * _BANDS) for w in over}
    columns = {int(((w.x0 + w.x1) / 2 - x0) / (x1 - x0) * _BANDS) for w in over}
    return len(rows) < _SPREAD or len(columns) < _SPREAD


def _drawn(page: Any, affine: _Affine) -> tuple[list[Rule], list[tuple[float, float, float, float]]]:
    """Straight lines and edges of stroked boxes, and the boxes of pictures."""
    rules: list[Rule] = []
    pictures: list[tuple[float, float, float, float]] = []
    budget = _SEGMENTS
    for at in range(min(raw.FPDFPage_CountObjects(page), _SHAPES)):
        shape = raw.FPDFPage_GetObject(page, at)
        kind = raw.FPDFPageObj_GetType(shape)
        if kind == raw.FPDF_PAGEOBJ_PATH and budget > 0:
            count = raw.FPDFPath_CountSegments(shape)
            budget -= count
            rules += _path_rules(shape, count, affine)
        elif kind == raw.FPDF_PAGEOBJ_IMAGE:
            pictures.append(_bounds(shape, affine))
    return rules, pictures


def _bounds(shape: Any, affine: _Affine) -> tuple[float, float, float, float]:
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    if not raw.FPDFPageObj_GetBounds(shape, left, bottom, right, top):
        return 0.0, 0.0, 0.0, 0.0
    return affine.box(left.value, bottom.value, right.value, top.value)


def _path_rules(shape: Any, count: int, affine: _Affine) -> Iterator[Rule]:
    """A thin filled box is a line; a stroked path gives each of its straight segments."""
    x0, y0, x1, y1 = _bounds(shape, affine)
    if min(x1 - x0, y1 - y0) <= 2 * _STRAIGHT:
        if max(x1 - x0, y1 - y0) > 4:
            yield Rule(x0, y0, x1, y1)
        return
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(shape, fill, stroke)
    if not stroke.value or count > 500:
        return
    matrix = raw.FS_MATRIX()
    raw.FPDFPageObj_GetMatrix(shape, matrix)
    points = list(_points(shape, count, matrix, affine))
    for (ax, ay, _), (bx, by, drawn) in itertools.pairwise(points):
        if (
            drawn
            and (abs(ax - bx) <= _STRAIGHT or abs(ay - by) <= _STRAIGHT)
            and abs(ax - bx) + abs(ay - by) > 4
        ):
            yield Rule(min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))


def _points(shape: Any, count: int, matrix: Any, affine: _Affine) -> Iterator[tuple[float, float, bool]]:
    """Corner points as shown, and whether a line leads to them; a closed path returns to its start."""
    x, y = ctypes.c_float(), ctypes.c_float()
    start = (0.0, 0.0)
    for at in range(count):
        segment = raw.FPDFPath_GetPathSegment(shape, at)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        px = matrix.a * x.value + matrix.c * y.value + matrix.e
        py = matrix.b * x.value + matrix.d * y.value + matrix.f
        sx, sy, _, _ = affine.box(px, py, px, py)
        line = raw.FPDFPathSegment_GetType(segment) == raw.FPDF_SEGMENT_LINETO
        if not line:
            start = (sx, sy)
        yield sx, sy, line
        if line and raw.FPDFPathSegment_GetClose(segment):
            yield start[0], start[1], True
