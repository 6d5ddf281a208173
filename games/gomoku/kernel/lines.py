"""Where the line through a cell in a direction lies in memory, and the cell's place in it."""

from __future__ import annotations

from agents.kernels.compilation import compiled
from agents.kernels.memory import Word
from games.gomoku.kernel import memory as w

ZERO, ONE, TWO, FIVE = map(Word, (0, 1, 2, 5))
LAST_COLUMN, ROW, LINES_A_WAY = map(Word, (w.WIDTH - 1, w.WIDTH, 2 * w.WIDTH))


@compiled("uint64(uint64, uint64)")
def place_in(cell: Word, direction: Word) -> Word:
    """The cell's place in its line in a direction."""
    return cell >> FIVE if direction & ONE else cell & LAST_COLUMN


@compiled("uint64(uint64, uint64)")
def line_of(cell: Word, direction: Word) -> Word:
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
    return w.LINES + direction * LINES_A_WAY + number
