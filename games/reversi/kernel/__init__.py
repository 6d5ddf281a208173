"""Reversi in machine code: a search to a depth by trained patterns or a named heuristic, and proofs of the result.

Named heuristics score in their own units, a won game as `agents.search.WIN` minus the plies. The patterns score in
hundredths of a disc, at most 6400; a certain win by n discs is `midgame.WON` + 100 n. The winner's count includes the
empty squares, as in published endgames.
"""

from __future__ import annotations

from agents.kernels.memory import EXACT, NODE_LIMIT, NODES, SALT, Word
from agents.kernels.negamax import NegamaxSearch
from agents.search import Iteration
from games.reversi import PASS, Move, Position, Reversi
from games.reversi.kernel import memory as layout
from games.reversi.kernel.discs import leaves
from games.reversi.kernel.midgame import WON, negamax, place
from games.reversi.kernel.ordering import PASSED
from games.reversi.kernel.proof import prove_result

PROOF_NODES, PROOF_EMPTIES, PROOF_GROWTH = 30_000, 14, 2.3
"""Positions that a proof visits with PROOF_EMPTIES empty squares, and the factor per further one; measured."""
WINDOW = 300
"""Hundredths of a disc on each side of the expected score."""
PATIENCE = 12
"""A proof begins once its expected positions are fewer than this many times those already searched."""


class ReversiSearch(NegamaxSearch):
    def __init__(self, game: Reversi, table_mb: int, seed: int, heuristic: str = "") -> None:
        super().__init__(negamax, layout.allocate(table_mb, heuristic), seed)
        self._solves = not heuristic
        self.window = (WINDOW if self._solves else 0), 2, 3

    def _place(self, position: Position) -> None:
        self._proves = self._solves and not self.memory[EXACT]
        self.memory[SALT] = self.selective if self._proves else 0
        self._mine, self._theirs = position.discs[position.side], position.discs[1 - position.side]
        self._empties = 64 - (self._mine | self._theirs).bit_count()
        place(self.memory, Word(0), Word(self._mine), Word(self._theirs))

    def leaves(self, position: Position, depth: int) -> int:
        mine, theirs = position.discs[position.side], position.discs[1 - position.side]
        return 1 if depth <= 0 else int(leaves(Word(mine), Word(theirs), depth))

    def deepen(self, depth: int) -> Iteration:
        """Searches to the depth, or proves the result once that is in reach."""
        return self._solve() if self._proves and self._is_in_reach(depth) else super().deepen(depth)

    def _is_in_reach(self, depth: int) -> bool:
        """Whether a proof is affordable after the search so far and within the node limit."""
        cost = PROOF_NODES * PROOF_GROWTH ** (self._empties - PROOF_EMPTIES)
        done, limit = int(self.memory[NODES]), int(self.memory[NODE_LIMIT])
        if depth >= self._empties:
            return True
        return done > cost / PATIENCE and (not limit or limit - done > cost)

    def _solve(self) -> Iteration:
        """Proves the exact result; if the proof is stopped, gives a move only if it surely wins."""
        expected = self._line()
        proof = prove_result(self.memory, self._mine, self._theirs)
        best = proof.best if proof.solved or proof.low > 0 else 0
        score = proof.low * 100 + (WON if proof.low > 0 else -WON if proof.low < 0 else 0)
        line = expected if expected[:1] == [best] else [best] if best else []
        return self._iteration(best, score, line, proof.solved)

    def _decode(self, code: int) -> Move:
        return PASS if code == PASSED else Move(code - 1)


SEARCH = ReversiSearch
