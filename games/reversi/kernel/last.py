"""Searches a game's last few empty squares: separate code for each number of them, without a table.

Every search here asks whether the result, in discs, is above `alpha`, and returns a bound on the result's side of it.
`NODES` counts every position, including the last ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.kernels.compilation import bit_count, compiled, lowest_bit, signed
from agents.kernels.memory import NODES, Memory
from games.reversi.kernel.discs import flips, result

U = np.uint64
ZERO, ONE = U(0), U(1)
NO_MOVE = -100
"""Value below every result: the side cannot move."""
QUADRANT = U(0b100100)
"""The bits of a square's index that give its quarter of the board."""
QUARTER = U(0x0F0F0F0F)


def _neighbours() -> NDArray[np.uint64]:
    """The squares beside each square."""
    near = np.zeros(64, dtype=np.uint64)
    for square in range(64):
        row, column = divmod(square, 8)
        near[square] = sum(
            1 << (8 * r + c)
            for r in range(max(row - 1, 0), min(row + 2, 8))
            for c in range(max(column - 1, 0), min(column + 2, 8))
            if (r, c) != (row, column)
        )
    return near


NEAR = _neighbours()


@compiled("int64(uint64, uint64, uint64)")
def last_one(mine: np.uint64, theirs: np.uint64, square: np.uint64) -> int:
    """The result with one empty square."""
    own = signed(bit_count(mine))
    gained = signed(bit_count(flips(mine, theirs, square)))
    if gained > 0:
        return 2 * (own + gained) - 62
    lost = signed(bit_count(flips(theirs, mine, square)))
    if lost > 0:
        return 2 * (own - lost) - 64
    return 2 * own - 62 if own > 31 else 2 * own - 64


@compiled("int64(uint64[::1], uint64, uint64, int64, uint64, uint64)")
def try_two(memory: Memory, mine: np.uint64, theirs: np.uint64, alpha: int, a: np.uint64, b: np.uint64) -> int:
    """The better of the moves to two empty squares, or NO_MOVE."""
    best = NO_MOVE
    memory[NODES] += ONE
    if NEAR[a] & theirs:
        turned = flips(mine, theirs, a)
        if turned:
            memory[NODES] += ONE
            best = -last_one(theirs ^ turned, mine | turned | ONE << a, b)
            if best > alpha:
                return best
    if NEAR[b] & theirs:
        turned = flips(mine, theirs, b)
        if turned:
            memory[NODES] += ONE
            best = max(best, -last_one(theirs ^ turned, mine | turned | ONE << b, a))
    return best


@compiled("int64(uint64[::1], uint64, uint64, int64, uint64, uint64)")
def last_two(memory: Memory, mine: np.uint64, theirs: np.uint64, alpha: int, a: np.uint64, b: np.uint64) -> int:
    """The result with two empty squares."""
    best = try_two(memory, mine, theirs, alpha, a, b)
    if best == NO_MOVE:
        best = -try_two(memory, theirs, mine, -alpha - 1, a, b)
        if best == -NO_MOVE:
            best = result(mine, theirs)
    return best


@compiled("int64(uint64[::1], uint64, uint64, int64, uint64, uint64, uint64)")
def try_three(
    memory: Memory, mine: np.uint64, theirs: np.uint64, alpha: int, a: np.uint64, b: np.uint64, c: np.uint64
) -> int:
    """The best of the moves to three empty squares, or NO_MOVE."""
    best = NO_MOVE
    memory[NODES] += ONE
    for _ in range(3):
        if NEAR[a] & theirs:
            turned = flips(mine, theirs, a)
            if turned:
                best = max(best, -last_two(memory, theirs ^ turned, mine | turned | ONE << a, -alpha - 1, b, c))
                if best > alpha:
                    return best
        a, b, c = b, c, a
    return best


@compiled("int64(uint64[::1], uint64, uint64, int64, uint64, uint64, uint64)")
def last_three(
    memory: Memory, mine: np.uint64, theirs: np.uint64, alpha: int, a: np.uint64, b: np.uint64, c: np.uint64
) -> int:
    """The result with three empty squares; tries a square that is alone in its quarter of the board first."""
    if (a ^ b) & QUADRANT == ZERO:
        a, b, c = c, a, b
    elif (a ^ c) & QUADRANT == ZERO:
        a, b = b, a
    best = try_three(memory, mine, theirs, alpha, a, b, c)
    if best == NO_MOVE:
        best = -try_three(memory, theirs, mine, -alpha - 1, a, b, c)
        if best == -NO_MOVE:
            best = result(mine, theirs)
    return best


@compiled("uint64(uint64)")
def odd_quarters(empty: np.uint64) -> np.uint64:
    """The empty squares in quarters of the board that hold an odd number of them."""
    found = ZERO
    quarter = QUARTER
    for shift in (U(4), U(28), U(4), U(0)):
        here = empty & quarter
        if bit_count(here) & ONE:
            found |= here
        quarter <<= shift
    return found


@compiled("int64(uint64[::1], uint64, uint64, int64)")
def try_four(memory: Memory, mine: np.uint64, theirs: np.uint64, alpha: int) -> int:
    """The best of the moves to four empty squares, or NO_MOVE."""
    best = NO_MOVE
    memory[NODES] += ONE
    empty = ~(mine | theirs)
    first = odd_quarters(empty)
    if first == ZERO:
        first = empty
    for squares in (first, empty ^ first):
        while squares:
            square = lowest_bit(squares)
            squares &= squares - ONE
            if NEAR[square] & theirs:
                turned = flips(mine, theirs, square)
                if turned:
                    rest = empty ^ ONE << square
                    a = lowest_bit(rest)
                    rest &= rest - ONE
                    b = lowest_bit(rest)
                    c = lowest_bit(rest & (rest - ONE))
                    score = -last_three(memory, theirs ^ turned, mine | turned | ONE << square, -alpha - 1, a, b, c)
                    best = max(best, score)
                    if best > alpha:
                        return best
    return best


@compiled("int64(uint64[::1], uint64, uint64, int64)")
def last_four(memory: Memory, mine: np.uint64, theirs: np.uint64, alpha: int) -> int:
    """The result with four empty squares."""
    best = try_four(memory, mine, theirs, alpha)
    if best == NO_MOVE:
        best = -try_four(memory, theirs, mine, -alpha - 1)
        if best == -NO_MOVE:
            best = result(mine, theirs)
    return best
