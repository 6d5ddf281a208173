"""The compiled search for chess, with all its rule options."""

from __future__ import annotations

import numpy as np

from agents.kernels.memory import SALT
from agents.kernels.negamax import NegamaxSearch
from games.chess import CLAIM, Chess, Move, Position
from games.chess.heuristics import HEURISTICS as PLAIN
from games.chess.kernel import evaluation, moves
from games.chess.kernel import memory as layout
from games.chess.kernel.negamax import MOST, all_written, negamax
from games.chess.kernel.placing import place, write_rules
from games.chess.kernel.weights import OWN, write, write_named
from games.chess.moves import PROMOTIONS, State

U = np.uint64
WINDOW = 30
"""Hundredths of a pawn on each side of the expected score."""
MAX_HASHES = 4096
"""Earlier positions whose hashes are kept, of several games."""


class ChessSearch(NegamaxSearch):
    """The search with the engine's own evaluation (heuristic "") or a named one."""

    window, written = (WINDOW, 1, 5), staticmethod(all_written)

    def __init__(self, game: Chess, table_mb: int, seed: int, heuristic: str = "") -> None:
        super().__init__(negamax, layout.allocate(table_mb), seed)
        self.game = game
        write_rules(self.memory, game)
        if heuristic:
            write_named(self.memory, heuristic)
        else:
            write(self.memory, OWN)
        self._history = self.memory[int(layout.QUIET_HISTORY) : int(layout.WORTHS)]
        self._history[:] = MOST // U(2)
        self._hashes: dict[State, int] = {}

    def _place(self, position: Position) -> None:
        self._history[:] = (self._history + MOST // U(2)) // U(2)
        if len(self._hashes) > MAX_HASHES:
            self._hashes.clear()
        place(self.memory, position, self._hashes)
        self.memory[SALT] = self._salt((self._hashes[state] for state in position.past[-layout.MAX_KEYS :]), least=2)

    def _decode(self, code: int) -> Move:
        if code == int(moves.CLAIM):
            return CLAIM
        promotion = code >> 12
        return Move(code >> 6 & 63, code & 63, PROMOTIONS[promotion - 1] if promotion else "")

    def judge(self, position: Position, last: Move | None = None) -> int:
        """The heuristic's value of a position, for the side to move."""
        place(self.memory, position)
        if last is not None and last != CLAIM:
            self.memory[layout.POSITIONS + layout.LAST] = last.to
        return int(evaluation.evaluate(self.memory, layout.POSITIONS))


HEURISTICS: tuple[str, ...] = tuple(PLAIN)
SEARCH = ChessSearch
