"""Positions that come again, told by their keys: those of the game up to the root, then those on the way from it."""

from __future__ import annotations

from agents.kernels.compilation import compiled
from agents.kernels.loops import span
from agents.kernels.memory import EXACT, Memory, Word

ZERO, ONE, TWO = map(Word, (0, 1, 2))


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64)")
def times(memory: Memory, first: Word, root: Word, ply: Word, key: Word) -> Word:
    """How often a ply's position has come, now included: in the words from `first` to `root`, and since.

    What has come since the root counts twice, unless the search is exact: who got there once can do it again.
    """
    seen = ONE
    for word in span(first, root + ply):
        if memory[word] == key:
            seen += TWO if word >= root and memory[EXACT] == ZERO else ONE
    return seen
