"""Counts the move sequences from a position in machine code."""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import compiled, signed
from agents.kernels.memory import EXACT, MAX_MOVES, MAX_PLY, MOVES
from agents.kernels.negamax import NOT_OVER
from agents.kernels.table import CODE
from games.draughts import Draughts, Position
from games.draughts.kernel.memory import Memory, allocate
from games.draughts.kernel.negamax import all_written, final_score, make
from games.draughts.kernel.placing import place

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
        make(memory, ply, memory[slot] & CODE)
        total += leaves(memory, ply + ONE, depth - 1)
        slot += ONE
    return total


def count(game: Draughts, position: Position, depth: int) -> int | None:
    """Leaves in whole turns; None if the depth is too great."""
    if depth <= 0:
        return 1
    if depth >= MAX_PLY:
        return None
    memory = allocate(game, 1)
    memory[EXACT] = 1
    place(memory, game, position)
    return int(leaves(memory, U(0), depth))
