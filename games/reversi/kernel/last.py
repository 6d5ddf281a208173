"""Searches a game's last few empty squares: separate code for each number of them, without a table.

Every search here asks whether the result, in discs, is above `alpha`, and returns a bound on the result's side of it.
`passed` is whether the other side could not move: the game is over if this one cannot either. No call to itself has a
literal True there: numba would not find the function again when it loads the code from the disk.
`NODES` counts every position, including the last ones.
"""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import bit_count, compiled, lowest_bit, number
from agents.kernels.loops import each_bit
from agents.kernels.memory import NODES, Memory, Word
from games.reversi.kernel.discs import beside, flips, result

ZERO, ONE = Word(0), Word(1)
NO_MOVE = -100
"""Value below every result: the side cannot move."""
QUADRANT = Word(0b100100)
"""The bits of a square's index that give its quarter of the board."""
QUARTERS = tuple(Word(0x0F0F0F0F << shift) for shift in (0, 4, 32, 36))
NEAR = np.array([beside(ONE << Word(square)) ^ ONE << Word(square) for square in range(64)])
"""The squares beside each square."""


@compiled("int64(uint64, uint64, uint64)")
def last_one(mine: Word, theirs: Word, square: Word) -> int:
    """The result with one empty square."""
    own = number(mine)
    gained = number(flips(mine, theirs, square))
    if gained > 0:
        return 2 * (own + gained) - 62
    lost = number(flips(theirs, mine, square))
    if lost > 0:
        return 2 * (own - lost) - 64
    return 2 * own - 62 if own > 31 else 2 * own - 64


@compiled("int64(uint64[::1], uint64, uint64, int64, uint64, uint64, boolean)")
def last_two(memory: Memory, mine: Word, theirs: Word, alpha: int, a: Word, b: Word, passed: bool) -> int:
    """The result with two empty squares."""
    best = NO_MOVE
    memory[NODES] += ONE
    for _ in range(2):
        turned = flips(mine, theirs, a) if NEAR[a] & theirs else ZERO
        if turned:
            memory[NODES] += ONE
            best = max(best, -last_one(theirs ^ turned, mine | turned | ONE << a, b))
            if best > alpha:
                return best
        a, b = b, a
    if best != NO_MOVE:
        return best
    return result(mine, theirs) if passed else -last_two(memory, theirs, mine, -alpha - 1, a, b, not passed)


@compiled("int64(uint64[::1], uint64, uint64, int64, uint64, uint64, uint64, boolean)")
def last_three(memory: Memory, mine: Word, theirs: Word, alpha: int, a: Word, b: Word, c: Word, passed: bool) -> int:
    """The result with three empty squares, tried in that order."""
    best = NO_MOVE
    memory[NODES] += ONE
    for _ in range(3):
        turned = flips(mine, theirs, a) if NEAR[a] & theirs else ZERO
        if turned:
            best = max(best, -last_two(memory, theirs ^ turned, mine | turned | ONE << a, -alpha - 1, b, c, False))
            if best > alpha:
                return best
        a, b, c = b, c, a
    if best != NO_MOVE:
        return best
    return result(mine, theirs) if passed else -last_three(memory, theirs, mine, -alpha - 1, a, b, c, not passed)


@compiled("uint64(uint64)")
def odd_quarters(empty: Word) -> Word:
    """The empty squares in quarters of the board that hold an odd number of them."""
    found = ZERO
    for quarter in QUARTERS:
        if bit_count(empty & quarter) & ONE:
            found |= empty & quarter
    return found


@compiled("int64(uint64[::1], uint64, uint64, int64, boolean)")
def last_four(memory: Memory, mine: Word, theirs: Word, alpha: int, passed: bool) -> int:
    """The result with four empty squares; tries those in odd quarters of the board first."""
    best = NO_MOVE
    memory[NODES] += ONE
    empty = ~(mine | theirs)
    first = odd_quarters(empty)
    for squares in (first, empty ^ first):
        for square in each_bit(squares):
            turned = flips(mine, theirs, square) if NEAR[square] & theirs else ZERO
            if turned:
                rest = empty ^ ONE << square
                a = lowest_bit(rest)
                rest &= rest - ONE
                b, c = lowest_bit(rest), lowest_bit(rest & (rest - ONE))
                # Next a square that is alone in its quarter of the board.
                if (a ^ b) & QUADRANT == ZERO:
                    a, b, c = c, a, b
                elif (a ^ c) & QUADRANT == ZERO:
                    a, b = b, a
                after, other = theirs ^ turned, mine | turned | ONE << square
                best = max(best, -last_three(memory, after, other, -alpha - 1, a, b, c, False))
                if best > alpha:
                    return best
    if best != NO_MOVE:
        return best
    return result(mine, theirs) if passed else -last_four(memory, theirs, mine, -alpha - 1, not passed)
