"""Writes the moves of a ply with their ordering values, and what each turns over.

A move's code is its square plus 1; PASSED is a pass.
"""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import bit_count, compiled
from agents.kernels.loops import each_bit
from agents.kernels.memory import MAX_MOVES, MOVES, Memory
from games.reversi.kernel.discs import CORNERS, beside, flips, moves
from games.reversi.kernel.last import odd_quarters

U = np.uint64
ZERO, ONE, TWO, EIGHT, ORDER = U(0), U(1), U(2), U(8), U(32)
STRIDE = U(MAX_MOVES)
PASSED = U(65)
TURNED = MOVES + U(64)
"""1 word per code behind each ply's moves: the disc laid and those turned over; nothing for a pass."""
QUARTER_WORTHS = ((18, 4, 14, 12), (4, 0, 6, 8), (14, 6, 12, 10), (12, 8, 10, 10))
BY_SQUARE = np.array(
    [100 + QUARTER_WORTHS[min(row, 7 - row)][min(column, 7 - column)] for row in range(8) for column in range(8)],
    dtype=np.uint64,
)
"""Worth of each square: corners first, the squares diagonally beside them last."""


@compiled("uint64(uint64, uint64, uint64, uint64, uint64)")
def promise(mine: np.uint64, theirs: np.uint64, turned: np.uint64, square: np.uint64, odd: np.uint64) -> np.uint64:
    """Ordering value of a move: high if it leaves the enemy few moves, so that it is likely good and cheap to prove.

    Empty squares beside my discs are moves that the enemy may get later.
    """
    after_mine, after_theirs = mine | turned | ONE << square, theirs ^ turned
    replies, later = moves(after_theirs, after_mine), beside(after_mine) & ~(after_mine | after_theirs)
    value: np.uint64 = (U(120) - TWO * bit_count(replies) - TWO * bit_count(replies & CORNERS)) << EIGHT
    value -= U(160) * bit_count(later)
    if (ONE << square) & CORNERS:
        value += U(512)
    if (ONE << square) & odd:
        value += U(64)
    return value


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64, boolean)", inlined=True)
def write_moves(
    memory: Memory, mine: np.uint64, theirs: np.uint64, where: np.uint64, ply: np.uint64, quickly: bool
) -> np.uint64:
    """Writes the ply's moves to the squares `where`; returns how many.

    `quickly` is for the last ply of a search, where counting the replies costs more than it saves: first come good
    squares, and moves that turn discs over which have few empty squares beside them.
    """
    empty = ~(mine | theirs)
    odd = ZERO if quickly else odd_quarters(empty)
    slot, turned_by = MOVES + ply * STRIDE, TURNED + ply * STRIDE
    for square in each_bit(where):
        turned = flips(mine, theirs, square)
        if quickly:
            order = BY_SQUARE[square] - bit_count(beside(turned) & empty)
        else:
            order = promise(mine, theirs, turned, square, odd)
        memory[slot] = order << ORDER | (square + ONE)
        memory[turned_by + square + ONE] = turned | ONE << square
        slot += ONE
    return bit_count(where)  # type: ignore[no-any-return]
