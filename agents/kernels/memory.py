"""Layout of the flat uint64 array that holds a search's whole state: the part that all searches by `negamax` share.

A game's own words begin at OWN; after them comes the transposition table, whose start is in TABLE.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from system.weights import find_weights

Memory = NDArray[np.uint64]
Word = np.uint64

MAX_PLY = 128
"""Plies below the root, with what is searched beyond the horizon."""
MAX_MOVES = 1000
"""More moves than any position has. No power of two, by which the plies' moves would share lines of the cache."""
LINE, STRIDE, STATE_WORDS = map(Word, (MAX_PLY, MAX_MOVES, 16))
"""Words of a ply in PV, in MOVES and in STATE."""
MAX_KEYS = 1024
"""Positions of the game in KEYS at most: of a longer game without a capture the first are forgotten."""

STOP = Word(0)
"""Not 0: stop the search. Set from another thread."""
NODES = Word(1)
NODE_LIMIT = Word(2)
"""Positions that a search may visit; 0 is no limit."""
BEST_MOVE = Word(3)
"""Code of the root's best move so far in this iteration; 0 is none yet."""
BEST_SCORE = Word(4)
HINT = Word(5)
"""Code of the root move to search first."""
NOISE = Word(6)
"""Shuffles equally promising root moves; 0 leaves their order."""
EXACT = Word(7)
"""Not 0: use only stored scores of exactly the same depth and search every line to it, so that the result equals plain
minimax."""
GENERATION = Word(8)
SALT = Word(9)
"""Mixed into stored keys: what decides scores besides the position."""
TABLE = Word(10)
"""Start of the transposition table: 2 words per entry, key and data."""
TABLE_SHIFT = Word(11)
NOISE_SHIFT = Word(12)
"""64 less the bits of the noise."""
ROOT_KEY = Word(13)
"""Index in KEYS of the root's position."""
HISTORY = Word(16)
"""2 x 1024 words: how often a quiet move was good, by parity of the ply and the low ten bits of its code."""
KILLERS = HISTORY + Word(2 * 1024)
"""2 words per ply: the last quiet moves that caused a cutoff there."""
PV_LENGTH = KILLERS + Word(2 * MAX_PLY)
PV = PV_LENGTH + Word(MAX_PLY + 1)
"""LINE words per ply: the best line from there."""
MOVES = PV + Word(MAX_PLY * (MAX_PLY + 1))
"""STRIDE words per ply: order << 32 | move code."""
STATE = MOVES + Word(MAX_PLY * MAX_MOVES)
"""STATE_WORDS words per ply: the position there, in the game's own form."""
KEY, FIRST_KEY = Word(14), Word(15)
"""Last words of a state, for `past`: its hash, and the index in KEYS of the first position that it may repeat."""
KEYS = STATE + STATE_WORDS * Word(MAX_PLY)
"""Hashes of earlier positions and of those on the way to the present one."""
OWN = KEYS + Word(MAX_KEYS + MAX_PLY)
CACHE_LINE = 8
"""Words that a processor fetches at a time."""


def aligned(word: Word) -> Word:
    """The first word from this one on that begins a cache line."""
    return Word(-(-int(word) // CACHE_LINE) * CACHE_LINE)


def zeros(words: int) -> Memory:
    """So many words, the first at the beginning of a cache line."""
    room = np.zeros(words + CACHE_LINE, dtype=np.uint64)
    return room[-room.ctypes.data % (8 * CACHE_LINE) // 8 :][:words]


def allocate(end: Word, table_mb: int, noise_bits: int) -> Memory:
    """Allocates a search's memory: its words before `end`, and a transposition table of at most `table_mb` MiB."""
    entry_bits, table = (table_mb * 2**20 // 16).bit_length() - 1, aligned(end)
    memory = zeros(int(table) + 2 * 2**entry_bits)
    memory[TABLE], memory[TABLE_SHIFT], memory[NOISE_SHIFT] = table, 64 - entry_bits, 64 - noise_bits
    return memory


def write(memory: Memory, word: Word, values: Iterable[int]) -> None:
    """Writes numbers, which may be negative, from a word on."""
    for place, value in enumerate(values):
        memory[int(word) + place] = int(value) % 2**64


@functools.cache
def trained(name: str) -> Memory:
    """The weights in a file of `models/`, four of 16 bits per word. Raises WeightsError."""
    with np.load(find_weights(name).path) as stored:
        return np.ascontiguousarray(stored["weights"].reshape(-1)).view(Word)


def begin_search(memory: Memory, nodes: int = 0) -> None:
    """Starts a search of at most that many positions, 0 is no limit; its results replace those of earlier ones."""
    memory[[STOP, NODES]] = 0
    memory[NODE_LIMIT] = nodes
    memory[GENERATION] = (int(memory[GENERATION]) + 1) % 64
