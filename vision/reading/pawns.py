"""Finds the pawns on a printed track: discs of clear red and green plastic on spaces that are printed white and black.

Colours are measured against the white of the spaces around, so that lamps and shadows matter little.
"""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from vision.frame import Image
from vision.pose import project

FloatArray = NDArray[np.float64]

HALF_MM = 9.0
"""Half the side of the square looked at around a space: a space is 19 mm wide."""
DISC_MM = 11.0
"""Side of the square over which colour is averaged: it lies within a pawn."""
STRAY_MM = 4.0
"""How far from a space's middle a pawn is looked for."""
WHITE_SPACES = 7
"""Spaces, one after the other, that agree on what is white."""
TINT = 0.12
"""Colour, as a share of white, from which a pawn is more likely than none; print on white stays under half of that."""
STEEPNESS = 4.0
FLAT = 0.11
"""Spread of brightness over mean: a printed disc lies under it, a moulded pawn with its rim and highlight above."""


@dataclasses.dataclass(frozen=True)
class Pawn:
    """Where one side's pawn is seen."""

    space: int | None
    """0 the start; None where it is not seen."""
    probability: float
    """That it is so."""


def find_pawns(rectified: Image, template: BoardTemplate) -> dict[str, Pawn]:
    """By colour, as the template's table `pawns` names them; empty for boards without a printed track."""
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
    """(spaces, 3) what the white of each space looks like in the light there."""
    each = np.percentile(crops.reshape(len(crops), -1, 3), 75, axis=1)
    near = (np.arange(len(each))[:, None] + np.arange(WHITE_SPACES) - WHITE_SPACES // 2) % len(each)
    return np.asarray(np.maximum(np.median(each[near], axis=1), 1.0), dtype=np.float32)


def _tints(relative: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
    """By colour, how red or green each pixel is, as a share of white."""
    blue, green, red = (relative[..., channel] for channel in range(3))
    return {"red": np.clip(red - np.maximum(green, blue), 0, 1), "green": np.clip(green - red, 0, 1)}


def _strongest(tint: NDArray[np.float32], scale: float) -> float:
    """The greatest mean over a square of DISC_MM near the middle."""
    side, middle, stray = max(1, round(DISC_MM * scale)), len(tint) // 2, round(STRAY_MM * scale)
    near = slice(middle - stray, middle + stray + 1)
    return float(cv2.blur(tint, (side, side))[near, near].max())


def _moulded(disc: NDArray[np.uint8]) -> float:
    """Probability that a disc at the start is a pawn and not the print that shows where it belongs."""
    grey = cv2.cvtColor(disc, cv2.COLOR_BGR2GRAY).astype(np.float64)
    spread = float(grey.std() / (grey.mean() + 1))
    return float(1 / (1 + (FLAT / max(spread, 1e-3)) ** STEEPNESS))
