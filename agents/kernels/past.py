"""Positions on the way from the root, and those of them and of the game before that come again, told by their keys."""

from __future__ import annotations

from agents.kernels.compilation import compiled
from agents.kernels.loops import span
from agents.kernels.memory import EXACT, FIRST_KEY, KEY, KEYS, ROOT_KEY, STATE, STATE_WORDS, Memory, Word

ZERO, ONE, TWO = map(Word, (0, 1, 2))


@compiled("uint64(uint64)", inlined=True)
def place_of(ply: Word) -> Word:
    """Where the words of a ply's position begin."""
    return STATE + ply * STATE_WORDS


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


@compiled("uint64(uint64[::1], uint64)", inlined=True)
def times_here(memory: Memory, ply: Word) -> Word:
    """The same for a ply's state with KEY and FIRST_KEY."""
    at, root = place_of(ply), KEYS + memory[ROOT_KEY]
    return times(memory, KEYS + memory[at + FIRST_KEY], root, ply, memory[at + KEY])
