"""Numbers endgame positions: from a position to its slot in a table, and back.

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

from agents.kernels.compilation import bit_count, compiled, lowest_bit, word_at
from games.nine_mens_morris import CELLS

U = np.uint64
Words = NDArray[np.uint64]
ZERO, ONE, THREE, FOUR, SIXTEEN, BYTE, EIGHT = U(0), U(1), U(3), U(4), U(16), U(255), U(8)
POINTS = len(CELLS)
SYMMETRIES = 16
MAX_MEN = 9
"""Men of one side in a table, at most."""

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
ALONE = U(1)
"""The stabiliser of most representatives: only the identity, symmetry 0."""


@functools.cache
def symmetries() -> tuple[tuple[int, ...], ...]:
    """16 permutations of the points, the identity first: the image of each point."""
    at = {(ord(name[0]) - ord("d"), int(name[1]) - 4): cell for cell, name in enumerate(CELLS)}
    found = []
    for swap, turn, mirror in itertools.product((False, True), range(4), (False, True)):
        images = []
        for x, y in at:
            if mirror:
                x = -x
            for _ in range(turn):
                x, y = -y, x
            ring = max(abs(x), abs(y))
            there = 4 - ring if swap else ring
            images.append(at[x // ring * there, y // ring * there])
        found.append(tuple(images))
    return tuple(found)


def _permuted() -> Words:
    words = np.zeros((SYMMETRIES, 3, 256), dtype=np.uint64)
    for number, images in enumerate(symmetries()):
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


def classes(own: int) -> int:
    """Number of classes of the mover's men, `own` in number."""
    words = index(own)
    return len(words) - int(words[int(CLASSES) + own])


def slots(own: int, opp: int) -> int:
    """Number of slots of a subspace; each is one byte."""
    return classes(own) * math.comb(POINTS - own, opp)


@compiled("uint64(uint64, uint64, uint64)")
def permute(base: np.uint64, symmetry: np.uint64, men: np.uint64) -> np.uint64:
    """The image of a bit set under a symmetry; `base` is the address of an `index`."""
    row = base + (PERMUTED + symmetry * U(768)) * EIGHT
    image: np.uint64 = (
        word_at(row + (men & BYTE) * EIGHT)
        | word_at(row + (U(256) + (men >> EIGHT & BYTE)) * EIGHT)
        | word_at(row + (U(512) + (men >> SIXTEEN)) * EIGHT)
    )
    return image


@compiled("uint64(uint64, uint64, uint64)")
def rank(base: np.uint64, men: np.uint64, taken: np.uint64) -> np.uint64:
    """The rank, in ascending order, of a bit set among those of equally many men that avoid the taken points."""
    number, nth = ZERO, ONE
    while men:
        cell = lowest_bit(men)
        men &= men - ONE
        free = cell - bit_count(taken & ((ONE << cell) - ONE))
        number += word_at(base + (BINOMIALS + free * SIXTEEN + nth) * EIGHT)
        nth += ONE
    return number


@compiled("uint64(uint64, uint64, uint64)")
def class_of(base: np.uint64, mine: np.uint64, count: np.uint64) -> np.uint64:
    """Class << 4 | symmetry of the mover's men, `count` of them."""
    number = word_at(base + (RANKS + count) * EIGHT) + rank(base, mine, ZERO)
    found: np.uint64 = word_at(base + number * EIGHT)
    return found


@compiled("uint64(uint64, uint64, uint64)")
def slot_of(base: np.uint64, mine: np.uint64, theirs: np.uint64) -> np.uint64:
    """A slot that holds the position's value in a finished table; the true one if no symmetry fixes `mine`."""
    own = bit_count(mine)
    found = class_of(base, mine, own)
    enemy = permute(base, found & U(15), theirs)
    men = word_at(base + (word_at(base + (CLASSES + own) * EIGHT) + (found >> FOUR)) * EIGHT) & MEN
    row = word_at(base + (BINOMIALS + (U(24) - own) * SIXTEEN + bit_count(theirs)) * EIGHT)
    slot: np.uint64 = (found >> FOUR) * row + rank(base, enemy, men)
    return slot


@compiled("uint64(uint64, uint64, uint64)")
def true_slot(base: np.uint64, mine: np.uint64, theirs: np.uint64) -> np.uint64:
    """The position's true slot | number of symmetries that fix the position << 40."""
    own = bit_count(mine)
    found = class_of(base, mine, own)
    enemy = permute(base, found & U(15), theirs)
    word = word_at(base + (word_at(base + (CLASSES + own) * EIGHT) + (found >> FOUR)) * EIGHT)
    men, left = word & MEN, word >> STABILISER
    least, fixed = rank(base, enemy, men), ONE
    left &= left - ONE
    if left:
        first = enemy
        while left:
            image = permute(base, lowest_bit(left), first)
            left &= left - ONE
            if image == first:
                fixed += ONE
            number = rank(base, image, men)
            if number < least:
                least = number
    row = word_at(base + (BINOMIALS + (U(24) - own) * SIXTEEN + bit_count(theirs)) * EIGHT)
    slot: np.uint64 = (found >> FOUR) * row + least
    return slot | fixed << U(40)


@compiled("uint64(uint64, uint64, uint64, uint64)")
def position_at(base: np.uint64, own: np.uint64, opp: np.uint64, slot: np.uint64) -> np.uint64:
    """The position of a slot: the mover's men | the enemy's << 24."""
    row = word_at(base + (BINOMIALS + (U(24) - own) * SIXTEEN + opp) * EIGHT)
    men = word_at(base + (word_at(base + (CLASSES + own) * EIGHT) + slot // row) * EIGHT) & MEN
    left = slot % row
    free, nth = U(23) - own, opp
    cell, theirs = U(24), ZERO
    while nth:
        # Downwards over the free points: `free` is the number of the next one.
        cell -= ONE
        if men >> cell & ONE:
            continue
        ways = word_at(base + (BINOMIALS + free * SIXTEEN + nth) * EIGHT)
        if left >= ways:
            left -= ways
            theirs |= ONE << cell
            nth -= ONE
        free -= ONE
    position: np.uint64 = men | theirs << STABILISER
    return position
