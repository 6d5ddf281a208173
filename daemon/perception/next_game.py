"""Notices that the players begin the next game while the present one goes on: the board stands set up for the start.

Nothing is given up for a glance: the board must stand so for a while, after it was said what will happen, or the first
move of the next game must follow. The game that is left stays in the record, unfinished.
"""

from __future__ import annotations

from typing import Literal

from daemon.interpret.explain import explain
from daemon.judging.referee import Referee
from games import AnyGame
from vision.reading.board_reading import BoardReading

STANDS_S = 15.0
"""So long the start position must stand on the board before the next game begins."""
SURE = 0.9
"""Probability with which every cell must be read for it."""

Sign = Literal["", "offer", "wait", "begin"]


class NextGame:
    """Watches one match for the start position."""

    def __init__(self) -> None:
        self._since_s: float | None = None

    @property
    def waits(self) -> bool:
        """Whether the start position stands on the board and the time runs."""
        return self._since_s is not None

    def see(self, referee: Referee, reading: BoardReading, time_s: float) -> Sign:
        """What a reading says: nothing, that the next game may begin (`offer`, once; then `wait`), or `begin`."""
        if not self._may_begin(referee):
            self._since_s = None
            return ""
        if shows_start(referee.game, reading) and not _is_of_this_game(referee, reading):
            if self._since_s is not None:
                return self.look(time_s) or "wait"
            self._since_s = time_s
            return "offer"
        begun = self.waits and _is_first_move(referee, reading)
        self._since_s = None
        return "begin" if begun else ""

    def look(self, time_s: float) -> Sign:
        """Whether the start position has stood long enough; for the time between two readings."""
        return "begin" if self._since_s is not None and time_s - self._since_s >= STANDS_S else ""

    @staticmethod
    def _may_begin(referee: Referee) -> bool:
        in_play = referee.outcome is None and not referee.paused and referee.withdrawn is None
        if referee.ended is not None:
            return False  # the game may be over after all: the referee has to see the board cleared
        return in_play and referee.ply > 0 and referee.verdict != "start"


def shows_start(game: AnyGame, reading: BoardReading) -> bool:
    """Whether the board is surely read as at the start of a game."""
    return bool((reading.confidence >= SURE).all()) and any(reading.board == game.board(start) for start in game.starts)


def _is_of_this_game(referee: Referee, reading: BoardReading) -> bool:
    """Whether the start position is the present one, or is reached by moves taken back or made."""
    return bool(explain(referee.game, referee.history, reading).explanations)


def _is_first_move(referee: Referee, reading: BoardReading) -> bool:
    """Whether a board shows the first move from the start, and nothing of the present game."""
    first = explain(referee.game, referee.game.starts[:1], reading)
    begun = bool(first.explanations) and not first.ambiguous and first.explanations[0].kind == "plies"
    return begun and not explain(referee.game, referee.history, reading).explanations
