"""The transposition table: search results by position, kept between iterations and between moves.

An entry is two words, key and data: score + 2**23 | depth << 24 | bound << 31 | move code << 33 | generation << 48.
Entries live in pairs: the first keeps the deepest search, the second the latest.
"""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import compiled, signed
from agents.kernels.memory import GENERATION, TABLE, TABLE_SHIFT, Memory

U = np.uint64
ZERO, ONE, TWO, THREE = U(0), U(1), U(2), U(3)
SCORE, DEPTH, CODE, SIX_BITS = U(2**24 - 1), U(127), U(2**15 - 1), U(63)
AT_DEPTH, AT_BOUND, AT_MOVE, AT_GENERATION = U(24), U(31), U(33), U(48)
OFFSET = 2**23
EXACTLY, AT_LEAST, AT_MOST = U(1), U(2), U(3)
SPREAD = U(0x9E3779B97F4A7C15)


@compiled("uint64(uint64[::1], uint64)")
def pair_of(memory: Memory, key: np.uint64) -> np.uint64:
    """Index of the first word of a key's pair of entries."""
    slot: np.uint64 = memory[TABLE] + ((key * SPREAD) >> memory[TABLE_SHIFT] & ~ONE) * TWO
    return slot


@compiled("uint64(uint64[::1], uint64)")
def recall(memory: Memory, key: np.uint64) -> np.uint64:
    """The data stored for a key; 0 if there is none."""
    slot = pair_of(memory, key)
    data: np.uint64 = ZERO
    if memory[slot] == key:
        data = memory[slot + ONE]
    elif memory[slot + TWO] == key:
        data = memory[slot + THREE]
    return data


@compiled("void(uint64[::1], uint64, uint64, int64)")
def keep(memory: Memory, key: np.uint64, data: np.uint64, depth: int) -> None:
    """Stores data, all but depth and generation, over a shallower or older entry, else over the latest one."""
    slot = pair_of(memory, key)
    kept = memory[slot + ONE]
    aged = kept >> AT_GENERATION & SIX_BITS != memory[GENERATION]
    if memory[slot] != key and not aged and signed(kept >> AT_DEPTH & DEPTH) > depth:
        slot += TWO
    memory[slot] = key
    memory[slot + ONE] = data | U(depth) << AT_DEPTH | memory[GENERATION] << AT_GENERATION


@compiled("void(uint64[::1], uint64, int64, int64, uint64, uint64)")
def store(memory: Memory, key: np.uint64, score: int, depth: int, bound: np.uint64, move: np.uint64) -> None:
    """Stores a search result."""
    keep(memory, key, U(score + OFFSET) | bound << AT_BOUND | move << AT_MOVE, depth)
