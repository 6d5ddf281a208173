"""The transposition table: search results by position, kept between iterations and between moves.

An entry is two words, key and data: score + 2**23 | depth << 24 | bound << 31 | move code << 33 | generation << 48.
Entries live in pairs: the first keeps the deepest search, the second the latest.
"""

from __future__ import annotations

from agents.kernels.compilation import compiled, signed
from agents.kernels.memory import GENERATION, TABLE, TABLE_SHIFT, Memory, Word

ZERO, ONE, TWO, THREE = map(Word, (0, 1, 2, 3))
SCORE, DEPTH, CODE, SIX_BITS = map(Word, (2**24 - 1, 127, 2**15 - 1, 63))
AT_DEPTH, AT_BOUND, AT_MOVE, AT_GENERATION = map(Word, (24, 31, 33, 48))
OFFSET = 2**23
EXACTLY, AT_LEAST, AT_MOST = map(Word, (1, 2, 3))
SPREAD = Word(0x9E3779B97F4A7C15)


@compiled("uint64(uint64[::1], uint64)")
def pair_of(memory: Memory, key: Word) -> Word:
    """Index of the first word of a key's pair of entries."""
    return Word(memory[TABLE] + ((key * SPREAD) >> memory[TABLE_SHIFT] & ~ONE) * TWO)


@compiled("uint64(uint64[::1], uint64)")
def recall(memory: Memory, key: Word) -> Word:
    """The data stored for a key; 0 if there is none."""
    slot = pair_of(memory, key)
    if memory[slot] == key:
        return Word(memory[slot + ONE])
    return Word(memory[slot + THREE]) if memory[slot + TWO] == key else ZERO


@compiled("void(uint64[::1], uint64, uint64, int64)")
def keep(memory: Memory, key: Word, data: Word, depth: int) -> None:
    """Stores data, all but depth and generation, over a shallower or older entry, else over the latest one."""
    slot = pair_of(memory, key)
    kept = memory[slot + ONE]
    aged = kept >> AT_GENERATION & SIX_BITS != memory[GENERATION]
    if memory[slot] != key and not aged and signed(kept >> AT_DEPTH & DEPTH) > depth:
        slot += TWO
    memory[slot] = key
    memory[slot + ONE] = data | Word(depth) << AT_DEPTH | memory[GENERATION] << AT_GENERATION


@compiled("void(uint64[::1], uint64, int64, int64, uint64, uint64)")
def store(memory: Memory, key: Word, score: int, depth: int, bound: Word, move: Word) -> None:
    """Stores a search result."""
    keep(memory, key, Word(score + OFFSET) | bound << AT_BOUND | move << AT_MOVE, depth)


@compiled("boolean(uint64, int64, int64, int64)", inlined=True)
def settles(known: Word, score: int, alpha: int, beta: int) -> bool:
    """Whether a stored score is exact, or is surely outside the window."""
    bound = known >> AT_BOUND & THREE
    return bool(bound == EXACTLY or (bound == AT_LEAST and score >= beta) or (bound == AT_MOST and score <= alpha))


@compiled("uint64(int64, int64, int64)", inlined=True)
def bound_of(best: int, lowest: int, beta: int) -> Word:
    """What a search from `lowest` to `beta` has shown the score to be to its best."""
    return AT_LEAST if best >= beta else EXACTLY if best > lowest else AT_MOST
