"""Reasons in reversi: corners, and moves that leave the other side none."""

from __future__ import annotations

from typing import Any

from rules import AnyGame
from rules.merits import if_moving, steps_of

CORNERS = ("a1", "h1", "a8", "h8")


def of(game: AnyGame, position: Any, move: Any) -> list[str]:
    """The reasons for a move, the weightiest first."""
    steps = game.steps(position, move)
    if not steps:
        return []
    corners = {game.cells.index(name) for name in CORNERS}
    after = game.apply(position, move)
    ended = game.outcome(after)
    if ended is not None:
        return ["wins_at_once"] if ended.winner == game.to_move(position) else []
    other = 1 - game.to_move(position)
    had = {one[0].cell for one in steps_of(game, if_moving(game, position, other))} & corners
    has = {one[0].cell for one in steps_of(game, after)} & corners if game.to_move(after) == other else set()
    found = ["takes_corner"] if steps[0].cell in corners else []
    if not steps_of(game, after):
        found.append("shuts_in")
    if has - had:
        found.append("gives_corner")
    return found
