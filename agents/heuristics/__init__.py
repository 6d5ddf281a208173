"""How good a position looks: named functions per game, plain and documented, in a module named as the game.

Such a module has `HEURISTICS`, a dict of names and functions whose first is the usual one. Kernels compute the same
values in machine code; a test holds them together. All values are whole numbers, good for the side to move when
positive, and opposite for the other side, so that every search adds and compares them exactly.

It may have `is_opening(game, position) -> bool` too: whether a search may do with other depths (laying in morris).
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from typing import Any

from games import AnyGame

Heuristic = Callable[[Any, Any, Any], int]
"""`(game, position, last)` to the value for the side to move; `last` is the move that led here, None if unknown."""


def of(game: AnyGame) -> Mapping[str, Heuristic]:
    """The heuristics of a game by name, the usual one first; points alone where the game has no module here."""
    if importlib.util.find_spec(f"agents.heuristics.{game.name}") is None:
        return {"points": points}
    found: Mapping[str, Heuristic] = importlib.import_module(f"agents.heuristics.{game.name}").HEURISTICS
    return found


def has_opening(game: AnyGame) -> bool:
    """Whether the game tells an opening apart, in which a search may go to another depth."""
    if importlib.util.find_spec(f"agents.heuristics.{game.name}") is None:
        return False
    return hasattr(importlib.import_module(f"agents.heuristics.{game.name}"), "is_opening")


def is_opening(game: AnyGame, position: Any) -> bool:
    """Whether the game is in its opening, where it tells one apart."""
    if not has_opening(game):
        return False
    return bool(importlib.import_module(f"agents.heuristics.{game.name}").is_opening(game, position))


def points(game: AnyGame, position: Any, last: Any) -> int:
    """The points so far, mine minus theirs; 0 in games without points."""
    scores, side = game.scores(position), game.to_move(position)
    return 0 if scores is None else scores[side] - scores[1 - side]
