"""Dominoes by points alone: the lay that scores most now."""

from __future__ import annotations

import dataclasses
import threading
from typing import Any

from agents.agent import Answer, GameAgent, Limits
from agents.move_request import Luck, MoveRequest
from games.double_double_dominoes import DoubleDoubleDominoes, Lay, Move, Position
from rules import AnyGame
from rules.options import rule

GAME = DoubleDoubleDominoes.name


@dataclasses.dataclass(frozen=True)
class GreedyOptions:
    error_percent: int = rule(0, "how often, of a hundred times, a random move is played", minimum=0, maximum=100)
    seed: int = rule(0, "chooses among moves that are equally good; 0 takes the first", minimum=0, maximum=2**31)


class Greedy(GameAgent):
    """Lays the tile of its hand that scores most, bonus included; among equals, the one that gives the other least.

    It lays whenever it can, also after a double; where it cannot, it discards the first tile of its hand. If the hand
    is hidden, it assumes every tile that it may hold.
    """

    name = "greedy"
    game: DoubleDoubleDominoes
    Options = GreedyOptions

    def __init__(self, game: DoubleDoubleDominoes, options: GreedyOptions | None = None) -> None:
        super().__init__(game, options)
        self._luck = Luck(self.options.seed, self.options.error_percent)

    @classmethod
    def plays(cls, game: AnyGame) -> bool:
        return game.name == GAME

    def choose(self, position: Position, limits: Limits, stop: threading.Event) -> Answer:
        """The lay with the most points; the score is those points. Raises ValueError where the game is over."""
        request = MoveRequest(self.game, position)
        moves = request.moves
        if self._luck.errs():
            return request.answer(self._luck.any_of(moves), nodes=len(moves))
        ranks = [self._rank(position, move) for move in moves]
        equal = [move for move, rank in zip(moves, ranks, strict=True) if rank == max(ranks)]
        return request.answer(self._luck.one_of(equal), float(max(ranks)[1]), len(moves), 1)

    def _rank(self, position: Position, move: Move) -> tuple[bool, int, int]:
        gains = self.game.gains(position, move)
        mine, theirs = gains[position.to_move].total, gains[1 - position.to_move].total
        return isinstance(move, Lay), mine, -theirs


AGENT: Any = Greedy
