"""Counts the move sequences from a position in machine code."""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import compiled
from games.co_ganh import CoGanh, Position
from games.co_ganh.kernel.board import captured, opening
from games.co_ganh.kernel.memory import FLIPS, MAX_MOVES, MAX_PLY, MOVES, Memory, allocate
from games.co_ganh.kernel.moves import can_move, write_moves

U = np.uint64
ZERO, ONE, FIVE, CELL = U(0), U(1), U(5), U(31)
STRIDE = U(MAX_MOVES)


@compiled("int64(uint64[::1], uint64, uint64, uint64, int64, int64, int64)")
def leaves(
    memory: Memory, mine: np.uint64, theirs: np.uint64, opened: np.uint64, remaining: int, depth: int, ply: int
) -> int:
    """Number of sequences of `depth` plies; games that end sooner do not count."""
    if mine == ZERO or theirs == ZERO or remaining <= 0 or not can_move(memory, mine, theirs):
        return 0
    here = U(ply)
    count = write_moves(memory, mine, theirs, opened, here, False)
    if depth <= 1:
        return np.int64(count)  # type: ignore[return-value]
    slot = MOVES + here * STRIDE
    end = slot + count
    total = 0
    while slot < end:
        to, origin = memory[slot] & CELL, memory[slot] >> FIVE & CELL
        taken = captured(memory, mine, theirs, origin, to)
        own = mine ^ (ONE << origin) ^ (ONE << to)
        if memory[FLIPS] != ZERO:
            own |= taken
        enemy = theirs & ~taken
        total += leaves(memory, enemy, own, opening(memory, own, enemy, origin), remaining - 1, depth - 1, ply + 1)
        slot += ONE
    return total


def count(game: CoGanh, position: Position, depth: int) -> int | None:
    """Leaves in whole turns; None if the depth is too great."""
    if depth <= 0:
        return 1
    if depth >= MAX_PLY:
        return None
    memory = allocate(game, 1)
    side = position.side
    opened = U(0) if position.opened is None else U(1 << position.opened)
    men = U(position.men[side]), U(position.men[1 - side])
    return int(leaves(memory, *men, opened, game.rules.limit - position.ply, depth, 0))
