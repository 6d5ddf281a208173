"""Layout of the flat uint64 array that holds a search's whole state; `allocate` fills in the rules."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import games.co_ganh as ganh
from games.co_ganh.board import JUMPS, NEIGHBOURS, PAIRS, bits_of

Memory = NDArray[np.uint64]
Word = np.uint64

MAX_PLY = 128
"""Plies below the root, quiescence included."""
MAX_MOVES = 128
"""More than any position has: sixteen men, eight ways each."""

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
"""Not 0: search every line to the same depth and nothing beyond, so that the result equals plain minimax."""
GENERATION = Word(8)
TABLE_SHIFT = Word(9)
FLIPS = Word(10)
"""Not 0: captured men change sides, men shut in too, and nobody jumps."""
FORCES = Word(11)
"""Not 0: a point left open between two enemy men must be entered."""

WEIGHTS = Word(12)
"""20 words: signed weights of the features, in the order of `evaluation`."""
AT_NEIGHBOURS = Word(32)
"""25 words: the points joined to each point."""
AT_LEAPT = Word(64)
"""25 words: the points over which a man of each point may leap and land on the board."""
AT_PAIRS = Word(96)
"""25 x 4 words: the pairs between which each point lies; the rest 0."""
HISTORY = Word(256)
"""2 x 1024 words: how often a move was good, by parity of the ply and move code."""
KILLERS = Word(2304)
"""2 words per ply: the last quiet moves that caused a cutoff there."""
PV_LENGTH = KILLERS + Word(2 * MAX_PLY)
PV = PV_LENGTH + Word(MAX_PLY + 1)
"""MAX_PLY words per ply: the best line from there."""
MOVES = PV + Word(MAX_PLY * (MAX_PLY + 1))
"""MAX_MOVES words per ply: order << 32 | move code."""
TABLE = MOVES + Word(MAX_PLY * MAX_MOVES)
"""2 words per entry: key, data."""


def allocate(game: ganh.CoGanh, table_mb: int) -> Memory:
    """Allocates a search's memory for the game's rules and a transposition table of at most `table_mb` MiB."""
    entry_bits = (table_mb * 2**20 // 16).bit_length() - 1
    memory = np.zeros(int(TABLE) + 2 * 2**entry_bits, dtype=np.uint64)
    memory[TABLE_SHIFT] = 64 - entry_bits
    memory[FLIPS] = game.rules.flips
    memory[FORCES] = game.rules.forces
    for cell in range(len(ganh.CELLS)):
        memory[int(AT_NEIGHBOURS) + cell] = NEIGHBOURS[cell]
        memory[int(AT_LEAPT) + cell] = bits_of(JUMPS[cell].values())
        start = int(AT_PAIRS) + 4 * cell
        memory[start : start + len(PAIRS[cell])] = PAIRS[cell]
    return memory
