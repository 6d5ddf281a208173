"""Whether four points can be the corners of a board in a picture, and why not."""

from __future__ import annotations

import numpy as np

from calibration.arrays import FloatArray

NAMES = ("top left", "top right", "bottom right", "bottom left")
MIN_SINE = 0.01
"""Sine of the smallest angle between two sides that meet in a corner: half a degree."""


def corners_fault(corners_px: FloatArray) -> str:
    """Why (4, 2) points, clockwise from the board's top left in the picture, are no corners; empty where they are."""
    sides = np.roll(corners_px, -1, axis=0) - corners_px
    lengths = np.linalg.norm(sides, axis=1)
    for first in range(4):
        for second in range(first + 1, 4):
            if np.array_equal(corners_px[first], corners_px[second]):
                return f"{NAMES[first]} and {NAMES[second]} are the same point"
    before, lengths_before = np.roll(sides, 1, axis=0), np.roll(lengths, 1)
    turns = (before[:, 0] * sides[:, 1] - before[:, 1] * sides[:, 0]) / (lengths_before * lengths)
    flat = np.flatnonzero(np.abs(turns) < MIN_SINE)
    if flat.size:
        return f"{NAMES[flat[0]]} lies on a line with the corners beside it"
    left = np.flatnonzero(turns < 0)
    match len(left):
        case 0:
            return ""
        case 4:
            return "they go anticlockwise; the order is top left, top right, bottom right, bottom left"
        case 2:
            return "two sides cross; the order is top left, top right, bottom right, bottom left"
    # One of the corners turns the other way: the one that the three others surround.
    return f"{NAMES[left[0]] if len(left) == 1 else NAMES[int(np.argmax(turns))]} lies between the three others"
