"""Pictures as bytes: splits JPEGs from a stream, decodes them on demand, and rejects broken files and huge ones.

The size that a picture claims is checked before it is decoded: a few megabytes can claim gigabytes.
"""

from __future__ import annotations

import dataclasses
import functools
import io
import os
import re
import zlib

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Header

from vision.frame import PREVIEW_SHRINK, Frame, Image, Preview, SourceError

MAX_MEGAPIXELS = 50.0
"""Megapixels of a picture, unless `max_megapixels` of the settings says otherwise; a camera of 8K has 33."""
HIGHEST_MEGAPIXELS = 500
"""Megapixels that the settings can allow at most. OpenCV decodes nothing larger, whatever the header said."""
MAX_LIVE_MEGAPIXELS = 3840 * 2160 / 1e6
"""Megapixels above which a live picture is read at a half, a quarter or an eighth of its size: 4K is read whole.

Of 50 megapixels finding a board took five times as long, each picture after it seven times, and 150 MB.
"""
FORMATS = ("JPEG", "PNG", "WEBP", "TIFF", "BMP", "GIF", "PPM", "JPEG2000", "AVIF")
"""Formats that OpenCV decodes and Pillow knows by their header."""

# Pillow decodes nothing here, and its own limit would hide the size that the picture claims.
Header.MAX_IMAGE_PIXELS = None
# Read when OpenCV is loaded: in case a file tells OpenCV another size than Pillow.
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(HIGHEST_MEGAPIXELS * 10**6))


class TooLargeError(SourceError):
    """A picture has more megapixels than the settings allow."""

    def __init__(self, text: str, megapixels: float, most: float) -> None:
        super().__init__(text)
        self.megapixels, self.most = megapixels, most


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
            f"{width_px:.0f}x{height_px:.0f} is {megapixels:,.4g} megapixels; max_megapixels allows {max_megapixels:g}",
            megapixels,
            max_megapixels,
        )


MAX_JPEG_BYTES = 32 * 2**20
"""Bytes after which an unfinished picture is abandoned."""
MAX_SCANS = 64
"""Scans of a JPEG, of which a progressive one has about ten; each costs a pass over all pixels, and 70 bytes."""

_START = b"\xff\xd8"
_MARKER_IN_SCAN = re.compile(rb"\xff[\x01-\xcf\xd8-\xfe]")
"""Any marker in entropy-coded data except a stuffed 0xff and a restart marker."""
_SCAN, _END, _SOI = 0xDA, 0xD9, 0xD8


class JpegSplitter:
    """Extracts the JPEGs from a byte stream, ignoring anything between them.

    It uses neither multipart boundaries nor lengths, which cameras get wrong, and recovers after a truncated picture.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The pictures completed by `data`, oldest first."""
        self._buffer += data
        pictures: list[bytes] = []
        while True:
            start = self._buffer.find(_START)
            if start < 0:
                del self._buffer[:-1]
                return pictures
            del self._buffer[:start]
            end = jpeg_end(self._buffer)
            if end is None:
                if len(self._buffer) > MAX_JPEG_BYTES:
                    del self._buffer[: len(_START)]
                    continue
                return pictures
            if end > 0:
                pictures.append(bytes(self._buffer[:end]))
            # After a broken picture the next may begin anywhere, even where a wrong length would skip past it.
            del self._buffer[: end if end > 0 else len(_START)]


def jpeg_end(data: bytes | bytearray) -> int | None:
    """The length of the JPEG at the start of `data`; None if it is incomplete.

    -1 where it is broken: another picture, or no marker, is where a marker should be, or it has too many scans.
    """
    at, scans = len(_START), 0
    while at + 4 <= len(data):
        if data[at] != 0xFF or data[at + 1] == _SOI:
            return -1
        code = data[at + 1]
        if code == _END:
            return at + 2
        if code == 0xFF:
            at += 1
            continue
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        if code == _SCAN:
            scans += 1
            if scans > MAX_SCANS:
                return -1
            found = _MARKER_IN_SCAN.search(data, at)
            if found is None:
                return None
            at = found.start()
            if data[at + 1] == _END:
                return at + 2
    return None


_SHARES = (cv2.IMREAD_COLOR, cv2.IMREAD_REDUCED_COLOR_2, cv2.IMREAD_REDUCED_COLOR_4, cv2.IMREAD_REDUCED_COLOR_8)
"""How OpenCV is asked for a whole picture, a half, a quarter and an eighth of it."""


@dataclasses.dataclass(frozen=True, eq=False)
class Picture:
    """A JPEG that is whole."""

    data: bytes
    size_px: tuple[int, int]
    """Width and height at which it is read."""
    halved: int = 0
    """How many times that was halved from what its header claims."""


def peek(data: bytes, max_megapixels: float = MAX_MEGAPIXELS) -> Picture | None:
    """The JPEG, not decoded; None where it is broken or truncated. Raises TooLargeError."""
    size_px = _whole_px(data, max_megapixels) if data.startswith(_START) else None
    if size_px is None:
        return None
    (width, height), halved = size_px, 0
    while width * height / 1e6 > MAX_LIVE_MEGAPIXELS and halved < len(_SHARES) - 1:
        width, height, halved = -(-width // 2), -(-height // 2), halved + 1
    return Picture(data, (width, height), halved)


class EncodedFrame(Frame):
    """A frame whose picture is decoded on first access; most frames of a still board never are.

    One that cannot be decoded is black.
    """

    def __init__(self, picture: Picture, time_s: float, index: int) -> None:
        self._picture: Picture
        for name, value in (("_picture", picture), ("time_s", time_s), ("index", index), ("name", "")):
            object.__setattr__(self, name, value)

    @property
    def jpeg(self) -> bytes:
        return self._picture.data

    @functools.cached_property
    def image(self) -> Image:
        data, (width, height), halved = self._picture.data, self._picture.size_px, self._picture.halved
        image = _decoded(data, _SHARES[halved]) if halved else _decoded(data)
        return np.zeros((height, width, 3), dtype=np.uint8) if image is None else image

    @functools.cached_property
    def preview(self) -> Preview:
        """The picture in grey, an eighth as wide and high, which costs a third of a full decoding."""
        preview, (width, height) = _decoded(self._picture.data, cv2.IMREAD_REDUCED_GRAYSCALE_8), self._picture.size_px
        width, height = -(-width // PREVIEW_SHRINK), -(-height // PREVIEW_SHRINK)
        if preview is None:
            return np.zeros((height, width), dtype=np.uint8)
        if self._picture.halved:
            preview = np.asarray(cv2.resize(preview, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)
        return preview

    @property
    def checksum(self) -> int:
        return zlib.crc32(self._picture.data)


def decode(data: bytes, max_megapixels: float = MAX_MEGAPIXELS) -> Image | None:
    """The picture in an image file's bytes, rotated by its EXIF; None where it is broken or truncated.

    Raises TooLargeError before it takes the memory.
    """
    return _decoded(data) if _whole_px(data, max_megapixels) else None


def completed(data: bytes) -> bytes:
    """A JPEG that ends too early, with the mark at its end, so that what there is of it can be decoded."""
    return data + bytes([0xFF, _END]) if data.startswith(_START) and jpeg_end(data) is None else data


def _whole_px(data: bytes, max_megapixels: float) -> tuple[int, int] | None:
    """The size of a picture that is not cut short; None of any other. Raises TooLargeError."""
    if data.startswith(_START) and (jpeg_end(data) or 0) <= 0:
        return None
    if data.startswith(b"\x89PNG") and b"IEND" not in data[-64:]:
        return None
    size_px = picture_size_px(data)
    if size_px is None or 0 in size_px:
        return None
    check_size(*size_px, max_megapixels)
    return size_px


def _decoded(data: bytes, how: int = cv2.IMREAD_COLOR) -> NDArray[np.uint8] | None:
    try:
        image = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), how)
    except cv2.error:
        return None
    return None if image is None else np.asarray(image, dtype=np.uint8)
