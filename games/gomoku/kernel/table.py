"""The table of `agents.kernels.table` with one place for each key: a second changes what the selective search finds."""

from __future__ import annotations

from agents.kernels.compilation import compiled, signed
from agents.kernels.memory import GENERATION, TABLE, Memory, Word
from agents.kernels.table import AT_BOUND, AT_DEPTH, AT_GENERATION, AT_MOVE, DEPTH, OFFSET, SIX_BITS
from games.gomoku.kernel import memory as w

ZERO, ONE, TWO = map(Word, (0, 1, 2))


@compiled("uint64(uint64[::1], uint64)")
def recall(memory: Memory, key: Word) -> Word:
    """The data stored for a key; 0 if there is none."""
    slot = memory[TABLE] + (key & memory[w.TABLE_MASK]) * TWO
    return Word(memory[slot + ONE]) if memory[slot] == key else ZERO


@compiled("void(uint64[::1], uint64, int64, int64, uint64, uint64)")
def store(memory: Memory, key: Word, score: int, depth: int, bound: Word, cell: Word) -> None:
    """Stores a result, unless the entry there is another position's, of this search and over three plies deeper."""
    slot = memory[TABLE] + (key & memory[w.TABLE_MASK]) * TWO
    kept = memory[slot + ONE]
    fresh = kept >> AT_GENERATION & SIX_BITS == memory[GENERATION]
    if memory[slot] != key and fresh and signed(kept >> AT_DEPTH & DEPTH) > depth + 3:
        return
    data = Word(score + OFFSET) | Word(depth) << AT_DEPTH | bound << AT_BOUND | cell << AT_MOVE
    memory[slot] = key
    memory[slot + ONE] = data | memory[GENERATION] << AT_GENERATION
