"""Connect four, looking one move ahead: wins if it can, else stops a four, else plays nearest to the middle."""

from __future__ import annotations

import dataclasses
import threading
import time
from typing import Any

from agents.agent import Answer, Limits
from connect_four import COLUMNS, ConnectFour, Move, Position
from rules import AnyGame
from rules.options import rule


@dataclasses.dataclass(frozen=True)
class CentreOptions:
    """The agent's options."""

    blocks: bool = rule(True, "stops the other side's fours")


class Centre:
    """Looks one move ahead."""

    name = "centre"
    Options = CentreOptions

    def __init__(self, game: ConnectFour, options: CentreOptions | None = None) -> None:
        self.game, self.options = game, options or CentreOptions()

    @staticmethod
    def plays(game: AnyGame) -> bool:
        """Whether the game is connect four."""
        return game.name == ConnectFour.name

    @staticmethod
    def warm_up(game: AnyGame) -> None:
        """Does nothing: there is nothing to prepare."""

    def choose(self, position: Position, limits: Limits, stop: threading.Event) -> Answer:
        """The best move, without a score. Raises ValueError if the game is over."""
        began_s = time.monotonic()
        moves = self.game.legal_moves(position)
        if not moves:
            raise ValueError("the game is over: there is nothing to choose")
        move = max(moves, key=lambda move: self._rank(position, move))
        text = self.game.format_move(position, move)
        return Answer(move, None, len(moves), 1, time.monotonic() - began_s, (text,))

    def _rank(self, position: Position, move: Move) -> tuple[bool, bool, int]:
        wins = self._wins(position, move)
        stops = self.options.blocks and self._wins(position._replace(side=1 - position.side), move)
        return wins, stops, -abs(move.cell % len(COLUMNS) - len(COLUMNS) // 2)

    def _wins(self, position: Position, move: Move) -> bool:
        outcome = self.game.outcome(self.game.apply(position, move))
        return outcome is not None and outcome.winner is not None


AGENT: Any = Centre
