"""What stands on each cell, given that a set has only so many men of either side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.arrays import FloatArray

TOO_MANY = 1e-3
"""How likely a board with more men than a set has is, to one with as many: other men may have been added."""


def within_counts(logs: FloatArray, most: Sequence[int], too_many: float = TOO_MANY) -> FloatArray:
    """(cells, classes) log probabilities, given that each class but the first stands on at most `most` of the cells.

    Otherwise cells do not depend on each other. Summed over all boards with such counts, by what stands before a cell
    and what stands after it (the forward and backward pass of Rabiner, "A tutorial on hidden Markov models", 1989).
    """
    shares, counts = np.exp(logs), tuple(count + 1 for count in most)
    every = (slice(None),) * len(counts)
    fewer = [every, *((*every[:axis], slice(None, -1), *every[axis + 1 :]) for axis in range(len(counts)))]
    more = [every, *((*every[:axis], slice(1, None), *every[axis + 1 :]) for axis in range(len(counts)))]
    before, after = np.zeros((2, len(logs) + 1, *counts))
    before[0].flat[0] = 1
    after[-1] = 1
    for cell in range(len(logs)):
        for share, a, b in zip(shares[cell], fewer, more, strict=True):
            before[cell + 1][b] += share * before[cell][a]
    for cell in reversed(range(len(logs))):
        for share, a, b in zip(shares[cell], fewer, more, strict=True):
            after[cell][a] += share * after[cell + 1][b]
    inner = tuple(range(1, before.ndim))
    allowed = [(before[:-1, *a] * after[1:, *b]).sum(axis=inner) for a, b in zip(fewer, more, strict=True)]
    told = logs + np.log(too_many + (1 - too_many) * np.stack(allowed, axis=1))
    return np.asarray(told - np.logaddexp.reduce(told, axis=1, keepdims=True))
