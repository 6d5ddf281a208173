"""Deals hands and the order of the bag at random, where no camera watches."""

from __future__ import annotations

import secrets
from typing import Any

from games import AnyGame

SEEDS = 2**31


def dealt(game: AnyGame, seed: int = 0) -> Any:
    """The start with everything hidden dealt, at random or by a seed; None if the game deals nothing."""
    start = game.initial(seed or 1 + secrets.randbelow(SEEDS - 1))
    return None if start == game.initial() else start
