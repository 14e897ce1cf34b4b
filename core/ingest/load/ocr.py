"""Embedded OCR; the one home of RapidOCR."""

import io
from collections.abc import Sequence
from functools import cached_property
from math import atan2, cos, degrees, radians, sin
from statistics import median
from typing import Any

import numpy as np
from PIL import Image, ImageOps

from core.errors import DamagedFile, OversizedFile
from core.ports import OcrLine

_PIXELS = 60_000_000
_SKEW = 0.3  # degrees from which on lines are set straight

Corners = Sequence[tuple[float, float]]


class RapidOcr:
    """PP-OCR models that ship inside the rapidocr wheel, run by onnxruntime on the CPU. Loaded on first use."""

    name = "rapidocr"

    @cached_property
    def _engine(self) -> Any:
        from rapidocr import RapidOCR  # loads its models: seconds, so not at import

        return RapidOCR(params={"Global.log_level": "error", "Global.use_cls": False})  # it flips good lines

    def read(self, image: bytes) -> tuple[OcrLine, ...]:
        """Lines of a picture, boxes set straight when the page was skewed.

        Raises: DamagedFile for bytes that are no picture; OversizedFile.
        """
        picture = open_picture(image)
        result = self._engine(np.ascontiguousarray(np.asarray(picture)[:, :, ::-1]))
        if result is None or result.boxes is None or result.txts is None:
            return ()
        boxes = [[(float(x), float(y)) for x, y in corners] for corners in result.boxes]
        straight = straighten(boxes, (picture.width / 2, picture.height / 2))
        return tuple(
            OcrLine(str(text), float(score), box)
            for box, text, score in zip(straight, result.txts, result.scores, strict=True)
        )


def open_picture(image: bytes) -> Image.Image:
    """An RGB picture, turned as its camera says. Raises: DamagedFile, OversizedFile."""
    try:
        picture = Image.open(io.BytesIO(image))
        if picture.width * picture.height > _PIXELS:
            size = f"{picture.width} x {picture.height}"
            raise OversizedFile(size, size=size, limit=f"{_PIXELS // 1_000_000} megapixels")
        return ImageOps.exif_transpose(picture).convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as err:
        raise DamagedFile(f"picture: {err}") from err


def straighten(
    boxes: Sequence[Corners], centre: tuple[float, float]
) -> list[tuple[float, float, float, float]]:
    """Level boxes (left, top, right, bottom) of lines given by their corners, clockwise from the top left.

    A page that lies a few degrees askew is turned back around its centre by the median slope of its long lines.
    """
    slopes = [degrees(atan2(b[1] - a[1], b[0] - a[0])) for a, b, *_ in boxes if abs(b[0] - a[0]) > 60]
    skew = median(slopes) if slopes else 0.0
    if _SKEW < abs(skew) < 30:
        boxes = [[_turned(point, -skew, centre) for point in corners] for corners in boxes]
    levelled = []
    for a, b, c, d in boxes:
        top, bottom = (a[1] + b[1]) / 2, (c[1] + d[1]) / 2
        left, right = min(a[0], d[0]), max(b[0], c[0])
        levelled.append((left, min(top, bottom), right, max(top, bottom)))
    return levelled


def _turned(point: tuple[float, float], angle: float, centre: tuple[float, float]) -> tuple[float, float]:
    x, y = point[0] - centre[0], point[1] - centre[1]
    turn = radians(angle)
    return centre[0] + x * cos(turn) - y * sin(turn), centre[1] + x * sin(turn) + y * cos(turn)
