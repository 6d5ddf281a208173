"""Finds round men of about one size by votes: every piece of edge votes for the centre of its circle.

The Hough transform for circles by the direction of the gradient (Kimme, Ballard and Sklansky 1975).
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import FloatArray, Grey, Indices

CELL_PX = 16
"""Pixels, side of a cell in the picture that is searched."""
RADII_PX = (6.0, 7.0, 8.0)
"""Pixels, radii of men that fill from three quarters of a cell to all of it."""
MAX_PX = 60000
"""Most edge pixels that vote."""
FAINTEST = 0.12
"""Least gradient of an edge, as a share of a strong one."""
ASLANT = 0.22
"""Sine of the least angle between an edge and the lines."""
ROUND = 0.36
"""Least share of a circle's edge that must vote for its centre."""
APART_PX = 5
MAX_SIDE_PX = 1100


def find_round_men(grey: Grey, cells_from_picture: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """(n, 2) middles, in cells, of the round objects between two places (in cells too)."""
    width, height = (int(value) for value in np.ceil((high - low) * CELL_PX))
    if not 3 * CELL_PX < min(width, height) <= max(width, height) < MAX_SIDE_PX:
        return np.zeros((0, 2))
    scale = np.array([[CELL_PX, 0, -low[0] * CELL_PX], [0, CELL_PX, -low[1] * CELL_PX], [0, 0, 1.0]])
    canvas = cv2.warpPerspective(grey, scale @ cells_from_picture, (width, height), borderMode=cv2.BORDER_REPLICATE)
    smooth = cv2.GaussianBlur(np.asarray(canvas, np.float32), (0, 0), 1.0)
    dx, dy = cv2.Sobel(smooth, cv2.CV_32F, 1, 0), cv2.Sobel(smooth, cv2.CV_32F, 0, 1)
    strength = cv2.magnitude(dx, dy)
    limit = FAINTEST * float(np.percentile(strength, 98))
    keep = max(limit, float(np.sort(strength.ravel())[-min(MAX_PX, strength.size)]), 1e-3)
    # The board's lines and rim run along x and y here, so edges in these directions do not vote.
    aslant = (np.minimum(np.abs(dx), np.abs(dy)) > ASLANT * strength) & (strength > keep)
    rows, columns = np.nonzero(aslant)
    normals = np.asarray(np.stack([dx, dy], axis=2)[rows, columns] / strength[rows, columns, None], dtype=np.float64)
    edges = np.stack([columns, rows], axis=1)
    found = [
        peak for sign in (-1, 1) for peak in _peaks(_votes(edges, sign * normals, (height, width)), (height, width))
    ]
    return np.array(found).reshape(-1, 2) / CELL_PX + low


def _votes(edges: Indices, normals: FloatArray, size: tuple[int, int]) -> NDArray[np.float32]:
    """(height, width) share of a circle's edge that votes for each place, under the best of the radii."""
    best: NDArray[np.float32] = np.zeros(size, np.float32)
    for radius in RADII_PX:
        places = np.rint(edges + radius * normals).astype(np.intp)
        inside = ((places >= 0) & (places < (size[1], size[0]))).all(axis=1)
        flat = places[inside, 1] * size[1] + places[inside, 0]
        votes = np.bincount(flat, minlength=size[0] * size[1]).reshape(size).astype(np.float32)
        # Votes fall within a pixel or two of the middle; edges are some two pixels broad.
        gathered = cv2.blur(votes, (5, 5)) * np.float32(25 / (2 * 2 * np.pi * radius))
        best = np.maximum(best, gathered)
    return best


def _peaks(votes: NDArray[np.float32], size: tuple[int, int]) -> FloatArray:
    smooth = cv2.GaussianBlur(votes, (0, 0), 1.0)
    around = cv2.dilate(smooth, np.ones((2 * APART_PX + 1, 2 * APART_PX + 1), np.uint8))
    rows, columns = np.nonzero((smooth >= around) & (votes > ROUND))
    return np.asarray(np.stack([columns, rows], axis=1) + 0.5, dtype=np.float64)
