"""How often networks answer as the data does, and how often legally: raw, before anything is masked."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from agents.morris_networks.good_moves import PHASES, GoodMoves
from agents.morris_networks.legality import is_legal

CHOICE_NAMES = ("to", "from", "remove")


@dataclasses.dataclass(frozen=True)
class Figures:
    """Shares in percent, of so many states; None where there is no state."""

    states: int
    """How many were asked."""
    accuracy: float | None
    """Whole moves as in the data."""
    to: float | None
    """Arrivals as in the data, whatever the rest of the move."""
    origin: float | None
    """Origins as in the data, likewise; none while men are laid."""
    remove: float | None
    """Removals as in the data, likewise; mostly none."""
    legality: float | None
    """Whole moves that the rules allow."""

    def as_json(self) -> dict[str, object]:
        """By the names that people read; `origin` is called from."""
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


def _figures(same: NDArray[np.bool_], legal: NDArray[np.bool_]) -> Figures:
    to, origin, removed = (_percent(same[:, column]) for column in range(3))
    return Figures(len(same), _percent(np.asarray(same.all(axis=1))), to, origin, removed, _percent(legal))


def _percent(right: NDArray[np.bool_]) -> float | None:
    return round(100 * float(right.mean()), 3) if len(right) else None
