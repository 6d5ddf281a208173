"""Evaluation learnt from games: the contents of 46 groups of squares and the mobility, weighted by stage of the game.

The groups, after Buro's Logistello, are twelve shapes and their mirror images, which share weights: a corner's nine
squares, ten squares along a corner, a side with the two squares diagonally inside its corners, rows 2, 3 and 4, and
the diagonals of eight to four squares. A group's content is a number in base three: 0 empty, 1 mine, 2 theirs. Weights
are hundredths of a disc; the value is their sum for the side to move.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.kernels.compilation import bit_count, compiled, signed
from games.reversi.kernel.discs import moves
from games.reversi.kernel.memory import GROUPS_AT, STAGE_WORDS, STAGES, WEIGHTS, Memory

U = np.uint64
ZERO, ONE, TWO, THREE, FOUR = U(0), U(1), U(2), U(3), U(4)

SIZES = (9, 10, 10, 8, 8, 8, 8, 7, 6, 5, 4)
"""Squares of each shape: corner, beside the corner, side, rows 2 to 4, diagonals."""
STARTS = tuple(sum(3**size for size in SIZES[:index]) for index in range(len(SIZES)))
"""Start of each shape's weights within a stage."""
MOBILITY = sum(3**size for size in SIZES)
"""Start of the 64 weights indexed by my moves minus theirs plus 32; the constant follows them."""
CONSTANT = MOBILITY + 64
GROUPS = 46
MAX_VALUE = 6400
FIRST_DISCS, STAGE_DISCS = 9, 5
"""Discs: stage 0 ends before the sum of both; every stage spans STAGE_DISCS."""
CORNER, BESIDE, SIDE, ROWS = U(STARTS[0]), U(STARTS[1]), U(STARTS[2]), U(STARTS[3])
COLUMN = U(0x0101010101010101)
TEMPO = np.array([7, 23, 32, 93, 93, 97, 140, 130, 100, 52], dtype=np.int64)
"""Worth of being to move by stage, in hundredths of a disc: half the mean difference between the scores of searches of
odd and even plies without it. The fit to results cannot see it: measured anew with every new weights, by
`kibitzer bench reversi-errors`."""
SLANTING_STARTS = np.array(STARTS[6:], dtype=np.uint64)
SLANTING = np.array([sum(1 << (9 * row + right) for row in range(8 - right)) for right in range(5)], dtype=np.uint64)
"""The falling diagonals from a1, b1, c1, d1 and e1."""


def _in_base_three() -> NDArray[np.uint64]:
    """For each ten-bit number, the base-three number with the same digits."""
    return np.array([int(f"{bits:b}", 3) for bits in range(1024)], dtype=np.uint64)


BASE_THREE = _in_base_three()


@compiled("uint64(uint64)")
def upside_down(board: np.uint64) -> np.uint64:
    """The board with its rows in reverse order."""
    board = board >> U(8) & U(0x00FF00FF00FF00FF) | (board & U(0x00FF00FF00FF00FF)) << U(8)
    board = board >> U(16) & U(0x0000FFFF0000FFFF) | (board & U(0x0000FFFF0000FFFF)) << U(16)
    return board >> U(32) | board << U(32)


@compiled("uint64(uint64)")
def mirrored(board: np.uint64) -> np.uint64:
    """The board with its columns in reverse order."""
    board = board >> U(1) & U(0x5555555555555555) | (board & U(0x5555555555555555)) << U(1)
    board = board >> U(2) & U(0x3333333333333333) | (board & U(0x3333333333333333)) << U(2)
    return board >> U(4) & U(0x0F0F0F0F0F0F0F0F) | (board & U(0x0F0F0F0F0F0F0F0F)) << U(4)


@compiled("uint64(uint64)")
def transposed(board: np.uint64) -> np.uint64:
    """The board with rows and columns exchanged."""
    swap = (board ^ board >> U(7)) & U(0x00AA00AA00AA00AA)
    board = board ^ swap ^ swap << U(7)
    swap = (board ^ board >> U(14)) & U(0x0000CCCC0000CCCC)
    board = board ^ swap ^ swap << U(14)
    swap = (board ^ board >> U(28)) & U(0x00000000F0F0F0F0)
    return board ^ swap ^ swap << U(28)


@compiled("uint64(uint64, uint64)")
def number(mine: np.uint64, theirs: np.uint64) -> np.uint64:
    """Up to ten squares as a number in base three."""
    digits: np.uint64 = BASE_THREE[mine] + TWO * BASE_THREE[theirs]
    return digits


@compiled("void(uint64[::1], uint64, uint64, uint64)")
def write_corner(out: Memory, at: np.uint64, mine: np.uint64, theirs: np.uint64) -> None:
    """Writes five words: the first corner's nine squares, and the diagonals of 7 to 4 squares above the longest."""
    own = mine & U(7) | mine >> U(5) & U(0x38) | mine >> U(10) & U(0x1C0)
    other = theirs & U(7) | theirs >> U(5) & U(0x38) | theirs >> U(10) & U(0x1C0)
    out[at] = CORNER + number(own, other)
    for index in range(4):
        # One square per column: multiplying by a column of ones adds all rows up in the last one.
        own = (mine & SLANTING[index + 1]) * COLUMN >> U(57 + index)
        other = (theirs & SLANTING[index + 1]) * COLUMN >> U(57 + index)
        out[at + U(1 + index)] = SLANTING_STARTS[index + 1] + number(own, other)


@compiled("void(uint64[::1], uint64, uint64, uint64)")
def write_side(out: Memory, at: np.uint64, mine: np.uint64, theirs: np.uint64) -> None:
    """Writes four words: the first row with b2 and g2, and rows 2 to 4."""
    own = mine & U(255) | mine >> U(1) & U(256) | mine >> U(5) & U(512)
    other = theirs & U(255) | theirs >> U(1) & U(256) | theirs >> U(5) & U(512)
    out[at] = SIDE + number(own, other)
    for row in range(1, 4):
        shift = U(8 * row)
        out[at + U(row)] = ROWS + U(6561 * (row - 1)) + number(mine >> shift & U(255), theirs >> shift & U(255))


@compiled("void(uint64[::1], uint64, uint64, uint64)")
def write_beside(out: Memory, at: np.uint64, mine: np.uint64, theirs: np.uint64) -> None:
    """Writes one word: the first five squares of the first two rows."""
    own, other = mine & U(31) | mine >> U(3) & U(0x3E0), theirs & U(31) | theirs >> U(3) & U(0x3E0)
    out[at] = BESIDE + number(own, other)


@compiled("void(uint64[::1], uint64, uint64, uint64)")
def write_longest(out: Memory, at: np.uint64, mine: np.uint64, theirs: np.uint64) -> None:
    """Writes one word: the falling diagonal of eight squares."""
    own, other = (mine & SLANTING[0]) * COLUMN >> U(56), (theirs & SLANTING[0]) * COLUMN >> U(56)
    out[at] = SLANTING_STARTS[0] + number(own, other)


@compiled("void(uint64[::1], uint64, uint64, uint64)")
def write_groups(out: Memory, at: np.uint64, mine: np.uint64, theirs: np.uint64) -> None:
    """Writes GROUPS words: the index within a stage of the weight of each of the board's 46 groups."""
    for turn in range(4):
        if turn & 1:
            mine, theirs = upside_down(mine), upside_down(theirs)
        elif turn == 2:
            mine, theirs = mirrored(mine), mirrored(theirs)
        write_corner(out, at, mine, theirs)
        write_beside(out, at + U(5), mine, theirs)
        write_beside(out, at + U(6), transposed(mine), transposed(theirs))
        at += U(7)
        if turn == 0 or turn == 3:
            write_longest(out, at, mine, theirs)
            at += ONE
        if turn < 2:
            write_side(out, at, mine, theirs)
            at += FOUR
        if turn == 0 or turn == 3:
            write_side(out, at, transposed(mine), transposed(theirs))
            at += FOUR


@compiled("uint64(uint64, uint64)")
def stage_of(mine: np.uint64, theirs: np.uint64) -> np.uint64:
    """Stage of the game by the number of discs on the board."""
    return U(min(max((signed(bit_count(mine | theirs)) - FIRST_DISCS) // STAGE_DISCS, 0), STAGES - 1))


@compiled("int64(uint64[::1], uint64, uint64, uint64)")
def evaluate_patterns(memory: Memory, mine: np.uint64, theirs: np.uint64, where: np.uint64) -> int:
    """The expected result for the side to move, whose moves are `where`, in hundredths of a disc."""
    stage = stage_of(mine, theirs)
    weights = memory.view(np.int16)
    start = (WEIGHTS + stage * U(STAGE_WORDS)) * FOUR
    write_groups(memory, GROUPS_AT, mine, theirs)
    value: int = weights[start + U(CONSTANT)] + TEMPO[stage]
    for index in range(GROUPS):
        value += weights[start + memory[GROUPS_AT + U(index)]]
    free = signed(bit_count(where)) - signed(bit_count(moves(theirs, mine)))
    value += weights[start + U(MOBILITY + 32 + free)]
    return min(max(value, -MAX_VALUE), MAX_VALUE)
