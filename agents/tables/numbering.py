"""Makes the index by which `games.nine_mens_morris.kernel.endgame_index` numbers the positions of endgame tables."""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np
from numpy.typing import NDArray

from agents.kernels.memory import Memory, Word
from games.nine_mens_morris import NineMensMorris
from games.nine_mens_morris.kernel import endgame_index as w
from rules.symmetry import symmetries


def _permuted() -> Memory:
    words = np.zeros((w.SYMMETRIES, 3, 256), dtype=Word)
    for number, images in enumerate(symmetries(NineMensMorris())):
        for cell, image in enumerate(images):
            part, bit = divmod(cell, 8)
            words[number, part] |= np.where(np.arange(256) >> bit & 1, 1 << image, 0).astype(Word)
    return words


@functools.cache
def _bit_sets(points: int, men: int) -> NDArray[np.int64]:
    """All sets of `men` of the first `points` points, ascending; this is the order of ranks."""
    if men == 0:
        return np.zeros(1, dtype=np.int64)
    if men > points:
        return np.zeros(0, dtype=np.int64)
    return np.concatenate([_bit_sets(points - 1, men), _bit_sets(points - 1, men - 1) | 1 << (points - 1)])


@functools.cache
def index(most: int) -> Memory:
    """The flat array that numbers every subspace in which the mover has up to `most` men."""
    permuted = _permuted()
    parts = [np.zeros(int(w.DATA), dtype=Word)]
    parts[0][int(w.PERMUTED) : int(w.RANKS)] = permuted.ravel()
    for n, k in itertools.product(range(w.POINTS + 1), range(w.SYMMETRIES)):
        parts[0][int(w.BINOMIALS) + 16 * n + k] = math.comb(n, k)
    length = int(w.DATA)
    for own in range(3, most + 1):
        masks = _bit_sets(w.POINTS, own)
        low, middle, high = (permuted[:, part][:, masks >> 8 * part & 255] for part in range(3))
        images = low | middle | high
        least = images.min(axis=0)
        men, classes = np.unique(least, return_inverse=True)
        fixed = (images[:, np.searchsorted(masks, men.astype(np.int64))] == men) << np.arange(w.SYMMETRIES)[:, None]
        ranks = classes.astype(Word) << w.FOUR | images.argmin(axis=0).astype(Word)
        parts[0][int(w.RANKS) + own], parts[0][int(w.CLASSES) + own] = length, length + len(ranks)
        parts += [ranks, men | fixed.sum(axis=0).astype(Word) << w.STABILISER]
        length += len(ranks) + len(men)
    _bit_sets.cache_clear()
    return np.concatenate(parts)
