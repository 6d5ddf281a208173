"""Purposes of moves, as far as the board after the move shows them, and how networks confuse them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.morris_networks.board import LINES
from agents.morris_networks.good_moves import PHASES, GoodMoves, States
from agents.morris_networks.legality import is_legal

PURPOSES = ("mill", "block", "two", "other", "illegal")
"""Closes a mill; blocks a line with two enemy men; makes two in a line with the third point empty; none of these;
against the rules of the data."""


def purposes(states: States, moves: NDArray[np.integer]) -> NDArray[np.intp]:
    """(n,): indices into PURPOSES, the first that holds, for moves (n, 3) of TO, FROM, REMOVE."""
    rows = np.arange(len(states))
    mine = np.pad(states.cells == 1, ((0, 0), (0, 1)))
    mine[rows, moves[:, 1]] = False
    mine[rows, moves[:, 0]] = True
    through = (LINES[None] == moves[:, 0, None, None]).any(axis=2)
    own = mine[:, LINES].sum(axis=2)
    theirs = (states.cells == 2)[:, LINES].sum(axis=2)
    held = [through & (own == 3), through & (own == 1) & (theirs == 2), through & (own == 2) & (theirs == 0)]
    flags = np.stack([lines.any(axis=1) for lines in held] + [np.ones(len(states), dtype=np.bool_)])
    return np.where(is_legal(states, moves), flags.argmax(axis=0), len(PURPOSES) - 1)


def confusion(good: GoodMoves, answers: NDArray[np.integer]) -> dict[str, NDArray[np.intp]]:
    """Confusion by phase, (5, 5): states by the purpose of the data's move (row) and of the answer (column)."""
    wanted, found = purposes(good.states, good.moves), purposes(good.states, answers)
    phases, count = good.states.phases(), len(PURPOSES)
    pairs = wanted * count + found
    return {
        name: np.bincount(pairs[phases == number], minlength=count * count).reshape(count, count)
        for number, name in enumerate(PHASES)
    }
