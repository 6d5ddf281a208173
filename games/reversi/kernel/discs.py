"""Discs as bit sets, a1 the lowest bit, row by row: legal moves, and the discs that a move turns over.

Every function takes the discs of the side to move first. None needs the search's memory: the rays are constants.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.kernels.compilation import bit_count, compiled, leading_zeros, signed

U = np.uint64
ZERO, ONE, THREE = U(0), U(1), U(3)
SEVEN, EIGHT, NINE, FOURTEEN, SIXTEEN, EIGHTEEN, TWO = U(7), U(8), U(9), U(14), U(16), U(18), U(2)
INNER = U(0x7E7E7E7E7E7E7E7E)
"""All columns but a and h, whose discs cannot be turned over along a row or diagonal."""
TOP = U(1 << 63)


def _rays() -> NDArray[np.uint64]:
    """8 words per square: the squares from it to the right, down-left, down, down-right, and in the opposite ways."""
    rays = np.zeros(64 * 8, dtype=np.uint64)
    for square in range(64):
        row, column = divmod(square, 8)
        for index, (down, right) in enumerate(((0, 1), (1, -1), (1, 0), (1, 1), (0, -1), (-1, 1), (-1, 0), (-1, -1))):
            r, c, ray = row + down, column + right, 0
            while 0 <= r < 8 and 0 <= c < 8:
                ray |= 1 << (8 * r + c)
                r, c = r + down, c + right
            rays[8 * square + index] = ray
    return rays


RAYS = _rays()


@compiled("uint64(uint64, uint64, uint64)")
def flips(mine: np.uint64, theirs: np.uint64, square: np.uint64) -> np.uint64:
    """The discs that a move to the empty square turns over; 0 if it is not a legal move.

    Towards higher bits, adding 1 carries through their discs to the first square that is not theirs; towards lower
    bits, that square is the highest bit of the ray that is not theirs.
    """
    at = square << THREE
    turned = ZERO
    for way in range(4):
        ray = RAYS[at + U(way)]
        end = ((theirs | ~ray) + ONE) & ray & mine
        turned |= (end - U(end != ZERO)) & ray
    for way in range(4, 8):
        ray = RAYS[at + U(way)]
        end = (TOP >> leading_zeros((ray & ~theirs) | ONE)) & mine & ray
        turned |= (ZERO - (end << ONE)) & ray
    return turned


@compiled("uint64(uint64, uint64)")
def moves(mine: np.uint64, theirs: np.uint64) -> np.uint64:
    """The empty squares where a move turns discs over: all eight directions at once, in doubling steps."""
    inner = theirs & INNER
    right, left = inner & (mine << ONE), inner & (mine >> ONE)
    down, up = theirs & (mine << EIGHT), theirs & (mine >> EIGHT)
    down_left, up_right = inner & (mine << SEVEN), inner & (mine >> SEVEN)
    down_right, up_left = inner & (mine << NINE), inner & (mine >> NINE)
    right |= inner & (right << ONE)
    left |= inner & (left >> ONE)
    down |= theirs & (down << EIGHT)
    up |= theirs & (up >> EIGHT)
    down_left |= inner & (down_left << SEVEN)
    up_right |= inner & (up_right >> SEVEN)
    down_right |= inner & (down_right << NINE)
    up_left |= inner & (up_left >> NINE)
    pair_right, pair_down = inner & (inner << ONE), theirs & (theirs << EIGHT)
    pair_down_left, pair_down_right = inner & (inner << SEVEN), inner & (inner << NINE)
    pair_left, pair_up = pair_right >> ONE, pair_down >> EIGHT
    pair_up_right, pair_up_left = pair_down_left >> SEVEN, pair_down_right >> NINE
    for _ in range(2):
        right |= pair_right & (right << TWO)
        left |= pair_left & (left >> TWO)
        down |= pair_down & (down << SIXTEEN)
        up |= pair_up & (up >> SIXTEEN)
        down_left |= pair_down_left & (down_left << FOURTEEN)
        up_right |= pair_up_right & (up_right >> FOURTEEN)
        down_right |= pair_down_right & (down_right << EIGHTEEN)
        up_left |= pair_up_left & (up_left >> EIGHTEEN)
    reached = (right << ONE) | (left >> ONE) | (down << EIGHT) | (up >> EIGHT)
    reached |= (down_left << SEVEN) | (up_right >> SEVEN) | (down_right << NINE) | (up_left >> NINE)
    return reached & ~(mine | theirs)


SIDES = U(0xFF818181818181FF)
TOP_AND_BOTTOM = U(0xFF000000000000FF)
LEFT_AND_RIGHT = U(0x8181818181818181)
NOT_A, NOT_H = U(0xFEFEFEFEFEFEFEFE), U(0x7F7F7F7F7F7F7F7F)
ROW, COLUMN = U(0xFF), U(0x0101010101010101)


def _diagonals() -> NDArray[np.uint64]:
    """The diagonals of three or more squares, 11 falling, then 11 rising; shorter ones lie on the sides alone."""
    lines = []
    for falling in (True, False):
        for offset in range(-5, 6):
            squares = [
                (row, column)
                for row in range(8)
                for column in range(8)
                if (row - column if falling else row + column - 7) == offset
            ]
            lines.append(sum(1 << (8 * row + column) for row, column in squares))
    return np.array(lines, dtype=np.uint64)


DIAGONALS = _diagonals()


@compiled("uint64(uint64, uint64)")
def stable(mine: np.uint64, theirs: np.uint64) -> np.uint64:
    """My discs that can never be turned over, as far as full lines, sides and stable neighbours prove it."""
    full = mine | theirs
    level, upright, falling, rising = LEFT_AND_RIGHT, TOP_AND_BOTTOM, SIDES, SIDES
    for line in range(8):
        row = ROW << U(8 * line)
        if full & row == row:
            level |= row
        column = COLUMN << U(line)
        if full & column == column:
            upright |= column
    for line in range(11):
        if full & DIAGONALS[U(line)] == DIAGONALS[U(line)]:
            falling |= DIAGONALS[U(line)]
        if full & DIAGONALS[U(line + 11)] == DIAGONALS[U(line + 11)]:
            rising |= DIAGONALS[U(line + 11)]
    found = mine & level & upright & falling & rising
    while True:
        beside = found >> ONE & NOT_H | found << ONE & NOT_A | level
        above = found >> EIGHT | found << EIGHT | upright
        fall = found >> NINE & NOT_H | found << NINE & NOT_A | falling
        rise = found >> SEVEN & NOT_A | found << SEVEN & NOT_H | rising
        more = mine & beside & above & fall & rise | found
        if more == found:
            return found
        found = more


@compiled("int64(uint64, uint64)")
def result(mine: np.uint64, theirs: np.uint64) -> int:
    """The final difference in discs for the side to move; the winner gets the empty squares."""
    own, other = signed(bit_count(mine)), signed(bit_count(theirs))
    if own > other:
        return 64 - 2 * other
    return 2 * own - 64 if own < other else 0
