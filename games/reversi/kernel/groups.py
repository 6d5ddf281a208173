"""The groups of squares that the evaluation knows: eleven shapes and their mirror images, which share weights.

After Buro's Logistello: a corner's nine squares, ten squares along a corner, a side with the two squares diagonally
inside its corners, rows 2, 3 and 4, and the diagonals of eight to four squares. A group's content is a number in base
three: 0 empty, 1 mine, 2 theirs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.kernels.memory import Word

SIZES = (9, 10, 10, 8, 8, 8, 8, 7, 6, 5, 4)
"""Squares of each shape: corner, beside the corner, side, rows 2 to 4, diagonals."""
STARTS = tuple(sum(3**size for size in SIZES[:index]) for index in range(len(SIZES)))
"""Start of each shape's weights within a stage."""
MOBILITY = sum(3**size for size in SIZES)
"""Start of the 64 weights indexed by my moves minus theirs plus 32; the constant follows them."""
CONSTANT = MOBILITY + 64
GROUPS = 46
LANES = 48
"""Groups and unused places, in whole registers."""


def _shapes() -> list[tuple[int, list[int]]]:
    """The number of each group's shape, and its squares, the lowest digit first."""
    square, found = np.arange(64).reshape(8, 8), list[tuple[int, Any]]()
    for turn in range(4):
        found.append((0, square[:3, :3].ravel()))
        found += [(1, one[:2, :5].ravel()) for one in (square, square.T)]
        found.append((2, [*square[0], square[1, 1], square[1, 6]]))
        found += [(2 + row, square[row]) for row in range(1, 4)]
        found += [(6 + right, square.diagonal(right)) for right in range(turn // 2, 5)]  # two see both longest ones
        square = np.rot90(square)
    return [(shape, [int(one) for one in squares]) for shape, squares in found]


def _rows() -> NDArray[np.uint16]:
    """What my discs in a row add to each group's content, by row and by the row's discs."""
    table = np.zeros((8, 256, LANES), np.uint16)
    for group, (_, squares) in enumerate(_shapes()):
        for place, (row, column) in enumerate(divmod(square, 8) for square in squares):
            table[row, np.arange(256) >> column & 1 == 1, group] += 3**place
    return table


TABLE = _rows()
FIRST_WEIGHTS = tuple(STARTS[shape] for shape, _ in _shapes())
"""Start of each group's weights within a stage."""


def groups_of(mine: NDArray[Word], theirs: NDArray[Word]) -> NDArray[np.uint32]:
    """The index within a stage of the weight of each of many boards' 46 groups."""
    found = np.zeros((len(mine), GROUPS), np.uint32) + np.array(FIRST_WEIGHTS, np.uint32)
    for row in range(8):
        own, other = (side >> Word(8 * row) & Word(255) for side in (mine, theirs))
        found += TABLE[row, own, :GROUPS] + 2 * TABLE[row, other, :GROUPS]
    return found
