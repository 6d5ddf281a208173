"""Detects that the players start the next game during the present one: the board is set up for the start.

A glance is not enough to abandon a game: after the announcement the board must stay set up for a while, or the first
move of the next game must follow. The abandoned game stays in the record, unfinished.
"""

from __future__ import annotations

from typing import Literal

from daemon.belief.look import Look
from daemon.belief.missed import begins_a_game
from daemon.judging.referee import Referee
from rules import AnyGame
from vision.reading.board_reading import SURE, BoardReading

STANDS_S = 15.0
"""Seconds the start position must stay on the board before the next game begins."""

Sign = Literal["", "offer", "wait", "begin"]


class NextGame:
    def __init__(self) -> None:
        self._since_s: float | None = None
        """Since when the start position is on the board and the waiting time runs; None while it is not."""

    def see(self, referee: Referee, reading: BoardReading, time_s: float) -> Sign:
        """Judges a reading: no sign, `offer` (the next game may begin; once), then `wait`, or `begin`."""
        in_play = referee.outcome is None and not referee.paused and not referee.to_put_back
        # After an end that did not hold, the game may be over after all: the referee must see the board cleared.
        begun = referee.ply > 0 and referee.verdict != "start" and not referee.goes_on_after_an_end
        if not in_play or not begun:
            self._since_s = None
            return ""
        if shows_start(referee.game, reading) and not _is_of_this_game(referee, reading):
            if self._since_s is not None:
                return self.look(time_s) or "wait"
            self._since_s = time_s
            return "offer"
        anew = self._since_s is not None and _is_first_move(referee, reading)
        self._since_s = None
        return "begin" if anew else ""

    def look(self, time_s: float) -> Sign:
        """Whether the start position has been there long enough; for use between two readings."""
        return "begin" if self._since_s is not None and time_s - self._since_s >= STANDS_S else ""


def shows_start(game: AnyGame, reading: BoardReading) -> bool:
    """Whether the board is read, without doubt, as a start position."""
    return bool((reading.confidence >= SURE).all()) and any(reading.board == game.board(start) for start in game.starts)


def _is_of_this_game(referee: Referee, reading: BoardReading) -> bool:
    """Whether the start position is the present one, or is reached by moves made or taken back."""
    return referee.fits(Look(reading.time_s, reading))


def _is_first_move(referee: Referee, reading: BoardReading) -> bool:
    """Whether a board shows the first move from the start, and nothing of the present game."""
    game, board = referee.game, reading.board
    begun = begins_a_game(game, board) and all(board != game.board(start) for start in game.starts)
    return begun and not _is_of_this_game(referee, reading)
