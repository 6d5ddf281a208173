"""The drawn lines of a board: how well a pose explains them, and the pose and shape that explain them best.

Everything is looked at in the rectified picture, where a line's place and direction are known up to a small error.
Along every template line short chunks are sampled across; a line shows there as a ridge, darker or lighter than the
board. Men and hands hide some chunks, so nothing depends on any one of them.
"""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from vision.frame import Image
from vision.pose import BoardPose, project

FloatArray = NDArray[np.float64]

CHUNK = 6
"""Samples, two rectified pixels apart, that are averaged along a line."""
STEP_PX = 2.0
SCALES_PX = (1.0, 1.7, 3.0, 5.0)
"""Half-widths of lines that are tried, in rectified pixels."""
SEARCH_PX = (14, 9, 6, 4, 4)
"""How far each refining step looks to either side, in rectified pixels."""
BESIDE_PX = 16
"""How much further the picture beside the lines is looked at, to know what is no line."""
NOISE_FLOOR = 0.3
"""Least response beside lines, in grey values: a noiseless picture proves nothing more."""
HIT = 3.0
"""Ridge response of a visible line, in units of the typical response beside the lines."""
ALIKE = 0.3
"""Least response of a line, as a share of what the clearer lines show."""
MISSING = 0.3
"""Share of a line that must be seen for it to be there at all."""
ASIDE_PX = 8
"""How far a line may be drawn from its proper place, in rectified pixels."""
HIT_PX = 2.0
"""How far a piece may lie from the rest of its line, in rectified pixels."""
SHAPE_STEPS = ((0.015, 1.0), (0.005, 0.02), (0.0025, 0.005))
"""Step and reach of each round of the search for a shape parameter."""
SHAPE_REACH_PX = 16
ROOM = 0.7
"""Least distance of two cells, in men's diameters; men are often larger or smaller than the template says."""


@dataclasses.dataclass(frozen=True, eq=False)
class Chunks:
    """Short pieces of template lines in rectified pixels."""

    points: FloatArray
    """(chunks, CHUNK, 2) samples along the line."""
    normals: FloatArray
    """(chunks, 2) unit vectors across the line."""
    segment: NDArray[np.intp]
    """(chunks,) index of the template line."""

    @property
    def centres(self) -> FloatArray:
        """(chunks, 2) midpoints."""
        return np.asarray(self.points.mean(axis=1))


@dataclasses.dataclass(frozen=True)
class LineStyle:
    """How the lines of the board in view are drawn."""

    polarity: int
    """1 where lines are darker than the board, -1 where lighter."""
    scale_px: float
    """Half-width in rectified pixels."""


def refine_pose(image: Image, pose: BoardPose, template: BoardTemplate) -> BoardPose:
    """The pose snapped to the drawn lines; `pose` must be right within about 3 % of the board's side."""
    chunks = cut_chunks(template)
    rectified_from_board = template.rectified_from_board
    matrix = pose.image_from_board
    style: LineStyle | None = None
    error_px = 0.0
    for radius in SEARCH_PX:
        grey = rectified_grey(image, matrix, template)
        style = style or line_style(grey, chunks, radius)
        response = ridge(sample_across(grey, chunks, radius + BESIDE_PX), style)
        offsets, heights, noise = peaks(response, radius, style)
        correction, residuals = fit_correction(chunks, offsets, heights / (heights + HIT * noise), grey.shape[:2])
        correction = correction if _is_small(correction, grey.shape[:2], radius) else np.eye(3)
        matrix = matrix @ np.linalg.inv(rectified_from_board) @ correction @ rectified_from_board
        clear = heights > visible(heights, noise)
        error_px = float(np.median(np.abs(residuals[clear]))) if clear.any() else float(radius)
    pose = BoardPose(matrix / matrix[2, 2], error_px * picture_scale(matrix, template), 0.0)
    return dataclasses.replace(pose, quality=line_quality(image, pose, template))


def line_quality(image: Image, pose: BoardPose, template: BoardTemplate) -> float:
    """Share of the drawn lines, 0 to 1, that are seen where the pose puts them; cheap, it refines nothing."""
    chunks = cut_chunks(template)
    grey = rectified_grey(image, pose.image_from_board, template)
    style = line_style(grey, chunks, ASIDE_PX)
    response = ridge(sample_across(grey, chunks, ASIDE_PX + BESIDE_PX), style)
    offsets, heights, noise = peaks(response, ASIDE_PX, style)
    return seen_share(offsets, heights > visible(heights, noise), chunks)


def measure_shape(image: Image, pose: BoardPose, template: BoardTemplate) -> BoardTemplate:
    """The template with the shape parameters under which its lines lie on drawn ones."""
    grey = rectified_grey(image, pose.image_from_board, template)
    style = line_style(grey, cut_chunks(template), SEARCH_PX[0])
    for step, reach in SHAPE_STEPS:
        for name, (low, high) in template.shape_range.items():
            value = template.shape[name]
            values = np.arange(max(low, value - reach), min(high, value + reach) + step / 2, step)
            candidates = [template.with_shape({**template.shape, name: float(value)}) for value in values]
            candidates = [candidate for candidate in candidates if has_room(candidate)] or [template]
            moved = shaped_lines(template, name)
            template = max(candidates, key=lambda candidate: _shape_score(grey, style, candidate, moved))
    return template


def cut_chunks(template: BoardTemplate) -> Chunks:
    """The template's lines cut into chunks."""
    ends = project(template.rectified_from_board, template.lines_mm.reshape(-1, 2)).reshape(-1, 2, 2)
    points, normals, segments = [], [], []
    for index, (start, end) in enumerate(ends):
        length = float(np.hypot(*(end - start)))
        count = max(1, int(length / (STEP_PX * CHUNK)))
        along = (np.arange(count * CHUNK) + 0.5) / (count * CHUNK)
        points.append((start + along[:, None] * (end - start)).reshape(count, CHUNK, 2))
        direction = (end - start) / max(length, 1e-9)
        normals.append(np.tile([-direction[1], direction[0]], (count, 1)))
        segments.append(np.full(count, index))
    return Chunks(np.concatenate(points), np.concatenate(normals), np.concatenate(segments))


def rectified_grey(image: Image, image_from_board: FloatArray, template: BoardTemplate) -> NDArray[np.float32]:
    """The rectified picture in grey, made without aliasing."""
    shrink = picture_scale(image_from_board, template)
    matrix = image_from_board
    if shrink > 1.5:
        small = np.diag([1 / shrink, 1 / shrink, 1.0])
        size = max(1, round(image.shape[1] / shrink)), max(1, round(image.shape[0] / shrink))
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        matrix = small @ matrix
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) if image.ndim == 3 else image
    rectified_from_image = template.rectified_from_board @ np.linalg.inv(matrix)
    warped = cv2.warpPerspective(
        grey, rectified_from_image, template.rectified_size_px, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(warped, dtype=np.float32)


def picture_scale(image_from_board: FloatArray, template: BoardTemplate) -> float:
    """Picture pixels to a rectified pixel, on the average of the board."""
    corners = project(image_from_board, template.corners_mm).astype(np.float32)
    area_px = abs(cv2.contourArea(corners))
    area_mm = template.size_mm[0] * template.size_mm[1]
    return max(1e-3, float(np.sqrt(area_px / area_mm)) / template.pixels_per_mm)


def sample_across(grey: NDArray[np.float32], chunks: Chunks, radius: int) -> FloatArray:
    """(chunks, 2 radius + 1) grey values across each chunk, averaged along it."""
    offsets = np.arange(-radius, radius + 1, dtype=np.float64)
    where = chunks.points[:, :, None, :] + offsets[:, None] * chunks.normals[:, None, None, :]
    flat = where.reshape(len(chunks.normals), -1, 2).astype(np.float32)
    values = cv2.remap(grey, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(values.reshape(where.shape[:3]).mean(axis=1), dtype=np.float64)


def ridge(profiles: FloatArray, style: LineStyle) -> FloatArray:
    """Grey values by which a place stands out from both sides of it along the last axis, in that style.

    The lesser of the two sides counts: the rim of a sheet or a shadow stands out from one side only.
    """
    smooth = cv2.GaussianBlur(
        profiles, (0, 0), sigmaX=0.6 * style.scale_px, sigmaY=0.01, borderType=cv2.BORDER_REPLICATE
    )
    distance = round(2 * style.scale_px) + 1
    padded = np.pad(smooth, ((0, 0), (distance, distance)), mode="edge")
    left, right = padded[:, : -2 * distance], padded[:, 2 * distance :]
    return np.asarray(np.minimum(style.polarity * (left - smooth), style.polarity * (right - smooth)))


def line_style(grey: NDArray[np.float32], chunks: Chunks, radius: int) -> LineStyle:
    """The style under which most chunks show a ridge within `radius`."""
    profiles = sample_across(grey, chunks, radius + 8)
    styles = [LineStyle(polarity, scale) for polarity in (1, -1) for scale in SCALES_PX]

    def strength(style: LineStyle) -> float:
        return float(np.median(ridge(profiles, style)[:, 8:-8].max(axis=1)))

    return max(styles, key=strength)


def peaks(response: FloatArray, radius: int, style: LineStyle) -> tuple[FloatArray, FloatArray, float]:
    """Offset (to a fraction of a pixel) and height of every chunk's best ridge, and the typical height beside lines.

    `response` reaches further than `radius`, within which the ridge is looked for.
    """
    middle = response.shape[1] // 2
    offsets = np.arange(-middle, middle + 1)
    nearness = np.where(np.abs(offsets) <= radius, 1 - 0.3 * np.abs(offsets) / radius, 0.0)
    best = np.argmax(response * nearness, axis=1)
    rows = np.arange(len(response))
    before, at, after = response[rows, best - 1], response[rows, best], response[rows, best + 1]
    curvature = before - 2 * at + after
    shift = np.where(curvature < -1e-9, 0.5 * (before - after) / np.minimum(curvature, -1e-9), 0.0)
    beside = np.abs(np.arange(response.shape[1]) - best[:, None]) > 3 * style.scale_px
    noise = float(np.median(np.abs(response[beside]))) + NOISE_FLOOR
    return best - middle + np.clip(shift, -0.5, 0.5), np.maximum(at, 0.0), noise


def visible(heights: FloatArray, noise: float) -> float:
    """The response from which a ridge is a drawn line: all lines of a board are drawn alike."""
    return max(HIT * noise, ALIKE * float(np.percentile(heights, 75)))


def seen_share(offsets: FloatArray, clear: NDArray[np.bool_], chunks: Chunks) -> float:
    """Share of the board's lines that are seen; a line of which too little is seen weighs double.

    A chunk is seen where a clear ridge agrees with the others of its line: lines drawn by hand lie a little aside,
    but straight. Men and hands hide pieces of many lines; a wrong pose or shape loses whole ones.
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
    # The last two bend the board; a weak prior keeps them where few lines are seen.
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


def shaped_lines(template: BoardTemplate, name: str) -> NDArray[np.bool_]:
    """(lines,) which of the template's lines a shape parameter moves."""
    low, high = template.shape_range[name]
    one, other = (template.with_shape({**template.shape, name: value}) for value in (low, high))
    return np.asarray(np.abs(one.lines_mm - other.lines_mm).max(axis=(1, 2)) > 0)


def has_room(template: BoardTemplate) -> bool:
    """Whether men on neighbouring cells would not lie on one another: no board is drawn with a shape that fails."""
    gaps = np.linalg.norm(template.cells_mm[:, None] - template.cells_mm[None], axis=2)
    np.fill_diagonal(gaps, np.inf)
    return bool(gaps.min() > ROOM * template.man_diameter_mm)


def _shape_score(
    grey: NDArray[np.float32], style: LineStyle, template: BoardTemplate, moved: NDArray[np.bool_]
) -> float:
    chunks = cut_chunks(dataclasses.replace(template, lines_mm=template.lines_mm[moved]))
    response = ridge(sample_across(grey, chunks, SHAPE_REACH_PX), style)
    near = 1 - 0.1 * np.abs(np.arange(-3, 4))
    response = (response[:, SHAPE_REACH_PX - 3 : SHAPE_REACH_PX + 4] * near).max(axis=1)
    typical = max(1.0, float(np.median(np.maximum(response, 0.0))))
    return float(np.clip(response / typical, -1.0, 1.5).mean()) * typical
