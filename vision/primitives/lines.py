"""A board's drawn lines: how well a pose explains them, and the pose and shape that explain them best.

Works on the rectified picture, where a line's place and direction are known up to a small error. Short chunks are
sampled across every template line; a line shows there as a ridge, darker or lighter than the board. Pieces and
hands hide some chunks, so nothing depends on any single one.
"""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Flags, FloatArray
from calibration.template import BoardTemplate
from vision.frame import Image
from vision.pose import BoardPose, project
from vision.primitives.channels import BoardView
from vision.primitives.ridges import (
    HIT,
    Chunks,
    LineStyle,
    cut_chunks,
    line_peaks,
    line_style,
    ridge,
    sample_across,
    styled_peaks,
    visible,
)

SEARCH_PX = (14, 9, 6, 4, 4)
"""Rectified pixels that each refining step searches to either side."""
MISSING = 0.3
"""Share of a line that must be seen for it to count as present."""
ASIDE_PX = 8
"""Rectified pixels by which a drawn line may deviate from its proper place."""
HIT_PX = 2.0
"""Rectified pixels by which a chunk may deviate from the rest of its line."""
ROUGH_STEP = 0.015
SHAPE_STEPS = ((0.005, 0.02), (0.0025, 0.005))
"""Step and reach of each further round of the search for a shape parameter."""
SHAPE_REACH_PX = 16
ROOM = 0.7
"""Least distance of two cells, in diameters of a piece; pieces are often larger or smaller than the template says."""


def refine_pose(image: Image, pose: BoardPose, template: BoardTemplate, men: Flags | None = None) -> BoardPose:
    """The pose refined to the drawn lines; `pose` must be right within about 3 % of the board's side.

    `men` are the cells, (cells,), on which men hide the lines, where that is known.
    """
    chunks = _chunks(template, men)
    view = BoardView.clearest(image, pose, template)
    style: LineStyle | None = None
    error_px = 0.0
    for radius in SEARCH_PX:
        grey = view.rectified()
        style = style or line_style(grey, chunks, radius)
        offsets, heights, noise = line_peaks(grey, chunks, radius, style)
        correction, residuals = fit_correction(chunks, offsets, heights / (heights + HIT * noise), grey.shape[:2])
        view = view.corrected(correction if _is_small(correction, grey.shape[:2], radius) else np.eye(3))
        clear = heights > visible(heights, noise)
        error_px = float(np.median(np.abs(residuals[clear]))) if clear.any() else float(radius)
    return view.pose(error_px, _quality(view, chunks))


def line_quality(image: Image, pose: BoardPose, template: BoardTemplate, men: Flags | None = None) -> float:
    """Share of the drawn lines, 0 to 1, that are seen where the pose puts them; cheap, without refining.

    `men` are the cells, (cells,), on which men hide the lines, where that is known: those lines do not count.
    """
    return _quality(BoardView.clearest(image, pose, template), _chunks(template, men))


def _chunks(template: BoardTemplate, men: Flags | None) -> Chunks:
    chunks = cut_chunks(template)
    return chunks if men is None else chunks.beside(men, template)


def measure_shape(image: Image, pose: BoardPose, template: BoardTemplate) -> BoardTemplate:
    """The template with the shape parameters that place its lines on the drawn ones."""
    grey = BoardView.clearest(image, pose, template).rectified()
    style = line_style(grey, cut_chunks(template), SEARCH_PX[0])
    template = _roughly_shaped(grey, style, template)
    for step, reach in SHAPE_STEPS:
        for name in template.shape_range:
            moved = shaped_lines(template, name)
            near = [candidate for candidate in _variants(template, name, step, reach) if has_room(candidate)]
            template = max(near, key=lambda candidate: _shape_score(grey, style, candidate, moved), default=template)
    return template


def _roughly_shaped(grey: NDArray[np.float32], style: LineStyle, template: BoardTemplate) -> BoardTemplate:
    """The best values of all shape parameters jointly: alone, one might match another's line."""
    scores: list[list[tuple[float, str, float]]] = []
    for name in template.shape_range:
        moved = shaped_lines(template, name)
        variants = _variants(template, name, ROUGH_STEP, 1.0)
        scores.append([(_shape_score(grey, style, one, moved), name, one.shape[name]) for one in variants])
    combinations = sorted(itertools.product(*scores), key=lambda values: -sum(score for score, _, _ in values))
    shaped = (template.with_shape({name: value for _, name, value in values}) for values in combinations)
    return next((candidate for candidate in shaped if has_room(candidate)), template)


def _variants(template: BoardTemplate, name: str, step: float, reach: float) -> list[BoardTemplate]:
    value, (low, high) = template.shape[name], template.shape_range[name]
    values = np.arange(max(low, value - reach), min(high, value + reach) + step / 2, step)
    return [template.with_shape({**template.shape, name: float(value)}) for value in values]


def seen_share(offsets: FloatArray, clear: Flags, chunks: Chunks) -> float:
    """Share of the board's lines that are seen; a line of which too little is seen weighs double.

    A chunk is seen where a clear ridge agrees with the others of its line: hand-drawn lines are a little displaced
    but straight. Pieces and hands hide parts of many lines; a wrong pose or shape loses whole lines.
    """
    seen, missing = 0, 0
    groups = np.split(np.arange(len(offsets)), np.flatnonzero(np.diff(chunks.segment)) + 1)
    for group in groups:
        aside = offsets[group][clear[group]]
        hits = int((np.abs(aside - np.median(aside)) < HIT_PX).sum()) if len(aside) else 0
        seen += hits
        missing += hits < MISSING * len(group)
    return max(0.0, seen / len(offsets) - missing / len(groups))


def fit_correction(
    chunks: Chunks, offsets: FloatArray, weights: FloatArray, size: tuple[int, ...]
) -> tuple[FloatArray, FloatArray]:
    """The homography (rectified pixels) that moves the chunks onto their ridges, and each chunk's residual in pixels.

    Iteratively reweighted least squares with Cauchy weights on the distance across the line.
    """
    half = max(size) / 2
    normalise = np.array([[1 / half, 0, -size[1] / 2 / half], [0, 1 / half, -size[0] / 2 / half], [0, 0, 1]])
    x, y = project(normalise, chunks.centres).T
    nx, ny = chunks.normals.T
    radial = nx * x + ny * y
    design = np.stack([nx * x, nx * y, nx, ny * x, ny * y, ny, -x * radial, -y * radial], axis=1) * half
    # The last two are the perspective terms; a weak prior holds them where few lines are seen.
    prior = np.diag([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 4.0, 4.0]) * half**2 * 1e-3
    solution: FloatArray = np.zeros(8)
    residuals = offsets
    for _ in range(8):
        spread = max(0.5, 1.5 * float(np.median(np.abs(residuals))))
        robust = weights / (1 + (residuals / spread) ** 2)
        squares = design.T @ (design * robust[:, None]) + prior
        solution = np.asarray(np.linalg.solve(squares, design.T @ (robust * offsets)))
        residuals = np.asarray(offsets - design @ solution)
    delta = np.append(solution, 0.0).reshape(3, 3)
    return np.asarray(np.linalg.inv(normalise) @ (np.eye(3) + delta) @ normalise), residuals


def _is_small(correction: FloatArray, size: tuple[int, ...], limit_px: float) -> bool:
    height, width = size
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float64)
    return bool(np.abs(project(correction, corners) - corners).max() < 2.5 * limit_px)


def shaped_lines(template: BoardTemplate, name: str) -> Flags:
    """(lines,) which of the template's lines a shape parameter moves."""
    low, high = template.shape_range[name]
    one, other = (template.with_shape({**template.shape, name: value}) for value in (low, high))
    return np.asarray(np.abs(one.lines_mm - other.lines_mm).max(axis=(1, 2)) > 0)


def has_room(template: BoardTemplate) -> bool:
    """Whether pieces on neighbouring cells would not overlap; no real board has a shape that fails this."""
    gaps = np.linalg.norm(template.cells_mm[:, None] - template.cells_mm[None], axis=2)
    np.fill_diagonal(gaps, np.inf)
    return bool(gaps.min() > ROOM * template.man_diameter_mm)


def _quality(view: BoardView, chunks: Chunks) -> float:
    _, offsets, heights, noise = styled_peaks(view.rectified(), chunks, ASIDE_PX)
    return seen_share(offsets, heights > visible(heights, noise), chunks)


def _shape_score(grey: NDArray[np.float32], style: LineStyle, template: BoardTemplate, moved: Flags) -> float:
    chunks = cut_chunks(dataclasses.replace(template, lines_mm=template.lines_mm[moved]))
    response = ridge(sample_across(grey, chunks, SHAPE_REACH_PX), style)
    near = 1 - 0.1 * np.abs(np.arange(-3, 4))
    response = (response[:, SHAPE_REACH_PX - 3 : SHAPE_REACH_PX + 4] * near).max(axis=1)
    typical = max(1.0, float(np.median(np.maximum(response, 0.0))))
    return float(np.clip(response / typical, -1.0, 1.5).mean()) * typical
