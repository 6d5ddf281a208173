"""A phone over the simulated table: its sway, focus and exposure, and how its pictures travel."""

from __future__ import annotations

import dataclasses
import functools
import tempfile
from pathlib import Path

import cv2
import numpy as np

from lab.simulated.arrays import FloatArray
from lab.simulated.camera import jpeg
from vision.film import unheard
from vision.frame import Image

PARTS = ("shift_x", "shift_y", "turn", "growth", "tilt_x", "tilt_y")
"""Parts of the motion.

Shifts are in sides of the picture, the turn in radians, the enlargement as its logarithm, and tilts as the third row
of the homography per side.
"""
EDGES_HZ = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 15.0)
SPECTRUM: FloatArray = 1e-5 * np.array(
    [
        [272, 187, 2478, 160, 36, 28],
        [364, 261, 1430, 237, 38, 106],
        [318, 247, 201, 176, 47, 165],
        [108, 221, 120, 216, 115, 47],
        [55, 143, 34, 88, 134, 134],
        [18, 57, 48, 71, 217, 155],
        [24, 37, 118, 71, 256, 207],
        [36, 50, 152, 119, 363, 348],
    ]
)
"""Root mean square of each part (column) in each octave (row)."""
WAVES = 6
"""Number of sines for each part and octave, enough to show no beats."""


class RandomWay:
    """Random motion of the picture from its place at rest. The same seed gives the same motion."""

    def __init__(self, seed: int, share: float = 1.0) -> None:
        """`share` is the strength relative to the recorded one: about 0.2 for a phone that leans on a glass."""
        self.share = share
        chance = np.random.default_rng([seed, 12])
        low, high = (np.log(edges)[:, None, None] for edges in (EDGES_HZ[:-1], EDGES_HZ[1:]))
        shape = (*SPECTRUM.shape, WAVES)
        self._rates = 2 * np.pi * np.exp(chance.uniform(low, high, shape))
        self._phases = chance.uniform(0, 2 * np.pi, shape)
        self._heights = SPECTRUM[..., None] * np.sqrt(2 / WAVES)

    def parts(self, time_s: float) -> FloatArray:
        """(6,) the parts at that time, in the order of `PARTS`."""
        waves = self._heights * np.sin(self._rates * time_s + self._phases)
        return np.asarray(self.share * waves.sum(axis=(0, 2)), dtype=np.float64)

    def picture_from_rest(self, time_s: float, size: tuple[int, int]) -> FloatArray:
        """(3, 3) homography from pixels of the picture at rest to pixels at that time; `size` is (width, height)."""
        x, y, turn, growth, *tilt = self.parts(time_s)
        cosine, sine = np.exp(growth) * np.cos(turn), np.exp(growth) * np.sin(turn)
        moved = np.array([[cosine, -sine, x], [sine, cosine, y], [0, 0, 0]])
        moved += np.outer((x, y, 1), (*tilt, 0)) + np.diag((0.0, 0, 1))
        # The unit is the longer side, for both axes, so that a turn remains a turn.
        side, middle = max(size), (np.array(size) - 1) / 2
        unit = np.array([[1 / side, 0, -middle[0] / side], [0, 1 / side, -middle[1] / side], [0, 0, 1]])
        return np.asarray(np.linalg.inv(unit) @ moved @ unit, dtype=np.float64)


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
