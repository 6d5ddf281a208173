"""`agents.search.Search` for gomoku with the heuristic `windows`: exact minimax over every legal move."""

from __future__ import annotations

import numpy as np

from agents.kernels.memory import Memory
from agents.kernels.negamax import NegamaxSearch
from games.gomoku import Gomoku, Move, Position
from games.gomoku.kernel import memory as w
from games.gomoku.kernel import windows
from rules.turns import cells_of

U = np.uint64


class WindowsSearch(NegamaxSearch):
    """Plain alpha-beta, whose scores equal those of plain minimax. Not for renju or swap2."""

    def __init__(self, game: Gomoku, seed: int) -> None:
        self.game = game
        exact = game.rules.exact_five
        super().__init__(self._search, windows.allocate(game.size, (exact, exact)), seed)

    def _search(self, memory: Memory, ply: int, depth: int, alpha: int, beta: int) -> int:
        return windows.search_windows(memory, U(self._colour), self.value, self._empty, ply, depth, alpha, beta)

    def _place(self, position: Position) -> None:
        """Loads the position stone by stone."""
        memory, size = self.memory, self.game.size
        start = int(w.STONES)
        board = memory[start : start + w.CELLS]
        board[board < 3] = 0
        self._colour = self.game.colour(position)
        value = 0
        for colour, stones in enumerate(position.stones):
            for index in cells_of(stones):
                gain = int(windows.lay(memory, U(w.cell_of(index, size)), U(colour)))
                value += gain if colour == self._colour else -gain
        self.value = value
        """Value of the position for the side to move, before clipping."""
        self._empty = size * size - position.count

    def _decode(self, code: int) -> Move:
        return Move(w.index_of(code, self.game.size))
