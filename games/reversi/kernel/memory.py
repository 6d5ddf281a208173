"""Layout of the flat uint64 array that holds a search's whole state; `allocate` fills in its constants."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from games.reversi import heuristics as plain

Memory = NDArray[np.uint64]
Word = np.uint64

MAX_PLY = 200
"""Most positions on one line: those of a proof, and of the searches that it asks for advice."""
MAX_MOVES = 36
"""More moves than any position has."""
STAGES = 10
"""Stages of the game by number of discs, each with its own weights."""
STAGE_WORDS = 41_833
"""Words per stage: 167,265 patterns, 64 mobilities and a constant, four weights per word."""

PATTERNS, WEIGHTED, STATIC = 0, 1, 2

STOP = Word(0)
"""Not 0: stop the search. Set from another thread."""
NODES = Word(1)
NODE_LIMIT = Word(2)
"""Positions that a search may visit; 0 is no limit."""
GENERATION = Word(3)
"""Number of the search, 0 to 63, to distinguish its table entries from earlier ones."""
TABLE_SHIFT = Word(4)
NOISE = Word(5)
"""Shuffles equally promising root moves; 0 leaves their order."""
EXACT = Word(6)
"""Not 0: use only stored scores of exactly the same depth, so that the result equals plain minimax."""
SALT = Word(11)
"""Mixed into the keys of searches to a depth. Not 0: ProbCut may cut them; so they share no entries with exact ones."""
JUDGE = Word(7)
"""Evaluation at the horizon: PATTERNS, WEIGHTED (by FEATURES) or STATIC (by the WORTHS of squares)."""
BEST_MOVE = Word(8)
"""The root's best move so far in this iteration as square + 1; 0 is none yet."""
PASSED = Word(65)
"""Value of BEST_MOVE for a pass."""
BEST_SCORE = Word(9)
HINT = Word(10)
"""The root move to search first as square + 1; 0 is none."""

FEATURES = Word(16)
"""3 x 6 signed words: weights of corners, mobility, coin parity, edges, stability and true stability by stage."""
WORTHS = Word(40)
"""9 words: the sets of squares worth -4 to 4 in the heuristic `static`."""
GROUPS_AT = Word(64)
"""46 words: indices of the weights for the board evaluated last."""
LINE = Word(128)
"""The expected moves as square + 1, PASSED for a pass."""
MOVES = LINE + Word(MAX_PLY)
"""2 words per move, MAX_MOVES moves per ply: order << 16 | square, and the discs it turns over."""
WEIGHTS = MOVES + Word(2 * MAX_MOVES * MAX_PLY)
"""The trained patterns, STAGE_WORDS words per stage."""
TABLE = WEIGHTS + Word(STAGES * STAGE_WORDS)
"""2 words per entry: key, data."""


FEATURE_NAMES = ("corners", "mobility", "coin_parity", "edges", "stability", "true_stability")
HEURISTICS: tuple[str, ...] = ("adaptive", "stable", "static", *FEATURE_NAMES)
"""The plain heuristics that are also available in machine code."""


def allocate(table_mb: int, heuristic: str, weights: Memory) -> Memory:
    """Allocates memory for a search by a heuristic, "" for the patterns, with a table of at most `table_mb` MiB."""
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
