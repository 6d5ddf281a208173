"""A square lattice seen in perspective, fitted to a weave's segments outwards from one place."""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np

from calibration.arrays import FloatArray, Grey, Indices
from vision.finding.lattice_evidence import Evidence
from vision.pose import FEWEST, project
from vision.primitives.combs import Comb
from vision.primitives.round_men import find_round_men
from vision.primitives.segments import FRAME_PX, Weave

REACHES = (2.5, 4.0, 6.0, 8.5, 12.0, 17.0, 24.0)
"""Cells from the start within which segments count, step by step: far lines are used only once near ones fit."""
WIDE = (8.5, 12.0, 24.0)
"""The same for a start known more exactly than a few cells could determine it."""
ON_LINE = 0.22
"""Cells, distance from a line of the lattice within which a segment is a piece of it."""
BLOCK = 5
"""Cells, side of the square in which the fit starts: the one with most segments on lines. Within that distance of it,
too few segments for a fit are tolerated."""
PIECE_CELLS = 2.0
"""Cells, greatest length of the pieces that segments are cut into."""
MAN_CELLS = 1.5
"""Cells, length of the segment that a man counts for."""
MAN_BESIDE_LINES = 0.02
"""Least weight of a man in a refit, where an arm of a crossing counts for 1."""
MEN_BESIDE_LINES = 60.0
"""Weight of all men together in a refit, at most 1 each: a few lines do not show where the others are."""
CLEARLY = 0.5
"""Evidence above which an arm is certainly a line."""
ARM_AT = 0.3
"""Cells from a point to the place where its arms are measured."""
SOFT = 0.06
"""Cells, distance from its line at which a segment loses weight."""
PRIOR = 2e-3


@dataclasses.dataclass(frozen=True, eq=False)
class Pieces:
    """Segments and men that may lie on the lines of a lattice, in pixels of the picture."""

    ends: FloatArray
    """(n, 2, 2) end points of segments, or a man's middle twice."""
    axis: Indices
    """(n,) 0 for an upright line, 1 for one across; a man has an entry for each."""
    cells: FloatArray
    """(n,) least length, in cells, that it counts for."""


@dataclasses.dataclass(frozen=True, eq=False)
class Lattice:
    """A lattice whose crossings have whole coordinates; which of them is (0, 0) is arbitrary."""

    picture_from_lattice: FloatArray
    middle: FloatArray
    """(2,) lattice coordinates of the place around which it was fitted."""
    pieces: Pieces

    @property
    def men_px(self) -> FloatArray:
        """(n, 2) middles of round men, some of which may stand on its points."""
        return np.asarray(self.pieces.ends[(self.pieces.cells > 0) & (self.pieces.axis == 0), 0])


def fit_lattice(weave: Weave, comb: Comb, grey: Grey | None) -> Lattice | None:
    """Fits a lattice, starting from the comb, to segments and, if `grey` is given, to the round men seen in it.

    None where too little lies on the lattice.
    """
    matrix = np.diag([1 / comb.gaps_px[0], 1 / comb.gaps_px[1], 1.0])
    matrix[:2, 2] = [-start / gap for start, gap in zip(comb.starts_px, comb.gaps_px, strict=True)]
    low, high = project(matrix, np.array([[0.0, 0.0], [FRAME_PX, FRAME_PX]]))
    matrix = np.asarray(matrix @ weave.frame_from_picture)
    men = np.zeros((0, 2)) if grey is None else find_round_men(grey, matrix, low, high)
    if comb.by_men and len(men) >= FEWEST:
        # The men's usual place within a cell, -0.5 to 0.5: the mean on a circle.
        moved = np.angle(np.exp(2j * np.pi * men).mean(axis=0)) / (2 * np.pi)
        matrix, men = np.array([[1, 0, -moved[0]], [0, 1, -moved[1]], [0, 0, 1.0]]) @ matrix, men - moved
    pieces = _pieces(weave, project(np.asarray(np.linalg.inv(matrix)), men) if len(men) else men, comb)
    start = _start(_carried(matrix, pieces.ends), pieces)
    if start is None:
        return None
    grown = [_grown(matrix, pieces, start, reaches) for reaches in (REACHES, WIDE)]
    fits = [fit for fit in grown if fit is not None]
    if not fits:
        return None
    return _lattice(max(fits, key=lambda fit: _support(fit, pieces, start)), start, pieces)


def _grown(matrix: FloatArray, pieces: Pieces, start: FloatArray, reaches: tuple[float, ...]) -> FloatArray | None:
    """The matrix fitted within growing distances of the start; None where too little lies on its lines."""
    for reach in reaches:
        for _ in range(2):
            correction = _correction(_carried(matrix, pieces.ends), pieces, start, reach)
            if correction is None and reach > BLOCK:
                return None
            matrix = matrix if correction is None else np.asarray(correction @ matrix)
    return matrix


def _support(matrix: FloatArray, pieces: Pieces, start: FloatArray) -> float:
    """Cells of length that lie on lines, less those that lie between them."""
    ends = _carried(matrix, pieces.ends)
    rows = np.arange(len(ends))
    across, along = ends[rows, :, pieces.axis], ends[rows, :, 1 - pieces.axis]
    near = (np.abs(ends.mean(axis=1) - start).max(axis=1) < REACHES[-1]) & (np.ptp(across, axis=1) < 0.5)
    lengths = np.clip(np.ptp(along, axis=1), pieces.cells, BLOCK)
    return float((lengths * np.cos(2 * np.pi * across.mean(axis=1)))[near].sum())


def refit_lattice(lattice: Lattice, evidence: Evidence, low: FloatArray, high: FloatArray) -> Lattice:
    """The lattice refitted to the lines seen between two of its points; men count little, as they appear displaced."""
    matrix = np.asarray(np.linalg.inv(lattice.picture_from_lattice))
    middle, reach = (low + high) / 2, float((high - low).max()) / 2 + 1
    ends, axis = _seen_lines(evidence, low, high)
    men = lattice.pieces.ends[lattice.pieces.cells > 0]
    men_at = _carried(matrix, men) if len(men) else men
    inside = ((men_at > low - 0.5) & (men_at < high + 0.5)).all(axis=(1, 2))
    man = float(np.clip(MEN_BESIDE_LINES / max(inside.sum(), 1), MAN_BESIDE_LINES, 1.0))
    cells = np.repeat([1.0, man], [len(ends), inside.sum()])
    both = np.concatenate([ends, men_at[inside]])
    pieces = Pieces(both, np.concatenate([axis, lattice.pieces.axis[lattice.pieces.cells > 0][inside]]), cells)
    correction = _correction(both, pieces, middle, reach)
    if correction is None:
        return lattice
    return _lattice(correction @ matrix, lattice.middle, lattice.pieces) or lattice


def _seen_lines(evidence: Evidence, low: FloatArray, high: FloatArray) -> tuple[FloatArray, Indices]:
    """Points on the clear arms within a window, each twice, in lattice coordinates; and the axis of their lines."""
    rows, columns, arms = np.nonzero(evidence.arms > CLEARLY)
    points = np.stack([columns, rows], axis=1) + np.array(evidence.origin)
    inside = ((points >= low) & (points <= high)).all(axis=1)
    rows, columns, arms, points = rows[inside], columns[inside], arms[inside], points[inside].astype(np.float64)
    along = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])[arms]
    across = np.abs(along[:, ::-1])
    points = points + ARM_AT * along + evidence.aside[rows, columns, arms, None] * across
    return np.repeat(points[:, None], 2, axis=1), np.where(arms % 2 == 0, 1, 0)


def _lattice(matrix: FloatArray, middle: FloatArray, pieces: Pieces) -> Lattice | None:
    picture_from_lattice = np.linalg.inv(matrix)
    if not np.isfinite(picture_from_lattice).all():
        return None
    return Lattice(np.asarray(picture_from_lattice / picture_from_lattice[2, 2]), middle, pieces)


def _pieces(weave: Weave, men: FloatArray, comb: Comb) -> Pieces:
    segments = zip((weave.across, weave.upright), comb.gaps_px, strict=True)
    across, upright = (_cut(ends, PIECE_CELLS * gap_px) for ends, gap_px in segments)
    ends = _carried(np.asarray(np.linalg.inv(weave.frame_from_picture)), np.concatenate([across, upright]))
    axis = np.repeat([1, 0, 0, 1], [len(across), len(upright), len(men), len(men)])
    middles = np.repeat(men[:, None], 2, axis=1)
    cells = np.repeat([0.0, MAN_CELLS], [len(ends), 2 * len(men)])
    return Pieces(np.concatenate([ends, middles, middles]), axis, cells)


def _cut(segments: FloatArray, longest_px: float) -> FloatArray:
    """The segments cut into pieces so short that the fit can begin with a few cells."""
    lengths = np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1)
    counts = np.ceil(lengths / longest_px).clip(1).astype(np.intp)
    whole = np.repeat(segments, counts, axis=0)
    number = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    shares = (np.stack([number, number + 1], axis=1) / np.repeat(counts, counts)[:, None])[:, :, None]
    return np.asarray(whole[:, :1] + shares * (whole[:, 1:] - whole[:, :1]))


def _carried(matrix: FloatArray, ends: FloatArray) -> FloatArray:
    return project(matrix, ends.reshape(-1, 2)).reshape(-1, 2, 2)


def _start(ends: FloatArray, pieces: Pieces) -> FloatArray | None:
    """The middle of the square of cells with most segment length on lines, less that between lines."""
    axis, least = pieces.axis, pieces.cells
    middles = ends.mean(axis=1)
    rows = np.arange(len(ends))
    at = middles[rows, axis]
    lengths = np.abs(ends[rows, 1, 1 - axis] - ends[rows, 0, 1 - axis])
    agreement = np.clip(lengths, least, BLOCK) * np.cos(2 * np.pi * at)
    low = np.floor(middles.min(axis=0)).astype(int) - 1
    extent = np.ceil(middles.max(axis=0)).astype(int) + 2 - low
    if (extent > 400).any():
        return None
    totals = []
    for one in (0, 1):
        of_axis = axis == one
        places = (middles[of_axis] - low).astype(int)
        field = np.zeros((extent[1], extent[0]))
        np.add.at(field, (places[:, 1], places[:, 0]), agreement[of_axis])
        totals.append(cv2.blur(field, (BLOCK, BLOCK), borderType=cv2.BORDER_CONSTANT))
    both = np.minimum(totals[0], totals[1])
    row, column = np.unravel_index(int(np.argmax(both)), both.shape)
    return np.array([column, row]) + low + 0.5 if both[row, column] > 0 else None


def _correction(ends: FloatArray, pieces: Pieces, start: FloatArray, reach: float) -> FloatArray | None:
    """The homography in lattice coordinates that moves segments near the start onto their lines.

    Linear least squares for a small homography, on both ends of each segment, with Cauchy weights.
    """
    axis, least = pieces.axis, pieces.cells
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
    # The last two are the perspective terms, which a few cells cannot determine.
    prior = np.diag([1, 1, 1, 1, 1, 1, 30.0, 30.0]) * reach**2 * PRIOR * weights.sum()
    solution = np.zeros(8)
    for _ in range(5):
        robust = weights / (1 + (residuals / SOFT) ** 2)
        solution = np.linalg.solve(design.T @ (design * robust[:, None]) + prior, design.T @ (robust * wanted))
        residuals = wanted - design @ solution
    scale = np.array([[1 / reach, 0, -start[0] / reach], [0, 1 / reach, -start[1] / reach], [0, 0, 1]])
    delta = np.append(solution, 0.0).reshape(3, 3)
    return np.asarray(np.linalg.inv(scale) @ (np.eye(3) + delta) @ scale)
