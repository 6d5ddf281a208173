"""Which choices the rules allow, for many states at once; flying and protected mills are options.

`games.nine_mens_morris` has the reference rules; a test compares these with them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.morris_networks import CHOICES, NONE, POINTS
from agents.morris_networks.board import LINES, NEIGHBOURS
from agents.morris_networks.good_moves import States

Mask = NDArray[np.bool_]


def journeys(states: States, flying: bool = True) -> Mask:
    """(n, 24, 24): whether a man may move, indexed by destination, then origin; all False while laying."""
    mine, empty = states.cells == 1, states.cells == 0
    flies = (states.phases() == 2) & flying
    reach = NEIGHBOURS[None] | flies[:, None, None]
    return np.asarray(empty[:, :, None] & mine[:, None, :] & reach & (states.counts[:, 0] == 0)[:, None, None])


def legal_to(states: States, flying: bool = True) -> Mask:
    """(n, 24): points on which a man may arrive."""
    laying = (states.counts[:, 0] > 0)[:, None]
    return np.asarray(np.where(laying, states.cells == 0, journeys(states, flying).any(axis=2)))


def legal_from(states: States, to: NDArray[np.intp], flying: bool = True) -> Mask:
    """(n, 25): possible origins of the man that arrives there."""
    found = np.zeros((len(states), CHOICES), dtype=np.bool_)
    rows = np.arange(len(states))
    found[:, :POINTS] = journeys(states, flying)[rows, to]
    found[:, NONE] = (states.counts[:, 0] > 0) & (states.cells[rows, to] == 0)
    return found


def legal_remove(states: States, to: NDArray[np.intp], origin: NDArray[np.intp], mill_protected: bool = True) -> Mask:
    """(n, 25): men that may be taken after that move; only NONE if it closes no mill or the enemy has no man."""
    rows = np.arange(len(states))
    mine = np.concatenate([states.cells == 1, np.zeros((len(states), 1), dtype=np.bool_)], axis=1)
    mine[rows, origin] = False
    mine[rows, to] = True
    through = (LINES[None] == to[:, None, None]).any(axis=2)
    closes = (mine[:, LINES].all(axis=2) & through).any(axis=1)
    theirs = states.cells == 2
    takeable = theirs
    if mill_protected:
        mills = theirs[:, LINES].all(axis=2)
        in_mill = np.zeros_like(theirs)
        for number, line in enumerate(LINES):
            in_mill[:, line] |= mills[:, number, None]
        free = theirs & ~in_mill
        takeable = np.where(free.any(axis=1)[:, None], free, theirs)
    taking = (closes & theirs.any(axis=1))[:, None]
    return np.concatenate([takeable & taking, ~taking], axis=1)


def is_legal(
    states: States, moves: NDArray[np.integer], flying: bool = True, mill_protected: bool = True
) -> NDArray[np.bool_]:
    """(n,): whether the rules allow each move, (n, 3) TO, FROM, REMOVE."""
    to, origin, removed = (np.asarray(moves[:, column], dtype=np.intp) for column in range(3))
    rows = np.arange(len(states))
    arrives = legal_from(states, to, flying)[rows, origin]
    return np.asarray(arrives & legal_remove(states, to, origin, mill_protected)[rows, removed])
