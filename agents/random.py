"""Plays any legal move, all equally likely."""

from __future__ import annotations

import dataclasses
import random
import threading
from typing import Any

from agents.agent import Answer, GameAgent, Limits
from agents.move_request import MoveRequest
from rules import AnyGame
from rules.options import rule


@dataclasses.dataclass(frozen=True)
class RandomOptions:
    seed: int = rule(0, "the same seed draws the same moves; 0 draws others every time", minimum=0, maximum=2**31)


class RandomAgent(GameAgent):
    name = "random"
    Options = RandomOptions

    def __init__(self, game: AnyGame, options: RandomOptions | None = None) -> None:
        super().__init__(game, options)
        self._random = random.Random(self.options.seed or None)

    def choose(self, position: Any, limits: Limits, stop: threading.Event) -> Answer:
        request = MoveRequest(self.game, position)
        return request.answer(self._random.choice(request.moves))


AGENT = RandomAgent
