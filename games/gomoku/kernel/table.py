"""The table of `agents.kernels.table` with one place for each key: a second changes what the selective search finds."""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import compiled, signed
from agents.kernels.memory import GENERATION, TABLE, Memory
from agents.kernels.table import AT_BOUND, AT_DEPTH, AT_GENERATION, AT_MOVE, DEPTH, OFFSET, SIX_BITS
from games.gomoku.kernel import memory as w

U = np.uint64
ZERO, ONE, TWO = U(0), U(1), U(2)


@compiled("uint64(uint64[::1], uint64)")
def recall(memory: Memory, key: np.uint64) -> np.uint64:
    """The data stored for a key; 0 if there is none."""
    slot = memory[TABLE] + (key & memory[w.TABLE_MASK]) * TWO
    data: np.uint64 = memory[slot + ONE] if memory[slot] == key else ZERO
    return data


@compiled("void(uint64[::1], uint64, int64, int64, uint64, uint64)")
def store(memory: Memory, key: np.uint64, score: int, depth: int, bound: np.uint64, cell: np.uint64) -> None:
    """Stores a result, unless the entry there is another position's, of this search and over three plies deeper."""
    slot = memory[TABLE] + (key & memory[w.TABLE_MASK]) * TWO
    kept = memory[slot + ONE]
    fresh = kept >> AT_GENERATION & SIX_BITS == memory[GENERATION]
    if memory[slot] != key and fresh and signed(kept >> AT_DEPTH & DEPTH) > depth + 3:
        return
    data = U(score + OFFSET) | U(depth) << AT_DEPTH | bound << AT_BOUND | cell << AT_MOVE
    memory[slot] = key
    memory[slot + ONE] = data | memory[GENERATION] << AT_GENERATION
