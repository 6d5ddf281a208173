"""Finds the pawns on a printed track: discs of clear red and green plastic on spaces printed in white and black.

Colours are measured relative to the white of nearby spaces, so lamps and shadows matter little.
"""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import FloatArray
from calibration.template import BoardTemplate
from vision.frame import Image
from vision.pose import project

HALF_MM = 9.0
"""Millimetres of half the side of the square cut around a space; a space is 19 mm wide."""
DISC_MM = 11.0
"""Millimetres of the side of the square over which colour is averaged; it fits within a pawn."""
STRAY_MM = 4.0
"""Millimetres from a space's centre within which a pawn is searched for."""
WHITE_SPACES = 7
"""Consecutive spaces from which white is estimated."""
TINT = 0.12
"""Share of white: tint from which a pawn is more likely than none; print on white stays under half of it."""
STEEPNESS = 4.0
FLAT = 0.11
"""Standard deviation of brightness over mean: below it a printed disc, above it a moulded pawn (rim, highlight)."""


@dataclasses.dataclass(frozen=True)
class Pawn:
    space: int | None
    """Number of the space, 0 for the start; None if the pawn is not seen."""
    probability: float


def find_pawns(rectified: Image, template: BoardTemplate) -> dict[str, Pawn]:
    """Finds the pawns by colour, as named in the template's table `pawns`; empty for boards without a printed track."""
    starts = template.source.get("pawns", {})
    if not starts or not len(template.track_mm):
        return {}
    spaces_px = project(template.rectified_from_board, template.track_mm)
    scale = template.pixels_per_mm
    crops = np.stack([_crop(rectified, place, HALF_MM * scale) for place in spaces_px]).astype(np.float32)
    white = _whites(crops)
    tints = _tints(crops / white[:, None, None, :])
    found = {}
    for colour, start_mm in starts.items():
        share = np.array([_strongest(tint, scale) for tint in tints[colour]])
        weights = share**STEEPNESS
        odds = weights / (weights.sum() + TINT**STEEPNESS)
        best = int(odds.argmax())
        if odds[best] > 1 - odds.sum():
            found[colour] = Pawn(best + 1, float(odds[best]))
        else:
            place = project(template.rectified_from_board, np.array([start_mm], dtype=np.float64))[0]
            waiting = _moulded(_crop(rectified, place, DISC_MM / 2 * scale))
            found[colour] = Pawn(0 if waiting > 0.5 else None, float(max(waiting, 1 - waiting) * (1 - odds.sum())))
    return found


def _crop(image: Image, place: FloatArray, half_px: float) -> NDArray[np.uint8]:
    side = 2 * round(half_px) + 1
    at = (float(place[0]), float(place[1]))
    return np.asarray(cv2.getRectSubPix(image, (side, side), at), dtype=np.uint8)


def _whites(crops: NDArray[np.float32]) -> NDArray[np.float32]:
    """(spaces, 3) BGR of white at each space in the local light."""
    each = np.percentile(crops.reshape(len(crops), -1, 3), 75, axis=1)
    near = (np.arange(len(each))[:, None] + np.arange(WHITE_SPACES) - WHITE_SPACES // 2) % len(each)
    return np.asarray(np.maximum(np.median(each[near], axis=1), 1.0), dtype=np.float32)


def _tints(relative: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
    """Redness and greenness of each pixel as a share of white."""
    blue, green, red = (relative[..., channel] for channel in range(3))
    return {"red": np.clip(red - np.maximum(green, blue), 0, 1), "green": np.clip(green - red, 0, 1)}


def _strongest(tint: NDArray[np.float32], scale: float) -> float:
    """The greatest mean over a square of DISC_MM near the centre."""
    side, middle, stray = max(1, round(DISC_MM * scale)), len(tint) // 2, round(STRAY_MM * scale)
    near = slice(middle - stray, middle + stray + 1)
    return float(cv2.blur(tint, (side, side))[near, near].max())


def _moulded(disc: NDArray[np.uint8]) -> float:
    """Probability that a disc at the start is a pawn and not the printed mark of its place."""
    grey = cv2.cvtColor(disc, cv2.COLOR_BGR2GRAY).astype(np.float64)
    spread = float(grey.std() / (grey.mean() + 1))
    return float(1 / (1 + (FLAT / max(spread, 1e-3)) ** STEEPNESS))
