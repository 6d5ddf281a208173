"""The transposition table: search results by position, kept between searches and between moves.

An entry is two words, key and data. Entries live in pairs: the first keeps the greater effort, the second the latest.
Searches to a depth and proofs keep different data under different keys; both leave the top bits to the table:
generation << 48 | effort << 56, the effort a depth or a number of empty squares.
"""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import compiled
from games.reversi.kernel.memory import GENERATION, TABLE, TABLE_SHIFT, Memory

U = np.uint64
ZERO, ONE, TWO, THREE = U(0), U(1), U(2), U(3)
AT_GENERATION, AT_EFFORT, AT_MOVE = U(48), U(56), U(40)
SIX_BITS, BYTE = U(63), U(255)
FIRST, SECOND, THIRD = U(0x9E3779B97F4A7C15), U(0xC2B2AE3D27D4EB4F), U(0xD6E8FEB86659FD93)
HALF, HIGH = U(32), U(29)


@compiled("uint64(uint64, uint64)")
def position_key(mine: np.uint64, theirs: np.uint64) -> np.uint64:
    """A 64-bit hash of a position."""
    other = theirs * SECOND
    key = mine * FIRST ^ (other >> HALF | other << HALF)
    key = (key ^ key >> HALF) * THIRD
    return key ^ key >> HIGH


@compiled("uint64(uint64[::1], uint64)")
def recall(memory: Memory, key: np.uint64) -> np.uint64:
    """The data stored for a key; 0 if there is none."""
    slot = TABLE + (key >> memory[TABLE_SHIFT] & ~ONE) * TWO
    if memory[slot] == key:
        found: np.uint64 = memory[slot + ONE]
        return found
    if memory[slot + TWO] == key:
        later: np.uint64 = memory[slot + THREE]
        return later
    return ZERO


@compiled("void(uint64[::1], uint64, uint64, uint64)")
def store(memory: Memory, key: np.uint64, data: np.uint64, effort: np.uint64) -> None:
    """Stores data over an entry of no more effort or of an earlier search, else over the latest one."""
    slot = TABLE + (key >> memory[TABLE_SHIFT] & ~ONE) * TWO
    kept = memory[slot + ONE]
    aged = kept >> AT_GENERATION & SIX_BITS != memory[GENERATION]
    if memory[slot] != key and not aged and kept >> AT_EFFORT > effort:
        slot += TWO
    memory[slot] = key
    memory[slot + ONE] = data | memory[GENERATION] << AT_GENERATION | effort << AT_EFFORT
