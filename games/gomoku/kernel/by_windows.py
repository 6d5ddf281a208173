"""`agents.search.Search` for gomoku with the heuristic `windows`: plain alpha-beta over every legal move.

A stone affects only the windows of seven cells that contain it, in four directions. VALUES tells what every window's
content is worth, so a move's effect is known without laying it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.kernels.compilation import compiled, signed
from agents.kernels.loops import span
from agents.kernels.memory import HINT, NODES, NOISE, PV_LENGTH, STOP, Memory, Word
from agents.kernels.negamax import NegamaxSearch, must_stop
from agents.kernels.table import SPREAD
from agents.search import WIN
from games.gomoku import Gomoku, Move, Position
from games.gomoku.heuristics import MOST, PATTERNS
from games.gomoku.kernel import memory as w
from games.gomoku.kernel.board import allocate, lift, place
from games.gomoku.kernel.fours import belongs
from games.gomoku.kernel.negamax import EDGE, ROW, insert, settle
from games.gomoku.kernel.patterns import line_of, place_in
from games.gomoku.kernel.prover import write_stones

ZERO, ONE, TWO, FOUR, SEVEN, TEN, TWELVE = map(Word, (0, 1, 2, 4, 7, 10, 12))
SEVEN_CELLS, MOVES_A_PLY = Word(2**14 - 1), Word(512)
DISTURBED = 2**40
"""Added to the order of a cell on which a stone would spoil what the enemy has."""


def values() -> NDArray[np.int64]:
    """The value of every content of seven cells: black's patterns from the first cell on, less white's."""
    found = np.zeros(2**14, np.int64)
    contents = np.arange(2**14)[:, None] >> 2 * np.arange(7) & 3
    for letters, sign in (("exnn", 1), ("enxn", -1)):
        seen = np.array(list(letters))[contents]
        for pattern, weight in PATTERNS:
            found += sign * weight * (seen[:, : len(pattern)] == list(pattern)).all(axis=1)
    return found


@compiled("int64(uint64[::1], uint64, uint64)")
def change(memory: Memory, cell: Word, colour: Word) -> int:
    """The colour's gain by a stone on the cell."""
    more, stone = ZERO, ONE << colour + TWELVE
    for direction in span(ZERO, FOUR):
        code = memory[line_of(cell, direction)] >> TWO * place_in(cell, direction) - TWELVE
        for start in span(ZERO, SEVEN):
            more += memory[w.VALUES + ((code | stone) >> TWO * start & SEVEN_CELLS)]
            more -= memory[w.VALUES + (code >> TWO * start & SEVEN_CELLS)]
    return (signed(more) if colour == ZERO else -signed(more)) + signed(memory[w.CENTRE + cell])


@compiled("uint64(uint64[::1], uint64, int64, int64)")
def write_moves(memory: Memory, colour: Word, ply: int, depth: int) -> Word:
    """Writes all empty cells as order << 10 | cell, best first, or only one that makes five; returns how many.

    At a depth of one they stay in their order on the board.
    """
    moves = w.EVERY_MOVE + Word(ply) * MOVES_A_PLY
    count = ZERO
    for row in span(EDGE, EDGE + memory[w.SIZE]):
        for cell in span(row * ROW + EDGE, row * ROW + EDGE + memory[w.SIZE]):
            if memory[w.STONES + cell] != ZERO:
                continue
            if depth == 1:
                memory[moves + count] = cell
                count += ONE
                continue
            if belongs(memory, cell, colour, w.FIVE):
                memory[moves] = cell
                return ONE
            order = Word(change(memory, cell, colour) + change(memory, cell, colour ^ ONE) % DISTURBED + 4 * MOST)
            if ply == 0 and memory[NOISE] != ZERO:
                order = order + ((cell + memory[NOISE]) * SPREAD >> Word(62))
            if ply == 0 and cell == memory[HINT]:
                order = Word(2**50)
            count = insert(memory, moves, count, MOVES_A_PLY, order << TEN | cell)
    return count


@compiled("int64(uint64[::1], uint64, int64, int64, int64, int64, int64, int64)")
def alphabeta(memory: Memory, colour: Word, value: int, empty: int, ply: int, depth: int, alpha: int, beta: int) -> int:
    """The score of plain minimax, fail-soft; `value` is the position's unclipped value for the side to move."""
    memory[PV_LENGTH + Word(ply)], memory[PV_LENGTH + Word(ply) + ONE] = ZERO, ZERO
    if must_stop(memory):
        return 0
    best = -2 * WIN
    count = write_moves(memory, colour, ply, depth)
    for done in range(count):
        cell = memory[w.EVERY_MOVE + Word(ply) * MOVES_A_PLY + Word(done)] & w.CELL
        if belongs(memory, cell, colour, w.FIVE):
            score = WIN - ply - 1
        elif empty == 1:
            score = 0
        elif depth == 1:  # The last stone is not laid: its gain suffices.
            score = max(-MOST, min(MOST, value + change(memory, cell, colour)))
        else:
            after = -(value + change(memory, cell, colour))
            place(memory, cell, colour)
            score = -alphabeta(memory, colour ^ ONE, after, empty - 1, ply + 1, depth - 1, -beta, -max(alpha, best))
            lift(memory)
        if depth == 1:
            memory[NODES] += ONE
        if memory[STOP] != ZERO:
            return 0
        if score > best:
            best = settle(memory, ply, cell, score)
            if best >= beta:
                break
    return best


class WindowsSearch(NegamaxSearch):
    """Plain alpha-beta, whose scores equal those of plain minimax. Not for renju or swap2."""

    def __init__(self, game: Gomoku, seed: int) -> None:
        self.game = game
        exact = game.rules.exact_five
        memory = allocate(game.size, (exact, exact), 1)
        super().__init__(
            lambda _, *window: alphabeta(memory, Word(self._colour), self.value, self._empty, *window), memory, seed
        )
        self._values = memory[int(w.VALUES) : int(w.CENTRE)].view(np.int64)
        self._values[:] = values()
        self._centre = memory[int(w.CENTRE) : int(w.EVERY_MOVE)].view(np.int64)
        away, inside = np.abs(np.arange(game.size) - game.size // 2), slice(w.BORDER, w.BORDER + game.size)
        self._centre.reshape(-1, w.WIDTH)[inside, inside] = game.size // 2 - np.maximum.outer(away, away)

    def _place(self, position: Position) -> None:
        """Loads the position, and adds up its windows."""
        memory, size = self.memory, self.game.size
        write_stones(memory, size, position.stones)
        self._colour = self.game.colour(position)
        self._empty = size * size - position.count
        stones, lines = memory[int(w.STONES) : int(w.LINES)], memory[int(w.LINES) : int(w.PATTERNS)]
        contents = lines[:, None] >> np.arange(0, 52, 2).astype(Word) & SEVEN_CELLS
        value = self._values[contents].sum() + self._centre @ (stones == 1) - self._centre @ (stones == 2)
        self.value = int(value) * (-1) ** self._colour
        """Value of the position for the side to move, before clipping."""

    def _decode(self, code: int) -> Move:
        return Move(w.index_of(code, self.game.size))
