"""Dominoes by points alone: the lay that scores most now."""

from __future__ import annotations

import dataclasses
import random
import threading
from typing import Any

from agents.agent import Answer, Limits
from agents.move_request import MoveRequest
from games.double_double_dominoes import DoubleDoubleDominoes, Lay, Move, Position
from rules import AnyGame
from rules.options import rule

GAME = DoubleDoubleDominoes.name


@dataclasses.dataclass(frozen=True)
class GreedyOptions:
    """The agent's options."""

    error_percent: int = rule(0, "how often, of a hundred times, a random move is played", minimum=0, maximum=100)
    seed: int = rule(0, "chooses among moves that are equally good; 0 takes the first", minimum=0, maximum=2**31)


class Greedy:
    """Lays the tile of its hand that scores most, bonus included; among equals, the one that gives the other least.

    It lays whenever it can, also after a double; where it cannot, it discards the first tile of its hand. If the hand
    is hidden, it assumes every tile that it may hold.
    """

    name = "greedy"
    Options = GreedyOptions

    def __init__(self, game: DoubleDoubleDominoes, options: GreedyOptions | None = None) -> None:
        self.game, self.options = game, options or GreedyOptions()
        self._random = random.Random(self.options.seed)
        self._errors = random.Random(self.options.seed or None)

    @staticmethod
    def plays(game: AnyGame) -> bool:
        """Only dominoes."""
        return game.name == GAME

    @staticmethod
    def warm_up(game: AnyGame) -> None:
        """Does nothing: this agent needs no preparation."""

    def choose(self, position: Position, limits: Limits, stop: threading.Event) -> Answer:
        """The lay with the most points; the score is those points. Raises ValueError where the game is over."""
        request = MoveRequest(self.game, position)
        moves = request.moves
        if self._errors.random() * 100 < self.options.error_percent:
            move, score = self._errors.choice(moves), None
        else:
            ranks = [self._rank(position, move) for move in moves]
            equal = [move for move, rank in zip(moves, ranks, strict=True) if rank == max(ranks)]
            move = self._random.choice(equal) if self.options.seed else equal[0]
            score = float(max(ranks)[1])
        return request.answer(move, score, len(moves), 1 if score is not None else 0)

    def _rank(self, position: Position, move: Move) -> tuple[bool, int, int]:
        gains = self.game.gains(position, move)
        mine, theirs = gains[position.to_move].total, gains[1 - position.to_move].total
        return isinstance(move, Lay), mine, -theirs


AGENT: Any = Greedy
