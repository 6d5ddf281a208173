"""Exact results of reversi endgames, in machine code."""

from __future__ import annotations

import dataclasses
import time

import numpy as np

from agents.kernels.memory import GENERATION, NODE_LIMIT, NODES, STOP
from games.reversi import Move, Position, Reversi
from games.reversi.kernel import memory as layout
from games.reversi.kernel.endgame import prove
from games.reversi.kernel.proof import expected_result, prove_result

GUESSED = 16
"""Empty squares from which a shallow search first estimates the result, where the proof then starts."""


@dataclasses.dataclass(frozen=True)
class Solution:
    score: int
    """Discs of the side to move minus the enemy's; the winner gets the empty squares."""
    best: tuple[Move, ...]
    """Moves proven to reach the score; empty where the game is over."""
    nodes: int
    """Positions visited, including those with one empty square."""
    seconds: float


class Solver:
    def __init__(self, table_mb: int = 256) -> None:
        self.game = Reversi()
        self._memory = layout.allocate(table_mb)

    def solve(self, position: Position, every: bool = False) -> Solution:
        """The result with one best move, or with `every` best move. Raises InterruptedError after `interrupt`."""
        began_s, memory = time.perf_counter(), self._memory
        memory[[NODES, NODE_LIMIT]] = 0
        memory[GENERATION] = (int(memory[GENERATION]) + 1) % 64
        mine, theirs = position.discs[position.side], position.discs[1 - position.side]
        empties = 64 - (mine | theirs).bit_count()
        guess = expected_result(memory, mine, theirs) if empties >= GUESSED else 0
        proof = prove_result(memory, mine, theirs, guess)
        moves = self.game.legal_moves(position)
        best = moves[:1] if len(moves) < 2 else [Move(proof.best - 1)]
        if every and len(moves) > 1:
            best += [move for move in moves if move != best[0] and self._reaches(position, move, proof.low)]
        if memory[STOP]:
            raise InterruptedError("the proof was interrupted")
        seconds = time.perf_counter() - began_s
        return Solution(proof.low, tuple(best), int(memory[NODES]), seconds)

    def _reaches(self, position: Position, move: Move, score: int) -> bool:
        after = self.game.apply(position, move)
        mine, theirs = after.discs[after.side], after.discs[1 - after.side]
        empties = 64 - (mine | theirs).bit_count()
        return int(prove(self._memory, np.uint64(mine), np.uint64(theirs), -score, empties, 0)) <= -score

    def interrupt(self) -> None:
        """Ends a running `solve`, and every later one, at once. Callable from any thread."""
        self._memory[STOP] = 1
