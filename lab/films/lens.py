"""The camera of a made-up film: its motion, focus and exposure; and a phone camera's effects on any film."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from lab.films.plan import FilmPlan
from lab.simulated.arrays import Float32Array, FloatArray
from lab.simulated.camera import jpeg
from lab.simulated.phone import RandomWay, encoder
from vision.frame import Image

Spoil = Callable[[Image, float], Image]


def focus(picture: Image, time_s: float) -> Image:
    """The lens drifts out of focus and back in 2.5 seconds, by 3 thousandths of the picture's width at most."""
    blur = 0.003 * picture.shape[1] * float(np.sin(np.pi * time_s / 2.5) ** 2)
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), blur), np.uint8) if blur else picture


def exposure(picture: Image, time_s: float) -> Image:
    """Exposure drifts by a quarter within ten seconds, and oscillates around its target every twenty."""
    hunt = 0.15 * np.exp(-(time_s % 20)) * np.sin(2 * np.pi * time_s)
    return _times(picture, 1 + 0.25 * np.sin(2 * np.pi * time_s / 10) + hunt)


def colour(picture: Image, time_s: float) -> Image:
    """The white balance goes from daylight to a lamp's and back in 30 seconds."""
    warmth = 0.5 + 0.5 * np.sin(2 * np.pi * time_s / 30)
    return _times(picture, np.array([1 - 0.3 * warmth, 1, 1 + 0.1 * warmth]))


SPOILT: Mapping[str, Spoil] = {one.__name__: one for one in (focus, exposure, colour)}


def _times(picture: Image, gain: float | FloatArray) -> Image:
    return np.asarray(np.clip(picture * gain, 0, 255), np.uint8)


SHARES = {"stand": 0.0, "leaning": 0.2, "held": 1.0}
"""Strength of each kind of sway, relative to that of a phone in a hand."""
WAY_HZ = 30.0
"""Pictures a second of the recorded way."""
BANK, ROOM_PX = 6, 128
"""Pictures of noise, and pixels by which each is larger than a frame: a frame uses a random part of one."""
GROWTH = 4.0
"""Enlargement by a focus that hunts, relative to its blur's share of the picture's width."""
KEPT_QUALITY = 90
"""Quality of the file of motion JPEG, whose own scale is not that of JPEG; the pictures were compressed before."""
ADAPTS_S = 0.8
"""Seconds in which the exposure adapts to a hand."""


class FilmCamera:
    """Writes a film's pictures, each with the camera's motion and faults."""

    def __init__(self, plan: FilmPlan, path: Path, recorded: Path) -> None:
        """`recorded` is the file of a recorded sway; it may be absent. Raises OSError."""
        rng = plan.rng("camera")
        self._plan, self._rng = plan, rng
        self._writer = _writer(plan, path)
        self._sway = _sway(plan, recorded)
        self._offset = (np.array(plan.traced_px) - plan.size_px) / 2
        self._period_s, self._phase = float(rng.uniform(8, 25)), float(rng.uniform(0, 2 * np.pi))
        self._hunts_s = float(rng.uniform(4, 12))
        width, height = plan.size_px
        shape = height + ROOM_PX, width + ROOM_PX, 3
        self._bank = [
            np.rint(plan.noise * _grain(rng.standard_normal(shape, dtype=np.float32))).astype(np.int16)
            for _ in range(BANK if plan.noise else 0)
        ]
        self._adapted = 1.0
        self.frames = 0

    @property
    def time_s(self) -> float:
        return self.frames / self._plan.fps

    def show(self, picture: Image, still: Image) -> FloatArray:
        """Writes a picture of the table, and returns the matrix from its pixels to the film's.

        `still` is the same without hands, at which the exposure aims.
        """
        blur = self._blur()
        matrix = self._matrix(1 + GROWTH * blur)
        size = self._plan.size_px
        seen = cv2.warpPerspective(picture, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
        if blur > 2e-4:
            seen = cv2.GaussianBlur(seen, (0, 0), blur * size[0])
        if self._plan.drift:
            levels = np.clip(self._gain(picture, still) * np.arange(256) + 0.5, 0, 255).astype(np.uint8)
            seen = cv2.LUT(seen, levels)
        if self._bank:
            seen = cv2.add(seen, self._noise(), dtype=cv2.CV_8U)
        shown = np.asarray(seen, np.uint8)
        self._writer.write(jpeg(shown, self._plan.quality) if self._plan.codec == "jpeg" else shown)
        self.frames += 1
        return matrix

    def close(self) -> None:
        self._writer.release()

    def _matrix(self, growth: float) -> FloatArray:
        width, height = self._plan.size_px
        moved = self._sway(self.time_s, (width, height))
        grown = np.array([[growth, 0, (1 - growth) * width / 2], [0, growth, (1 - growth) * height / 2], [0, 0, 1]])
        shift = np.array([[1, 0, -self._offset[0]], [0, 1, -self._offset[1]], [0, 0, 1]])
        return np.asarray(grown @ moved @ shift, dtype=np.float64)

    def _blur(self) -> float:
        """Standard deviation of the focus's blur, as a share of the picture's width."""
        if not self._plan.breathing:
            return 0.0
        return self._plan.breathing * max(0.0, float(np.sin(2 * np.pi * self.time_s / self._hunts_s + self._phase)))

    def _gain(self, picture: Image, still: Image) -> float:
        """Drift, and adaptation to a hand that is darker or lighter than the table."""
        aim = 1.0
        if picture is not still:
            aim = float(still[::16, ::16].mean() / max(picture[::16, ::16].mean(), 1.0)) ** 0.5
        self._adapted += (aim - self._adapted) * min(1.0, 1 / (self._plan.fps * ADAPTS_S))
        wave = np.sin(2 * np.pi * self.time_s / self._period_s + self._phase)
        return self._adapted * (1 + self._plan.drift * float(wave))

    def _noise(self) -> NDArray[np.int16]:
        width, height = self._plan.size_px
        picture = self._bank[int(self._rng.integers(len(self._bank)))]
        x, y = (int(number) for number in self._rng.integers(0, ROOM_PX + 1, 2))
        return np.asarray(picture[y : y + height, x : x + width], np.int16)


def _grain(noise: Float32Array) -> Float32Array:
    """Noise of standard deviation 1, a little blotchy as after demosaicing."""
    blotchy = np.asarray(cv2.GaussianBlur(noise, (0, 0), 0.6), np.float32)
    return np.asarray(blotchy / blotchy.std(), np.float32)


def _writer(plan: FilmPlan, path: Path) -> cv2.VideoWriter:
    """A motion JPEG, or the best film that OpenCV can encode."""
    jpeg = plan.codec == "jpeg"
    code = cv2.VideoWriter.fourcc(*("MJPG" if jpeg else encoder()))
    api = cv2.CAP_OPENCV_MJPEG if jpeg else cv2.CAP_FFMPEG
    writer = cv2.VideoWriter(str(path), api, code, plan.fps, plan.size_px)
    writer.set(cv2.VIDEOWRITER_PROP_QUALITY, KEPT_QUALITY)
    if not writer.isOpened():
        raise OSError(f"{path}: cannot be written as a video")
    return writer


def _sway(plan: FilmPlan, recorded: Path) -> Callable[[float, tuple[int, int]], FloatArray]:
    """The camera's motion: from seconds and the picture's size to a matrix of its pixels."""
    share = SHARES[plan.sway]
    if not (plan.recorded_sway and recorded.is_file()):
        return RandomWay(plan.seed, share).picture_from_rest
    way = way_from(recorded)
    return lambda time_s, size: along(way, share, time_s, size)


def way_from(path: Path) -> FloatArray:
    """(n, 3, 3) the recorded motion of a camera, 30 a second, in the unit square."""
    return np.array(json.loads(path.read_text(encoding="utf-8"))["way"], dtype=np.float64)


def along(way: FloatArray, share: float, time_s: float, size: tuple[int, int]) -> FloatArray:
    """(3, 3) from the picture at rest to that at a time: the motion runs to its end and back."""
    last = len(way) - 1
    at = round(time_s * WAY_HZ) % (2 * last)
    part: Any = np.eye(3) + share * (way[min(at, 2 * last - at)] - np.eye(3))
    scale = np.diag([size[0], size[1], 1.0])
    return np.asarray(scale @ part @ np.linalg.inv(scale), dtype=np.float64)
