"""Text as outlines, so that a page needs no fonts and looks the same on every printer."""

from __future__ import annotations

import functools
import io
from typing import Any

import numpy as np
from fontTools.pens.basePen import BasePen
from fontTools.ttLib import TTFont
from PIL import ImageFont

from calibration.arrays import FloatArray
from vision.fonts import FONTS
from vision.sheet.ink import Colour, Ink

STEPS = 6
"""Number of straight pieces per curve."""


def words(text: str, place: tuple[float, float], size: float, colour: Colour, bold: bool = False) -> Ink:
    """A line of text; `place` is the middle of its base line, `size` is the em."""
    font, x = _font(bold), -words_width(text, 1.0, bold) / 2
    rings: list[FloatArray] = []
    for sign in text:
        outline, advance = font.glyph(sign)
        rings += [size * (ring + np.array([x, 0.0])) + place for ring in outline]
        x += advance
    return Ink(tuple(rings), colour)


def words_width(text: str, size: float, bold: bool = False) -> float:
    return size * sum(_font(bold).glyph(sign)[1] for sign in text)


class _Font:
    def __init__(self, font: Any) -> None:
        self._units = float(font["head"].unitsPerEm)
        self._names = font.getBestCmap()
        self._glyphs = font.getGlyphSet()

    @functools.cache  # noqa: B019 - fonts live as long as the program
    def glyph(self, sign: str) -> tuple[tuple[FloatArray, ...], float]:
        """The outlines and the advance of a sign; for a sign that the font lacks, those of its box."""
        glyph = self._glyphs[self._names.get(ord(sign), ".notdef")]
        pen = FlatPen(self._glyphs)
        glyph.draw(pen)
        scale = np.array([1, -1]) / self._units
        return tuple(np.array(ring) * scale for ring in pen.rings if len(ring) > 2), float(glyph.width) / self._units


class FlatPen(BasePen):  # type: ignore[misc]
    def __init__(self, glyphs: Any) -> None:
        super().__init__(glyphs)
        self.rings: list[list[tuple[float, float]]] = []

    def _moveTo(self, pt: tuple[float, float]) -> None:  # noqa: N802 - the names are fontTools'
        self.rings.append([pt])

    def _lineTo(self, pt: tuple[float, float]) -> None:  # noqa: N802
        self.rings[-1].append(pt)

    def _qCurveToOne(self, pt1: tuple[float, float], pt2: tuple[float, float]) -> None:  # noqa: N802
        self._curve(np.array([self.rings[-1][-1], pt1, pt2]), [[1, -2, 1], [-2, 2, 0], [1, 0, 0]])

    def _curveToOne(self, pt1: Any, pt2: Any, pt3: Any) -> None:  # noqa: N802
        points = np.array([self.rings[-1][-1], pt1, pt2, pt3])
        self._curve(points, [[-1, 3, -3, 1], [3, -6, 3, 0], [-3, 3, 0, 0], [1, 0, 0, 0]])

    def _curve(self, points: FloatArray, basis: list[list[int]]) -> None:
        share = np.arange(1, STEPS + 1) / STEPS
        powers = np.stack([share**power for power in range(len(basis) - 1, -1, -1)], axis=1)
        self.rings[-1] += [(float(x), float(y)) for x, y in powers @ np.array(basis) @ points]


@functools.cache
def _font(bold: bool) -> _Font:
    path = FONTS / ("DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf")
    if path.is_file():
        return _Font(TTFont(path))
    # Pillow's own font: only Latin letters, but always available.
    default: Any = ImageFont.load_default(16)
    return _Font(TTFont(io.BytesIO(default.font_bytes)))
