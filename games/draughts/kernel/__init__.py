"""The compiled search for draughts, with all its rule options."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence

import numpy as np

from agents.kernels.memory import EXACT, MOVES, SALT
from agents.kernels.negamax import NegamaxSearch
from agents.kernels.table import CODE
from agents.search import Iteration
from games.draughts import Draughts, Move, Position
from games.draughts.heuristics import HEURISTICS as PLAIN
from games.draughts.kernel import evaluation, moves, weights
from games.draughts.kernel import memory as layout
from games.draughts.kernel.negamax import all_written, negamax
from games.draughts.kernel.placing import place

WINDOW = 20
"""Hundredths of a man on each side of the expected score."""
SELECTIVE = 0x8E9D5C7B3A6F1E2D
"""Mixed into the keys of searches that are not exact."""
JUDGES = {"": evaluation.OWN, "placed": evaluation.PLACED, "material": evaluation.MATERIAL}


class DraughtsSearch(NegamaxSearch):
    """The search with the engine's own evaluation (heuristic "") or a named one."""

    window = WINDOW, 1, 5

    def __init__(self, game: Draughts, table_mb: int, seed: int, heuristic: str = "") -> None:
        super().__init__(negamax, layout.allocate(game, table_mb), seed)
        self.game, size = game, game.geometry.size
        weights.write(self.memory, size, weights.of(size, game.rules.flying))
        self.memory[layout.JUDGE] = JUDGES[heuristic]

    def _place(self, position: Position) -> None:
        self._root = position
        place(self.memory, self.game, position)
        self.memory[SALT] = self._salt(position)

    def _salt(self, position: Position) -> int:
        """Differs between exact searches and others, and between histories by which other positions would be drawn."""
        seen = Counter(position.earlier)
        drawn = sorted(key for key, count in seen.items() if count + 1 >= self.game.rules.repetition)
        salt = hash(tuple(drawn)) % 2**64 if drawn else 0
        return salt if self.memory[EXACT] else salt ^ SELECTIVE

    def _decode(self, code: int) -> Move:
        return self._move(self._root, code)

    def _move(self, position: Position, code: int) -> Move:
        """The move of a code in a position: captures have their numbers among the rules' own."""
        if code & int(moves.TAKES):
            return self.game.pieces_can(position)[code ^ int(moves.TAKES)]
        board = self.game.geometry
        to, way = layout.square_of(code & 63, board.size), code >> 6 & 3
        return Move((board.rays[3 - way][to][code >> 8 & 15], to))

    def _iteration(self, best: int, score: int, line: Sequence[int], solved: bool = False) -> Iteration:
        """As the common search, which knows no positions on the way, by which captures are told."""
        position, expected = self._root, list[Move]()
        for code in line:
            expected.append(self._move(position, code))
            position = self.game.apply(position, expected[-1])
        return dataclasses.replace(super()._iteration(best, score, (), solved), pv=tuple(expected))

    def moves(self, position: Position) -> tuple[Move, ...]:
        """The moves that the search generates in a position that is not over."""
        place(self.memory, self.game, position)
        count = int(all_written(self.memory, np.uint64(0), 1))
        return tuple(self._move(position, int(word & CODE)) for word in self.memory[int(MOVES) : int(MOVES) + count])

    def judge(self, position: Position) -> int:
        """The heuristic's value of a position, for the side to move."""
        place(self.memory, self.game, position)
        return int(evaluation.evaluate(self.memory, layout.POSITIONS))


HEURISTICS: tuple[str, ...] = tuple(PLAIN)
SEARCH = DraughtsSearch
