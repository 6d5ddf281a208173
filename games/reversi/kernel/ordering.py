"""Writes the moves of a ply with their ordering values, and what each turns over.

A move's code is its square plus 1; PASSED is a pass.
"""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import bit_count, compiled
from agents.kernels.loops import each_bit
from agents.kernels.memory import MOVES, STRIDE, Memory, Word
from games.reversi.kernel.discs import CORNERS, beside, flips, moves
from games.reversi.kernel.last import odd_quarters

ZERO, ONE, TWO, EIGHT, ORDER = map(Word, (0, 1, 2, 8, 32))
PASSED = Word(65)
TURNED = MOVES + Word(64)
"""1 word per code behind each ply's moves: the disc laid and those turned over; nothing for a pass."""
VALUED = TURNED + Word(66)
"""Behind those 1 word whether the values of the positions after the moves are known, and 1 word per code with them."""
QUARTER_WORTHS = ((18, 4, 14, 12), (4, 0, 6, 8), (14, 6, 12, 10), (12, 8, 10, 10))
BY_SQUARE = np.array(
    [100 + QUARTER_WORTHS[min(row, 7 - row)][min(column, 7 - column)] for row in range(8) for column in range(8)],
    dtype=Word,
)
"""Worth of each square: corners first, the squares diagonally beside them last."""


@compiled("uint64(uint64, uint64, uint64, uint64, uint64)")
def promise(mine: Word, theirs: Word, turned: Word, square: Word, odd: Word) -> Word:
    """Ordering value of a move: high if it leaves the enemy few moves, so that it is likely good and cheap to prove.

    Empty squares beside my discs are moves that the enemy may get later.
    """
    after_mine, after_theirs = mine | turned | ONE << square, theirs ^ turned
    replies, later = moves(after_theirs, after_mine), beside(after_mine) & ~(after_mine | after_theirs)
    value: Word = (Word(120) - TWO * bit_count(replies) - TWO * bit_count(replies & CORNERS)) << EIGHT
    value -= Word(160) * bit_count(later)
    if (ONE << square) & CORNERS:
        value += Word(512)
    if (ONE << square) & odd:
        value += Word(64)
    return value


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64, boolean)", inlined=True)
def put_moves(memory: Memory, mine: Word, theirs: Word, where: Word, ply: Word, quickly: bool) -> Word:
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
    return Word(bit_count(where))
