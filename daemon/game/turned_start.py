"""The start of a game, set up or seen turned: said in a sentence, rather than by most of the cells."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rules import AnyGame
from rules.turns import changed_cells
from wording import Sentences, sentence

HANDFUL = 4
"""Cells that may differ besides."""


def turned_start(game: AnyGame, start: Any, board: str) -> tuple[tuple[int, ...], Sentences] | None:
    """The cells that still differ and what is said of a board that shows the start turned; None of any other.

    A half turn looks like colours exchanged. Only a square of cells, row by row, may lie turned by a quarter.
    """
    side = math.isqrt(len(game.cells))
    cells = np.arange(len(game.cells)).reshape((side, side) if side * side == len(game.cells) else (1, -1))
    for turn in (2, 1, 3) if side > 1 and len(cells) == side else (2,):
        turned = "".join(game.board(start)[cell] for cell in np.rot90(cells, turn).ravel())
        differing = changed_cells(turned, board)
        if len(differing) <= HANDFUL and len(changed_cells(game.board(start), board)) > 2 * HANDFUL:
            return differing, (HALF if turn == 2 else QUARTER,)
    return None


HALF = sentence(
    "The pieces stand as at the start, but those of each side where the other's belong. Turn the board round, or "
    "exchange them."
)
QUARTER = sentence(
    "The pieces stand as at the start, but across the board: turn the board by a quarter under them. Or the picture is "
    "mirrored."
)
