"""The weights of the evaluation: for each named heuristic, and for the engine's own judgement."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.heuristics.co_ganh import PAIRS_OF_WEIGHTS
from agents.heuristics.co_ganh import WEIGHTS as FEATURES

NAMES = tuple("own enemy looks corner edge middle inner arm hub facing together steps turn majority share prey".split())
"""What the sixteen weights are of, in the order of `evaluation`."""
PLACES = {"corner": (3, 0), "edge": (2, 0), "middle": (4, 0), "inner": (4, 1), "arm": (2, 1), "hub": (4, 1)}
"""The drawn lines through a point of each kind, and 1 where it belongs to the centre."""
OWN: dict[str, int] = {
    "own": 100, "enemy": 100, "looks": 1, "corner": 0, "edge": 0, "middle": 4, "inner": 6, "arm": 3, "hub": 8,
    "facing": 0, "together": 1, "steps": 3, "turn": 5, "majority": 20, "share": 2, "prey": 2,
}  # fmt: skip
"""The engine's own judgement, in hundredths of a man."""
OWN_FLIPPING = OWN
"""The same where captured men change sides."""


def weights(heuristic: str, flips: bool) -> NDArray[np.uint64]:
    """The sixteen weights for a heuristic by name; "" is the engine's own judgement."""
    chosen = _of(heuristic, flips)
    return np.array([chosen.get(name, 0) for name in NAMES], dtype=np.int64).view(np.uint64)


def _of(heuristic: str, flips: bool) -> dict[str, int]:
    if heuristic == "":
        return OWN_FLIPPING if flips else OWN
    if heuristic == "features":
        places = {
            name: FEATURES["lines"] * lines + FEATURES["centre"] * centre for name, (lines, centre) in PLACES.items()
        }
        return {
            **places,
            "own": FEATURES["scored"],
            "enemy": FEATURES["scored"],
            "looks": 1,
            "facing": FEATURES["facing"],
            "together": FEATURES["pairs"],
            "steps": FEATURES["mobility"],
            "turn": FEATURES["turn"],
            "majority": FEATURES["majority"],
        }
    by_name = {"material": (1, 1), **{f"material_{own}_{enemy}": (own, enemy) for own, enemy in PAIRS_OF_WEIGHTS}}
    own, enemy = by_name[heuristic]
    return {"own": enemy, "enemy": own}
