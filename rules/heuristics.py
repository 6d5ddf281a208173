"""What a heuristic is, for the games that bring some and the searches that use them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from rules import AnyGame, Counts

Heuristic = Callable[[Any, Any, Any], int]
"""`(game, position, last)` to the value for the side to move; `last` is the move that led here, None if unknown."""


@dataclasses.dataclass(frozen=True)
class Depths:
    """Depths of plain minimax in a game."""

    usual: int = 2
    """Plies when no other depth is given."""
    measured: int = 2
    """Plies that `kibitzer bench search` can search in acceptable time."""
    opening: int = 6
    """Random plies that lead to the measured positions."""
    positions: int = 3
    """Number of measured positions."""


def points(game: AnyGame, position: Any, last: Any) -> int:
    """Points so far, mine minus theirs; 0 in games without points."""
    scores, side = Counts.of(game).scores(position), game.to_move(position)
    return 0 if scores is None else scores[side] - scores[1 - side]
