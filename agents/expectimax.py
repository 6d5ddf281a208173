"""Dominoes by points: what a lay scores now, or what is expected of it, the answer to it and the own next turn."""

from __future__ import annotations

import dataclasses
import math
import threading
from collections.abc import Sequence
from typing import Any

from agents.agent import Answer, GameAgent, Limits
from agents.move_request import Luck, MoveRequest
from agents.open_places import OpenPlaces, difference, expected_best, unseen, worths
from games.double_double_dominoes import DoubleDoubleDominoes, Lay, Move, Position
from games.double_double_dominoes.board import NUMBER_OF
from games.double_double_dominoes.position import IN_HAND, LAST_SPACE
from rules import AnyGame
from rules.options import rule

LATER = 0.6
"""Share of the next turn's value expected to remain after the other side's lay."""


@dataclasses.dataclass(frozen=True)
class ExpectimaxOptions:
    plies: int = rule(3, "1 own turn, 2 and the other's answer, 3 and the own turn after", minimum=1, maximum=3)
    error_percent: int = rule(0, "how often, of a hundred times, a random move is played", minimum=0, maximum=100)
    seed: int = rule(0, "chooses among moves that are equally good; 0 takes the first", minimum=0, maximum=2**31)


class _DominoesPlayer(GameAgent):
    game: DoubleDoubleDominoes

    def __init__(self, game: DoubleDoubleDominoes, options: Any = None) -> None:
        super().__init__(game, options)
        self._luck = Luck(self.options.seed, self.options.error_percent)

    @classmethod
    def plays(cls, game: AnyGame) -> bool:
        return game.name == DoubleDoubleDominoes.name


class Expectimax(_DominoesPlayer):
    """Takes the move with the highest mean of points gained minus points lost, over all hands the other may hold.

    The other's hand and the tiles still to be drawn may be any unseen ones, all equally likely; the other is assumed to
    make its highest-scoring lay. The means are exact for the board after the own turn. If the own hand is hidden, every
    tile that it may hold is considered, and the rest of the hand is assumed to be drawn at random.
    """

    name = "expectimax"
    Options = ExpectimaxOptions
    _nodes = 0

    def choose(self, position: Position, limits: Limits, stop: threading.Event) -> Answer:
        request = MoveRequest(self.game, position, limits, stop)
        moves = request.moves
        if self._luck.errs():
            return request.answer(self._luck.any_of(moves))
        self._nodes = 0
        known = self.game.view(position, position.to_move)
        values: list[float] = []
        turn = _Turn(self, known)
        for move in moves:
            if values and request.is_over(self._nodes):
                break
            values.append(turn.value(move))
        most = max(values)
        equal = [move for move, value in zip(moves, values, strict=False) if value == most]
        return request.answer(self._luck.one_of(equal), most, self._nodes, self.options.plies)

    def expected(self, position: Position, moves: Sequence[Move]) -> list[float]:
        """The expectation of each of some legal moves, as the side to move knows the position."""
        turn = _Turn(self, self.game.view(position, position.to_move))
        return [turn.value(move) for move in moves]


class _Turn:
    def __init__(self, agent: Expectimax, position: Position) -> None:
        self._agent, self._game, self._position = agent, agent.game, position
        self._side = position.to_move
        self._outlook = OpenPlaces(position.board)
        self._unseen = unseen(position, self._side)
        self._hand = list(position.hands[self._side] or ())

    def value(self, move: Move) -> float:
        self._agent._nodes += 1
        gains = self._game.gains(self._position, move)
        mine, theirs = gains[self._side].total, gains[1 - self._side].total
        me, other = self._position.pawns[self._side], self._position.pawns[1 - self._side]
        value = difference(me, mine, other, theirs)
        me, other = min(LAST_SPACE, me + mine), min(LAST_SPACE, other + theirs)
        if LAST_SPACE in (me, other):
            return value
        ended = value + self._later(move, me, other)
        return max(ended, value + self._joined(move)) if isinstance(move, Lay) and move.is_double else ended

    def _joined(self, double: Lay) -> float:
        """The best value of a tile joined to a double just laid; minus infinity where none fits."""
        after = self._game.apply(self._position, double)
        if after.to_move != self._side or after.open_double is None:
            return -math.inf
        turn = _Turn(self._agent, after)
        lays = [move for move in self._game.legal_moves(after) if isinstance(move, Lay)]
        return max((turn.value(lay) for lay in lays), default=-math.inf)

    def _later(self, move: Move, me: int, other: int) -> float:
        """Expected value of the other side's turn and the own turn after it."""
        if self._agent.options.plies == 1:
            return 0.0
        position = self._position
        diamonds = self._outlook.diamonds(move if isinstance(move, Lay) else None)
        counts = self._counts(move)
        held = position.holds[1 - self._side] + (1 if position.bag else 0)
        answered = expected_best(worths(diamonds, other, me), counts, held, 0.0)
        if self._agent.options.plies == 2:
            return -answered
        worth = worths(diamonds, me, other)
        kept = self._kept(move)
        floor = max([0.0, *(value for tile in kept if (value := worth[NUMBER_OF[tile]]) is not None)])
        return -answered + LATER * expected_best(worth, counts, IN_HAND + 1 - len(kept), floor)

    def _kept(self, move: Move) -> list[tuple[int, int]]:
        gone = move.tile if isinstance(move, Lay) else move.discard
        kept = list(self._hand)
        if gone in kept:
            kept.remove(gone)
        return kept

    def _counts(self, move: Move) -> list[int]:
        """Counts of unseen tiles after the move; a tile laid from a hidden hand becomes seen."""
        if not isinstance(move, Lay) or move.tile in self._hand:
            return self._unseen
        counts = list(self._unseen)
        counts[NUMBER_OF[move.tile]] -= 1
        return counts


@dataclasses.dataclass(frozen=True)
class GreedyOptions:
    error_percent: int = rule(0, "how often, of a hundred times, a random move is played", minimum=0, maximum=100)
    seed: int = rule(0, "chooses among moves that are equally good; 0 takes the first", minimum=0, maximum=2**31)


class Greedy(_DominoesPlayer):
    """Lays the tile of its hand that scores most, bonus included; among equals, the one that gives the other least.

    It lays whenever it can, also after a double; where it cannot, it discards the first tile of its hand. If the hand
    is hidden, it assumes every tile that it may hold.
    """

    name = "greedy"
    Options = GreedyOptions

    def choose(self, position: Position, limits: Limits, stop: threading.Event) -> Answer:
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


AGENTS = (Expectimax, Greedy)
