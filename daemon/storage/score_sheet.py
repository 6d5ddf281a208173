"""The points of a recorded game, ply by ply."""

from __future__ import annotations

import dataclasses

import games
from daemon.game.line_of_play import LineOfPlay
from daemon.storage.stored_game import StoredGame
from daemon.storage.stored_line import line_of
from rules import Counts, Gain, GameError


@dataclasses.dataclass(frozen=True)
class Row:
    """One ply."""

    number: int | None
    """Number of the move; None for a pass, which is not numbered."""
    side: str
    move: str
    gains: tuple[Gain, Gain]
    scores: tuple[int, int]
    """Both sides' points after the ply."""
    known: str
    """How it is known who made it; empty if the turn order was assumed."""

    def text(self, width: int) -> str:
        """The row as text, with the side's name padded to `width`."""
        number = "" if self.number is None else self.number
        brought = f"+{self.gains[0].total} +{self.gains[1].total}"
        scores = f"{self.scores[0]:>5}{self.scores[1]:>5}"
        return f"{number:>3}  {self.side:<{width}}  {self.move:<12}{brought:>9}{scores}  {self.known}".rstrip()


def score_sheet(stored: StoredGame) -> list[Row]:
    """A row for every ply; empty if the game counts no points or can no longer be read."""
    try:
        game = games.load(stored.game, stored.rules)
        return rows_of(line_of(game, stored))
    except GameError:
        return []


def rows_of(line: LineOfPlay) -> list[Row]:
    """A row for every ply of a line; empty if the game counts no points."""
    game, rows = line.game, []
    numbers = {index: number for number, index in enumerate(line.seen, 1)}
    for index, ply in enumerate(line.plies):
        gains, scores = (
            Counts.of(game).gains(line.positions[index], ply.move),
            Counts.of(game).scores(line.positions[index + 1]),
        )
        if gains is not None and scores is not None:
            rows.append(Row(numbers.get(index), game.sides[ply.side], ply.text, gains, scores, ply.known))
    return rows
