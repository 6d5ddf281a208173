"""Makes halves less likely whose colour differs from the board's surely seen faces: all its tiles are of one make.

Print on a board may look like the face of a tile: a logo's plate, a pale square like a blank half. One patch cannot
tell them apart, but the halves whose pips are seen show the colour of all faces in this light.
"""

from __future__ import annotations

import numpy as np

from calibration.arrays import FloatArray, Patches
from rules import EMPTY

SURE = 0.95
"""Probability from which a half with pips counts as surely seen; blank halves are the doubtful ones."""
MIN_TILES = 3
"""Surely seen halves, besides the one in question, from which the colour of faces is known."""
TINT, SHADE = 0.08, 0.3
"""Logarithms by which faces of one make differ in tint and in brightness; shadows change mostly brightness."""
ALIKE, NATS_PER_STEP, MAX_NATS = 0.3, 0.8, 5.0
"""Distance that costs nothing; nats taken from a half's log odds per unit beyond it; the most nats taken.

Fitted to 8,196 cells of 250 drawn stretches of board: the share of halves among doubtful cells, relative to what the
network expects, falls by 0.2 nats up to a distance of 0.7, by 1.1 at 1.3, 1.8 at 2.5, 2.7 at 3.5 and 4.9 beyond 6.
"""
OFFSET = 4.0
"""Grey levels added before taking logarithms: in the dark, noise is not colour."""


def matching_face_colours(patches: Patches, log_probabilities: FloatArray, letters: str) -> FloatArray:
    """The (cells, classes) log probabilities, halves made less likely where no surely seen face has their colour."""
    empty, blank = letters.index(EMPTY), letters.index("0")
    pips = [column for column in range(len(letters)) if column not in (empty, blank)]
    sure = np.flatnonzero(log_probabilities[:, pips].max(axis=1) > np.log(SURE))
    if len(sure) <= MIN_TILES:
        return log_probabilities
    faces = _faces(patches)
    apart = faces[:, None] - faces[sure][None]
    shade = apart.mean(axis=2)
    tint = np.linalg.norm(apart - shade[..., None], axis=2)
    distance = np.hypot(tint / TINT, shade / SHADE)
    distance[sure, np.arange(len(sure))] = np.inf  # a half is no evidence for itself
    less = np.clip(NATS_PER_STEP * (distance.min(axis=1) - ALIKE), 0, MAX_NATS)
    logs = log_probabilities - less[:, None]
    logs[:, empty] += less
    return np.asarray(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))


def _faces(patches: Patches) -> FloatArray:
    """(cells, 3) logarithms of the median colour of each cell's middle; pips cover less than half of it."""
    side = patches.shape[1]
    middle = slice(side * 5 // 16, side * 11 // 16, 2)
    inner = patches[:, middle, middle].reshape(len(patches), -1, 3)
    return np.asarray(np.log(np.median(inner, axis=1) + OFFSET), dtype=np.float64)
