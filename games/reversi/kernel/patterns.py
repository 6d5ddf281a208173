"""Evaluation learnt from games: the contents of 46 groups of squares and the mobility, weighted by stage of the game.

The groups, after Buro's Logistello, are twelve shapes and their mirror images, which share weights: a corner's nine
squares, ten squares along a corner, a side with the two squares diagonally inside its corners, rows 2, 3 and 4, and
the diagonals of eight to four squares. A group's content is a number in base three: 0 empty, 1 mine, 2 theirs. Weights
are hundredths of a disc; the value is their sum for the side to move.
"""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import bit_count, compiled, signed
from agents.kernels.loops import span
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

BASE_THREE = np.array([int(f"{bits:b}", 3) for bits in range(1024)], dtype=np.uint64)
"""For each ten-bit number, the base-three number with the same digits."""


@compiled("uint64(uint64)")
def upside_down(board: np.uint64) -> np.uint64:
    """The board with its rows in reverse order."""
    board = board >> U(8) & U(0x00FF00FF00FF00FF) | (board & U(0x00FF00FF00FF00FF)) << U(8)
    board = board >> U(16) & U(0x0000FFFF0000FFFF) | (board & U(0x0000FFFF0000FFFF)) << U(16)
    return board >> U(32) | board << U(32)


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


@compiled("uint64(uint64, uint64)", inlined=True)
def corner(mine: np.uint64, theirs: np.uint64) -> np.uint64:
    """Index of the weight of the first corner's nine squares."""
    own = mine & U(7) | mine >> U(5) & U(0x38) | mine >> U(10) & U(0x1C0)
    other = theirs & U(7) | theirs >> U(5) & U(0x38) | theirs >> U(10) & U(0x1C0)
    return CORNER + number(own, other)


@compiled("uint64(uint64, uint64)", inlined=True)
def side(mine: np.uint64, theirs: np.uint64) -> np.uint64:
    """Index of the weight of the first row with b2 and g2."""
    own = mine & U(255) | mine >> U(1) & U(256) | mine >> U(5) & U(512)
    other = theirs & U(255) | theirs >> U(1) & U(256) | theirs >> U(5) & U(512)
    return SIDE + number(own, other)


@compiled("uint64(uint64, uint64, int64)", inlined=True)
def falling(mine: np.uint64, theirs: np.uint64, right: int) -> np.uint64:
    """Index of the weight of the falling diagonal from the square that far to the right of a1."""
    # One square per column: multiplying by a column of ones adds all rows up in the last one.
    own = (mine & SLANTING[right]) * COLUMN >> U(56 + right)
    other = (theirs & SLANTING[right]) * COLUMN >> U(56 + right)
    index: np.uint64 = SLANTING_STARTS[right] + number(own, other)
    return index


@compiled("uint64(uint64, uint64)", inlined=True)
def along_corner(mine: np.uint64, theirs: np.uint64) -> np.uint64:
    """Index of the weight of the first five squares of the first two rows."""
    own, other = mine & U(31) | mine >> U(3) & U(0x3E0), theirs & U(31) | theirs >> U(3) & U(0x3E0)
    return BESIDE + number(own, other)


@compiled("void(uint64[::1], uint64, uint64, uint64)")
def write_groups(out: Memory, at: np.uint64, mine: np.uint64, theirs: np.uint64) -> None:
    """Writes GROUPS words: the index within a stage of the weight of each of the board's 46 groups.

    Four times those at the first corner and in the first rows; the board is turned by a quarter in between.
    """
    for turn in range(4):
        across, other_across = transposed(mine), transposed(theirs)
        out[at], out[at + ONE] = corner(mine, theirs), side(mine, theirs)
        out[at + TWO], out[at + THREE] = along_corner(mine, theirs), along_corner(across, other_across)
        at += FOUR
        for row in range(1, 4):
            shift = U(8 * row)
            out[at] = ROWS + U(6561 * (row - 1)) + number(mine >> shift & U(255), theirs >> shift & U(255))
            at += ONE
        for right in range(turn // 2, 5):  # two turns see both longest diagonals
            out[at] = falling(mine, theirs, right)
            at += ONE
        mine, theirs = upside_down(across), upside_down(other_across)


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
    for at in span(GROUPS_AT, GROUPS_AT + U(GROUPS)):
        value += weights[start + memory[at]]
    free = signed(bit_count(where)) - signed(bit_count(moves(theirs, mine)))
    value += weights[start + U(MOBILITY + 32 + free)]
    return min(max(value, -MAX_VALUE), MAX_VALUE)
