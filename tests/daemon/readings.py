"""Board readings made from board strings, so that a test can write a match as a list."""

from __future__ import annotations

import numpy as np

from rules import AnyGame
from vision.reading.board_reading import BoardReading


def reading_of(
    game: AnyGame, board: str, sure: float = 0.999, doubts: dict[str, tuple[str, float]] | None = None
) -> BoardReading:
    """A reading that believes `board`; `doubts` maps a cell's name to another letter and its probability."""
    letters = game.classes
    table = np.full((len(board), len(letters)), (1 - sure) / (len(letters) - 1))
    table[np.arange(len(board)), [letters.index(letter) for letter in board]] = sure
    for name, (letter, probability) in (doubts or {}).items():
        cell = game.cells.index(name)
        own, other = letters.index(board[cell]), letters.index(letter)
        table[cell] = 1e-4
        table[cell, own], table[cell, other] = 1 - probability - 1e-4, probability
    return BoardReading(np.log(table), letters, 0.0)


def board_with(game: AnyGame, **men: str) -> str:
    """A board with the named cells filled, as in `board_with(game, W="a1 d1", B="g7")`."""
    cells = ["."] * len(game.cells)
    for letter, names in men.items():
        for name in names.split():
            cells[game.cells.index(name)] = letter
    return "".join(cells)
