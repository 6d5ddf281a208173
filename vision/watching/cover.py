"""Tells what covers the board from what only shades it: hands and sleeves from shadows, their own and others'.

Pictures are the gate's: about 128 pixels on the longer side, float32 BGR.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Flags
from vision.watching.light import BLACK, FloatImage, expected, greatest_of, least_of, mean_of

Mask = NDArray[np.uint8]
"""(height, width) 0 or 255, or 0 and 1 where stated."""

WINDOW_PX: Final = 9
"""Pixels, side of the window in which texture is compared: about a man."""
MIN_TEXTURE: Final = 0.03
"""Least standard deviation of log grey in a window that is texture and not noise."""
KEPT_TEXTURE: Final = 0.5
"""Least share of the board's texture that survives a change of light; an object leaves none of it."""
MAX_TINT: Final = 0.25
"""Greatest difference between the channels' log gains that light causes on a plain surface."""
DARKEST, BRIGHTEST = -1.2, 0.4
"""Log gains, lowest and highest, that light causes on a plain surface."""
SAME_GAIN: Final = 0.12
"""Log gain within which a pixel matches most of its blob and so lies in the same shadow."""
FINE: Final = 0.06
"""Local contrast, in log grey, from which a pixel counts as line, edge or grain of the board."""
BRIDGE: Final = np.ones((7, 7), np.uint8)
"""Joins parts of an arm across gaps where it has the board's colour."""
BEYOND: Final = np.ones((9, 9), np.uint8)
"""How near the end of the camera's picture an object from beyond it shows: the picture is smoothed there."""


def things_over(
    before: FloatImage,
    after: FloatImage,
    changed: Mask,
    light: FloatImage,
    board: Flags,
    least_px: float,
    beyond: Flags | None = None,
) -> list[Flags]:
    """Masks of what covers the board in one picture only, one for each changed blob that reaches in from outside.

    `changed` (0 or 255) is where the pictures differ under `light`; a blob counts if more than `least_px` of it lies on
    the `board`. Objects may also come from `beyond` the camera's picture, where that is known. It cannot tell which
    picture has the object. A shadow's mask is empty or small; that of a man standing in the shadow is as large as the
    man.
    """
    if not changed.any():
        return []
    region = np.asarray(cv2.morphologyEx(changed // 255, cv2.MORPH_CLOSE, BRIDGE), dtype=np.uint8)
    labels = np.asarray(cv2.connectedComponents(region)[1])
    entrances = outside(before, after)
    if beyond is not None:
        entrances |= cv2.dilate(beyond.astype(np.uint8), BEYOND) > 0
    reaching = {label for label in np.unique(labels[entrances]) if label}
    reaching = {label for label in reaching if (labels[board] == label).sum() > least_px}
    if not reaching:
        return []
    usual = np.log(expected(before, light) + BLACK)
    gain, grey = np.log(after + BLACK) - usual, mean_of(usual)
    depth = mean_of(gain)
    covering = _covering(gain, depth, grey, region)
    fine = np.asarray(np.abs(grey - cv2.GaussianBlur(grey, (0, 0), 4)) > FINE)
    found = []
    for label in reaching:
        blob = labels == label
        here = covering & blob & ~_one_shadow(gain, depth, blob, blob & (changed > 0), fine)
        opened = cv2.morphologyEx(here.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
        found.append(np.asarray(opened > 0))
    return found


def outside(before: FloatImage, after: FloatImage) -> Flags:
    """(height, width) where an arm may come in: the picture's edge, and dark areas joined to it in both pictures.

    The rectified picture is black beyond the camera's picture; and a black sleeve over a black table is invisible.
    """
    dark = (greatest_of(np.maximum(before, after)) < BLACK).astype(np.uint8)
    dark = np.asarray(cv2.morphologyEx(dark, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), dtype=np.uint8)
    dark[:2] = dark[-2:] = dark[:, :2] = dark[:, -2:] = 1
    labels = np.asarray(cv2.connectedComponents(dark)[1])
    joined = (labels == labels[0, 0]).astype(np.uint8)
    return np.asarray(cv2.dilate(joined, np.ones((5, 5), np.uint8)) > 0)


def _covering(gain: FloatImage, depth: NDArray[np.float32], grey: NDArray[np.float32], region: Mask) -> Flags:
    """Where a window has lost the board's texture or, on plain ground, has a colour that light cannot cause.

    Texture survives a shadow: log grey after against before has slope 1; under a hand the slope is 0. `gain` is the
    logarithm of the gain left over after the change of light, `depth` its mean, `grey` log grey before.
    """
    weight = region.astype(np.float32)
    count = np.maximum(_sums(weight), 1)
    old = grey * weight
    new = old + depth * weight
    old_mean = _sums(old) / count
    variance = _sums(old * old) / count - old_mean**2
    slope = (_sums(old * new) / count - old_mean * _sums(new) / count) / np.maximum(variance, 1e-6)
    smooth = np.asarray(cv2.blur(gain, (3, 3)), dtype=np.float32)
    strange = (greatest_of(smooth) - least_of(smooth) > MAX_TINT) | (depth < DARKEST) | (depth > BRIGHTEST)
    return np.asarray(np.where(variance > MIN_TEXTURE**2, slope < KEPT_TEXTURE, strange) & (region > 0))


def _one_shadow(gain: FloatImage, depth: NDArray[np.float32], blob: Flags, changed: Flags, fine: Flags) -> Flags:
    """Where a blob is darker by one uniform gain, provided this holds on the board's lines as well as between them."""
    counts, edges = np.histogram(depth[changed], bins=np.arange(-2.5, 2.51, 0.05))
    peak = int(np.convolve(counts, np.ones(5), "same").argmax())
    most = changed & (np.abs(depth - (edges[peak] + edges[peak + 1]) / 2) < 0.1)
    nothing = np.zeros_like(blob)
    if not most.any():
        return nothing
    usual = np.median(gain[most], axis=0)
    if np.ptp(usual) > MAX_TINT or not DARKEST < usual.mean() < BRIGHTEST or abs(usual.mean()) < SAME_GAIN:
        return nothing  # light that changes no more than what counts as the same is no shadow
    same = np.asarray(blob & (greatest_of(np.abs(gain - usual)) < SAME_GAIN))
    lines, ground = blob & fine, blob & ~fine
    if lines.sum() <= 8 or (ground.sum() > 8 and same[lines].mean() < 0.6 * same[ground].mean()):
        return nothing
    return same


def _sums(values: NDArray[np.float32]) -> NDArray[np.float32]:
    size = (WINDOW_PX, WINDOW_PX)
    summed = cv2.boxFilter(values, -1, size, normalize=False, borderType=cv2.BORDER_CONSTANT)
    return np.asarray(summed, dtype=np.float32)
