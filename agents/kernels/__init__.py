"""Searches in machine code: a package per game, named as the game, that names its class `SEARCH`."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from agents.search import Search


def names() -> tuple[str, ...]:
    """The games that have a kernel, sorted."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg))


def load(name: str) -> Any:
    """The `SEARCH` class of a game that has a kernel. The first call on a machine compiles: seconds."""
    return importlib.import_module(f"agents.kernels.{name}").SEARCH


def search(game: Any, table_mb: int, seed: int) -> Search | None:
    """A search of the game in machine code; None where there is no kernel."""
    if game.name not in names():
        return None
    made: Search = load(game.name)(game, table_mb, seed)
    return made
