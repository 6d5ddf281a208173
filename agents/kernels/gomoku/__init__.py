"""Gomoku in machine code: a prover of forced wins, and alpha-beta around it."""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.kernels.gomoku import memory as layout
from agents.kernels.gomoku.negamax import negamax
from agents.kernels.gomoku.prover import Proof, write_stones
from agents.search import MAX_DEPTH, WIN, Iteration
from games.gomoku import Gomoku, Move, Position

LIMIT = 2 * WIN
"""Beyond every score."""
U = np.uint64


class GomokuSearch:
    """`agents.search.Search` with the engine's own judgement, over one flat array."""

    def __init__(self, game: Gomoku, table_mb: int, seed: int, heuristic: str = "") -> None:
        self.game = game
        rules = game.rules
        self.memory = layout.allocate(game.size, (rules.exact_five or rules.renju, rules.exact_five), table_mb)
        self.memory[layout.NOISE] = seed
        if rules.renju:
            self.memory[layout.CLAIMS] = 2

    def begin(self, position: Position, nodes: int | None, exact: bool) -> None:
        """Loads the position; tables stay, but not for a search limited by depth alone, which is always the same."""
        memory = self.memory
        self._colour = self.game.colour(position)
        memory[[layout.STOP, layout.NODES, layout.HINT]] = 0
        memory[layout.NODE_LIMIT] = nodes or 0
        memory[layout.GENERATION] = (int(memory[layout.GENERATION]) + 1) % 64
        memory[int(layout.HISTORY) : int(layout.HISTORY) + 2 * layout.CELLS] >>= U(2)
        if exact:
            memory[int(layout.HISTORY) : int(layout.HISTORY) + 2 * layout.CELLS] = 0
            memory[int(memory[layout.FAILED]) :] = 0
        write_stones(memory, self.game.size, position.stones)
        self._ban(position)
        self._proof = Proof(memory, self._colour)
        self._spent = 0

    def _ban(self, position: Position) -> None:
        """Marks the fouls of renju."""
        start = int(layout.BANNED)
        self.memory[start : start + layout.CELLS] = 0
        fouls = self.game.fouls(position)
        for index in range(fouls.bit_length()):
            if fouls >> index & 1:
                self.memory[start + layout.cell_of(index, self.game.size)] = 1

    def deepen(self, depth: int) -> Iteration:
        """Looks for a forced win, a while longer at each depth, then searches all promising lines to the depth."""
        memory = self.memory
        if not (int(memory[layout.STONE_COUNT])):
            return self._found(self._middle(), 0, (), final=True)
        if self._wins(depth):
            line = self._proof.line or ()
            return self._found(line[0], WIN - len(line), line, final=True)
        memory[[layout.BEST_MOVE, layout.BEST_SCORE]] = 0
        negamax(memory, U(self._colour), 0, min(depth, MAX_DEPTH), -LIMIT, LIMIT)
        best = int(memory[layout.BEST_MOVE])
        memory[layout.HINT] = best or memory[layout.HINT]
        length, start = int(memory[layout.PV_LENGTH]), int(layout.PV)
        line = tuple(int(cell) for cell in memory[start : start + length])
        return self._found(best, int(memory[layout.BEST_SCORE].astype(np.int64)), line)

    def _wins(self, depth: int) -> bool:
        """Spends up to a third of all positions on a proof."""
        memory, proof = self.memory, self._proof
        if not int(memory[layout.CLAIMS]) >> self._colour & 1:
            return False
        if depth == 1:
            proof.by_fours(20_000)
        elif not proof.hopeless and proof.line is None:
            share = max(2000, (int(memory[layout.NODES]) - 3 * self._spent) // 2)
            before = int(memory[layout.NODES])
            proof.by_threats(share)
            self._spent += int(memory[layout.NODES]) - before
        return proof.line is not None

    def _found(self, cell: int, score: int, line: tuple[int, ...], final: bool = False) -> Iteration:
        """An iteration from cells of the memory."""
        size = self.game.size
        moves = tuple(Move(layout.index_of(one, size)) for one in (line or (cell,))) if cell else ()
        return Iteration(
            whole=not self.memory[layout.STOP] or final,
            move=moves[0] if moves else None,
            score=score,
            pv=moves,
            nodes=int(self.memory[layout.NODES]),
            final=final,
        )

    def _middle(self) -> int:
        return layout.cell_of(self.game.size * self.game.size // 2, self.game.size)

    def interrupt(self) -> None:
        """The kernel looks at every position it visits."""
        self.memory[layout.STOP] = 1


HEURISTICS: tuple[str, ...] = ()


def search(game: Gomoku, table_mb: int, seed: int, heuristic: str = "") -> Any:
    """A search of that game by that heuristic, "" the engine's own."""
    return GomokuSearch(game, table_mb, seed, heuristic)


SEARCH = search
