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
HIT_PX = 2.5
"""Distance at which a line still counts as being in its place, in rectified pixels."""
SHAPE_STEP = 0.005


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
    error_px, quality = 0.0, 0.0
    for radius in SEARCH_PX:
        grey = rectified_grey(image, matrix, template)
        style = style or line_style(grey, chunks, radius)
        response = ridge(sample_across(grey, chunks, radius + BESIDE_PX), style)
        offsets, heights, noise = peaks(response, radius, style)
        correction, residuals = fit_correction(chunks, offsets, heights / (heights + HIT * noise), grey.shape[:2])
        correction = correction if _is_small(correction, grey.shape[:2], radius) else np.eye(3)
        matrix = matrix @ np.linalg.inv(rectified_from_board) @ correction @ rectified_from_board
        hits = (heights > HIT * noise) & (np.abs(residuals) < HIT_PX)
        quality = float(hits.mean())
        error_px = float(np.median(np.abs(residuals[hits]))) if hits.any() else float(radius)
    return BoardPose(matrix / matrix[2, 2], error_px * picture_scale(matrix, template), quality)


def line_quality(image: Image, pose: BoardPose, template: BoardTemplate) -> float:
    """Share of the drawn lines, 0 to 1, that are seen where the pose puts them; cheap, it refines nothing."""
    chunks = cut_chunks(template)
    radius = SEARCH_PX[1]
    grey = rectified_grey(image, pose.image_from_board, template)
    style = line_style(grey, chunks, int(HIT_PX) + 1)
    response = ridge(sample_across(grey, chunks, radius + BESIDE_PX), style)
    offsets, heights, noise = peaks(response, radius, style)
    return float(((heights > HIT * noise) & (np.abs(offsets) < HIT_PX)).mean())


def measure_shape(image: Image, pose: BoardPose, template: BoardTemplate) -> BoardTemplate:
    """The template with the shape parameters under which its lines lie on drawn ones."""
    grey = rectified_grey(image, pose.image_from_board, template)
    style = line_style(grey, cut_chunks(template), SEARCH_PX[0])
    for _ in range(2):
        for name, (low, high) in template.shape_range.items():
            values = np.arange(low, high + SHAPE_STEP / 2, SHAPE_STEP)
            scores = [_shape_score(grey, style, template, name, float(value)) for value in values]
            smooth = np.convolve(scores, np.array([0.25, 0.5, 0.25]), mode="same")
            best = float(values[int(np.argmax(smooth))])
            template = template.with_shape({**template.shape, name: best})
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
    """Scale-normalised ridge response along the last axis, positive on lines of that style."""
    reach = int(np.ceil(3 * style.scale_px))
    x = np.arange(-reach, reach + 1) / style.scale_px
    kernel = (x**2 - 1) * np.exp(-(x**2) / 2)
    kernel -= kernel.mean()
    kernel /= np.abs(kernel).sum()
    padded = np.pad(profiles, ((0, 0), (reach, reach)), mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1, axis=1)
    return np.asarray(style.polarity * (windows @ kernel))


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


def _shape_score(
    grey: NDArray[np.float32], style: LineStyle, template: BoardTemplate, name: str, value: float
) -> float:
    candidate = template.with_shape({**template.shape, name: value})
    low, high = template.shape_range[name]
    other = template.with_shape({**template.shape, name: low if value > (low + high) / 2 else high})
    moved = np.abs(candidate.lines_mm - other.lines_mm).max(axis=(1, 2)) > 0
    chunks = cut_chunks(dataclasses.replace(candidate, lines_mm=candidate.lines_mm[moved]))
    response = ridge(sample_across(grey, chunks, 12), style)[:, 11:14].max(axis=1)
    typical = max(1.0, float(np.median(np.maximum(response, 0.0))))
    return float(np.clip(response / typical, -1.0, 1.5).mean()) * typical
