"""ProbCut (Buro 1995): a shallow search predicts that a deep one leaves the window, and the deep one is left out.

A deep search's score is a shallow one's plus an error that is about normal. Both look an odd number of plies ahead, or
both an even one. `python -m tests.bench.reversi_errors` measures ERRORS.
"""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import compiled

MIN_DEPTH = 3
"""Plies from which a search may be cut."""
ERRORS = np.array([0, 0, 0, 340, 280, 270, 390, 380, 340, 320, 420], dtype=np.int64)
"""Standard deviation of the error in hundredths of a disc, by plies of the deep search; the last for deeper ones."""
CONFIDENCE = 1.3
"""Standard deviations by which the shallow score must leave the window: the cut is then right in 90 of 100 cases."""
MARGINS = (CONFIDENCE * ERRORS).astype(np.int64)


@compiled("int64(int64)")
def shallow_depth(depth: int) -> int:
    """Plies of the search that predicts one of `depth` plies."""
    return 2 * (depth // 4) + depth % 2 if depth >= 4 else depth - 2


@compiled("int64(int64)")
def margin(depth: int) -> int:
    """By how much a shallow score must leave the window, in hundredths of a disc."""
    value: int = MARGINS[min(depth, len(MARGINS) - 1)]
    return value
