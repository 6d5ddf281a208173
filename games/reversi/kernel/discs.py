"""Discs as bit sets, a1 the lowest bit, row by row: legal moves, and the discs that a move turns over.

Every function takes the discs of the side to move first. None needs the search's memory: the rays are constants.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.kernels.compilation import compiled, number
from agents.kernels.loops import each_bit, span
from agents.kernels.memory import Word
from games.reversi.kernel.vectors import turned_over, turning

ZERO, ONE, SEVEN, EIGHT, NINE = map(Word, (0, 1, 7, 8, 9))


def _rays() -> NDArray[Word]:
    """8 words per square: the squares from it to the right, down-left, down, down-right, and in the opposite ways."""
    rays = np.zeros(64 * 8, dtype=Word)
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
def flips(mine: Word, theirs: Word, square: Word) -> Word:
    """The discs that a move to the empty square turns over; 0 if it is not a legal move."""
    return Word(turned_over(RAYS, mine, theirs, square))


@compiled("uint64(uint64, uint64)")
def moves(mine: Word, theirs: Word) -> Word:
    """The empty squares where a move turns discs over."""
    return Word(turning(mine, theirs))


TOP_AND_BOTTOM, LEFT_AND_RIGHT = Word(0xFF000000000000FF), Word(0x8181818181818181)
SIDES, CORNERS = TOP_AND_BOTTOM | LEFT_AND_RIGHT, TOP_AND_BOTTOM & LEFT_AND_RIGHT
NOT_A, NOT_H = Word(0xFEFEFEFEFEFEFEFE), Word(0x7F7F7F7F7F7F7F7F)


@compiled("uint64(uint64)")
def beside(board: Word) -> Word:
    """The squares of a board and their neighbours."""
    wide = board | board >> ONE & NOT_H | board << ONE & NOT_A
    return wide | wide >> EIGHT | wide << EIGHT


def _lines() -> NDArray[Word]:
    """The 8 rows, the 8 columns, and 11 falling and 11 rising diagonals; shorter ones lie on the sides alone."""
    squares = [divmod(square, 8) for square in range(64)]
    lines = [
        sum(1 << 8 * row + column for row, column in squares if down * row + right * column == number)
        for down, right in ((1, 0), (0, 1), (1, -1), (1, 1))
        for number in range(-7, 15)
    ]
    return np.array([line for line in lines if line.bit_count() > 2], dtype=Word)


LINES = _lines()


@compiled("uint64(uint64, uint64, uint64)", inlined=True)
def full_lines(full: Word, first: Word, end: Word) -> Word:
    """Those of the LINES from one to before another that have no empty square."""
    found = ZERO
    for line in span(first, end):
        if full & LINES[line] == LINES[line]:
            found |= LINES[line]
    return found


@compiled("uint64(uint64, uint64)")
def stable(mine: Word, theirs: Word) -> Word:
    """My discs that can never be turned over, as far as full lines, sides and stable neighbours prove it."""
    full = mine | theirs
    level = LEFT_AND_RIGHT | full_lines(full, Word(0), Word(8))
    upright = TOP_AND_BOTTOM | full_lines(full, Word(8), Word(16))
    falling, rising = SIDES | full_lines(full, Word(16), Word(27)), SIDES | full_lines(full, Word(27), Word(38))
    found = mine & level & upright & falling & rising
    while True:
        sideways = found >> ONE & NOT_H | found << ONE & NOT_A | level
        above = found >> EIGHT | found << EIGHT | upright
        fall = found >> NINE & NOT_H | found << NINE & NOT_A | falling
        rise = found >> SEVEN & NOT_A | found << SEVEN & NOT_H | rising
        more = mine & sideways & above & fall & rise | found
        if more == found:
            return found
        found = more


@compiled("int64(uint64, uint64)")
def result(mine: Word, theirs: Word) -> int:
    """The final difference in discs for the side to move; the winner gets the empty squares."""
    own, other = number(mine), number(theirs)
    if own > other:
        return 64 - 2 * other
    return 2 * own - 64 if own < other else 0


@compiled("int64(uint64, uint64, int64)")
def leaves(mine: Word, theirs: Word, depth: int) -> int:
    """Number of sequences of `depth` plies, at least one, as published: a pass is a ply, and a finished game a leaf."""
    where = moves(mine, theirs)
    if where == ZERO:
        return 1 if depth == 1 or moves(theirs, mine) == ZERO else leaves(theirs, mine, depth - 1)
    if depth == 1:
        return number(where)
    total = 0
    for square in each_bit(where):
        turned = flips(mine, theirs, square)
        total += leaves(theirs ^ turned, mine | turned | ONE << square, depth - 1)
    return total
