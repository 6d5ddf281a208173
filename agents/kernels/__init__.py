"""Searches in machine code: a package per game, named as the game.

It names its class `SEARCH`, called with the game, mebibytes of table, a seed and the name of a heuristic ("" is the
engine's own judgement), and lists the heuristics that it knows in `HEURISTICS`. A module `perft` in it, if there is
one, has `count(game, position, depth)`: the leaves of whole turns, or None for rules that it does not know.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import pkgutil
from typing import Any

from agents.search import Search

COMPILER = "numba"
"""What makes machine code of a kernel: in the extra `play`."""


@functools.cache
def is_compiled() -> bool:
    """Whether kernels can be compiled here; else players search in plain Python, far less deep."""
    return importlib.util.find_spec(COMPILER) is not None


def names() -> tuple[str, ...]:
    """The games that have a kernel, sorted; none where kernels cannot be compiled."""
    if not is_compiled():
        return ()
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg))


def load(name: str) -> Any:
    """The `SEARCH` class of a game that has a kernel. The first call on a machine compiles: seconds."""
    return importlib.import_module(f"agents.kernels.{name}").SEARCH


def search(game: Any, table_mb: int, seed: int, heuristic: str = "") -> Search | None:
    """A search of the game in machine code; None where there is no kernel, or none with that heuristic."""
    if game.name not in names():
        return None
    if heuristic and heuristic not in importlib.import_module(f"agents.kernels.{game.name}").HEURISTICS:
        return None
    made: Search = load(game.name)(game, table_mb, seed, heuristic)
    return made


def perft(game: Any, position: Any, depth: int) -> int | None:
    """The leaves of whole turns by a kernel's own move generator; None where there is none for the game's rules."""
    if game.name not in names() or importlib.util.find_spec(f"agents.kernels.{game.name}.perft") is None:
        return None
    counted: int | None = importlib.import_module(f"agents.kernels.{game.name}.perft").count(game, position, depth)
    return counted
