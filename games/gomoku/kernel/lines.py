"""Where the line through a cell in a direction lies in memory, and the cell's place in it."""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import compiled
from games.gomoku.kernel import memory as w

U = np.uint64
ZERO, ONE, TWO, FIVE = U(0), U(1), U(2), U(5)
LAST_COLUMN, ROW, LINES_A_WAY = U(w.WIDTH - 1), U(w.WIDTH), U(2 * w.WIDTH)


@compiled("uint64(uint64, uint64)")
def place_in(cell: np.uint64, direction: np.uint64) -> np.uint64:
    """The cell's place in its line in a direction."""
    found: np.uint64 = cell >> FIVE if direction & ONE else cell & LAST_COLUMN
    return found


@compiled("uint64(uint64, uint64)")
def line_of(cell: np.uint64, direction: np.uint64) -> np.uint64:
    """Index of the word of LINES that holds the cell's line in a direction."""
    row, column = cell >> FIVE, cell & LAST_COLUMN
    if direction == ZERO:
        number = row
    elif direction == ONE:
        number = column
    elif direction == TWO:
        number = row + ROW - column
    else:
        number = row + column
    slot: np.uint64 = w.LINES + direction * LINES_A_WAY + number
    return slot
