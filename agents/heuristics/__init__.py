"""Heuristics: named evaluation functions per game, in plain Python, in a module named after the game.

A game's package may bring them instead, in its own module `heuristics`, for which no file is needed here.

Such a module has `HEURISTICS`, a dict of names and functions, the usual one first. Kernels compute the same values in
compiled code; a test compares them. All values are whole numbers, positive when good for the side to move and opposite
for the other side, so that every search adds and compares them exactly.

A module may also have `is_opening(game, position) -> bool`: whether a search may use other depths (laying in morris);
`is_quiet(game, position) -> bool`: whether a position can be judged as it stands; where not, as with an obligatory
capture in draughts, a search in plain Python looks on beyond its depth, which the rules must bring to an end; and
`DEPTHS`, the depths of plain minimax.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import importlib.util
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import games
from agents.agent import AgentError
from rules import AnyGame

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
    """The heuristics of a game by name, the usual one first; only `points` if nobody brings any."""
    found: Mapping[str, Heuristic] = getattr(_module(game.name), "HEURISTICS", {"points": points})
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
    found: Depths = getattr(_module(game.name), "DEPTHS", Depths())
    return found


def has_opening(game: AnyGame) -> bool:
    """Whether the game defines an opening, in which a search may use another depth."""
    return _opening(game) is not None


def is_opening(game: AnyGame, position: Any) -> bool:
    """Whether the position is in the opening, if the game defines one."""
    tells = _opening(game)
    return tells is not None and tells(game, position)


def _opening(game: AnyGame) -> Callable[[AnyGame, Any], bool] | None:
    tells: Callable[[AnyGame, Any], bool] | None = getattr(_module(game.name), "is_opening", None)
    return tells


def is_quiet(game: AnyGame, position: Any) -> bool:
    """Whether a search that has reached its depth may judge the position as it stands."""
    tells: Callable[[AnyGame, Any], bool] | None = getattr(_module(game.name), "is_quiet", None)
    return tells is None or tells(game, position)


@functools.cache
def _module(game: str) -> ModuleType | None:
    name = f"agents.heuristics.{game}"
    if importlib.util.find_spec(name) is None:
        return games.part_of(game, "heuristics")
    return importlib.import_module(name)


def points(game: AnyGame, position: Any, last: Any) -> int:
    """Points so far, mine minus theirs; 0 in games without points."""
    scores, side = game.scores(position), game.to_move(position)
    return 0 if scores is None else scores[side] - scores[1 - side]
