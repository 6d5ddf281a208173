"""How often networks answer like the data and how often legally before masking, for which purposes, and how fast."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from agents.morris_networks.board import LINES
from agents.morris_networks.good_moves import PHASES, GoodMoves, States, as_rows, position_of
from agents.morris_networks.legality import is_legal
from agents.morris_networks.networks import Networks
from games.nine_mens_morris import NineMensMorris

TIMED = 1000
QUANTILES = {"median": 0.5, "p95": 0.95}


Figures = dict[str, object]
"""How many `states`, and of them in percent, None if there are none: `accuracy`, whole moves equal to the data's; `to`,
`from` (none while men are laid) and `remove` (mostly none), each choice regardless of the others; `legality`."""


def measure(good: GoodMoves, answers: NDArray[np.integer]) -> dict[str, Figures]:
    """The figures of all states, under "all", and of each phase; `answers` is (n, 3) TO, FROM, REMOVE.

    The rules are those of the data set: flying, and mills protected.
    """
    same = answers == good.moves
    legal = is_legal(good.states, answers)
    phases = good.states.phases()
    rows = {"all": np.ones(len(good), dtype=np.bool_)}
    rows |= {name: phases == number for number, name in enumerate(PHASES)}
    return {name: _figures(same[chosen], legal[chosen]) for name, chosen in rows.items()}


def decision_ms(networks: Networks, game: NineMensMorris, states: States) -> dict[str, float]:
    """Milliseconds of processor time that the networks take to choose a legal move: median and 95th percentile.

    Samples states evenly over the rows. The time excludes finding the legal moves; states without one are skipped.
    Empty if no state is left.
    """
    spent = []
    for row in range(0, len(states), max(1, len(states) // TIMED)):
        legal = as_rows(game.legal_moves(position_of(states, row)))
        if not len(legal):
            continue
        state = states.rows(slice(row, row + 1))
        began_s = time.process_time()
        networks.choose(state, legal)
        spent.append(1000 * (time.process_time() - began_s))
    return {name: round(float(np.quantile(spent, at)), 3) for name, at in QUANTILES.items()} if spent else {}


def _figures(same: NDArray[np.bool_], legal: NDArray[np.bool_]) -> Figures:
    shares = {
        "accuracy": same.all(axis=1),
        "to": same[:, 0],
        "from": same[:, 1],
        "remove": same[:, 2],
        "legality": legal,
    }
    known = {name: round(100 * float(right.mean()), 3) if len(same) else None for name, right in shares.items()}
    return {"states": len(same), **known}


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
