"""Reversi by three named strategies: alpha-beta, each with its own heuristic."""

from __future__ import annotations

import dataclasses
import threading
from typing import Any

from agents.agent import Answer, Limits
from agents.alphabeta import AlphaBeta, AlphaBetaOptions
from agents.search import MAX_DEPTH
from rules import AnyGame
from rules.options import rule

GAME = "reversi"


@dataclasses.dataclass(frozen=True)
class StrategyOptions:
    """The agents' options."""

    depth: int = rule(4, "plies to search where the limits name no depth; 0 is no limit", minimum=0, maximum=MAX_DEPTH)
    error_percent: int = rule(0, "how often, of a hundred times, a random move is played", minimum=0, maximum=100)
    table_mb: int = rule(32, "mebibytes for the table of known positions, kept between moves", minimum=1, maximum=1024)
    seed: int = rule(0, "chooses among moves that look equally good; 0 takes the first", minimum=0, maximum=2**31)


class _Strategy:
    """A reversi player whose heuristic has the agent's name."""

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
        """Warms up alpha-beta."""
        AlphaBeta.warm_up(game)

    def prepare(self, stop: threading.Event) -> None:
        """Waits for alpha-beta's kernel."""
        self._player.prepare(stop)

    def choose(self, position: Any, limits: Limits, stop: threading.Event) -> Answer:
        """The answer of alpha-beta with the heuristic."""
        return self._player.choose(position, limits, stop)


class Static(_Strategy):
    """Uses a table of square values."""

    name = "static"


class Stable(_Strategy):
    """Uses corners, mobility, coin parity, edges and stability with fixed weights."""

    name = "stable"


class Adaptive(_Strategy):
    """Uses the features of `Stable` with weights that change with the number of discs."""

    name = "adaptive"


AGENTS = (Static, Stable, Adaptive)
