"""The compiled search for cờ gánh, with all its rule options."""

from __future__ import annotations

import numpy as np

from agents.search import MAX_DEPTH, WIN, Iteration
from games.co_ganh import CoGanh, Move, Position
from games.co_ganh.heuristics import HEURISTICS as PLAIN
from games.co_ganh.kernel import evaluation
from games.co_ganh.kernel import memory as layout
from games.co_ganh.kernel.moves import write_moves
from games.co_ganh.kernel.negamax import negamax
from games.co_ganh.kernel.weights import of_heuristic

LIMIT = 2 * WIN
"""Score beyond every real score."""


class GanhSearch:
    """`agents.search.Search` over one flat array."""

    def __init__(self, game: CoGanh, table_mb: int, seed: int, heuristic: str = "") -> None:
        self.game = game
        self.memory = layout.allocate(game, table_mb)
        self.memory[layout.NOISE] = seed
        weights = of_heuristic(heuristic, game.rules.flips)
        self.memory[int(layout.WEIGHTS) : int(layout.WEIGHTS) + len(weights)] = weights
        self._position = game.initial()

    def begin(self, position: Position, nodes: int | None, exact: bool) -> None:
        """Sets the position; the table stays, learnt move orders fade."""
        memory = self.memory
        self._position = position
        memory[[layout.STOP, layout.NODES, layout.HINT]] = 0
        memory[layout.NODE_LIMIT] = nodes or 0
        memory[layout.EXACT] = exact
        memory[layout.GENERATION] = (int(memory[layout.GENERATION]) + 1) % 64
        memory[int(layout.HISTORY) : int(layout.KILLERS)] >>= np.uint64(3)
        memory[int(layout.KILLERS) : int(layout.PV_LENGTH)] = 0

    def deepen(self, depth: int) -> Iteration:
        """Runs one principal-variation search with the full window."""
        memory, position = self.memory, self._position
        memory[[layout.BEST_MOVE, layout.BEST_SCORE]] = 0
        remaining = self.game.rules.limit - position.ply
        negamax(memory, *_men(position), _opened(position), remaining, 0, min(depth, MAX_DEPTH), -LIMIT, LIMIT)
        best = int(memory[layout.BEST_MOVE])
        memory[layout.HINT] = best or memory[layout.HINT]
        return Iteration(
            whole=not memory[layout.STOP],
            move=_decode(best) if best else None,
            score=int(memory[layout.BEST_SCORE].astype(np.int64)),
            pv=self._line(),
            nodes=int(memory[layout.NODES]),
        )

    def _line(self) -> tuple[Move, ...]:
        length, start = int(self.memory[layout.PV_LENGTH]), int(layout.PV)
        return tuple(_decode(int(code)) for code in self.memory[start : start + length])

    def interrupt(self) -> None:
        """Interrupts a running search; the kernel checks this at every position."""
        self.memory[layout.STOP] = 1

    def moves(self, position: Position) -> set[Move]:
        """The moves that the search generates in a position that is not over."""
        count = int(write_moves(self.memory, *_men(position), _opened(position), np.uint64(0), False))
        start = int(layout.MOVES)
        return {_decode(int(word) & 0x3FF) for word in self.memory[start : start + count]}

    def judge(self, position: Position) -> int:
        """The heuristic's value of a position, for the side to move."""
        return int(evaluation.evaluate(self.memory, *_men(position)))


def _men(position: Position) -> tuple[np.uint64, np.uint64]:
    return np.uint64(position.men[position.side]), np.uint64(position.men[1 - position.side])


def _opened(position: Position) -> np.uint64:
    return np.uint64(0 if position.opened is None else 1 << position.opened)


def _decode(code: int) -> Move:
    return Move(code >> 5, code & 31)


HEURISTICS: tuple[str, ...] = tuple(PLAIN)
SEARCH = GanhSearch
