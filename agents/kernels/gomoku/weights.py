"""Values of the patterns on a cell, fitted to the results of the engine's own games."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

PAIRS = {
    (3, 1): 2, (3, 2): 2, (3, 3): 12,
    (4, 1): 3, (4, 2): 4, (4, 3): 12, (4, 4): 14,
    (5, 0): 20, (5, 1): 18, (5, 2): 18, (5, 3): 31, (5, 4): 33, (5, 5): 62,
    (8, 0): 12, (8, 1): 25, (8, 2): 30, (8, 3): 42, (8, 4): 44, (8, 5): 80,
}  # fmt: skip
"""Hundredths of a logit for the two best of a cell's four patterns, by their numbers in `patterns.py`.

An earlier version of the recipe `kibitzer train evaluation --game gomoku` made them; its output differs.
"""
TURN = 60
"""Hundredths of a logit for being to move: chosen by matches, so that scores do not swing with the depth. The recipe
measures it."""
MOST = 90
"""Hundredths of a logit for a cell that wins."""


def cell_values(pairs: Mapping[tuple[int, int], int] = PAIRS) -> NDArray[np.uint8]:
    """One byte for every combination of four patterns, four bits each: the value of the two best."""
    worth = np.zeros((16, 16), np.uint8)
    for high, low in itertools.product(range(16), repeat=2):
        pair = max(high, low), min(high, low)
        worth[high, low] = MOST if pair[0] >= 9 or pair == (8, 8) else pairs.get(pair, 0)
    code = np.arange(2**16)
    patterns = np.sort(np.stack([code >> shift & 15 for shift in (0, 4, 8, 12)]), axis=0)
    found: NDArray[np.uint8] = worth[patterns[3], patterns[2]]
    return found


PROMISES = {2: 2, 3: 6, 4: 10, 5: 24, 8: 30, 9: 100, 10: 200}
"""What each pattern adds to the promise of a move, by its number."""
DOUBLE_PROMISE = 90
"""What two patterns that win together add: two open threes, or a four and an open three."""


def promises() -> NDArray[np.uint8]:
    """One byte for every combination of four patterns, four bits each: how promising a stone there is."""
    code = np.arange(2**16)
    four = np.stack([code >> shift & 15 for shift in (0, 4, 8, 12)])
    found = np.array([PROMISES.get(pattern, 0) for pattern in range(16)])[four].sum(axis=0)
    fours, threes = (four >= 8).sum(axis=0), ((four & 13) == 5).sum(axis=0)
    found += DOUBLE_PROMISE * ((threes > 0) & (threes + fours > 1))
    capped: NDArray[np.uint8] = np.minimum(found, 255).astype(np.uint8)
    return capped
