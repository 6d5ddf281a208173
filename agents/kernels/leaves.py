"""Counts the move sequences from a position in machine code, by the functions of a game's search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agents.kernels.compilation import signed, specialised
from agents.kernels.loops import span
from agents.kernels.memory import MAX_PLY, MOVES, STRIDE, Memory, Word
from agents.kernels.negamax import NOT_OVER, final_score, make, write_moves
from agents.kernels.table import CODE

ONE = Word(1)


def leaves(memory: Memory, ply: Word, depth: int) -> int:
    """Number of sequences of `depth` plies; games that end sooner do not count."""
    if final_score(memory, ply) != NOT_OVER:
        return 0
    count = write_moves(memory, ply, depth)
    if depth <= 1:
        return signed(count)
    total, first = 0, MOVES + ply * STRIDE
    for slot in span(first, first + count):
        make(memory, ply, memory[slot] & CODE)
        total += leaves(memory, ply + ONE, depth - 1)
    return total


def counter(search: Callable[..., Any], module: str, **own: Any) -> Callable[[Any, Any, int], int | None]:
    """A game's `perft.count`, by the class of its search and its `final_score`, `write_moves` and `make`."""
    counted = specialised(leaves, "int64(uint64[::1], uint64, int64)", module, own)

    def count(game: Any, position: Any, depth: int) -> int | None:
        """Leaves in whole turns; None if the depth is too great."""
        if depth >= MAX_PLY:
            return None
        begun = search(game, 1, 0)
        begun.begin(position, None, exact=True)
        return 1 if depth <= 0 else int(counted(begun.memory, Word(0), depth))

    return count
