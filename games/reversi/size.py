"""How many positions reversi can have."""

from __future__ import annotations

from games.reversi import CELLS, Reversi
from rules.arrangements import Bound

CENTRE = 4
"""Squares that are never empty."""


def bound(game: Reversi) -> Bound:
    rest = len(CELLS) - CENTRE
    return Bound(2 * 2**CENTRE * 3**rest, f"2 sides to move x 2^{CENTRE} centres x 3^{rest} other squares")
