"""The transposition table of alpha-beta: two words per entry, key and data.

Data: score + 2**23 | depth << 24 | bound << 31 | cell << 33 | generation << 48.
"""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import compiled, signed
from agents.search import MAX_DEPTH, WIN
from games.gomoku.kernel.memory import GENERATION, KEY, SALTS, TABLE, TABLE_MASK, Memory

U = np.uint64
ZERO, ONE, TWO, THREE, FOUR = U(0), U(1), U(2), U(3), U(4)
SCORE, DEPTH, CELL, SIX_BITS = U(2**24 - 1), U(127), U(1023), U(63)
AT_DEPTH, AT_BOUND, AT_CELL, AT_GENERATION = U(24), U(31), U(33), U(48)
OFFSET = 2**23
EXACTLY, AT_LEAST, AT_MOST = U(1), U(2), U(3)
SURE = WIN - 4 * MAX_DEPTH
"""Scores beyond this are forced wins; the table stores them as distances from the stored position."""


@compiled("uint64(uint64[::1], uint64)")
def table_key(memory: Memory, colour: np.uint64) -> np.uint64:
    """Key of the stones and the side to move."""
    key: np.uint64 = memory[KEY] ^ memory[SALTS + FOUR + colour]
    return key


@compiled("uint64(uint64[::1], uint64)")
def recall(memory: Memory, key: np.uint64) -> np.uint64:
    """The data stored for a key; 0 if there is none."""
    slot = memory[TABLE] + (key & memory[TABLE_MASK]) * TWO
    data: np.uint64 = memory[slot + ONE] if memory[slot] == key else ZERO
    return data


@compiled("int64(uint64, int64)")
def score_of(data: np.uint64, ply: int) -> int:
    """The score of an entry, seen from the root."""
    score = signed(data & SCORE) - OFFSET
    if score > SURE:
        return score - ply
    return score + ply if score < -SURE else score


@compiled("void(uint64[::1], uint64, int64, int64, int64, uint64, uint64)")
def store(memory: Memory, key: np.uint64, score: int, ply: int, depth: int, bound: np.uint64, cell: np.uint64) -> None:
    """Stores a result, unless the entry there is another position's, of this search and over three plies deeper."""
    slot = memory[TABLE] + (key & memory[TABLE_MASK]) * TWO
    kept = memory[slot + ONE]
    fresh = kept >> AT_GENERATION & SIX_BITS == memory[GENERATION]
    if memory[slot] != key and fresh and signed(kept >> AT_DEPTH & DEPTH) > depth + 3:
        return
    if score > SURE:
        score += ply
    elif score < -SURE:
        score -= ply
    data = U(score + OFFSET) | U(max(depth, 0)) << AT_DEPTH | bound << AT_BOUND | cell << AT_CELL
    memory[slot] = key
    memory[slot + ONE] = data | memory[GENERATION] << AT_GENERATION
