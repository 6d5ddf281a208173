"""A table whose looks are written as a list: boards in, decisions and believed moves out."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from daemon.belief.belief import Belief
from daemon.belief.deciding import Decision, decide
from daemon.belief.line import Line
from daemon.belief.look import Look
from daemon.game.line_of_play import Ply, played
from rules import AnyGame, Side
from tests.daemon.readings import reading_of
from vision.reading.board_reading import BoardReading


@dataclasses.dataclass
class BeliefTable:
    """Shows boards to a belief."""

    game: AnyGame
    agents: tuple[Side, ...] = ()
    a_second: float = 5.0
    """Looks a second."""
    most_lines: int = 0

    def __post_init__(self) -> None:
        self.belief = Belief.at(self.game).expecting(frozenset(self.agents), None)
        self.time_s = 0.0
        self.decisions: list[Decision] = []

    def look(
        self,
        board: str,
        *,
        hidden: Sequence[int] = (),
        doubts: Mapping[str, tuple[str, float]] | None = None,
        unclear: str = "",
        free: bool = True,
        movers: Sequence[Side] = (),
    ) -> list[Decision]:
        """One look; `unclear` names a cell whose letter is read with a probability of 0.85."""
        reading = reading_of(self.game, board, doubts=dict(doubts or {}))
        if unclear:
            cell = self.game.cells.index(unclear)
            reading.log_probabilities[cell] = reading_of(self.game, board, 0.85).log_probabilities[cell]
        if hidden:
            mask = np.zeros(len(board), bool)
            mask[list(hidden)] = True
            reading = reading.without(mask)
        return self.show(reading, free=free, movers=movers)

    def show(self, reading: BoardReading, *, free: bool = True, movers: Sequence[Side] = ()) -> list[Decision]:
        """One look at a reading."""
        before, self.belief = self.belief, self.belief.after(Look(self.time_s, reading, free), movers)
        self.time_s += 1 / self.a_second
        self.most_lines = max(self.most_lines, len(self.belief.lines))
        decided = list(decide(before, self.belief))
        self.decisions += decided
        return decided

    def stand(self, board: str, seconds: float = 1.2, **how: Any) -> list[Decision]:
        """Looks at a board for a while; what is decided meanwhile."""
        return [one for _ in range(round(seconds * self.a_second) + 1) for one in self.look(board, **how)]

    @property
    def moves(self) -> list[str]:
        """Texts of the certain plies."""
        return texts(self.game, self.belief.told)

    @property
    def board(self) -> str:
        """The board after them."""
        return str(self.game.board(self.belief.position))


def texts(game: AnyGame, line: Line) -> list[str]:
    return [game.format_move(line.before(index), ply.move) for index, ply in enumerate(line.plies)]


def plies_of(game: AnyGame, names: Sequence[str], start: Any = None) -> list[Ply]:
    """Plies from the texts of moves."""
    position, plies = game.initial() if start is None else start, list[Ply]()
    for name in names:
        plies.append(played(game, position, game.parse_move(position, name)))
        position = plies[-1].position
    return plies
