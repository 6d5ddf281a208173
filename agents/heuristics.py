"""Heuristics: named evaluation functions per game, in plain Python, in the module `heuristics` of a game's package.

Such a module has `HEURISTICS`, a dict of names and functions, the usual one first. Kernels compute the same values in
compiled code; a test compares them. All values are whole numbers, positive when good for the side to move and opposite
for the other side, so that every search adds and compares them exactly.

A module may also have `is_opening(game, position) -> bool`: whether a search may use other depths (laying in morris);
`is_quiet(game, position) -> bool`: whether a position can be judged as it stands; where not, as with an obligatory
capture in draughts, a search in plain Python looks on beyond its depth, which the rules must bring to an end; and
`DEPTHS`, the depths of plain minimax.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import games
from agents.agent import AgentError
from rules import AnyGame
from rules.heuristics import Depths, Heuristic, points


def of(game: AnyGame) -> Mapping[str, Heuristic]:
    """The heuristics of a game by name, the usual one first; only `points` if nobody brings any."""
    found: Mapping[str, Heuristic] = getattr(_module(game.name), "HEURISTICS", {"points": points})
    return found


def named(game: AnyGame, name: str) -> Heuristic:
    known = of(game)
    name = name or next(iter(known))
    if name not in known:
        raise AgentError(f"{game.name} has no heuristic {name!r}; it has {', '.join(known)}")
    return known[name]


def depths_of(game: AnyGame) -> Depths:
    found: Depths = getattr(_module(game.name), "DEPTHS", Depths())
    return found


def has_opening(game: AnyGame) -> bool:
    """Whether the game defines an opening, in which a search may use another depth."""
    return hasattr(_module(game.name), "is_opening")


def is_opening(game: AnyGame, position: Any) -> bool:
    return has_opening(game) and bool(_module(game.name).is_opening(game, position))


def depth_at(game: AnyGame, position: Any, options: Any) -> int:
    """The depth by an agent's options `depth` and `opening_depth`; 0 is none."""
    opens = options.opening_depth and is_opening(game, position)
    depth: int = options.opening_depth if opens else options.depth
    return depth


def is_quiet(game: AnyGame, position: Any) -> bool:
    """Whether a search that has reached its depth may judge the position as it stands."""
    tells: Callable[[AnyGame, Any], bool] | None = getattr(_module(game.name), "is_quiet", None)
    return tells is None or tells(game, position)


@functools.cache
def _module(game: str) -> Any:
    return games.part_of(game, "heuristics")
