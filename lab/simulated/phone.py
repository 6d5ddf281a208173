"""Simulates a phone that films the table: it sways, its focus and exposure hunt, and it compresses."""

from __future__ import annotations

import dataclasses
import functools
import tempfile
from pathlib import Path

import cv2
import numpy as np

from lab.simulated.sensor import jpeg
from lab.simulated.sway import RandomWay
from vision.film import unheard
from vision.frame import Image

CODECS = ("avc1", "mp4v")
"""Encoders in the order in which they are tried: H.264 if OpenCV has it, else MPEG-4 part 2.

OpenCV's packages for pip have no H.264.
"""
KEY_EVERY = 12
"""Pictures from one key picture to the next."""


@dataclasses.dataclass
class Phone:
    """A phone that films the table; by default it changes nothing."""

    way: RandomWay
    """How it sways; its share may be 0."""
    blur: float = 0.0
    """Standard deviation of the blur of an unfocused lens, in widths of the picture."""
    gain: float = 1.0
    """Factor by which its exposure multiplies pixel values."""
    jpeg_quality: int = 0
    """0 for no further JPEG."""
    video: VideoRoundTrip | None = None

    def look(self, image: Image, time_s: float) -> Image:
        height, width = image.shape[:2]
        if self.way.share:
            matrix = self.way.picture_from_rest(time_s, (width, height))
            # Nothing is known beyond the picture; mirroring adds no edge that is not there.
            image = np.asarray(cv2.warpPerspective(image, matrix, (width, height), borderMode=cv2.BORDER_REFLECT))
        if self.blur * width > 0.1:
            image = np.asarray(cv2.GaussianBlur(image, (0, 0), self.blur * width))
        return image if self.gain == 1 else _brightened(image, self.gain)

    def send(self, image: Image) -> Image:
        if self.jpeg_quality:
            image = jpeg(image, self.jpeg_quality)
        return image if self.video is None else self.video.pass_on(image)


class VideoRoundTrip:
    """Passes pictures through a real video encoder and back, each one at once.

    OpenCV's encoder only writes files: all pictures since the last key picture are written to one, and the last is read
    back. The encoder is deterministic, so this is the picture that a stream would deliver.
    """

    def __init__(self, rate_hz: float = 15.0) -> None:
        """Raises OSError where no encoder is available."""
        self._codec = encoder()
        self._rate_hz = rate_hz
        self._pictures: list[Image] = []

    def pass_on(self, image: Image) -> Image:
        if len(self._pictures) == KEY_EVERY or (self._pictures and self._pictures[0].shape != image.shape):
            self._pictures.clear()
        self._pictures.append(image)
        with tempfile.TemporaryDirectory(prefix="kibitzer-video-") as folder:
            path = Path(folder) / "clip.mp4"
            writer = _writer(path, self._codec, self._rate_hz, image)
            for picture in self._pictures:
                writer.write(picture)
            writer.release()
            clip, last = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG), image
            while (read := clip.read())[0]:
                last = np.asarray(read[1], dtype=np.uint8)
            clip.release()
        return last


@functools.cache
def encoder() -> str:
    """The best encoder available. Raises OSError where there is none."""
    with tempfile.TemporaryDirectory(prefix="kibitzer-video-") as folder:
        for codec in CODECS:
            with unheard():
                writer = _writer(Path(folder) / "none.mp4", codec, 15.0, np.zeros((64, 64, 3), dtype=np.uint8))
            if writer.isOpened():
                writer.release()
                return codec
    raise OSError("OpenCV has no video encoder here")


def _writer(path: Path, codec: str, rate_hz: float, image: Image) -> cv2.VideoWriter:
    height, width = image.shape[:2]
    return cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, cv2.VideoWriter.fourcc(*codec), rate_hz, (width, height))


def _brightened(image: Image, gain: float) -> Image:
    table = np.clip(gain * np.arange(256) + 0.5, 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(image, table), dtype=np.uint8)
