"""A square lattice in perspective: fitted to a weave's segments from one place outwards."""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.combs import Comb
from vision.pose import project
from vision.round_men import find_round_men
from vision.segments import FRAME_PX, Weave

FloatArray = NDArray[np.float64]
Grey = NDArray[np.uint8]

REACHES = (2.5, 4.0, 6.0, 8.5, 12.0, 17.0, 24.0)
"""Cells around the start within which segments count, step by step: far lines are counted only when near ones fit."""
ON_LINE = 0.22
"""Distance from a line of the lattice, in cells, within which a segment is a piece of it."""
BLOCK = 5
"""Side of the square of cells in which the fit starts, that with most segments on lines."""
FEWEST = 12
"""Segments."""
MAN_CELLS = 1.5
"""How long a segment a man counts for."""
SOFT = 0.06
"""Distance, in cells, from which a segment loses weight."""
PRIOR = 2e-3


@dataclasses.dataclass(frozen=True, eq=False)
class Lattice:
    """Where whole coordinates are the crossings of a lattice; which of them is (0, 0) means nothing."""

    picture_from_lattice: FloatArray
    """(3, 3) homography."""
    middle: FloatArray
    """(2,) lattice coordinates around which its lines are."""
    strength: float
    """0 to 1: how well its comb was kept to."""


def fit_lattice(weave: Weave, comb: Comb, grey: Grey | None) -> Lattice | None:
    """The lattice that begins with the comb and follows segments, and men where `grey` shows them on its points.

    None where too little lies on it.
    """
    ends = np.concatenate([weave.across, weave.upright])
    axis = np.repeat([1, 0], [len(weave.across), len(weave.upright)])
    matrix = np.diag([1 / comb.gaps_px[0], 1 / comb.gaps_px[1], 1.0])
    matrix[:2, 2] = [-start / gap for start, gap in zip(comb.starts_px, comb.gaps_px, strict=True)]
    men = np.zeros((0, 2))
    if grey is not None:
        low, high = project(matrix, np.array([[0.0, 0.0], [FRAME_PX, FRAME_PX]]))
        men = find_round_men(grey, matrix @ weave.frame_from_picture, low, high)
        men = project(np.asarray(np.linalg.inv(matrix)), men) if len(men) else men
    # A man is on a line of either direction.
    ends = np.concatenate([ends, np.repeat(men[:, None], 2, axis=1), np.repeat(men[:, None], 2, axis=1)])
    axis = np.concatenate([axis, np.repeat([0, 1], len(men))])
    weights = np.concatenate([np.zeros(len(ends) - 2 * len(men)), np.full(2 * len(men), MAN_CELLS)])
    start = _start(_carried(matrix, ends), axis, weights)
    if start is None:
        return None
    for reach in REACHES:
        for _ in range(2):
            correction = _correction(_carried(matrix, ends), axis, weights, start, reach)
            if correction is None:
                return None
            matrix = correction @ matrix
    picture_from_lattice = np.linalg.inv(matrix @ weave.frame_from_picture)
    if not np.isfinite(picture_from_lattice).all():
        return None
    return Lattice(np.asarray(picture_from_lattice / picture_from_lattice[2, 2]), start, comb.strength)


def _carried(matrix: FloatArray, ends: FloatArray) -> FloatArray:
    return project(matrix, ends.reshape(-1, 2)).reshape(-1, 2, 2)


def _start(ends: FloatArray, axis: NDArray[np.intp], least: FloatArray) -> FloatArray | None:
    """The middle of the square of cells that holds most of the segments that lie on lines, less those that do not."""
    middles = ends.mean(axis=1)
    rows = np.arange(len(ends))
    at = middles[rows, axis]
    lengths = np.abs(ends[rows, 1, 1 - axis] - ends[rows, 0, 1 - axis])
    agreement = np.clip(lengths, least, BLOCK) * np.cos(2 * np.pi * at)
    low = np.floor(middles.min(axis=0)).astype(int) - 1
    extent = np.ceil(middles.max(axis=0)).astype(int) + 2 - low
    if (extent > 400).any():
        return None
    best, start = 0.0, None
    totals = []
    for one in (0, 1):
        of_axis = axis == one
        places = (middles[of_axis] - low).astype(int)
        field = np.zeros((extent[1], extent[0]))
        np.add.at(field, (places[:, 1], places[:, 0]), agreement[of_axis])
        totals.append(cv2.blur(field, (BLOCK, BLOCK), borderType=cv2.BORDER_CONSTANT))
    both = np.minimum(totals[0], totals[1])
    row, column = np.unravel_index(int(np.argmax(both)), both.shape)
    best = float(both[row, column])
    start = np.array([column, row]) + low + 0.5
    return start if best > 0 else None


def _correction(
    ends: FloatArray, axis: NDArray[np.intp], least: FloatArray, start: FloatArray, reach: float
) -> FloatArray | None:
    """The homography in lattice coordinates that brings segments near the start onto their lines.

    Linear least squares of a small homography, both ends of a segment each, with Cauchy weights.
    """
    rows = np.arange(len(ends))
    across = ends[rows, :, axis]
    line = np.rint(across.mean(axis=1))
    off = line[:, None] - across
    middles = ends.mean(axis=1)
    lengths = np.abs(ends[rows, 1, 1 - axis] - ends[rows, 0, 1 - axis])
    near = (np.abs(middles - start).max(axis=1) < reach) & (np.abs(off).max(axis=1) < ON_LINE) & (lengths < 3 * reach)
    if near.sum() < FEWEST or min((axis[near] == one).sum() for one in (0, 1)) < FEWEST // 3:
        return None
    points = (ends[near] - start) / reach
    u, v = points[..., 0].ravel(), points[..., 1].ravel()
    normal = np.repeat(axis[near], 2)
    nx, ny = (normal == 0).astype(float), (normal == 1).astype(float)
    radial = nx * u + ny * v
    design = np.stack([nx * u, nx * v, nx, ny * u, ny * v, ny, -u * radial, -v * radial], axis=1) * reach
    residuals = wanted = off[near].ravel()
    weights = np.repeat(np.sqrt(np.clip(lengths[near], least[near], 6.0)), 2)
    # The last two bend the lattice: a few cells cannot tell how.
    prior = np.diag([1, 1, 1, 1, 1, 1, 30.0, 30.0]) * reach**2 * PRIOR * weights.sum()
    solution = np.zeros(8)
    for _ in range(5):
        robust = weights / (1 + (residuals / SOFT) ** 2)
        solution = np.linalg.solve(design.T @ (design * robust[:, None]) + prior, design.T @ (robust * wanted))
        residuals = wanted - design @ solution
    scale = np.array([[1 / reach, 0, -start[0] / reach], [0, 1 / reach, -start[1] / reach], [0, 0, 1]])
    delta = np.append(solution, 0.0).reshape(3, 3)
    return np.asarray(np.linalg.inv(scale) @ (np.eye(3) + delta) @ scale)
