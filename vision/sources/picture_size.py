"""Checks the size that a picture claims before it is decoded: a file of a few megabytes can claim gigabytes."""

from __future__ import annotations

import io
import os

from PIL import Image as Header

from vision.frame import SourceError

MAX_MEGAPIXELS = 50.0
"""Megapixels of a picture, unless `max_megapixels` of the settings says otherwise; a camera of 8K has 33."""
HIGHEST_MEGAPIXELS = 500
"""Megapixels that the settings can allow at most. OpenCV decodes nothing larger, whatever the header said."""
FORMATS = ("JPEG", "PNG", "WEBP", "TIFF", "BMP", "GIF", "PPM", "JPEG2000", "AVIF")
"""Formats that OpenCV decodes and Pillow knows by their header."""

# Pillow decodes nothing here, and its own limit would hide the size that the picture claims.
Header.MAX_IMAGE_PIXELS = None
# Read when OpenCV is loaded: in case a file tells OpenCV another size than Pillow.
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(HIGHEST_MEGAPIXELS * 10**6))


class TooLargeError(SourceError):
    """A picture has more megapixels than the settings allow."""


def picture_size_px(data: bytes) -> tuple[int, int] | None:
    """Width and height that the header of an image file claims; None where it is no picture."""
    try:
        with Header.open(io.BytesIO(data), formats=FORMATS) as header:
            return header.size
    except (OSError, ValueError, SyntaxError, ArithmeticError, LookupError, RuntimeError, EOFError):
        return None


def check_size(width_px: float, height_px: float, max_megapixels: float = MAX_MEGAPIXELS) -> None:
    """Raises TooLargeError where the picture is larger than that."""
    megapixels = width_px * height_px / 1e6
    if megapixels > max_megapixels:
        raise TooLargeError(
            f"{width_px:.0f}x{height_px:.0f} is {megapixels:,.4g} megapixels; max_megapixels allows {max_megapixels:g}"
        )
