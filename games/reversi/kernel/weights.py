"""Loads the trained patterns from the file in `models/`, in the kernel's form."""

from __future__ import annotations

import functools

import numpy as np

from games.reversi.kernel.memory import Memory
from system.weights import find_weights

NAME = "reversi_patterns"


@functools.cache
def weights() -> Memory:
    """All weights, four of 16 bits per word, for `memory.WEIGHTS`. Raises WeightsError."""
    with np.load(find_weights(NAME).path) as stored:
        return np.ascontiguousarray(stored["weights"].reshape(-1)).view(np.uint64)
