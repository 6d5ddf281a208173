"""Cuts the patches of the cells from a rectified picture, and compares those of two pictures."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Flags, Patches
from calibration.template import BoardTemplate
from vision.frame import Image
from vision.pose import project

PATCH_PX = 48


def cut_patches(rectified: Image, template: BoardTemplate, size_px: int = PATCH_PX, *, tight: bool = False) -> Patches:
    """Cuts one square patch per cell, `template.cell_mm` wide around its centre, in the template's order.

    `tight` ones are only as wide as a man.
    """
    centres = project(template.rectified_from_board, template.cells_mm)
    side_px = (template.man_diameter_mm if tight else template.cell_mm) * template.pixels_per_mm
    patches = np.empty((len(centres), size_px, size_px, 3), dtype=np.uint8)
    for index, (x, y) in enumerate(centres):
        patches[index] = cut_patch(rectified, x, y, side_px, size_px)
    return patches


def cut_patch(
    image: Image, x_px: float, y_px: float, side_px: float, size_px: int = PATCH_PX, turn_rad: float = 0.0
) -> NDArray[np.uint8]:
    """Cuts a (size, size, 3) square of side `side_px` around a point, turned clockwise; repeats the picture's edge."""
    scale = side_px / size_px
    cosine, sine = np.cos(turn_rad) * scale, np.sin(turn_rad) * scale
    half = (size_px - 1) / 2
    image_from_patch = np.array(
        [[cosine, -sine, x_px - half * (cosine - sine)], [sine, cosine, y_px - half * (sine + cosine)]]
    )
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    source = image
    if scale > 1.5:  # a warp samples single pixels: without this, thin lines would come and go
        source = np.asarray(cv2.GaussianBlur(image, (0, 0), scale / 3), dtype=np.uint8)
    patch = cv2.warpAffine(source, image_from_patch, (size_px, size_px), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(patch, dtype=np.uint8)


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
