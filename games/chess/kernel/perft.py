"""Counts the move sequences from a position in machine code."""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import compiled, signed
from agents.kernels.memory import EXACT, MAX_MOVES, MAX_PLY, MOVES
from agents.kernels.negamax import NOT_OVER
from agents.kernels.table import CODE
from games.chess import Chess, Position
from games.chess.kernel.making import make_move
from games.chess.kernel.memory import Memory, allocate
from games.chess.kernel.negamax import all_written, final_score
from games.chess.kernel.placing import place, write_rules

U = np.uint64
ONE, STRIDE = U(1), U(MAX_MOVES)


@compiled("int64(uint64[::1], uint64, int64)")
def leaves(memory: Memory, ply: np.uint64, depth: int) -> int:
    """Number of sequences of `depth` plies; games that end sooner do not count."""
    if final_score(memory, ply) != NOT_OVER:
        return 0
    count = all_written(memory, ply, depth)
    if depth <= 1:
        return signed(count)
    slot = MOVES + ply * STRIDE
    end = slot + count
    total = 0
    while slot < end:
        make_move(memory, ply, memory[slot] & CODE)
        total += leaves(memory, ply + ONE, depth - 1)
        slot += ONE
    return total


def count(game: Chess, position: Position, depth: int) -> int | None:
    """Leaves in whole turns; None if the depth is too great."""
    if depth <= 0:
        return 1
    if depth >= MAX_PLY:
        return None
    memory = allocate(1)
    memory[EXACT] = 1
    write_rules(memory, game)
    place(memory, position)
    return int(leaves(memory, U(0), depth))
