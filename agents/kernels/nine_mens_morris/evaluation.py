"""How good a position looks without searching on: features mine minus the enemy's, by the weights in the memory.

What each feature counts, and the weights of every named heuristic, stand in `agents.heuristics.nine_mens_morris`.
"""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import bit_count, compiled, lowest_bit, signed
from agents.kernels.nine_mens_morris.memory import (
    FLYING,
    LINE_COUNT,
    LINES,
    NEIGHBOURS,
    PAIR_COUNT,
    PAIRS,
    WEIGHTS,
    Memory,
)

U = np.uint64
ZERO, ONE, TWO, THREE = U(0), U(1), U(2), U(3)
BYTE, EIGHT, SIXTEEN = U(255), U(8), U(16)
FULL = U(2**24 - 1)


@compiled("boolean(uint64[::1], uint64, int64)")
def flies(memory: Memory, men: np.uint64, hand: int) -> bool:
    """Whether these men may go to any empty point."""
    return memory[FLYING] != ZERO and hand == 0 and bit_count(men) == THREE


@compiled("int64(uint64[::1], uint64, uint64)")
def blocked(memory: Memory, men: np.uint64, empty: np.uint64) -> int:
    """How many men have no free neighbour."""
    count = 0
    while men:
        if memory[NEIGHBOURS + lowest_bit(men)] & empty == ZERO:
            count += 1
        men &= men - ONE
    return count


@compiled("int64(uint64[::1], uint64, uint64, uint64)")
def lines_of(memory: Memory, men: np.uint64, empty: np.uint64, weights: np.uint64) -> int:
    """One side's lines and pairs of lines, by the weights that begin at that word."""
    mills, two = signed(memory[weights + U(1)]), signed(memory[weights + U(4)])
    double, three = signed(memory[weights + U(5)]), signed(memory[weights + U(6)])
    closed, open_, standing = ZERO, ZERO, ZERO
    value = 0
    line = ZERO
    while line < memory[LINE_COUNT]:
        cells = memory[LINES + line]
        if cells & men == cells:
            closed |= ONE << line
            standing |= cells
            value += mills
        elif bit_count(cells & men) == TWO and cells & empty != ZERO:
            open_ |= ONE << line
            value += two
        line += ONE
    pair = ZERO
    while (double != 0 or three != 0) and (closed | open_) != ZERO and pair < memory[PAIR_COUNT]:
        word = memory[PAIRS + pair]
        both = ONE << (word & BYTE) | ONE << (word >> EIGHT & BYTE)
        if closed & both == both:
            value += double
        elif open_ & both == both and word >> SIXTEEN & men:
            value += three
        pair += ONE
    return value + signed(memory[weights + U(7)]) * signed(bit_count(standing))


@compiled("int64(uint64[::1], uint64, uint64, int64, int64, int64)")
def evaluate(memory: Memory, mine: np.uint64, theirs: np.uint64, my_hand: int, their_hand: int, closed: int) -> int:
    """The value for the side to move; `closed` is 1 if the enemy's last move closed a mill."""
    empty = FULL & ~(mine | theirs)
    weights = WEIGHTS + EIGHT
    if my_hand > 0 or their_hand > 0:
        weights = WEIGHTS
    elif flies(memory, mine, my_hand) and flies(memory, theirs, their_hand):
        weights = WEIGHTS + SIXTEEN
    last, stuck, on_board = signed(memory[weights]), signed(memory[weights + U(2)]), signed(memory[weights + U(3)])
    value = on_board * (signed(bit_count(mine)) - signed(bit_count(theirs))) - last * closed
    if stuck != 0 and not flies(memory, mine, my_hand):
        value -= stuck * blocked(memory, mine, empty)
    if stuck != 0 and not flies(memory, theirs, their_hand):
        value += stuck * blocked(memory, theirs, empty)
    return value + lines_of(memory, mine, empty, weights) - lines_of(memory, theirs, empty, weights)
