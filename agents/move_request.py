"""A question to an agent: its legal moves, what its side may know, the time spent on it, and whether it may go on."""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Iterable, Sequence
from typing import Any

from agents.agent import Answer, Limits
from rules import EMPTY, AnyGame, HiddenHands

DEALS = 8
"""Deals tried to find one in which the game is not over."""

LARGE, NEAR = 9, 2
"""Lines from which a board is large, as gomoku's and go's; lines from a stone within which people lay theirs."""


class MoveRequest:
    """One call of `choose`; the clock starts when this is made."""

    def __init__(
        self, game: AnyGame, position: Any, limits: Limits | None = None, stop: threading.Event | None = None
    ) -> None:
        """Raises ValueError where the game is over."""
        self.began_s = time.monotonic()
        self.game, self.position, self.stop = game, position, stop
        self.limits = limits or Limits()
        self.moves = game.legal_moves(position)
        if not self.moves:
            raise ValueError("the game is over: there is nothing to choose")

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began_s

    def is_over(self, nodes: int = 0, ahead_s: float = 0.0) -> bool:
        """Whether to answer now: stopped, out of positions to visit, or out of time that many seconds later."""
        time_s, most = self.limits.time_s, self.limits.nodes
        if (self.stop is not None and self.stop.is_set()) or (most is not None and nodes >= most):
            return True
        return time_s is not None and self.seconds >= time_s - ahead_s

    def answer(self, move: Any, score: float | None = None, nodes: int = 1, depth: int = 0, masked: int = 0) -> Answer:
        """The answer that takes `move` and expects nothing after it; without a score, one that knew no better."""
        text = self.game.format_move(self.position, move)
        return Answer(move, score, nodes, depth, self.seconds, (text,), masked)


class Luck:
    """What an agent with the option `seed` leaves to chance; with seed 0 it takes the first of equal moves."""

    def __init__(self, seed: int, error_percent: int = 0) -> None:
        self._choosing, self._errors = (random.Random(seed) if seed else None), random.Random(seed or None)
        self._error_percent = error_percent

    def errs(self) -> bool:
        """Whether the next move is to be a random one: as often as the option `error_percent` says."""
        return self._errors.random() * 100 < self._error_percent

    def any_of(self, moves: Sequence[Any]) -> Any:
        return self._errors.choice(moves)

    def error_of(self, request: MoveRequest) -> Any:
        """A move as people err: anywhere, but on a large board of stones near those that lie there, or its middle."""
        game, position, moves = request.game, request.position, request.moves
        size, cells = math.isqrt(len(game.cells)), len(game.cells)
        if size < LARGE or size * size != cells:
            return self.any_of(moves)
        board = game.board(position)
        lying = [divmod(cell, size) for cell in range(cells) if board[cell] != EMPTY] or [(size // 2, size // 2)]
        close = {
            row * size + column
            for across, along in lying
            for row in range(across - NEAR, across + NEAR + 1)
            for column in range(along - NEAR, along + NEAR + 1)
            if column in range(size)
        }
        near = [move for move in moves if any(step.cell in close for step in game.steps(position, move)[:1])]
        return self.any_of(near or moves)

    def one_of(self, equal: Sequence[Any]) -> Any:
        """One of moves that are equally good."""
        return self._choosing.choice(equal) if self._choosing else equal[0]


def imagined(game: AnyGame, position: Any, seed: int) -> Any:
    """The position as the side to move knows it, with hidden tiles dealt at random; as is where nothing is hidden.

    The same seed gives the same deal. If the mover's own hand is hidden, it is dealt too. Deals that end the game are
    skipped; if all do, the hidden tiles stay hidden.
    """
    if not isinstance(game, HiddenHands):
        return position
    known = game.view(position, game.to_move(position))
    deals = (game.deal(known, seed + more) for more in range(DEALS))
    return next((dealt for dealt in deals if game.outcome(dealt) is None), known)


def as_seen(game: AnyGame, position: Any, world: Any, move: Any) -> Any:
    """Translates a move of the imagined position to the real one, where a hidden hand names no discard."""
    legal = game.legal_moves(position)
    if move in legal:
        return move
    steps = game.steps(world, move)
    return next(other for other in legal if game.steps(position, other) == steps)


def texts_of(game: AnyGame, position: Any, moves: Iterable[Any]) -> list[str]:
    """The moves that follow each other from the position on, as texts."""
    texts = []
    for move in moves:
        texts.append(game.format_move(position, move))
        position = game.apply(position, move)
    return texts
