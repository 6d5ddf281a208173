"""The layout of the one flat uint64 array that a search lives in, and what is written there at first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.heuristics import reversi as plain

Memory = NDArray[np.uint64]
Word = np.uint64

MAX_PLY = 200
"""Positions that may lie on one line: a proof's, and those of the searches that it asks for advice."""
MAX_MOVES = 36
"""More than any position has."""
STAGES = 10
"""Parts of the game, by discs, with weights of their own."""
STAGE_WORDS = 41_833
"""Words of one stage: 167,265 patterns, 64 mobilities and a constant, four weights a word."""

PATTERNS, WEIGHTED, STATIC = 0, 1, 2

STOP = Word(0)
"""Not 0: stop the search. Set from another thread."""
NODES = Word(1)
NODE_LIMIT = Word(2)
"""Positions that a search may visit; 0 is no limit."""
GENERATION = Word(3)
"""Tells entries of earlier searches from those of this one, up to 63."""
TABLE_SHIFT = Word(4)
NOISE = Word(5)
"""Shuffles equally promising root moves; 0 leaves their order."""
EXACT = Word(6)
"""Not 0: use only stored scores of exactly the same depth, so that the result equals plain minimax."""
JUDGE = Word(7)
"""What judges where a search ends: PATTERNS, the weighted FEATURES, or the WORTHS of squares."""
BEST_MOVE = Word(8)
"""The root's best move so far in this iteration as its square and 1; 0 is none yet."""
PASSED = Word(65)
"""BEST_MOVE of a pass."""
BEST_SCORE = Word(9)
HINT = Word(10)
"""The root move to search first as its square and 1; 0 is none."""

FEATURES = Word(16)
"""3 x 6 signed words: weights of corners, mobility, coin parity, edges, stability and true stability by stage."""
WORTHS = Word(40)
"""9 words: the squares that `static` finds worth -4 to 4."""
GROUPS_AT = Word(64)
"""46 words: which weights the board judged last chooses."""
LINE = Word(128)
"""The expected moves as squares and 1, PASSED for a pass."""
MOVES = LINE + Word(MAX_PLY)
"""Two words a move, MAX_MOVES moves a ply: order << 8 | square, and the discs it turns over."""
WEIGHTS = MOVES + Word(2 * MAX_MOVES * MAX_PLY)
"""The trained patterns, STAGE_WORDS a stage."""
TABLE = WEIGHTS + Word(STAGES * STAGE_WORDS)
"""2 words per entry: key, data."""


FEATURE_NAMES = ("corners", "mobility", "coin_parity", "edges", "stability", "true_stability")
HEURISTICS: tuple[str, ...] = ("adaptive", "stable", "static", *FEATURE_NAMES)
"""The plain heuristics that are computed in machine code too."""


def allocate(table_mb: int, heuristic: str, weights: Memory) -> Memory:
    """The memory of a search by a heuristic, "" for these pattern weights, with a table of so many mebibytes."""
    entry_bits = (table_mb * 2**20 // 16).bit_length() - 1
    memory = np.zeros(int(TABLE) + 2 * 2**entry_bits, dtype=np.uint64)
    memory[TABLE_SHIFT] = 64 - entry_bits
    memory[JUDGE] = {"": PATTERNS, "static": STATIC}.get(heuristic, WEIGHTED)
    memory[int(WEIGHTS) : int(TABLE)] = weights
    for index, worth in enumerate(range(-4, 5)):
        memory[int(WORTHS) + index] = sum(1 << square for square in range(64) if plain.TABLE[square] == worth)
    by_stage = {"adaptive": (plain.OPENING, plain.MIDDLE, plain.END), "stable": (plain.STABLE_WEIGHTS,) * 3}
    for stage, features in enumerate(by_stage.get(heuristic, ({heuristic: 1},) * 3)):
        for index, name in enumerate(FEATURE_NAMES):
            memory[int(FEATURES) + len(FEATURE_NAMES) * stage + index] = features.get(name, 0)
    return memory
