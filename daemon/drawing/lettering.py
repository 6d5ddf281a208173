"""Draws anti-aliased text on pictures, in any script of the font; OpenCV's own letters are ASCII strokes."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Canvas
from PIL import ImageDraw, ImageFont

from calibration.arrays import FloatArray
from vision.fonts import FONTS
from vision.frame import Image

Colour = tuple[int, int, int]
"""Blue, green, red."""
Mask = NDArray[np.float32]

ELLIPSIS = "\u2026"
MAX_LENGTH = 200


@functools.lru_cache(maxsize=32)
def _font(size_px: int, bold: bool) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    try:
        return ImageFont.truetype(str(FONTS / ("DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf")), size_px)
    except OSError:
        return ImageFont.load_default(size_px)  # Pillow's own, Latin letters only


def width_px(text: str, size_px: int, bold: bool = False) -> int:
    return round(_font(size_px, bold).getlength(text))


def line_height_px(size_px: int) -> int:
    return round(size_px * 1.35)


@functools.lru_cache(maxsize=128)
def _mask(text: str, size_px: int, bold: bool) -> Mask:
    """(line height, width) share of each pixel covered by the letters, 0 to 1."""
    canvas = Canvas.new("L", (max(1, width_px(text, size_px, bold) + 2), line_height_px(size_px)))
    ImageDraw.Draw(canvas).text((0, 0), text, fill=255, font=_font(size_px, bold))
    mask: Mask = np.asarray(canvas, dtype=np.float32) / np.float32(255)
    mask.setflags(write=False)
    return mask


def write(image: Image, text: str, origin: tuple[int, int], size_px: int, colour: Colour, bold: bool = False) -> None:
    """Writes one line with its top-left corner at `origin`, clipped to the image."""
    mask = _mask(text, size_px, bold)
    left, top = origin
    right, bottom = min(left + mask.shape[1], image.shape[1]), min(top + mask.shape[0], image.shape[0])
    first_x, first_y = max(left, 0), max(top, 0)
    if right <= first_x or bottom <= first_y:
        return
    share = mask[first_y - top : bottom - top, first_x - left : right - left, None]
    ground = image[first_y:bottom, first_x:right]
    ground[:] = (ground * (1 - share) + np.array(colour, dtype=np.float32) * share + 0.5).astype(np.uint8)


def write_at(
    image: Image, text: str, centre: Sequence[float] | FloatArray, size_px: int, colour: Colour, bold: bool = False
) -> None:
    """Writes one line whose middle is at a point."""
    left = round(float(centre[0])) - width_px(text, size_px, bold) // 2
    write(image, text, (left, round(float(centre[1])) - size_px * 2 // 3), size_px, colour, bold)


def shorten(text: str, size_px: int, room_px: int, bold: bool = False) -> str:
    """The text, its end replaced by an ellipsis if it is wider than `room_px`."""
    if len(text) <= MAX_LENGTH and width_px(text, size_px, bold) <= room_px:
        return text
    fits, over = 0, min(len(text), MAX_LENGTH) + 1
    while over - fits > 1:  # bisection, because text from outside may be long
        middle = (fits + over) // 2
        fits, over = (middle, over) if width_px(text[:middle] + ELLIPSIS, size_px, bold) <= room_px else (fits, middle)
    return text[:fits].rstrip() + ELLIPSIS


@functools.lru_cache(maxsize=64)
def wrap(text: str, size_px: int, room_px: int, most_lines: int, bold: bool = False) -> tuple[str, ...]:
    """Breaks the text between words into lines of at most `room_px`; text beyond the last line becomes an ellipsis."""
    lines: list[str] = []
    words = text[: MAX_LENGTH * most_lines].split()
    while words and len(lines) < most_lines - 1:
        count = 1
        while count < len(words) and width_px(" ".join(words[: count + 1]), size_px, bold) <= room_px:
            count += 1
        lines.append(shorten(" ".join(words[:count]), size_px, room_px, bold))
        words = words[count:]
    if words:
        lines.append(shorten(" ".join(words), size_px, room_px, bold))
    return tuple(lines)
