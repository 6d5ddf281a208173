"""Measures how often networks answer like the data, how often legally before masking, and how fast."""

from __future__ import annotations

import dataclasses
import time

import numpy as np
from numpy.typing import NDArray

from agents.morris_networks.good_moves import PHASES, GoodMoves, States
from agents.morris_networks.legality import is_legal
from agents.morris_networks.networks import Networks
from agents.morris_networks.rows import as_rows, position_of
from games.nine_mens_morris import NineMensMorris

TIMED = 1000
"""Decisions to time, about; all if there are fewer."""
QUANTILES = {"median": 0.5, "p95": 0.95}


@dataclasses.dataclass(frozen=True)
class Figures:
    """Shares in percent over a number of states; None if there are none."""

    states: int
    accuracy: float | None
    """Whole moves equal to the data's."""
    to: float | None
    """Destinations equal to the data's, regardless of the rest of the move."""
    origin: float | None
    """Origins equal to the data's, likewise; none while men are laid."""
    remove: float | None
    """Removals equal to the data's, likewise; mostly none."""
    legality: float | None
    """Whole moves that the rules allow."""

    def as_json(self) -> dict[str, object]:
        """A JSON object with the published names; `origin` is called from."""
        return {"from" if name == "origin" else name: value for name, value in vars(self).items()}


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
    to, origin, removed = (_percent(same[:, column]) for column in range(3))
    return Figures(len(same), _percent(np.asarray(same.all(axis=1))), to, origin, removed, _percent(legal))


def _percent(right: NDArray[np.bool_]) -> float | None:
    return round(100 * float(right.mean()), 3) if len(right) else None
