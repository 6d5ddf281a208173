"""Chooses the part of a lattice that is the board: the window whose lines are seen and do not continue beyond it."""

from __future__ import annotations

import dataclasses

import numpy as np

from calibration.arrays import FloatArray
from vision.finding.lattice_evidence import Evidence

RIGHT, DOWN, LEFT, UP = range(4)
MAN = 3.0
"""Weight of a man on a point, in arms."""


@dataclasses.dataclass(frozen=True)
class Window:
    left: int
    top: int
    """Lattice coordinates of its first column and row."""
    score: float
    """Share of what an empty board with all lines clear would show, 0 to 1; -1 if all that is seen is against it."""
    lead: float
    """Lead over the best window elsewhere, in arms per point of a side; a man counts for several."""
    weakest_side: float
    """-1 to 1: evidence for the outermost line, and for the lines that lead to it, on the weakest side."""
    beyond: float
    """-1 to 1: evidence for lines continuing outside the window, on the side where it is strongest; -1 for none."""


def best_window(evidence: Evidence, columns: int, rows: int) -> Window | None:
    """The likeliest window with that many columns and rows of points; None where there is no room for one."""
    height, width = evidence.men.shape
    if height < rows or width < columns:
        return None
    scores = _scores(evidence, columns, rows)
    if not np.isfinite(scores).any():
        return None
    row, column = (int(value) for value in np.unravel_index(int(np.argmax(scores)), scores.shape))
    score = float(scores[row, column])
    scores[row, column] = -1.0
    sides, beyond = _sides(evidence, column, row, columns, rows)
    return Window(
        column + evidence.origin[0],
        row + evidence.origin[1],
        score / (4 * columns * rows),  # each point of an empty board whose lines are clear has four arms for it
        (score - float(scores.max())) / max(columns, rows),
        min(sides),
        max(beyond),
    )


def _scores(evidence: Evidence, columns: int, rows: int) -> FloatArray:
    """(rows, columns) score of each window, by its first point; -inf where a point is not in the picture."""
    arms, men = evidence.arms, evidence.men
    total = _box(arms.sum(axis=2) + MAN * men, columns, rows)
    out = [
        _box(arms[..., LEFT], 1, rows)[:, : total.shape[1]],
        _box(arms[..., RIGHT], 1, rows)[:, columns - 1 :],
        _box(arms[..., UP], columns, 1)[: total.shape[0]],
        _box(arms[..., DOWN], columns, 1)[rows - 1 :],
    ]
    scores = total - 2 * sum(out)  # an arm that leaves the window speaks against it as one inside it does for it
    return np.where(_box(evidence.seen.astype(float), columns, rows) > columns * rows - 0.5, scores, -np.inf)


def _box(values: FloatArray, columns: int, rows: int) -> FloatArray:
    """Sums over all windows of that size."""
    sums = np.pad(values, ((1, 0), (1, 0))).cumsum(axis=0).cumsum(axis=1)
    return np.asarray(sums[rows:, columns:] - sums[:-rows, columns:] - sums[rows:, :-columns] + sums[:-rows, :-columns])


def _sides(evidence: Evidence, column: int, row: int, columns: int, rows: int) -> tuple[list[float], list[float]]:
    """For the right, lower, left and upper side: evidence for its line and the lines to it, and for lines beyond it."""
    inside = (slice(row, row + rows), slice(column, column + columns))
    arms, men = evidence.arms[inside], evidence.men[inside]
    sides, beyond = [], []
    for out, along in ((RIGHT, 0), (DOWN, 1), (LEFT, 0), (UP, 1)):
        rim, before = (-1, -2) if out in (RIGHT, DOWN) else (0, 1)
        line, inner = (arms[:, rim], arms[:, before]) if along == 0 else (arms[rim], arms[before])
        standing = men[:, rim] if along == 0 else men[rim]
        back = (out + 2) % 4
        runs = (UP, DOWN) if along == 0 else (LEFT, RIGHT)
        parts = np.concatenate([line[1:, runs[0]], line[:-1, runs[1]], line[:, back], inner[:, out], standing])
        known = np.abs(parts).sum()
        sides.append(float(parts.sum() / max(known, 0.25 * len(parts))))
        outward = line[:, out]
        beyond.append(float(outward.sum() / max(np.abs(outward).sum(), 0.25 * len(outward))))
    return sides, beyond
