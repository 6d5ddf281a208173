"""Converts moves and positions of the rules to rows of numbers for the networks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agents.morris_networks import NONE
from agents.morris_networks.good_moves import States, read_states
from games.nine_mens_morris import Move, NineMensMorris, Position


def state_of(game: NineMensMorris, position: Position) -> States:
    """The position as a one-row state, from the mover's view."""
    return read_states([game.format_position(position).partition(":")[2]])


def as_rows(moves: Sequence[Move]) -> NDArray[np.intp]:
    """(m, 3): TO, FROM, REMOVE of whole turns."""
    rows = [
        (move.to, NONE if move.origin is None else move.origin, NONE if move.removed is None else move.removed)
        for move in moves
    ]
    return np.array(rows, dtype=np.intp).reshape(-1, 3)


def position_of(states: States, row: int) -> Position:
    """The position of a state, with the mover as side 0; it has no history."""
    cells = states.cells[row]
    mine, theirs = (sum(1 << int(point) for point in np.flatnonzero(cells == code)) for code in (1, 2))
    return Position((mine, theirs), (int(states.counts[row, 0]), int(states.counts[row, 1])), 0)
