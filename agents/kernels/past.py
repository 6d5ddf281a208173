"""Positions that come again, told by their keys: those of the game up to the root, then those on the way from it."""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import compiled
from agents.kernels.loops import span
from agents.kernels.memory import EXACT, Memory

U = np.uint64
ZERO, ONE, TWO = U(0), U(1), U(2)


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64)")
def times(memory: Memory, first: np.uint64, root: np.uint64, ply: np.uint64, key: np.uint64) -> np.uint64:
    """How often a ply's position has come, now included: in the words from `first` to `root`, and since.

    What has come since the root counts twice, unless the search is exact: who got there once can do it again.
    """
    seen = ONE
    for word in span(first, root + ply):
        if memory[word] == key:
            seen += TWO if word >= root and memory[EXACT] == ZERO else ONE
    return seen
