"""Counts the move sequences from a position in machine code."""

from __future__ import annotations

from agents.kernels.leaves import counted, leaves_of
from games.co_ganh import CoGanh, Position
from games.co_ganh.kernel import state_of
from games.co_ganh.kernel.memory import allocate
from games.co_ganh.kernel.negamax import all_written, final_score, make, place

leaves = leaves_of(__name__, final_score=final_score, write_moves=all_written, make=make)


def count(game: CoGanh, position: Position, depth: int) -> int | None:
    """Leaves in whole turns; None if the depth is too great."""
    memory = allocate(game, 1)
    place(memory, *state_of(game, position))
    return counted(leaves, memory, depth)
