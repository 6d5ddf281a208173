"""Compiled searches: the package `kernel` in a game's folder.

Such a package names its class `SEARCH`, called with the game, mebibytes of table, a seed and the name of a heuristic
("" is the engine's own evaluation). An optional `HEURISTICS` lists those that it knows, else all of the game; an
optional `supports(game)` says whether it knows all rules of a game.

A package with a module `tree` holds a Monte Carlo tree search instead (`Playouts`), called with the game, mebibytes of
its tree and a seed.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import games
from agents import heuristics
from agents.kernels import kept_code
from agents.search import Search

QUIET_S = 1.0
"""Seconds after which loading is shown: code from the disk takes less, and compiling more."""
COMPILER = "numba"
"""Package that compiles the kernels; part of the extra `play`."""


class Playouts(Protocol):
    """A Monte Carlo tree search of one game, kept during it."""

    def begin(self, position: Any) -> None:
        """Sets the root, where the game is not over."""

    def run(self, count: int) -> int:
        """Plays that many playouts at most; how many were counted."""

    def best(self) -> tuple[Any, float]:
        """The best move and its mean, from -1, a sure loss, to 1, once a playout was counted."""

    @property
    def standing(self) -> tuple[float, int]:
        """The mean of the root, for the side to move, and its number of playouts."""


@functools.cache
def is_compiled() -> bool:
    """Whether kernels can be compiled here; otherwise players search in plain Python, far less deep."""
    return importlib.util.find_spec(COMPILER) is not None


def names() -> tuple[str, ...]:
    """Games that have a kernel, sorted; none if kernels cannot be compiled."""
    if not is_compiled():
        return ()
    return tuple(name for name in games.names() if games.file_of(name, "kernel/__init__.py").is_file())


def load(name: str) -> Any:
    """The `SEARCH` class of a game with a kernel. The first call on a machine compiles it, which takes seconds.

    On a terminal it then shows how far it is.
    """
    with _shown(name) if sys.stderr.isatty() else contextlib.nullcontext():
        found = _kernel(name).SEARCH
    with contextlib.suppress(OSError):
        _whole(name).touch()
    return found


def is_on_disk(name: str) -> bool:
    """Whether the kernel of a game was compiled here before. Another version of numba may compile it again."""
    return _whole(name).exists()


def _whole(name: str) -> Path:
    return kept_code.folder_of(games.file_of(name, "kernel").resolve().parent) / kept_code.WHOLE


def parts(name: str) -> int:
    """How many functions the kernel of a game has to compile."""
    files = games.file_of(name, "kernel").rglob("*.py")
    return sum(path.read_text(encoding="utf-8").count("@compiled(") for path in files)


@contextlib.contextmanager
def told(tell: Callable[[bool], None]) -> Iterator[None]:
    """Calls `tell` after each function that is compiled or loaded meanwhile: whether it came from the disk."""
    compilation = importlib.import_module("agents.kernels.compilation")
    compilation.listeners.append(tell)
    try:
        yield
    finally:
        compilation.listeners.remove(tell)


@contextlib.contextmanager
def _shown(name: str) -> Iterator[None]:
    """Shows the progress of a compilation in a line that vanishes; nothing while the code comes from the disk."""
    began_s, done, whole = time.monotonic(), 0, parts(name)

    def tell(_from_disk: bool) -> None:
        nonlocal done
        done += 1
        if time.monotonic() - began_s > QUIET_S:
            sys.stderr.write(f"\r\033[KPreparing the player of {name}, once: {min(done, whole)} of {whole} parts")
            sys.stderr.flush()

    try:
        with told(tell):
            yield
    finally:
        if time.monotonic() - began_s > QUIET_S:
            sys.stderr.write("\r\033[K")


def search(game: Any, table_mb: int, seed: int, heuristic: str = "") -> Search | None:
    """A compiled search of the game; None if there is no kernel, or none for its rules or with that heuristic."""
    if not supports(game):
        return None
    if heuristic and heuristic not in getattr(_kernel(game.name), "HEURISTICS", heuristics.of(game)):
        return None
    made: Search = load(game.name)(game, table_mb, seed, heuristic)
    return made


def playouts(game: Any, table_mb: int, seed: int) -> Playouts | None:
    """A compiled search by playouts; None if the game has no such kernel."""
    if not by_playouts(game):
        return None
    made: Playouts = load(game.name)(game, table_mb, seed)
    return made


def supports(game: Any) -> bool:
    """Whether the game has a kernel that looks at all lines, and that knows all its rules."""
    kernel = _kernel(game.name) if game.name in names() and not by_playouts(game) else None
    return kernel is not None and bool(getattr(kernel, "supports", lambda _: True)(game))


def by_playouts(game: Any) -> bool:
    """Whether the game has a compiled search by playouts."""
    return game.name in names() and games.file_of(game.name, "kernel/tree.py").is_file()


def perft(game: Any, position: Any, depth: int) -> int | None:
    """Leaves in whole turns by a kernel's own move generator; None if there is none for the game's rules."""
    count = getattr(search(game, 1, 0), "leaves", None)
    counted: int | None = None if count is None else count(position, depth)
    return counted


def _kernel(name: str) -> Any:
    return games.part_of(name, "kernel")
