"""Colour features of a cell's middle and its surroundings, as logarithms of light.

A lamp twice as bright, or a shadow, adds the same number to all of them, so their differences describe the object.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.arrays import FloatArray, Patches
from vision.reading.cells import PATCH_PX

LENGTH = 12
STEP = 3
"""Pixels from one sample to the next, down and across."""
DISK, CORE, AROUND = 0.62, 0.30, 0.95
"""Shares of the patch's half side, as radii: what a piece covers at least, its middle, where the board shows again."""
UNLIKE = 0.4
"""Share of the disk's pixels, those least like the surroundings, taken for the piece: a ring has a hole."""
DARKEST = 0.004
"""Added to light before taking its logarithm: below it there is only noise."""


def _log_light() -> NDArray[np.float32]:
    """(256,) natural logarithm of the light of each grey level of an sRGB picture (IEC 61966-2-1)."""
    level = np.arange(256) / 255
    light = np.where(level <= 0.04045, level / 12.92, ((level + 0.055) / 1.055) ** 2.4)
    return np.log(light + DARKEST).astype(np.float32)


LOG_LIGHT = _log_light()
_AXIS = (np.arange(0, PATCH_PX, STEP) - (PATCH_PX - 1) / 2) / (PATCH_PX / 2)
_RADIUS = np.hypot(_AXIS[:, None], _AXIS[None, :]).ravel()
_DISK, _CORE, _AROUND = (np.flatnonzero(where) for where in (_RADIUS < DISK, _RADIUS < CORE, _RADIUS > AROUND))


def man_colours(patches: Patches) -> FloatArray:
    """(cells, 12) medians of log light, BGR each.

    Of the middle, of the disk, of the disk's part least like the surroundings, and of the surroundings.
    """
    light = LOG_LIGHT[patches[:, ::STEP, ::STEP]].reshape(len(patches), -1, 3)
    disk, around = light[:, _DISK], _median(light[:, _AROUND])
    unlike = np.square(disk - around[:, None]).sum(axis=2)
    count = round(disk.shape[1] * UNLIKE)
    rows = np.argpartition(-unlike, count, axis=1)[:, :count]
    man = _median(np.take_along_axis(disk, rows[:, :, None], axis=1))
    return np.concatenate([_median(light[:, _CORE]), _median(disk), man, around], axis=1).astype(np.float64)


def _median(light: NDArray[np.float32]) -> NDArray[np.float32]:
    """(n, 3) upper medians over the pixels (n, pixels, 3)."""
    middle = light.shape[1] // 2
    return np.asarray(np.partition(np.ascontiguousarray(light.transpose(0, 2, 1)), middle, axis=2)[:, :, middle])
