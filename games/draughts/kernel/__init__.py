"""The compiled search for draughts, with all its rule options."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from agents.kernels.memory import FIRST_KEY, KEY, KEYS, MAX_KEYS, ROOT_KEY, SALT, STATE, Memory, write
from agents.kernels.negamax import NegamaxSearch
from agents.search import Iteration
from games.draughts import Draughts, Move, Position
from games.draughts.kernel import evaluation, moves, weights
from games.draughts.kernel import memory as layout
from games.draughts.kernel.negamax import enter, negamax

WINDOW = 20
"""Hundredths of a man on each side of the expected score."""
SQUARES = 2**50 - 1
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
        self.memory[SALT] = self._salt(position.earlier, self.game.rules.repetition - 1)

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


def place(memory: Memory, game: Draughts, position: Position) -> None:
    """Writes the root's position and the hashes of the earlier ones."""
    past, at = position.earlier[-MAX_KEYS:], STATE
    for number, key in enumerate(past):
        _write(memory, game, (key & SQUARES, key >> 50 & SQUARES), key >> 100 & SQUARES, key >> 150)
        memory[int(KEYS) + number] = memory[at + KEY]
    _write(memory, game, position.pieces, position.kings, position.side)
    memory[at + layout.QUIET], memory[at + layout.LAST] = position.quiet, position.last
    memory[at + FIRST_KEY], memory[ROOT_KEY] = 0, len(past)


def _write(memory: Memory, game: Draughts, pieces: tuple[int, int], kings: int, side: int) -> None:
    sets = (layout.spread(one, game.geometry.size) for one in (pieces[side], pieces[1 - side], kings))
    write(memory, STATE, (*sets, side))
    enter(memory, STATE)


SEARCH = DraughtsSearch
