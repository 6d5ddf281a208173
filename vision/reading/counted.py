"""What stands on each cell, given that a set has only so many men of either side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.arrays import FloatArray


def within_counts(logs: FloatArray, most: Sequence[int]) -> FloatArray:
    """(cells, classes) log probabilities, given that each class but the first stands on at most `most` of the cells.

    Otherwise cells do not depend on each other. Summed over all boards with such counts, by what stands before a cell
    and what stands after it (the forward and backward pass of Rabiner, "A tutorial on hidden Markov models", 1989).
    """
    shares, counts = np.exp(logs), tuple(count + 1 for count in most)
    every = (slice(None),) * len(counts)
    fewer = [every, *((*every[:axis], slice(None, -1), *every[axis + 1 :]) for axis in range(len(counts)))]
    more = [every, *((*every[:axis], slice(1, None), *every[axis + 1 :]) for axis in range(len(counts)))]
    before, after = np.zeros((2, len(logs), *counts))
    before[0].flat[0] = 1
    after[-1] = 1
    for cell in range(len(logs) - 1):
        for share, a, b in zip(shares[cell], fewer, more, strict=True):
            before[cell + 1][b] += share * before[cell][a]
        before[cell + 1] /= before[cell + 1].max()
    for cell in range(len(logs) - 1, 0, -1):
        for share, a, b in zip(shares[cell], fewer, more, strict=True):
            after[cell - 1][a] += share * after[cell][b]
        after[cell - 1] /= after[cell - 1].max()
    inner = tuple(range(1, before.ndim))
    allowed = [(before[:, *a] * after[:, *b]).sum(axis=inner) for a, b in zip(fewer, more, strict=True)]
    told = logs + np.log(np.stack(allowed, axis=1))
    return np.asarray(told - np.logaddexp.reduce(told, axis=1, keepdims=True))
