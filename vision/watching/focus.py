"""Measures how much blurrier one picture is than another, to tell lost focus from real changes."""

from __future__ import annotations

from typing import Any, Final, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Flags
from vision.watching.light import FloatImage

BLURS_PX: Final = (0.35, 0.5, 0.7, 1.0, 1.4, 2.0)
"""Standard deviations tried, in pixels of the gate's picture, each about the root of two times the one before.
Less cannot be told from none; more leaves little of drawn lines."""
LEGIBLE_PX: Final = 0.35
"""Blur, in pixels, at which all men and tiles are still read as without; at 0.5 the first pips are misread
(docs/models.md)."""
BLOCK_PX: Final = 8
"""Pixels, side of the blocks in which detail is compared: about a man."""
RICH: Final = 0.25
"""Share of the blocks that are compared, those with most contrast: the others hold more noise than detail."""


Picture = TypeVar("Picture", FloatImage, NDArray[np.uint8])
"""Grey or BGR, 0 to 255; about 128 pixels on the longer side where blur is measured."""


def blur_px(before: Picture, after: Picture) -> float:
    """How much blurrier `after` is, as a standard deviation in pixels; negative where it is sharper. 0.2 ms.

    Compares the share of fine detail in each block's contrast, so that light does not count, and takes the median of
    many blocks, so that a hand over less than half of them does not count either.
    """
    one, other = _grey(before), _grey(after)
    contrasts = _contrast(one), _contrast(other)
    chosen = _rich(*contrasts)
    fineness = _detail(one) / contrasts[0], _detail(other) / contrasts[1]
    times = _times(*fineness, chosen)
    sharper, blurrier, sign = (one, fineness[1], 1) if times > 1 else (other, fineness[0], -1)
    times, best = max(times, 1 / times), 0.0
    for blur in BLURS_PX:
        soft = blurred(sharper, blur)
        left = _times(_detail(soft) / _contrast(soft), blurrier, chosen)
        if abs(np.log(left)) >= abs(np.log(times)):
            break
        times, best = left, blur
    return sign * best


def clear_blur_px(before: Picture, after: Picture) -> float:
    """The same as `blur_px`, but 0 where the measured blur may be only noise, a shadow or a reflection."""
    blur = blur_px(before, after)
    return blur if abs(blur) > LEGIBLE_PX else 0.0


def blurred(picture: Picture, blur: float) -> Picture:
    """The picture as a lens out of focus shows it; `blur` in pixels, 0 for none."""
    return picture if not blur else np.asarray(cv2.GaussianBlur(picture, (0, 0), blur), dtype=picture.dtype)


def _grey(picture: NDArray[Any]) -> NDArray[np.float32]:
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) if picture.ndim == 3 else picture
    return np.asarray(grey, dtype=np.float32)


def _detail(grey: NDArray[np.float32]) -> NDArray[np.float32]:
    """(blocks,) mean of the fine detail."""
    return _by_blocks(np.abs(cv2.Laplacian(grey, cv2.CV_32F)))


def _contrast(grey: NDArray[np.float32]) -> NDArray[np.float32]:
    """(blocks,) mean difference from the local mean; never 0."""
    return _by_blocks(np.abs(grey - cv2.blur(grey, (2 * BLOCK_PX + 1, 2 * BLOCK_PX + 1)))) + np.float32(1e-3)


def _by_blocks(values: NDArray[np.float32]) -> NDArray[np.float32]:
    height, width = values.shape
    size = max(1, width // BLOCK_PX), max(1, height // BLOCK_PX)
    return np.asarray(cv2.resize(values, size, interpolation=cv2.INTER_AREA), dtype=np.float32).ravel()


def _rich(one: NDArray[np.float32], other: NDArray[np.float32]) -> Flags:
    """(blocks,) True for those with most contrast in both pictures, each by its own measure."""
    both = np.minimum(one / _median(one), other / _median(other))
    rank = int((1 - RICH) * (both.size - 1))
    return np.asarray(both >= np.partition(both, rank)[rank])


def _times(one: NDArray[np.float32], other: NDArray[np.float32], chosen: Flags) -> float:
    """Median ratio of the first's fineness to the other's, over the chosen blocks."""
    return _median((one[chosen] + 1e-6) / (other[chosen] + 1e-6))


def _median(values: NDArray[np.float32]) -> float:
    """The upper median; numpy's own takes six times as long."""
    return float(np.partition(values, values.size // 2)[values.size // 2])
