"""Evaluates dominoes positions: the points so far, and how often a pawn's space will bring the bonus.

Knowledge of hands is ignored, so that a value is exactly opposite for the other side.
"""

from __future__ import annotations

from games.double_double_dominoes import TRACK, DoubleDoubleDominoes, Move, Position
from games.double_double_dominoes.board import EACH, TILES
from rules.heuristics import Depths, Heuristic, points

POINT = 10
"""Value of a point in `prospects`."""


def prospects(game: DoubleDoubleDominoes, position: Position, last: Move | None) -> int:
    """Ten per point of my lead; plus one per unlaid tile showing my space's value, minus one per tile for theirs.

    Such a tile brings the bonus, whoever lays it, while the pawn stands there.
    """
    side = position.to_move
    lead = position.pawns[side] - position.pawns[1 - side]
    return POINT * lead + _bonus_tiles(position, side) - _bonus_tiles(position, 1 - side)


def _bonus_tiles(position: Position, side: int) -> int:
    """Number of unlaid tiles that show the value of a side's space."""
    space = position.pawns[side]
    if not space:
        return 0
    return sum(EACH - position.laid(tile) for tile in TILES if TRACK[space - 1] in tile)


DEPTHS = Depths(usual=1, measured=1)
HEURISTICS: dict[str, Heuristic] = {"prospects": prospects, "points": points}
"""Heuristics by name, the usual one first."""
