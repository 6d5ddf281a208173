"""Sets of squares of a board of draughts: the next ones in a direction, and which pieces can take or move."""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import compiled
from agents.kernels.loops import each_bit, span
from games.draughts.kernel import memory as w
from games.draughts.kernel.memory import Memory

U = np.uint64
ZERO, ONE, TWO = U(0), U(1), U(2)
DIRECTIONS = U(4)
ALL_WAYS = U(0b1111)
"""Directions as in `games.draughts.board`, a bit for each: light's men go in the first two, dark's in the others."""


@compiled("uint64(uint64[::1], uint64, uint64)", inlined=True)
def shifted(memory: Memory, squares: np.uint64, way: np.uint64) -> np.uint64:
    """All of the squares moved on by one in a direction; those that would leave the board are gone."""
    half = memory[w.HALF]
    moved = squares >> (half + ONE - way) if way < TWO else squares << (half + way - TWO)
    found: np.uint64 = moved & memory[w.FULL]
    return found


@compiled("boolean(uint64[::1], uint64, boolean, uint64, uint64, uint64)")
def can_jump(memory: Memory, at: np.uint64, king: bool, side: np.uint64, empty: np.uint64, enemy: np.uint64) -> bool:
    """Whether the piece on a square, as a bit, can jump one of the enemy's."""
    ways = ALL_WAYS if king else memory[w.TAKING + side]
    flies = king and memory[w.FLYING] != ZERO
    for way in span(ZERO, DIRECTIONS):
        if ways >> way & ONE != ZERO:
            over = shifted(memory, at, way)
            while flies and over & empty != ZERO:
                over = shifted(memory, over, way)
            if shifted(memory, over & enemy, way) & empty != ZERO:
                return True
    return False


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64)")
def takers(memory: Memory, own: np.uint64, enemy: np.uint64, kings: np.uint64, side: np.uint64) -> np.uint64:
    """The pieces that can take."""
    empty, steppers = memory[w.FULL] & ~(own | enemy), own & kings
    found = ZERO
    for way in span(ZERO, DIRECTIONS):
        back = U(3) - way
        pieces = own & ~kings if memory[w.TAKING + side] >> way & ONE != ZERO else ZERO
        if memory[w.FLYING] == ZERO:
            pieces |= steppers
        landings = shifted(memory, shifted(memory, pieces, way) & enemy, way) & empty
        if landings != ZERO:
            found |= shifted(memory, shifted(memory, landings, back), back)
    if memory[w.FLYING] != ZERO:
        for cell in each_bit(steppers):
            at = ONE << cell
            if can_jump(memory, at, True, side, empty, enemy):
                found |= at
    return found


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64)")
def reached(memory: Memory, men: np.uint64, kings: np.uint64, side: np.uint64, empty: np.uint64) -> np.uint64:
    """Empty squares one step from those men and kings of a side."""
    first = side << ONE
    found = shifted(memory, men | kings, first) | shifted(memory, men | kings, first + ONE)
    if kings != ZERO:
        other = TWO - first
        found |= shifted(memory, kings, other) | shifted(memory, kings, other + ONE)
    return found & empty
