"""ProbCut (Buro 1995): a shallow search predicts that a deep one leaves the window, and the deep one is left out.

A deep search's score is a shallow one's plus an error that is about normal. Both look an odd number of plies ahead, or
both an even one. `kibitzer bench reversi-errors` measures the errors.
"""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import compiled

MIN_DEPTH = 1
"""Plies from which a search may be cut: at one and two plies the evaluation itself is the shallow search."""
ERRORS = np.array([110, 151, 189, 218, 236, 294, 270, 333, 381, 531])
"""Standard deviation of the error of a search of 8 plies by stage of the game, in hundredths of a disc."""
BY_DEPTH = np.array([0, 1.1, 1.1, 1.0, 0.95, 1.0, 1.2, 1.25, 1.0, 0.95, 1.25])
"""The same by plies of the deep search, as a multiple; the last for deeper ones.

Up to a fifth wider than the errors measured last (2026-11-29, 400 positions): 0.9 1.0 0.9 0.9 0.85 1.15 1.05 1.0.
"""
CONFIDENCE = 1.0
"""Standard deviations by which the shallow score must leave the window: by the normal law 84 of 100 cuts are right."""
PROBES, GLANCED, GLANCE = 2, 8, 1.5
"""Probe 1 is the shallow search, probe 0 a glance of two or three plies before it, from GLANCED plies on; its margin is
GLANCE times as wide."""
DEPTHS = len(BY_DEPTH)
MARGINS = np.outer((CONFIDENCE * GLANCE, CONFIDENCE), np.outer(ERRORS, BY_DEPTH)).astype(np.int64).reshape(-1)


@compiled("int64(int64, int64)")
def shallow_depth(depth: int, probe: int) -> int:
    """Plies of the probe that predicts a search of `depth` plies; 0 is the evaluation alone."""
    if probe == 0:
        return 2 + depth % 2
    return 2 * (depth // 4) + depth % 2 if depth >= 4 else max(depth - 2, 0)
