"""Reasons in cờ gánh: men taken or turned, saved, and left where they can be taken."""

from __future__ import annotations

from typing import Any

from rules import AnyGame, Step
from rules.merits import if_moving, steps_of


def of(game: AnyGame, position: Any, move: Any) -> list[str]:
    """The reasons for a move, the weightiest first."""
    side = game.to_move(position)
    after = game.apply(position, move)
    ended = game.outcome(after)
    if ended is not None:
        return ["wins_at_once"] if ended.winner == side else []
    taken = _taken(game.steps(position, move))
    found = ["carries"] if taken > 1 else ["captures"] if taken else []
    risk = max(map(_taken, steps_of(game, if_moving(game, position, 1 - side))), default=0)
    left = max(map(_taken, steps_of(game, after)), default=0)
    if left < risk:
        found.append("saves")
    elif left > risk:
        found.append("exposes")
    return found


def _taken(steps: tuple[Step, ...]) -> int:
    return sum(step.kind in ("remove", "flip") for step in steps)
