"""The moves that a compiled search generates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agents.kernels.memory import MOVES, Memory, Word
from agents.kernels.negamax import NegamaxSearch
from agents.kernels.table import CODE


def moves_of(search: NegamaxSearch, write_moves: Callable[[Memory, Word, int], Word], position: Any) -> tuple[Any, ...]:
    """In a position that is not over, in their order, by the `write_moves` of the search's game."""
    search.begin(position, None, exact=True)
    count = int(write_moves(search.memory, Word(0), 1))
    return tuple(search._decode(int(word & CODE)) for word in search.memory[int(MOVES) : int(MOVES) + count])
