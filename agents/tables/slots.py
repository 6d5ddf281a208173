"""The slots of an endgame table, numbered as `games.nine_mens_morris.kernel.endgame_index` has it: all, and back.

A search looks up any slot of a position; who builds or checks a table needs the true one, and the position of a slot.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numpy as np

from agents.kernels.compilation import specialised
from agents.kernels.loops import each_bit
from agents.tables import numbering
from games.nine_mens_morris.kernel import endgame_index
from games.nine_mens_morris.kernel.endgame_index import (
    CLASSES,
    MEN,
    ONE,
    POINTS,
    STABILISER,
    ZERO,
    class_at,
    permute,
    rank,
    turned,
    ways,
)

U = np.uint64
P = ParamSpec("P")
R = TypeVar("R")


def compiled(signature: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """As a kernel's own, and its code is kept with that of the game's kernel: it has parts of that in it."""

    def compile_it(function: Callable[P, R]) -> Callable[P, R]:
        made: Callable[P, R] = specialised(function, signature, endgame_index.__name__, {function.__name__: None})
        return made

    return compile_it


def slot_count(own: int, opp: int) -> int:
    """Number of slots of a subspace; each is one byte."""
    words = numbering.index(own)
    classes = len(words) - int(words[int(CLASSES) + own])
    return classes * math.comb(POINTS - own, opp)


@compiled("uint64(uint64, uint64, uint64)")
def true_slot(base: np.uint64, mine: np.uint64, theirs: np.uint64) -> np.uint64:
    """The position's true slot | number of symmetries that fix the position << 40."""
    own, first, enemy = turned(base, mine, theirs)
    men, fixing = own & MEN, own >> STABILISER
    least, fixed = rank(base, enemy, men), ONE
    for symmetry in each_bit(fixing & (fixing - ONE)):  # all but the identity
        image = permute(base, symmetry, enemy)
        if image == enemy:
            fixed += ONE
        least = min(least, rank(base, image, men))
    return first + least | fixed << U(40)


@compiled("uint64(uint64, uint64, uint64, uint64)")
def position_at(base: np.uint64, own: np.uint64, opp: np.uint64, slot: np.uint64) -> np.uint64:
    """The position of a slot: the mover's men | the enemy's << 24."""
    row = ways(base, U(POINTS) - own, opp)
    men, left = class_at(base, own, slot // row) & MEN, slot % row
    free, nth = U(POINTS - 1) - own, opp
    cell, theirs = U(POINTS), ZERO
    while nth:
        # Downwards over the free points: `free` is the number of the next one.
        cell -= ONE
        if men >> cell & ONE:
            continue
        before = ways(base, free, nth)
        if left >= before:
            left -= before
            theirs |= ONE << cell
            nth -= ONE
        free -= ONE
    position: np.uint64 = men | theirs << STABILISER
    return position
