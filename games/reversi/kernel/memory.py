"""Layout of a search's memory beyond `agents.kernels.memory`; `allocate` fills in its constants."""

from __future__ import annotations

import numpy as np

from agents.kernels import memory as common
from agents.kernels.memory import OWN, Memory, Word
from games.reversi import heuristics as plain
from games.reversi.kernel.groups import CONSTANT, LANES, MOBILITY, TABLE

STAGES = 10
"""Stages of the game by number of discs, each with its own weights."""
STAGE_WORDS = 41_833
"""Words per stage of the file: 167,265 patterns, 64 mobilities and a constant, four weights per word."""

PATTERNS, WEIGHTED, STATIC = 0, 1, 2

JUDGE = OWN
"""Evaluation at the horizon: PATTERNS, WEIGHTED (by FEATURES) or STATIC (by the WORTHS of squares)."""
FEATURES = OWN + Word(1)
"""3 x 6 signed words: weights of corners, mobility, coin parity, edges, stability and true stability by stage."""
WORTHS = FEATURES + Word(3 * 6)
"""9 words: the sets of squares worth -4 to 4 in the heuristic `static`."""
ROWS = common.aligned(WORTHS + Word(9))
"""`groups.TABLE`, four numbers per word."""
WEIGHTS = ROWS + Word(8 * 256 * LANES // 4)
"""The trained patterns by stage, a byte each, in UNITs."""
MOBILITIES = WEIGHTS + Word(STAGES * STAGE_WORDS // 2)
"""64 words per stage: the worth of my moves minus theirs plus 32, with the stage's constant."""
END = MOBILITIES + Word(STAGES * 64)
UNIT = 8
"""Hundredths of a disc. Rounded to it, a value of 46 weights errs by 16 of them, a twentieth of what it errs by anyway;
what does not fit a byte are 695 of 1.7 million weights. Half as long, they stay in the cache."""

FEATURE_NAMES = ("corners", "mobility", "coin_parity", "edges", "stability", "true_stability")
TRAINED = "reversi_patterns"


def allocate(table_mb: int, heuristic: str = "", weights: Memory | None = None) -> Memory:
    """Allocates memory for a search by a heuristic, "" for the patterns, with a table of at most `table_mb` MiB.

    Raises WeightsError if no weights are given and the trained ones cannot be read.
    """
    memory = common.allocate(END, table_mb, noise_bits=8)
    memory[JUDGE] = {"": PATTERNS, "static": STATIC}.get(heuristic, WEIGHTED)
    memory[int(ROWS) : int(WEIGHTS)] = TABLE.reshape(-1).view(Word)
    trained = (common.trained(TRAINED) if weights is None else weights).view(np.int16).reshape(STAGES, -1)
    units = np.clip(np.rint(trained / UNIT), -127, 127).astype(np.int8)
    memory[int(WEIGHTS) : int(MOBILITIES)] = units.reshape(-1).view(Word)
    mobilities = trained[:, MOBILITY:CONSTANT] + trained[:, CONSTANT : CONSTANT + 1]
    memory[int(MOBILITIES) : int(END)] = mobilities.reshape(-1).astype(np.int64).view(Word)
    worths = (sum(1 << square for square in range(64) if plain.TABLE[square] == worth) for worth in range(-4, 5))
    common.write(memory, WORTHS, worths)
    by_stage: dict[str, tuple[plain.Weights, ...]] = {
        "adaptive": (plain.OPENING, plain.MIDDLE, plain.END),
        "stable": (plain.STABLE_WEIGHTS,) * 3,
    }
    by_stage |= {f"{name}_truly": tuple(map(plain.truly, stages)) for name, stages in by_stage.items()}
    stages = by_stage.get(heuristic, ({heuristic: 1},) * 3)
    common.write(memory, FEATURES, (features.get(name, 0) for features in stages for name in FEATURE_NAMES))
    return memory
