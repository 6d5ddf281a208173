"""Counts the move sequences from a position in machine code."""

from __future__ import annotations

from agents.kernels.leaves import counted, leaves_of
from games.chess import Chess, Position
from games.chess.kernel.making import make_move
from games.chess.kernel.memory import allocate
from games.chess.kernel.negamax import all_written, final_score
from games.chess.kernel.placing import place, write_rules

leaves = leaves_of(__name__, final_score=final_score, write_moves=all_written, make=make_move)


def count(game: Chess, position: Position, depth: int) -> int | None:
    """Leaves in whole turns; None if the depth is too great."""
    memory = allocate(1)
    write_rules(memory, game)
    place(memory, position)
    return counted(leaves, memory, depth)
