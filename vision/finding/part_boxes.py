"""Rectangles of a weave that may be a board's outline although some of their sides lie on no visible line."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from vision.finding.outlines import MIN_SIDE_PX
from vision.primitives.segments import FRAME_PX

FloatArray = NDArray[np.float64]

ASPECTS = tuple(np.geomspace(1 / 1.12, 1.12, 5))
"""Factors tried for the error of the frame's aspect, which comes from the vanishing points."""
SIDES_PX = tuple(np.geomspace(140, 900, 14))
"""Frame pixels, widths of the board that are tried where only one of its corners is in the picture."""


def boxes_of_lines(columns: FloatArray, rows: FloatArray, aspect: float) -> FloatArray:
    """(n, 4) left, right, top, bottom of rectangles with a board's aspect and two or three sides on lines."""
    found = []
    for stretch in ASPECTS:
        ratio = aspect * stretch
        found += [_from_three(columns, rows, ratio), _from_three(rows, columns, 1 / ratio)[:, [2, 3, 0, 1]]]
    found.append(_from_corner(columns, rows, aspect))
    return np.concatenate(found)


def _from_three(columns: FloatArray, rows: FloatArray, ratio: float) -> FloatArray:
    """Boxes between two upright lines that begin or end at a line across, or lie anywhere along them."""
    pairs = np.array([pair for pair in itertools.combinations(columns, 2) if pair[1] - pair[0] >= MIN_SIDE_PX])
    if len(pairs) == 0:
        return np.zeros((0, 4))
    height = (pairs[:, 1] - pairs[:, 0]) * ratio
    found = [np.zeros((0, 4))]
    for row in rows:
        for top in (np.full(len(pairs), row), row - height):
            found.append(np.stack([pairs[:, 0], pairs[:, 1], top, top + height], axis=1))
    for share in np.linspace(0.1, 0.9, 9):
        top = FRAME_PX / 2 - share * height
        found.append(np.stack([pairs[:, 0], pairs[:, 1], top, top + height], axis=1))
    return np.concatenate(found)


def _from_corner(columns: FloatArray, rows: FloatArray, aspect: float) -> FloatArray:
    """Boxes of any size with one corner where two lines cross."""
    x, y, width = (one.ravel() for one in np.meshgrid(columns, rows, np.array(SIDES_PX)))
    found = []
    for stretch in ASPECTS[::2]:
        height = width * aspect * stretch
        for left in (x, x - width):
            found += [np.stack([left, left + width, top, top + height], axis=1) for top in (y, y - height)]
    return np.concatenate(found)
