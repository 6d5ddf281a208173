"""A phone camera's effects on a film: each function spoils one picture after the other, given its time in seconds."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

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


def jpeg(picture: Image, time_s: float) -> Image:
    """Through a JPEG of quality 30."""
    data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 30])[1]
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def small(picture: Image, time_s: float) -> Image:
    half = cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(half, picture.shape[1::-1], interpolation=cv2.INTER_LINEAR), np.uint8)


def lens(picture: Image, time_s: float) -> Image:
    return np.asarray(cv2.remap(picture, *_bent(picture.shape[0]), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT))


def dim(picture: Image, time_s: float) -> Image:
    return _dark(picture, time_s, 0.4, 7)


def dark(picture: Image, time_s: float) -> Image:
    return _dark(picture, time_s, 0.25, 10)


SPOILT: Mapping[str, Spoil] = {one.__name__: one for one in (focus, exposure, colour, jpeg, small, lens, dim, dark)}


def _times(picture: Image, gain: float | NDArray[np.float64]) -> Image:
    return np.asarray(np.clip(picture * gain, 0, 255), np.uint8)


def _dark(picture: Image, time_s: float, light: float, noise: float) -> Image:
    grain = _grain(picture.shape[0])[int(time_s * 15) % 5]
    return np.asarray(np.clip(picture * np.float32(light) + noise * grain, 0, 255), np.uint8)


@functools.lru_cache(1)
def _grain(side: int) -> NDArray[np.float32]:
    return np.random.default_rng(0).standard_normal((5, side, side, 3), dtype=np.float32)


@functools.lru_cache(1)
def _bent(side: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    camera = np.array([[side, 0, side / 2], [0, side, side / 2], [0, 0, 1.0]])
    coefficients = np.array([0.25, -0.01, 0, 0])
    maps = cv2.initUndistortRectifyMap(camera, coefficients, np.eye(3), camera, (side, side), cv2.CV_32FC1)
    return np.asarray(maps[0], np.float32), np.asarray(maps[1], np.float32)
