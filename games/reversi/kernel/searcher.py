"""The search that alpha-beta drives in reversi: iterations to a depth, then a proof of the result once in reach."""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import compiled
from agents.search import MAX_DEPTH, Iteration
from games.reversi import PASS, Move, Position, Reversi
from games.reversi.kernel import memory as layout
from games.reversi.kernel.discs import flips, moves
from games.reversi.kernel.memory import LINE, PASSED, SALT, Memory
from games.reversi.kernel.midgame import LOWEST, WON, negamax
from games.reversi.kernel.proof import prove_result
from games.reversi.kernel.table import AT_MOVE, BYTE, position_key, recall
from games.reversi.kernel.weights import weights

U = np.uint64
ZERO, ONE = U(0), U(1)
PROOF_NODES, PROOF_EMPTIES, PROOF_GROWTH = 30_000, 14, 2.3
"""Positions that a proof visits with PROOF_EMPTIES empty squares, and the factor per further one; measured."""
SELECTIVE = 0x8E9D5C7B3A6F1E2D
"""Mixed into the keys of searches that ProbCut may cut."""
WINDOW = 300
"""Hundredths of a disc on each side of the expected score."""
PATIENCE = 12
"""A proof begins once its expected positions are fewer than this many times those already searched."""


@compiled("int64(uint64[::1], uint64, uint64, uint64, int64)")
def write_line(memory: Memory, mine: np.uint64, theirs: np.uint64, best: np.uint64, most: int) -> int:
    """Writes into LINE the best move and those that the table expects after it; returns how many."""
    length, code = 0, best
    while length < most and code != ZERO:
        if code == PASSED:
            turned = ZERO
        else:
            square = code - ONE
            turned = flips(mine, theirs, square)
            if turned == ZERO or (mine | theirs) >> square & ONE:
                break
            turned |= ONE << square
        memory[LINE + U(length)] = code
        length += 1
        mine, theirs = theirs & ~turned, mine | turned
        if moves(mine, theirs) == ZERO:
            code = PASSED if moves(theirs, mine) != ZERO else ZERO
        else:
            code = recall(memory, position_key(mine, theirs) ^ memory[SALT]) >> AT_MOVE & BYTE
            if code == PASSED:
                break
    return length


class ReversiSearch:
    """`agents.search.Search` over one flat array."""

    def __init__(self, game: Reversi, table_mb: int, seed: int, heuristic: str = "") -> None:
        self.game = game
        self.memory = layout.allocate(table_mb, heuristic, weights())
        self.memory[layout.NOISE] = seed
        self._solves = not heuristic
        self.begin(game.initial(), None, exact=True)

    def begin(self, position: Position, nodes: int | None, exact: bool) -> None:
        """Sets the position; the table stays."""
        memory = self.memory
        memory[[layout.STOP, layout.NODES, layout.HINT]] = 0
        memory[layout.NODE_LIMIT] = nodes or 0
        memory[layout.EXACT] = exact
        memory[layout.SALT] = 0 if exact or memory[layout.JUDGE] != layout.PATTERNS else SELECTIVE
        self._scores: list[int] = []
        memory[layout.GENERATION] = (int(memory[layout.GENERATION]) + 1) % 64
        self._position = position
        mine, theirs = position.discs[position.side], position.discs[1 - position.side]
        self._mine, self._theirs = np.uint64(mine), np.uint64(theirs)
        self._empties = 64 - (mine | theirs).bit_count()
        self._proves = self._solves and not exact

    def deepen(self, depth: int) -> Iteration:
        """Runs one full-window search, or the proof of the result once it is in reach."""
        memory = self.memory
        memory[[layout.BEST_MOVE, layout.BEST_SCORE]] = 0
        if self._proves and self._is_in_reach(depth):
            return self._solve()
        self._search(min(depth, MAX_DEPTH))
        best, score = int(memory[layout.BEST_MOVE]), int(memory[layout.BEST_SCORE].astype(np.int64))
        self._scores.append(score)
        memory[layout.HINT] = best or memory[layout.HINT]
        return self._iteration(best, score, depth)

    def _search(self, depth: int) -> None:
        """Searches to the depth: first around the score two plies before, then, if it lies outside, without bounds."""
        memory, low, high = self.memory, LOWEST, -LOWEST
        if memory[layout.SALT] and len(self._scores) >= 2 and depth > 2:
            low, high = self._scores[-2] - WINDOW, self._scores[-2] + WINDOW
        negamax(memory, self._mine, self._theirs, depth, low, high, 0)
        if not low < int(memory[layout.BEST_SCORE].astype(np.int64)) < high:
            memory[[layout.BEST_MOVE, layout.BEST_SCORE]] = 0
            negamax(memory, self._mine, self._theirs, depth, LOWEST, -LOWEST, 0)

    def _is_in_reach(self, depth: int) -> bool:
        """Whether a proof is affordable after the search so far and within the node limit."""
        cost = PROOF_NODES * PROOF_GROWTH ** (self._empties - PROOF_EMPTIES)
        done, limit = int(self.memory[layout.NODES]), int(self.memory[layout.NODE_LIMIT])
        if depth >= self._empties:
            return True
        return done > cost / PATIENCE and (not limit or limit - done > cost)

    def _solve(self) -> Iteration:
        """Proves the exact result; if the proof is stopped, gives a move only if it surely wins."""
        proof = prove_result(self.memory, int(self._mine), int(self._theirs))
        best = proof.best if proof.solved or proof.low > 0 else 0
        score = proof.low * 100 + (WON if proof.low > 0 else -WON if proof.low < 0 else 0)
        return self._iteration(best, score, self._empties, proof.solved)

    def _iteration(self, best: int, score: int, depth: int, final: bool = False) -> Iteration:
        length = int(write_line(self.memory, self._mine, self._theirs, np.uint64(best), min(depth, MAX_DEPTH)))
        line = tuple(_decode(int(code)) for code in self.memory[int(layout.LINE) : int(layout.LINE) + length])
        return Iteration(
            whole=not self.memory[layout.STOP],
            move=line[0] if line else None,
            score=score,
            pv=line,
            nodes=int(self.memory[layout.NODES]),
            final=final,
            exact=final,
        )

    def interrupt(self) -> None:
        """Interrupts a running search; the kernel checks the flag at every position outside the smallest trees."""
        self.memory[layout.STOP] = 1


def _decode(code: int) -> Move:
    return PASS if code == layout.PASSED else Move(code - 1)
