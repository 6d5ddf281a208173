"""Compiled searches: a package per game, named after the game.

Such a package names its class `SEARCH`, called with the game, mebibytes of table, a seed and the name of a heuristic
("" is the engine's own evaluation), and lists its heuristics in `HEURISTICS`. An optional module `perft` has
`count(game, position, depth)`: the leaves in whole turns, or None for rules that it does not support.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import pkgutil
from typing import Any

from agents.search import Search

COMPILER = "numba"
"""Package that compiles the kernels; part of the extra `play`."""


@functools.cache
def is_compiled() -> bool:
    """Whether kernels can be compiled here; otherwise players search in plain Python, far less deep."""
    return importlib.util.find_spec(COMPILER) is not None


def names() -> tuple[str, ...]:
    """Games that have a kernel, sorted; none if kernels cannot be compiled."""
    if not is_compiled():
        return ()
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg))


def load(name: str) -> Any:
    """The `SEARCH` class of a game with a kernel. The first call on a machine compiles it, which takes seconds."""
    return importlib.import_module(f"agents.kernels.{name}").SEARCH


def search(game: Any, table_mb: int, seed: int, heuristic: str = "") -> Search | None:
    """A compiled search of the game; None if there is no kernel, or none with that heuristic."""
    if game.name not in names():
        return None
    if heuristic and heuristic not in importlib.import_module(f"agents.kernels.{game.name}").HEURISTICS:
        return None
    made: Search = load(game.name)(game, table_mb, seed, heuristic)
    return made


def perft(game: Any, position: Any, depth: int) -> int | None:
    """Leaves in whole turns by a kernel's own move generator; None if there is none for the game's rules."""
    if game.name not in names() or importlib.util.find_spec(f"agents.kernels.{game.name}.perft") is None:
        return None
    counted: int | None = importlib.import_module(f"agents.kernels.{game.name}.perft").count(game, position, depth)
    return counted
