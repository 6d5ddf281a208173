"""Tells a lens that leaves its focus from things that change: how much blurrier one picture is than another."""

from __future__ import annotations

from typing import Any, Final, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.watching.light import BLACK, FloatImage

BLURS_PX: Final = (0.35, 0.5, 0.7, 1.0, 1.4, 2.0)
"""Standard deviations that are tried, in pixels of the gate's picture, each about the root of two times the one before.
Less is not to be told from none; with more, little is left of drawn lines."""
LEGIBLE_PX: Final = 0.35
"""Blur with which all men and tiles are read as without; at 0.5 the first pips are misread (docs/models.md)."""
BLOCK_PX: Final = 8
"""Side of the blocks in which detail is compared: about a man."""
DETAILED: Final = 0.25
"""Share of the blocks, those with most detail, that are compared: in the others there is more noise than detail."""


Picture = TypeVar("Picture", FloatImage, NDArray[np.uint8])
"""Grey or BGR, 0 to 255; about 128 pixels on the longer side where blur is measured."""


def blur_px(before: Picture, after: Picture) -> float:
    """How much blurrier `after` is, as a standard deviation in pixels; negative where it is sharper. 0.2 ms.

    By the detail of the logarithm of grey, so that light does not count, in the middle one of many blocks, so that a
    hand over less than half of them does not count either.
    """
    one, other = _log_grey(before), _log_grey(after)
    detail, blurrier = _detail(one), _detail(other)
    chosen = _detailed(detail, blurrier)
    times, sharper, sign = _times(detail, blurrier, chosen), one, 1
    if times < 1:
        times, blurrier, sharper, sign = 1 / times, detail, other, -1
    best = 0.0
    for blur in BLURS_PX:
        left = _times(_detail(blurred(sharper, blur)), blurrier, chosen)
        if abs(np.log(left)) >= abs(np.log(times)):
            break
        times, best = left, blur
    return sign * best


def as_sharp(before: FloatImage, after: FloatImage) -> tuple[FloatImage, FloatImage]:
    """Both pictures, the sharper one as blurred as the other."""
    blur = blur_px(before, after)
    return blurred(before, max(0.0, blur)), blurred(after, max(0.0, -blur))


def blurred(picture: Picture, blur: float) -> Picture:
    """The picture as a lens out of focus shows it; `blur` in pixels, 0 for none."""
    return picture if not blur else np.asarray(cv2.GaussianBlur(picture, (0, 0), blur), dtype=picture.dtype)


def _log_grey(picture: NDArray[Any]) -> NDArray[np.float32]:
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) if picture.ndim == 3 else picture
    return np.asarray(cv2.log(grey.astype(np.float32) + np.float32(BLACK)), dtype=np.float32)


def _detail(log_grey: NDArray[np.float32]) -> NDArray[np.float32]:
    """Mean detail of each block."""
    height, width = log_grey.shape
    size = max(1, width // BLOCK_PX), max(1, height // BLOCK_PX)
    return np.asarray(cv2.resize(np.abs(cv2.Laplacian(log_grey, cv2.CV_32F)), size, interpolation=cv2.INTER_AREA))


def _detailed(one: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.bool_]:
    """The blocks with most detail in both."""
    both = np.minimum(one, other)
    rank = int((1 - DETAILED) * (both.size - 1))
    return np.asarray(both >= np.partition(both, rank, axis=None)[rank])


def _times(one: NDArray[np.float32], other: NDArray[np.float32], chosen: NDArray[np.bool_]) -> float:
    """How many times as much detail the first has, in the middle block."""
    return float(np.median((one[chosen] + 1e-6) / (other[chosen] + 1e-6)))
