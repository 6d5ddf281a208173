"""Counts the move sequences from a position in machine code."""

from __future__ import annotations

from agents.kernels.leaves import counted, leaves_of
from games.draughts import Draughts, Position
from games.draughts.kernel.memory import allocate
from games.draughts.kernel.negamax import all_written, final_score, make
from games.draughts.kernel.placing import place

leaves = leaves_of(__name__, final_score=final_score, write_moves=all_written, make=make)


def count(game: Draughts, position: Position, depth: int) -> int | None:
    """Leaves in whole turns; None if the depth is too great."""
    memory = allocate(game, 1)
    place(memory, game, position)
    return counted(leaves, memory, depth)
