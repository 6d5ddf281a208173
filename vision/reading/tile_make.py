"""Tiles of one board are of one make: what has another colour than the faces that are seen surely is rather no tile.

Print on a board may look like the face of a tile: a plate of a logo, a pale square like a blank half. One patch does
not tell. But the halves whose pips are seen show the colour of all faces, in this light.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from games import EMPTY
from vision.reading.cells import Patches

FloatArray = NDArray[np.float64]

SURE = 0.95
"""Probability from which a half with pips is taken for one; blank halves are what is in doubt."""
FEWEST = 3
"""Such halves, besides the one in question, from which the colour of faces is known."""
TINT, SHADE = 0.08, 0.3
"""Logarithms by which faces of one make differ in tint and in brightness: shadows change the latter mostly."""
ALIKE, NATS_PER_STEP, MAX_NATS = 0.3, 0.8, 5.0
"""Distance that is none; what each step beyond it takes from the odds of a half, and the most that is taken.

Fitted to 8,196 cells of 250 drawn stretches of board: the share of halves among cells in doubt, over what the network
expects, falls by 0.2 nats up to a distance of 0.7, by 1.1 at 1.3, 1.8 at 2.5, 2.7 at 3.5 and 4.9 beyond 6.
"""
OFFSET = 4.0
"""Grey levels added before logarithms are taken: in the dark, noise is no colour."""


def of_one_make(patches: Patches, log_probabilities: FloatArray, letters: str) -> FloatArray:
    """(cells, classes) as they came, but for halves whose faces differ in colour from all that are seen surely."""
    empty, blank = letters.index(EMPTY), letters.index("0")
    pips = [column for column in range(len(letters)) if column not in (empty, blank)]
    sure = np.flatnonzero(log_probabilities[:, pips].max(axis=1) > np.log(SURE))
    if len(sure) <= FEWEST:
        return log_probabilities
    faces = _faces(patches)
    apart = faces[:, None] - faces[sure][None]
    shade = apart.mean(axis=2)
    tint = np.linalg.norm(apart - shade[..., None], axis=2)
    distance = np.hypot(tint / TINT, shade / SHADE)
    distance[sure, np.arange(len(sure))] = np.inf  # nothing vouches for itself
    less = np.clip(NATS_PER_STEP * (distance.min(axis=1) - ALIKE), 0, MAX_NATS)
    logs = log_probabilities - less[:, None]
    logs[:, empty] += less
    return np.asarray(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))


def _faces(patches: Patches) -> FloatArray:
    """(cells, 3) logarithms of the median colour of what lies in each cell's middle; pips cover less than half."""
    side = patches.shape[1]
    middle = slice(side * 5 // 16, side * 11 // 16, 2)
    inner = patches[:, middle, middle].reshape(len(patches), -1, 3)
    return np.asarray(np.log(np.median(inner, axis=1) + OFFSET), dtype=np.float64)
