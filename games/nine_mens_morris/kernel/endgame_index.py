"""Numbers endgame positions: from a position to its slot in a table.

A table holds one byte per slot of a subspace: `own` men of the mover, `opp` of the enemy, all laid. The 16
symmetries (the 8 of the square, each with the inner and outer ring exchanged) turn the mover's men into the
representative of their class; the slot is class * C(24 - own, opp) + rank of the enemy's men among the free points.
If a symmetry other than the identity maps a representative to itself, several slots can mean the same position. The
lowest is its true slot; the others repeat its value, so that a reader need not tell them apart.
"""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np
from numpy.typing import NDArray

from agents.kernels.compilation import bit_count, compiled, word_at
from agents.kernels.loops import each_bit
from games.nine_mens_morris import CELLS, NineMensMorris
from rules.symmetry import symmetries

U = np.uint64
Words = NDArray[np.uint64]
ZERO, ONE, FOUR, EIGHT, SIXTEEN, BYTE = U(0), U(1), U(4), U(8), U(16), U(255)
POINTS = len(CELLS)
SYMMETRIES = 16

BINOMIALS = U(0)
"""25 x 16 words: C(n, k) at 16 n + k."""
PERMUTED = U(512)
"""16 x 3 x 256 words: image of each byte of a bit set under each symmetry."""
RANKS = PERMUTED + U(SYMMETRIES * 3 * 256)
"""16 words: start of the entries by rank, by number of men; class << 4 | symmetry to the representative."""
CLASSES = RANKS + SIXTEEN
"""16 words: start of the classes, by number of men; representative | symmetries that fix it, a bit each, << 24."""
DATA = CLASSES + SIXTEEN
STABILISER = U(24)
MEN = U(2**24 - 1)


def _permuted() -> Words:
    words = np.zeros((SYMMETRIES, 3, 256), dtype=np.uint64)
    for number, images in enumerate(symmetries(NineMensMorris())):
        for cell, image in enumerate(images):
            part, bit = divmod(cell, 8)
            words[number, part] |= np.where(np.arange(256) >> bit & 1, 1 << image, 0).astype(np.uint64)
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
def index(most: int) -> Words:
    """The flat array that numbers every subspace in which the mover has up to `most` men."""
    permuted = _permuted()
    parts = [np.zeros(int(DATA), dtype=np.uint64)]
    parts[0][int(PERMUTED) : int(RANKS)] = permuted.ravel()
    for n, k in itertools.product(range(POINTS + 1), range(SYMMETRIES)):
        parts[0][int(BINOMIALS) + 16 * n + k] = math.comb(n, k)
    length = int(DATA)
    for own in range(3, most + 1):
        masks = _bit_sets(POINTS, own)
        low, middle, high = (permuted[:, part][:, masks >> 8 * part & 255] for part in range(3))
        images = low | middle | high
        least = images.min(axis=0)
        men, classes = np.unique(least, return_inverse=True)
        fixed = (images[:, np.searchsorted(masks, men.astype(np.int64))] == men) << np.arange(SYMMETRIES)[:, None]
        ranks = classes.astype(np.uint64) << FOUR | images.argmin(axis=0).astype(np.uint64)
        parts[0][int(RANKS) + own], parts[0][int(CLASSES) + own] = length, length + len(ranks)
        parts += [ranks, men | fixed.sum(axis=0).astype(np.uint64) << STABILISER]
        length += len(ranks) + len(men)
    _bit_sets.cache_clear()
    return np.concatenate(parts)


@compiled("uint64(uint64, uint64)", inlined=True)
def read(base: np.uint64, word: np.uint64) -> np.uint64:
    """A word of the `index` at an address."""
    return word_at(base + word * EIGHT)  # type: ignore[no-any-return]


@compiled("uint64(uint64, uint64, uint64)", inlined=True)
def ways(base: np.uint64, free: np.uint64, men: np.uint64) -> np.uint64:
    """In how many ways men can stand on free points."""
    return read(base, BINOMIALS + free * SIXTEEN + men)


@compiled("uint64(uint64, uint64, uint64)")
def permute(base: np.uint64, symmetry: np.uint64, men: np.uint64) -> np.uint64:
    """The image of a bit set under a symmetry; `base` is the address of an `index`."""
    row = PERMUTED + symmetry * U(768)
    image = read(base, row + (men & BYTE)) | read(base, row + U(256) + (men >> EIGHT & BYTE))
    return image | read(base, row + U(512) + (men >> SIXTEEN))


@compiled("uint64(uint64, uint64, uint64)")
def rank(base: np.uint64, men: np.uint64, taken: np.uint64) -> np.uint64:
    """The rank, in ascending order, of a bit set among those of equally many men that avoid the taken points."""
    number, nth = ZERO, ONE
    for cell in each_bit(men):
        number += ways(base, cell - bit_count(taken & ((ONE << cell) - ONE)), nth)
        nth += ONE
    return number


@compiled("uint64(uint64, uint64, uint64)", inlined=True)
def class_at(base: np.uint64, own: np.uint64, number: np.uint64) -> np.uint64:
    """A class of that many men, by its number: its representative and the symmetries that fix it."""
    return read(base, read(base, CLASSES + own) + number)


@compiled("UniTuple(uint64, 3)(uint64, uint64, uint64)", inlined=True)
def turned(base: np.uint64, mine: np.uint64, theirs: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64]:
    """The mover's class as `class_at` has it, its first slot, and the enemy's men turned as the mover's are to be."""
    own = bit_count(mine)
    found = read(base, read(base, RANKS + own) + rank(base, mine, ZERO))
    number = found >> FOUR
    first = number * ways(base, U(POINTS) - own, bit_count(theirs))
    return class_at(base, own, number), first, permute(base, found & U(15), theirs)


@compiled("uint64(uint64, uint64, uint64)")
def slot_of(base: np.uint64, mine: np.uint64, theirs: np.uint64) -> np.uint64:
    """A slot that holds the position's value in a finished table; the true one if no symmetry fixes `mine`."""
    own, first, enemy = turned(base, mine, theirs)
    return first + rank(base, enemy, own & MEN)
