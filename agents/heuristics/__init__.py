"""Heuristics: named evaluation functions per game, in plain Python, in a module named after the game.

Such a module has `HEURISTICS`, a dict of names and functions, the usual one first. Kernels compute the same values in
compiled code; a test compares them. All values are whole numbers, positive when good for the side to move and opposite
for the other side, so that every search adds and compares them exactly.

A module may also have `is_opening(game, position) -> bool`: whether a search may use other depths (laying in morris);
and `DEPTHS`, the depths of plain minimax.
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from agents.agent import AgentError
from games import AnyGame

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


def of(game: AnyGame) -> Mapping[str, Heuristic]:
    """The heuristics of a game by name, the usual one first; only `points` if the game has no module here."""
    found: Mapping[str, Heuristic] = getattr(_module(game), "HEURISTICS", {"points": points})
    return found


def named(game: AnyGame, name: str) -> Heuristic:
    """The heuristic of that name; an empty name is the usual one. Raises AgentError."""
    known = of(game)
    name = name or next(iter(known))
    if name not in known:
        raise AgentError(f"{game.name} has no heuristic {name!r}; it has {', '.join(known)}")
    return known[name]


def depths_of(game: AnyGame) -> Depths:
    """The game's depths of plain minimax."""
    found: Depths = getattr(_module(game), "DEPTHS", Depths())
    return found


def has_opening(game: AnyGame) -> bool:
    """Whether the game defines an opening, in which a search may use another depth."""
    return _opening(game) is not None


def is_opening(game: AnyGame, position: Any) -> bool:
    """Whether the position is in the opening, if the game defines one."""
    tells = _opening(game)
    return tells is not None and tells(game, position)


def _opening(game: AnyGame) -> Callable[[AnyGame, Any], bool] | None:
    tells: Callable[[AnyGame, Any], bool] | None = getattr(_module(game), "is_opening", None)
    return tells


def _module(game: AnyGame) -> ModuleType | None:
    name = f"agents.heuristics.{game.name}"
    return None if importlib.util.find_spec(name) is None else importlib.import_module(name)


def points(game: AnyGame, position: Any, last: Any) -> int:
    """Points so far, mine minus theirs; 0 in games without points."""
    scores, side = game.scores(position), game.to_move(position)
    return 0 if scores is None else scores[side] - scores[1 - side]
