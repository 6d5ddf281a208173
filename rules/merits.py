"""What several games try out to say why a move is worth something."""

from __future__ import annotations

import contextlib
from typing import Any

from rules import AnyGame, GameError, Step


def if_moving(game: AnyGame, position: Any, side: int) -> Any | None:
    """The same board with that side to move; None where the rules do not allow it."""
    with contextlib.suppress(GameError, ValueError):
        turned = game.set_up(game.board(position), side, position)
        return turned if game.outcome(turned) is None else None
    return None


def steps_of(game: AnyGame, position: Any | None) -> list[tuple[Step, ...]]:
    """The steps of every legal move; empty for None."""
    if position is None:
        return []
    return [steps for move in game.legal_moves(position) if (steps := game.steps(position, move))]
