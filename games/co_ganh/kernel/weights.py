"""Evaluation weights of each named heuristic and of the engine's own evaluation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.kernels.memory import Word
from games.co_ganh.heuristics import PAIRS_OF_WEIGHTS
from games.co_ganh.heuristics import WEIGHTS as FEATURES

NAMES = (
    *("own", "enemy", "looks", "corner", "edge", "middle", "inner", "arm", "hub", "facing", "together", "steps"),
    *("turn", "majority", "share", "prey", "fear", "leaps", "exposed", "stuck"),
)
"""Features of the twenty weights, in the order of `evaluation`."""
PLACES = {"corner": (3, 0), "edge": (2, 0), "middle": (4, 0), "inner": (4, 1), "arm": (2, 1), "hub": (4, 1)}
"""By kind of point: the number of drawn lines through it, and 1 if it belongs to the centre."""
OWN: dict[str, int] = {
    **{"own": 10, "enemy": 10, "looks": 1, "corner": 3, "edge": 4, "middle": 7, "inner": 6, "arm": 7, "hub": 5},
    **{"facing": 7, "together": 4, "steps": 1, "turn": 0, "majority": 37, "share": 6},
    **{"prey": 0, "fear": -21, "leaps": 5, "exposed": -14, "stuck": -12},
}
"""The engine's own weights: fitted to the results of its own games, scaled so that one man ahead near the start is 100.

An earlier version of the recipe `kibitzer train evaluation --game co_ganh` made them; its output differs.
"""
OWN_FLIPPING: dict[str, int] = {
    **{"own": 100, "enemy": 100, "looks": 1, "middle": 4, "inner": 6, "arm": 3, "hub": 8, "together": 1, "steps": 3},
    **{"turn": 5, "majority": 20, "share": 2, "prey": 4, "fear": -2, "stuck": -2},
}
"""The same if captured men change sides (`--rule capture=flip`)."""


def of_heuristic(heuristic: str, flips: bool) -> NDArray[Word]:
    """The twenty weights of a heuristic by name; "" is the engine's own evaluation."""
    chosen = _of(heuristic, flips)
    return np.array([chosen.get(name, 0) for name in NAMES], dtype=np.int64).view(Word)


def _of(heuristic: str, flips: bool) -> dict[str, int]:
    if heuristic == "":
        return OWN_FLIPPING if flips else OWN
    if heuristic == "features":
        places = {
            name: FEATURES["lines"] * lines + FEATURES["centre"] * centre for name, (lines, centre) in PLACES.items()
        }
        here = {"own": "scored", "enemy": "scored", "together": "pairs", "steps": "mobility"}
        others = {name: FEATURES[here.get(name, name)] for name in (*here, "facing", "turn", "majority")}
        return {"looks": 1, **places, **others}
    by_name = {"material": (1, 1), **{f"material_{own}_{enemy}": (own, enemy) for own, enemy in PAIRS_OF_WEIGHTS}}
    own, enemy = by_name[heuristic]
    return {"own": enemy, "enemy": own}
