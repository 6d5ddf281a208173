"""Plays any legal move, all equally likely."""

from __future__ import annotations

import dataclasses
import random
import threading
from typing import Any

from agents.agent import Answer, Limits
from agents.move_request import MoveRequest
from rules import AnyGame
from rules.options import rule


@dataclasses.dataclass(frozen=True)
class RandomOptions:
    """The agent's options."""

    seed: int = rule(0, "the same seed draws the same moves; 0 draws others every time", minimum=0, maximum=2**31)


class RandomAgent:
    """Plays random legal moves."""

    name = "random"
    Options = RandomOptions

    def __init__(self, game: AnyGame, options: RandomOptions | None = None) -> None:
        self.game = game
        self._random = random.Random((options or RandomOptions()).seed or None)

    @staticmethod
    def plays(game: AnyGame) -> bool:
        """Every game."""
        return True

    @staticmethod
    def warm_up(game: AnyGame) -> None:
        """Nothing has to be prepared."""

    def choose(self, position: Any, limits: Limits, stop: threading.Event) -> Answer:
        """A random move, without a score. Raises ValueError where the game is over."""
        request = MoveRequest(self.game, position)
        return request.answer(self._random.choice(request.moves))


AGENT = RandomAgent
