"""How good a position looks: named functions per game, plain and documented, in a module named as the game.

Such a module has `HEURISTICS`, a dict of names and functions whose first is the usual one. Kernels compute the same
values in machine code; a test holds them together. All values are whole numbers, good for the side to move when
positive, and opposite for the other side, so that every search adds and compares them exactly.

It may have `is_opening(game, position) -> bool` too: whether a search may do with other depths (laying in morris); and
`DEPTHS`, how deep plain minimax goes.
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from games import AnyGame

Heuristic = Callable[[Any, Any, Any], int]
"""`(game, position, last)` to the value for the side to move; `last` is the move that led here, None if unknown."""


@dataclasses.dataclass(frozen=True)
class Depths:
    """How deep plain minimax is asked to go in a game."""

    usual: int = 2
    """Plies where nobody asks for another depth."""
    measured: int = 2
    """Plies for which `kibitzer bench search` can wait."""
    opening: int = 6
    """Random plies that lead to the positions measured."""
    positions: int = 3
    """As many positions are measured."""


def of(game: AnyGame) -> Mapping[str, Heuristic]:
    """The heuristics of a game by name, the usual one first; points alone where the game has no module here."""
    found: Mapping[str, Heuristic] = getattr(_module(game), "HEURISTICS", {"points": points})
    return found


def depths_of(game: AnyGame) -> Depths:
    """How deep plain minimax goes."""
    found: Depths = getattr(_module(game), "DEPTHS", Depths())
    return found


def has_opening(game: AnyGame) -> bool:
    """Whether the game tells an opening apart, in which a search may go to another depth."""
    return _opening(game) is not None


def is_opening(game: AnyGame, position: Any) -> bool:
    """Whether the game is in its opening, where it tells one apart."""
    tells = _opening(game)
    return tells is not None and tells(game, position)


def _opening(game: AnyGame) -> Callable[[AnyGame, Any], bool] | None:
    tells: Callable[[AnyGame, Any], bool] | None = getattr(_module(game), "is_opening", None)
    return tells


def _module(game: AnyGame) -> ModuleType | None:
    name = f"agents.heuristics.{game.name}"
    return None if importlib.util.find_spec(name) is None else importlib.import_module(name)


def points(game: AnyGame, position: Any, last: Any) -> int:
    """The points so far, mine minus theirs; 0 in games without points."""
    scores, side = game.scores(position), game.to_move(position)
    return 0 if scores is None else scores[side] - scores[1 - side]
