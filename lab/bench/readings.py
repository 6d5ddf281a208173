"""Board readings made from board strings, and what a referee concludes from them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from daemon.belief.look import Look
from daemon.game.effects import Effect
from daemon.judging.referee import Referee
from rules import AnyGame, Side
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


def judged(
    referee: Referee, reading: BoardReading, movers: Sequence[Side] = (), *, watched: bool = True
) -> list[Effect]:
    """What the referee concludes from a board of which nothing more will be seen, long after the last."""
    return referee.see(look_at(referee, reading), movers, watched=watched)


def look_at(referee: Referee, reading: BoardReading) -> Look:
    """A look at a board of which nothing more will be seen, long after the last."""
    last = referee.belief.look
    return Look(10.0 if last is None else last.time_s + 10, reading, final=True)
