"""Counts the move sequences from a position in machine code, by the functions of a game's search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from agents.kernels.compilation import signed, specialised
from agents.kernels.memory import EXACT, MAX_MOVES, MAX_PLY, MOVES, Memory
from agents.kernels.negamax import NOT_OVER, final_score, make, write_moves
from agents.kernels.table import CODE

U = np.uint64
ONE, STRIDE = U(1), U(MAX_MOVES)


def leaves(memory: Memory, ply: np.uint64, depth: int) -> int:
    """Number of sequences of `depth` plies; games that end sooner do not count."""
    if final_score(memory, ply) != NOT_OVER:
        return 0
    count = write_moves(memory, ply, depth)
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


Leaves = Callable[[Memory, np.uint64, int], int]


def leaves_of(module: str, **own: Any) -> Leaves:
    """`leaves` with a game's `final_score`, `write_moves` and `make`."""
    made: Leaves = specialised(leaves, "int64(uint64[::1], uint64, int64)", module, own)
    return made


def counted(leaves: Leaves, memory: Memory, depth: int) -> int | None:
    """Leaves in whole turns of the position that lies in the memory; None if the depth is too great."""
    if depth >= MAX_PLY:
        return None
    memory[EXACT] = 1
    return 1 if depth <= 0 else int(leaves(memory, U(0), depth))
