"""Counts the boards that so many men can make: bounds on how many positions a game has."""

from __future__ import annotations

import math
from typing import NamedTuple


class Bound(NamedTuple):
    positions: int
    """No more positions than these can arise, told apart by board, men in hand and side to move."""
    formula: str


def arrangements(cells: int, first: int, second: int) -> int:
    """The ways to lay so many men of either side on so many cells."""
    return math.comb(cells, first) * math.comb(cells - first, second)


def at_most(cells: int, first: int, second: int) -> int:
    """The ways to lay none to so many men of either side on so many cells."""
    return sum(
        arrangements(cells, one, other) for one in range(first + 1) for other in range(min(second, cells - one) + 1)
    )
