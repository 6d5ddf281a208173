"""Morris under any rules, and its boards, for tests."""

from __future__ import annotations

import games
from games.nine_mens_morris import CELLS, NineMensMorris


def morris(**rules: object) -> NineMensMorris:
    game = games.load("morris", rules)
    assert isinstance(game, NineMensMorris)
    return game


def bits(names: str) -> int:
    return sum(1 << CELLS.index(name) for name in names.split())
