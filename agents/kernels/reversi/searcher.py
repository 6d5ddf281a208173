"""What alpha-beta drives in reversi: iterations to a depth, then a proof of the result once it is in reach."""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import compiled
from agents.kernels.reversi import memory as layout
from agents.kernels.reversi.memory import Memory
from agents.kernels.reversi.midgame import LOWEST, WON, negamax
from agents.kernels.reversi.proof import prove_result
from agents.kernels.reversi.table import AT_MOVE, BYTE, position_key, recall
from agents.kernels.reversi.weights import weights
from agents.search import MAX_DEPTH, Iteration
from games.reversi import PASS, Move, Position, Reversi

SOLVED_AT_ONCE = 14
"""Empty squares up to which a proof takes no longer than a glance; of more, a search to a depth comes first."""


@compiled("uint64(uint64[::1], uint64, uint64)")
def best_known(memory: Memory, mine: np.uint64, theirs: np.uint64) -> np.uint64:
    """The best move that the table has for a position, as its square and 1; 0 where it has none."""
    return recall(memory, position_key(mine, theirs)) >> AT_MOVE & BYTE


class ReversiSearch:
    """`agents.search.Search` over one flat array."""

    def __init__(self, game: Reversi, table_mb: int, seed: int, heuristic: str = "") -> None:
        self.game = game
        self.memory = layout.allocate(table_mb, heuristic, weights())
        self.memory[layout.NOISE] = seed
        self._solves = not heuristic
        self.begin(game.initial(), None, exact=True)

    def begin(self, position: Position, nodes: int | None, exact: bool) -> None:
        """Turns to a position; the table stays."""
        memory = self.memory
        memory[[layout.STOP, layout.NODES, layout.HINT]] = 0
        memory[layout.NODE_LIMIT] = nodes or 0
        memory[layout.EXACT] = exact
        memory[layout.GENERATION] = (int(memory[layout.GENERATION]) + 1) % 64
        self._position = position
        mine, theirs = position.discs[position.side], position.discs[1 - position.side]
        self._mine, self._theirs = np.uint64(mine), np.uint64(theirs)
        self._empties = 64 - (mine | theirs).bit_count()
        self._proves = self._solves and not exact

    def deepen(self, depth: int) -> Iteration:
        """One search with the whole window, or the proof of the result where the depth says that it is in reach."""
        self.memory[[layout.BEST_MOVE, layout.BEST_SCORE]] = 0
        if self._proves and depth > self._empties - SOLVED_AT_ONCE:
            return self._solve()
        negamax(self.memory, self._mine, self._theirs, min(depth, MAX_DEPTH), LOWEST, -LOWEST, 0)
        best, score = int(self.memory[layout.BEST_MOVE]), int(self.memory[layout.BEST_SCORE].astype(np.int64))
        self.memory[layout.HINT] = best or self.memory[layout.HINT]
        return self._iteration(best, score, depth)

    def _solve(self) -> Iteration:
        """The exact result, if nothing stops the proof; until then, a move is only known where it surely wins."""
        proof = prove_result(self.memory, int(self._mine), int(self._theirs))
        best = proof.best if proof.solved or proof.low > 0 else 0
        score = proof.low * 100 + (WON if proof.low > 0 else -WON if proof.low < 0 else 0)
        return self._iteration(best, score, self._empties, proof.solved)

    def _iteration(self, best: int, score: int, depth: int, final: bool = False) -> Iteration:
        move = _decode(best) if best else None
        return Iteration(
            whole=not self.memory[layout.STOP],
            move=move,
            score=score,
            pv=() if move is None else self._line(move, depth),
            nodes=int(self.memory[layout.NODES]),
            final=final,
        )

    def _line(self, move: Move, depth: int) -> tuple[Move, ...]:
        """The move and what the table expects after it."""
        line, position = [move], self.game.apply(self._position, move)
        while len(line) < depth:
            moves = self.game.legal_moves(position)
            mine, theirs = position.discs[position.side], position.discs[1 - position.side]
            known = int(best_known(self.memory, np.uint64(mine), np.uint64(theirs)))
            following = PASS if moves == [PASS] else Move(known - 1)
            if following not in moves:
                break
            line.append(following)
            position = self.game.apply(position, following)
        return tuple(line)

    def interrupt(self) -> None:
        """The kernel looks at every position it visits but the smallest trees'."""
        self.memory[layout.STOP] = 1


def _decode(code: int) -> Move:
    return PASS if code == layout.PASSED else Move(code - 1)
