"""Compares the patches of a board's cells in two pictures, apart from overall light."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Flags, Patches

CHANGED_LEVELS = 9.0
"""Grey levels by which a blurred patch, corrected for light, must differ at some point to count as changed."""
BLOCK_PX = 4
"""Pixels of the side of the blocks whose means are compared; blurring by one block is a blur of three pixels."""


def differing(before: Patches, now: Patches) -> Flags:
    """(cells,) True where a cell looks different."""
    earlier, later = _blocks(before), _blocks(now)
    gain = np.median((later.mean(axis=(1, 2)) + 1) / (earlier.mean(axis=(1, 2)) + 1), axis=0)
    apart = _blurred(np.clip(later, 0, 250) - np.clip(earlier * gain, 0, 250))
    return np.asarray(np.abs(apart).max(axis=(1, 2, 3)) > CHANGED_LEVELS)


def _blocks(patches: Patches) -> NDArray[np.float32]:
    """(cells, side / 4, side / 4, 3) block means of each patch."""
    cells, side = patches.shape[:2]
    small = cv2.resize(
        patches.reshape(-1, side, 3), (side // BLOCK_PX, cells * side // BLOCK_PX), interpolation=cv2.INTER_AREA
    )
    return small.reshape(cells, side // BLOCK_PX, side // BLOCK_PX, 3).astype(np.float32)


def _blurred(patches: NDArray[np.float32]) -> NDArray[np.float32]:
    """Blurs each patch separately by 1 2 1 down and across, repeating its edge values."""
    wide = np.pad(patches, ((0, 0), (1, 1), (1, 1), (0, 0)), mode="edge")
    down = wide[:, :-2] + 2 * wide[:, 1:-1] + wide[:, 2:]
    return np.asarray((down[:, :, :-2] + 2 * down[:, :, 1:-1] + down[:, :, 2:]) / 16, dtype=np.float32)
