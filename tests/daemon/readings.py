"""Board readings made from board strings, so that a test can write a match as a list."""

from __future__ import annotations

from lab.bench.readings import judged, look_at, reading_of
from rules import AnyGame

__all__ = ["board_with", "judged", "look_at", "reading_of"]


def board_with(game: AnyGame, **men: str) -> str:
    """A board with the named cells filled, as in `board_with(game, W="a1 d1", B="g7")`."""
    cells = ["."] * len(game.cells)
    for letter, names in men.items():
        for name in names.split():
            cells[game.cells.index(name)] = letter
    return "".join(cells)
