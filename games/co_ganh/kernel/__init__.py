"""The compiled search for cờ gánh, with all its rule options."""

from __future__ import annotations

from agents.kernels.memory import STATE, write
from agents.kernels.negamax import NegamaxSearch
from games.co_ganh import CoGanh, Move, Position
from games.co_ganh.kernel import memory as layout
from games.co_ganh.kernel.negamax import negamax
from games.co_ganh.kernel.weights import of_heuristic


class GanhSearch(NegamaxSearch):
    """The search with the engine's own evaluation (heuristic "") or a named one."""

    def __init__(self, game: CoGanh, table_mb: int, seed: int, heuristic: str = "") -> None:
        super().__init__(negamax, layout.allocate(game, table_mb), seed)
        self.game = game
        write(self.memory, layout.WEIGHTS, of_heuristic(heuristic, game.rules.flips))

    def _place(self, position: Position) -> None:
        mine, theirs = position.men[position.side], position.men[1 - position.side]
        opened = 0 if position.opened is None else 1 << position.opened
        write(self.memory, STATE, (mine, theirs, opened, self.game.rules.limit - position.ply))

    def _decode(self, code: int) -> Move:
        return Move(code >> 5, code & 31)


SEARCH = GanhSearch
