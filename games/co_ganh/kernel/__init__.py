"""The compiled search for cờ gánh, with all its rule options."""

from __future__ import annotations

import numpy as np

from agents.kernels.memory import STATE, write
from agents.kernels.negamax import NegamaxSearch
from games.co_ganh import CoGanh, Move, Position
from games.co_ganh.heuristics import HEURISTICS as PLAIN
from games.co_ganh.kernel import evaluation
from games.co_ganh.kernel import memory as layout
from games.co_ganh.kernel.negamax import all_written, negamax
from games.co_ganh.kernel.weights import of_heuristic

U = np.uint64


class GanhSearch(NegamaxSearch):
    """The search with the engine's own evaluation (heuristic "") or a named one."""

    written = staticmethod(all_written)

    def __init__(self, game: CoGanh, table_mb: int, seed: int, heuristic: str = "") -> None:
        super().__init__(negamax, layout.allocate(game, table_mb), seed)
        self.game = game
        write(self.memory, layout.WEIGHTS, of_heuristic(heuristic, game.rules.flips))

    def _place(self, position: Position) -> None:
        write(self.memory, STATE, state_of(self.game, position))

    def _decode(self, code: int) -> Move:
        return Move(code >> 5, code & 31)

    def judge(self, position: Position) -> int:
        """The heuristic's value of a position, for the side to move."""
        mine, theirs, _, _ = state_of(self.game, position)
        return int(evaluation.evaluate(self.memory, U(mine), U(theirs)))


def state_of(game: CoGanh, position: Position) -> tuple[int, int, int, int]:
    """The mover's men, the enemy's, the point that must be entered as a bit, and the plies to the game's limit."""
    opened = 0 if position.opened is None else 1 << position.opened
    mine, theirs = position.men[position.side], position.men[1 - position.side]
    return mine, theirs, opened, game.rules.limit - position.ply


HEURISTICS: tuple[str, ...] = tuple(PLAIN)
SEARCH = GanhSearch
