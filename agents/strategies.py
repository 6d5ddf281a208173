"""Reversi by the three named strategies: alpha-beta that judges positions by one of them."""

from __future__ import annotations

import dataclasses
import threading
from typing import Any

from agents.agent import Answer, Limits
from agents.alphabeta import AlphaBeta, AlphaBetaOptions
from agents.search import MAX_DEPTH
from games import AnyGame, rule

GAME = "reversi"


@dataclasses.dataclass(frozen=True)
class StrategyOptions:
    """The agents' options."""

    depth: int = rule(4, "plies to search where the limits name no depth; 0 is no limit", minimum=0, maximum=MAX_DEPTH)
    error_percent: int = rule(0, "how often, of a hundred times, a random move is played", minimum=0, maximum=100)
    table_mb: int = rule(32, "mebibytes for the table of known positions, kept between moves", minimum=1, maximum=1024)
    seed: int = rule(0, "chooses among moves that look equally good; 0 takes the first", minimum=0, maximum=2**31)


class _Strategy:
    """A player of reversi whose heuristic has the agent's own name."""

    name: str
    Options = StrategyOptions

    def __init__(self, game: AnyGame, options: StrategyOptions | None = None) -> None:
        chosen = options or StrategyOptions()
        self._player = AlphaBeta(game, AlphaBetaOptions(heuristic=self.name, **vars(chosen)))

    @staticmethod
    def plays(game: AnyGame) -> bool:
        """Reversi."""
        return game.name == GAME

    @staticmethod
    def warm_up(game: AnyGame) -> None:
        """As for alpha-beta."""
        AlphaBeta.warm_up(game)

    def prepare(self, stop: threading.Event) -> None:
        """As alpha-beta."""
        self._player.prepare(stop)

    def choose(self, position: Any, limits: Limits, stop: threading.Event) -> Answer:
        """As alpha-beta with the heuristic."""
        return self._player.choose(position, limits, stop)


class Static(_Strategy):
    """By a table of what each square is worth."""

    name = "static"


class Stable(_Strategy):
    """By corners, mobility, coin parity, edges and stability in fixed weights."""

    name = "stable"


class Adaptive(_Strategy):
    """By the same in weights that change with the number of discs."""

    name = "adaptive"


AGENTS = (Static, Stable, Adaptive)
