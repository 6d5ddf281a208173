"""Sets of squares of a board of draughts: the next ones in a direction, and which pieces can take or move."""

from __future__ import annotations

from agents.kernels.compilation import compiled
from agents.kernels.loops import each_bit, span
from agents.kernels.memory import Memory, Word
from games.draughts.kernel import memory as w

ZERO, ONE, TWO, THREE, DIRECTIONS, ALL_WAYS = map(Word, (0, 1, 2, 3, 4, 0b1111))
"""Directions as in `games.draughts.board`, a bit for each: light's men go in the first two, dark's in the others."""


@compiled("uint64(uint64[::1], uint64, uint64)", inlined=True)
def shifted(memory: Memory, squares: Word, way: Word) -> Word:
    """All of the squares moved on by one in a direction; those that would leave the board are gone."""
    half = memory[w.HALF]
    moved = squares >> (half + ONE - way) if way < TWO else squares << (half + way - TWO)
    return Word(moved & memory[w.FULL])


@compiled("boolean(uint64[::1], uint64, boolean, uint64, uint64, uint64)")
def can_jump(memory: Memory, at: Word, king: bool, side: Word, empty: Word, enemy: Word) -> bool:
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
def takers(memory: Memory, own: Word, enemy: Word, kings: Word, side: Word) -> Word:
    """The pieces that can take."""
    empty, steppers = memory[w.FULL] & ~(own | enemy), own & kings
    found = ZERO
    for way in span(ZERO, DIRECTIONS):
        back = THREE - way
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
def reached(memory: Memory, men: Word, kings: Word, side: Word, empty: Word) -> Word:
    """Empty squares one step from those men and kings of a side."""
    first = side << ONE
    found = shifted(memory, men | kings, first) | shifted(memory, men | kings, first + ONE)
    if kings != ZERO:
        other = TWO - first
        found |= shifted(memory, kings, other) | shifted(memory, kings, other + ONE)
    return found & empty
