"""`agents.search.Search` for gomoku with the heuristic `windows`: exact minimax over every legal move."""

from __future__ import annotations

import numpy as np

from agents.search import WIN, Iteration
from games.gomoku import Gomoku, Move, Position
from games.gomoku.kernel import memory as layout
from games.gomoku.kernel import windows

LIMIT = 2 * WIN
U = np.uint64


class WindowsSearch:
    """Plain alpha-beta, whose scores equal those of plain minimax. Not for renju or swap2."""

    def __init__(self, game: Gomoku, seed: int) -> None:
        self.game = game
        exact = game.rules.exact_five
        self.memory = windows.allocate(game.size, (exact, exact))
        self.memory[layout.NOISE] = seed

    def begin(self, position: Position, nodes: int | None, exact: bool) -> None:
        """Loads the position stone by stone."""
        memory, size = self.memory, self.game.size
        memory[[layout.STOP, layout.NODES, layout.HINT]] = 0
        memory[layout.NODE_LIMIT] = nodes or 0
        start = int(layout.STONES)
        board = memory[start : start + layout.CELLS]
        board[board < 3] = 0
        self._colour = self.game.colour(position)
        value = 0
        for colour, stones in enumerate(position.stones):
            for index in range(stones.bit_length()):
                if stones >> index & 1:
                    gain = int(windows.lay(memory, U(layout.cell_of(index, size)), U(colour)))
                    value += gain if colour == self._colour else -gain
        self.value = value
        """Value of the position for the side to move, before clipping."""
        self._empty = size * size - position.count

    def deepen(self, depth: int) -> Iteration:
        """Runs one full-window search, with the previous iteration's best move first."""
        memory = self.memory
        memory[[layout.BEST_MOVE, layout.BEST_SCORE]] = 0
        depth = min(depth, windows.PLIES - 4)
        windows.search_windows(memory, U(self._colour), self.value, self._empty, 0, depth, -LIMIT, LIMIT)
        best, size = int(memory[layout.BEST_MOVE]), self.game.size
        memory[layout.HINT] = best or memory[layout.HINT]
        length, start = int(memory[windows.LENGTHS]), int(windows.LINES)
        line = tuple(Move(layout.index_of(int(cell), size)) for cell in memory[start : start + length])
        return Iteration(
            whole=not memory[layout.STOP],
            move=Move(layout.index_of(best, size)) if best else None,
            score=int(memory[layout.BEST_SCORE].astype(np.int64)),
            pv=line,
            nodes=int(memory[layout.NODES]),
        )

    def interrupt(self) -> None:
        """Interrupts a running search; the kernel checks the flag at every position whose moves it searches."""
        self.memory[layout.STOP] = 1
