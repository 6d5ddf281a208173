"""A question to an agent: its legal moves, and since when it has been thinking."""

from __future__ import annotations

import time
from typing import Any

from agents.agent import Answer
from rules import AnyGame


class MoveRequest:
    """One call of `choose`; the clock starts when this is made."""

    def __init__(self, game: AnyGame, position: Any) -> None:
        """Raises ValueError where the game is over."""
        self.began_s = time.monotonic()
        self.game, self.position = game, position
        self.moves = game.legal_moves(position)
        if not self.moves:
            raise ValueError("the game is over: there is nothing to choose")

    def answer(self, move: Any, score: float | None = None, nodes: int = 1, depth: int = 0, masked: int = 0) -> Answer:
        """The answer that takes `move` and expects nothing after it; without a score, one that knew no better."""
        seconds = time.monotonic() - self.began_s
        return Answer(move, score, nodes, depth, seconds, (self.game.format_move(self.position, move),), masked)
