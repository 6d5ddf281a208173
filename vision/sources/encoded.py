"""Pictures as bytes: splits JPEGs from a stream, decodes them on demand, and rejects broken files."""

from __future__ import annotations

import dataclasses
import functools
import re
import zlib

import cv2
import numpy as np

from vision.frame import PREVIEW_SHRINK, Frame, Image, Preview
from vision.sources.picture_size import MAX_MEGAPIXELS, check_size, picture_size_px

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


@dataclasses.dataclass(frozen=True, eq=False)
class Picture:
    """A JPEG with its decoded preview, which costs a third of a full decoding."""

    data: bytes
    preview: Preview


def peek(data: bytes, max_megapixels: float = MAX_MEGAPIXELS) -> Picture | None:
    """The JPEG with its preview; None where it is broken or truncated. Raises TooLargeError."""
    if not data.startswith(_START) or not _is_whole(data, max_megapixels):
        return None
    try:
        preview = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_REDUCED_GRAYSCALE_8)
    except cv2.error:
        return None
    return None if preview is None else Picture(data, np.asarray(preview, dtype=np.uint8))


class EncodedFrame(Frame):
    """A frame whose picture is decoded on first access; most frames of a still board never are."""

    def __init__(self, picture: Picture, time_s: float, index: int) -> None:
        self._picture: Picture
        for name, value in (("_picture", picture), ("time_s", time_s), ("index", index), ("name", "")):
            object.__setattr__(self, name, value)

    @property
    def jpeg(self) -> bytes:
        """The JPEG's bytes as received."""
        return self._picture.data

    @functools.cached_property
    def image(self) -> Image:
        """The whole picture; the enlarged preview where the picture cannot be decoded although its preview could."""
        image = _decoded(self._picture.data)
        if image is not None:
            return image
        height, width = self.preview.shape
        large = cv2.resize(self.preview, (width * PREVIEW_SHRINK, height * PREVIEW_SHRINK))
        return np.asarray(cv2.cvtColor(large, cv2.COLOR_GRAY2BGR), dtype=np.uint8)

    @property
    def preview(self) -> Preview:
        """The picture in grey, an eighth as wide and high."""
        return self._picture.preview

    @property
    def checksum(self) -> int:
        """A number that differs between different files."""
        return zlib.crc32(self._picture.data)


def decode(data: bytes, max_megapixels: float = MAX_MEGAPIXELS) -> Image | None:
    """The picture in an image file's bytes, rotated by its EXIF; None where it is broken or truncated.

    Raises TooLargeError before it takes the memory.
    """
    return _decoded(data) if _is_whole(data, max_megapixels) else None


def _is_whole(data: bytes, max_megapixels: float) -> bool:
    """Whether it is a picture that is not cut short. Raises TooLargeError."""
    if data.startswith(_START) and (jpeg_end(data) or 0) <= 0:
        return False
    if data.startswith(b"\x89PNG") and b"IEND" not in data[-64:]:
        return False
    size_px = picture_size_px(data)
    if size_px is None or 0 in size_px:
        return False
    check_size(*size_px, max_megapixels)
    return True


def _decoded(data: bytes) -> Image | None:
    """The picture of a file whose size has been checked."""
    try:
        image = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        return None
    return None if image is None else np.asarray(image, dtype=np.uint8)
