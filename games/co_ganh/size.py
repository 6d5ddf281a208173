"""How many positions cờ gánh can have."""

from __future__ import annotations

from games.co_ganh import CELLS, CoGanh
from games.co_ganh.position import MEN
from rules.arrangements import Bound, arrangements, at_most


def bound(game: CoGanh) -> Bound | None:
    """None where a point that must be entered is part of the position."""
    if game.rules.forces:
        return None
    if game.rules.flips:
        men = 2 * MEN
        boards = sum(arrangements(len(CELLS), first, men - first) for first in range(men + 1))
        return Bound(2 * boards, f"2 sides to move x the boards of {men} men, each of either side")
    boards = at_most(len(CELLS), MEN, MEN)
    return Bound(2 * boards, f"2 sides to move x the boards of at most {MEN} men a side on {len(CELLS)} points")
