"""Pictures as bytes: whole JPEGs in a stream, decoded when they are looked at; broken files are refused."""

from __future__ import annotations

import dataclasses
import functools
import re
import zlib

import cv2
import numpy as np

from vision.frame import PREVIEW_SHRINK, Frame, Image, Preview

LARGEST_JPEG = 32 * 2**20
"""Bytes after which an unfinished picture is given up."""

_START = b"\xff\xd8"
_MARKER_IN_SCAN = re.compile(rb"\xff[\x01-\xcf\xd8-\xfe]")
"""Anything in entropy-coded data but a stuffed 0xff and a restart marker."""
_SCAN, _END, _SOI = 0xDA, 0xD9, 0xD8


class JpegSplitter:
    """Cuts the JPEGs out of a byte stream, whatever lies between them.

    It needs neither multipart boundaries nor lengths, which cameras get wrong, and finds its feet again after a
    picture that was cut off.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The pictures that became complete with `data`, oldest first."""
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
                if len(self._buffer) > LARGEST_JPEG:
                    del self._buffer[: len(_START)]
                    continue
                return pictures
            if end > 0:
                pictures.append(bytes(self._buffer[:end]))
            # After a broken picture the next may begin anywhere, even where a length seemed to lead past it.
            del self._buffer[: end if end > 0 else len(_START)]


def jpeg_end(data: bytes | bytearray) -> int | None:
    """The length of the JPEG that `data` begins with; None if it is not all there.

    -1 where it breaks off: another picture, or no marker, stands where one should.
    """
    at = len(_START)
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
            found = _MARKER_IN_SCAN.search(data, at)
            if found is None:
                return None
            at = found.start()
            if data[at + 1] == _END:
                return at + 2
    return None


@dataclasses.dataclass(frozen=True, eq=False)
class Picture:
    """A JPEG, and what little of it was decoded so far: a third of the work, and none of it for nothing."""

    data: bytes
    preview: Preview


def peek(data: bytes) -> Picture | None:
    """The JPEG with its preview; None where it is broken or cut off."""
    if not data.startswith(_START) or (jpeg_end(data) or 0) <= 0:
        return None
    try:
        preview = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_REDUCED_GRAYSCALE_8)
    except cv2.error:
        return None
    return None if preview is None else Picture(data, np.asarray(preview, dtype=np.uint8))


class EncodedFrame(Frame):
    """A frame whose picture is decoded when somebody asks for it; most frames of a still board nobody does."""

    def __init__(self, picture: Picture, time_s: float, index: int) -> None:
        self._picture: Picture
        for name, value in (("_picture", picture), ("time_s", time_s), ("index", index), ("name", "")):
            object.__setattr__(self, name, value)

    @property
    def jpeg(self) -> bytes:
        """The picture as it came."""
        return self._picture.data

    @functools.cached_property
    def image(self) -> Image:
        """The whole picture; where it cannot be decoded although its preview could, the preview enlarged."""
        image = decode(self._picture.data)
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


def decode(data: bytes) -> Image | None:
    """The picture in the bytes of an image file, turned as its EXIF says; None where it is broken or cut off."""
    if data.startswith(_START) and (jpeg_end(data) or 0) <= 0:
        return None
    if data.startswith(b"\x89PNG") and b"IEND" not in data[-64:]:
        return None
    if not data:
        return None
    try:
        image = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        return None
    return None if image is None else np.asarray(image, dtype=np.uint8)
