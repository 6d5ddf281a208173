"""The board's points, lines and sixteen symmetries, as arrays of indices into `CELLS`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.morris_networks import POINTS
from games.nine_mens_morris import CELLS, lines

LINES: NDArray[np.intp] = np.array(lines(diagonals=False), dtype=np.intp)
"""(16, 3): every line from one end to the other."""


def _neighbours() -> NDArray[np.bool_]:
    joined = np.zeros((POINTS, POINTS), dtype=np.bool_)
    for a, b, c in LINES:
        joined[[a, b, b, c], [b, a, c, b]] = True
    return joined


def _third() -> NDArray[np.intp]:
    third = np.full((POINTS, POINTS), POINTS, dtype=np.intp)
    for line in LINES:
        for a, b, c in (line, np.roll(line, 1), np.roll(line, 2)):
            third[a, b] = third[b, a] = c
    return third


def _symmetries() -> NDArray[np.intp]:
    """All rotations and reflections of the square, each with the outer and inner ring kept and exchanged."""
    offsets = {("abcdefg".index(name[0]) - 3, int(name[1]) - 4): cell for cell, name in enumerate(CELLS)}
    found = []
    for swapped in (False, True):
        for mirrored in (False, True):
            for quarters in range(4):
                row = []
                for x, y in offsets:
                    ring = max(abs(x), abs(y))
                    ring = 4 - ring if swapped else ring
                    u, v = np.sign(x) * ring * (-1 if mirrored else 1), np.sign(y) * ring
                    for _ in range(quarters):
                        u, v = -v, u
                    row.append(offsets[int(u), int(v)])
                found.append(row)
    return np.array(found, dtype=np.intp)


def _orbits(pairs: NDArray[np.intp]) -> NDArray[np.intp]:
    """A number for each row of points, equal where a symmetry maps one row to the other."""
    images = SYMMETRIES[:, pairs]
    keys = (images * POINTS ** np.arange(pairs.shape[1])).sum(axis=2).min(axis=0)
    return np.asarray(np.unique(keys, return_inverse=True)[1]).reshape(-1)


NEIGHBOURS = _neighbours()
"""(24, 24): whether two points are joined."""
THIRD = _third()
"""(24, 24): the point that completes a line with two others; 24 if no line holds both."""
SYMMETRIES = _symmetries()
"""(16, 24): image of each point; the first is the identity."""
POINT_KINDS = _orbits(np.arange(POINTS)[:, None])
"""(24,): orbit of each point, 0 to 3; points that a symmetry exchanges have the same number."""
PAIR_KINDS = _orbits(
    np.stack(np.meshgrid(range(POINTS), range(POINTS), indexing="ij"), axis=-1).reshape(-1, 2)
).reshape(POINTS, POINTS)
"""(24, 24): orbit of each ordered pair of points; pairs that a symmetry exchanges have the same number."""
