"""A scripted player at a simulated table for some games, as one endless frame source."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from calibration.template import BoardTemplate
from lab.simulated.phone import Phone, RandomWay
from lab.simulated.player import ScriptedPlayer
from lab.simulated.random_style import random_style
from lab.simulated.source import SimulatedSource, StateFollower
from lab.simulated.style import default_style
from lab.simulated.table import SimulatedTable
from rules import AnyGame
from vision.film import Film
from vision.frame import Frame

PAUSE_S = 8.0
"""Seconds that a finished game stays on the board before it is cleared for the next."""


class ScriptedGames:
    """Plays `games` games; the table is cleared between them, and stays as it is after the last.

    It runs in real time, or, with `real_time` false, as fast as it is read.
    """

    def __init__(
        self,
        game: AnyGame,
        template: BoardTemplate,
        human_sides: frozenset[int],
        *,
        seed: int = 0,
        games: int = 1,
        pace: float = 1.0,
        think_s: float = 2.0,
        chance: bool = False,
        pawns: bool = True,
        size_px: tuple[int, int] | None = None,
        real_time: bool = True,
        sway: float = 0.0,
    ) -> None:
        self.live = real_time
        self.follower: StateFollower | None = None
        """The source of the agent's moves; None without an agent."""
        self._game, self._humans = game, human_sides
        self._seed, self._games, self._pace, self._think_s = seed, games, pace, think_s
        style = random_style(template, np.random.default_rng([seed, 4])) if chance else default_style()
        start = game.board(game.initial())
        self.table = SimulatedTable(template, start, style, seed=seed, size_px=size_px, pawns=pawns)
        self._phone = Phone(RandomWay(seed, sway))
        self._number = 0
        self._over_s: float | None = None
        self._sit_down()

    @property
    def over(self) -> bool:
        return self._player.finished and self._number >= self._games

    def read(self, timeout_s: float) -> Frame | None:
        """The next frame; the player acts if something is due."""
        frame = self._source.read(timeout_s)
        if frame is None:
            return None
        if self.follower is not None and (waiting := self.follower.waiting) is not None:
            self._player.hear(*waiting)
        self._player.update()
        if self._player.finished and self._number < self._games:
            self._over_s = self.table.time_s if self._over_s is None else self._over_s
            if self.table.time_s > self._over_s + PAUSE_S:
                self.table = self.table.with_board(
                    self._game.board(self._game.initial()), seed=self._seed + 1000 * self._number
                )
                self._sit_down()
        return frame

    def close(self) -> None:
        self._source.close()
        if self.follower is not None:
            self.follower.close()

    def truth(self) -> dict[str, object]:
        player = self._player
        outcome = player.outcome
        return {
            "game": self._game.name,
            "number": self._number,
            "moves": [ply.move for ply in player.record],
            "boards": [ply.board for ply in player.record],
            "sides": [ply.side for ply in player.record],
            "scores": [ply.scores for ply in player.record],
            "board": self.table.board,
            "busy": self.table.busy,
            "finished": player.finished,
            "outcome": None if outcome is None else {"winner": outcome.winner, "reason": outcome.reason},
        }

    def _sit_down(self) -> None:
        seed = self._seed + self._number
        self._source = SimulatedSource(self.table, real_time=self.live, phone=self._phone)
        self._player = ScriptedPlayer(
            self._game, self.table, self._humans, seed, think_s=self._think_s, pace=self._pace
        )
        self._number, self._over_s = self._number + 1, None


RATE_HZ = 15.0
AFTERWARDS_S = 3.0
"""Seconds that the last board stays in the picture."""
MAX_S = 3600.0


def record_video(sitting: ScriptedGames, path: Path, longest_s: float = MAX_S) -> dict[str, object]:
    """Plays without waiting to the end of the last game, or for that long; returns the truth. Raises SourceError."""
    film = Film(path, RATE_HZ)
    frame = sitting.read(1.0)
    end_s = longest_s
    try:
        while frame is not None and frame.time_s < end_s:
            film.add(frame.time_s, frame.image)
            if sitting.over:
                end_s = min(end_s, frame.time_s + AFTERWARDS_S) if end_s == longest_s else end_s
            frame = sitting.read(1.0)
    finally:
        film.close()
        sitting.close()
    return sitting.truth()
