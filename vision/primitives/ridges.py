"""Ridges: the drawn lines of a board in its rectified picture, sampled across in short chunks."""

from __future__ import annotations

import dataclasses
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Flags, FloatArray, Grey, Indices
from calibration.template import BoardTemplate
from vision.pose import FEWEST, project

CHUNK = 6
"""Samples, two rectified pixels apart, that are averaged along a line."""
STEP_PX = 2.0
SCALES_PX = (1.0, 1.7, 3.0, 5.0)
"""Half-widths of lines that are tried, in rectified pixels."""
BESIDE_PX = 16
"""Rectified pixels sampled beyond the search radius, to measure the response where there is no line."""
MARGIN_PX = 8
"""Rectified pixels sampled beyond the search radius, to determine the style of the lines."""
NOISE_FLOOR = 0.3
"""Least response beside lines, in grey values: even a noiseless picture proves nothing finer."""
HIT = 3.0
"""Ridge response of a visible line, in units of the typical response beside the lines."""
HIDES = 0.65
"""Diameters of a man, from the middle of his cell, within which he hides lines: he may stand aside, and is tall."""
ALIKE = 0.3
"""Least response of a line, as a share of what the clearer lines show."""


@dataclasses.dataclass(frozen=True, eq=False)
class Chunks:
    """Short pieces of template lines in rectified pixels."""

    points: FloatArray
    """(chunks, CHUNK, 2) samples along the line."""
    normals: FloatArray
    """(chunks, 2) unit vectors across the line."""
    segment: Indices
    """(chunks,) index of the template line."""

    @property
    def centres(self) -> FloatArray:
        """(chunks, 2) midpoints."""
        return np.asarray(self.points.mean(axis=1))

    def beside(self, men: Flags, template: BoardTemplate) -> Chunks:
        """Those that men on these cells, (cells,), leave free; all of them where hardly any are free."""
        places = project(template.rectified_from_board, template.cells_mm[men])
        apart_px = np.linalg.norm(self.centres[:, None] - places, axis=2)
        free = (apart_px > HIDES * template.man_diameter_mm * template.pixels_per_mm).all(axis=1)
        return self if free.sum() < FEWEST else Chunks(self.points[free], self.normals[free], self.segment[free])


@dataclasses.dataclass(frozen=True)
class LineStyle:
    """How the lines of the board in view are drawn."""

    polarity: int
    """1 where lines are darker than the board, -1 where lighter."""
    scale_px: float
    """Half-width in rectified pixels."""


def cut_chunks(template: BoardTemplate) -> Chunks:
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


def rectified_grey(grey: Grey, image_from_board: FloatArray, template: BoardTemplate) -> NDArray[np.float32]:
    rectified_from_image = template.rectified_from_board @ np.linalg.inv(image_from_board)
    warped = cv2.warpPerspective(
        grey, rectified_from_image, template.rectified_size_px, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(warped, dtype=np.float32)


def picture_scale(image_from_board: FloatArray, template: BoardTemplate) -> float:
    """Picture pixels per rectified pixel, averaged over the board."""
    corners = project(image_from_board, template.corners_mm).astype(np.float32)
    area_px = abs(cv2.contourArea(corners))
    area_mm = template.size_mm[0] * template.size_mm[1]
    return max(1e-3, float(np.sqrt(area_px / area_mm)) / template.pixels_per_mm)


def sample_across(grey: NDArray[np.float32], chunks: Chunks, radius: int) -> NDArray[np.float32]:
    """(chunks, 2 radius + 1) grey values across each chunk, averaged along it."""
    offsets = np.arange(-radius, radius + 1, dtype=np.float32)
    points, normals = chunks.points.astype(np.float32), chunks.normals.astype(np.float32)
    x, y = (points[:, :, None, axis] + offsets * normals[:, None, axis, None] for axis in (0, 1))
    flat = len(chunks.normals), -1
    values = cv2.remap(grey, x.reshape(flat), y.reshape(flat), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(values.reshape(x.shape).mean(axis=1))


def ridge(profiles: NDArray[np.float32], style: LineStyle) -> NDArray[np.float32]:
    """Grey values by which a place stands out from both its sides along the last axis, in that style.

    The lesser of the two sides counts: the rim of a sheet or a shadow stands out from one side only.
    """
    smooth = cv2.GaussianBlur(
        profiles, (0, 0), sigmaX=0.6 * style.scale_px, sigmaY=0.01, borderType=cv2.BORDER_REPLICATE
    )
    distance = round(2 * style.scale_px) + 1
    padded = cv2.copyMakeBorder(smooth, 0, 0, distance, distance, cv2.BORDER_REPLICATE)
    left, right = padded[:, : -2 * distance], padded[:, 2 * distance :]
    if style.polarity > 0:
        return np.asarray(np.minimum(left, right) - smooth)
    return np.asarray(smooth - np.maximum(left, right))


def line_style(grey: NDArray[np.float32], chunks: Chunks, radius: int) -> LineStyle:
    """The style under which most chunks show a ridge within `radius`."""
    return _style_of(sample_across(grey, chunks, radius + MARGIN_PX))


def _style_of(profiles: NDArray[np.float32]) -> LineStyle:
    """The style under which most profiles show a ridge, ignoring MARGIN_PX at either end."""
    styles = [LineStyle(polarity, scale) for polarity in (1, -1) for scale in SCALES_PX]

    def strength(style: LineStyle) -> float:
        return float(np.median(ridge(profiles, style)[:, MARGIN_PX:-MARGIN_PX].max(axis=1)))

    return max(styles, key=strength)


def peaks(response: NDArray[np.float32], radius: int, style: LineStyle) -> tuple[FloatArray, FloatArray, float]:
    """Offset (to a fraction of a pixel) and height of every chunk's best ridge, and the typical height beside lines.

    `response` must extend beyond `radius`, within which the ridge is searched.
    """
    middle = response.shape[1] // 2
    offsets = np.arange(-middle, middle + 1)
    nearness = np.where(np.abs(offsets) <= radius, 1 - 0.3 * np.abs(offsets) / radius, 0.0)
    best = np.argmax(response * nearness, axis=1)
    shift, heights = vertex(response, best)
    beside = np.abs(np.arange(response.shape[1]) - best[:, None]) > 3 * style.scale_px
    noise = float(np.median(np.abs(response[beside]))) + NOISE_FLOOR
    return best - middle + shift, heights, noise


def vertex(profiles: NDArray[Any], best: Indices) -> tuple[NDArray[Any], NDArray[Any]]:
    """(n,) offset of each profile's peak from its `best` place, to a fraction of one, and height there, at least 0."""
    rows = np.arange(len(profiles))
    before, at, after = profiles[rows, best - 1], profiles[rows, best], profiles[rows, best + 1]
    curvature = before - 2 * at + after
    shift = np.where(curvature < -1e-9, 0.5 * (before - after) / np.minimum(curvature, -1e-9), 0.0)
    return np.clip(shift, -0.5, 0.5), np.maximum(at, 0.0)


def line_peaks(
    grey: NDArray[np.float32], chunks: Chunks, radius: int, style: LineStyle
) -> tuple[FloatArray, FloatArray, float]:
    """`peaks` of the ridges across each chunk of a rectified picture."""
    return peaks(ridge(sample_across(grey, chunks, radius + BESIDE_PX), style), radius, style)


def styled_peaks(
    grey: NDArray[np.float32], chunks: Chunks, radius: int
) -> tuple[LineStyle, FloatArray, FloatArray, float]:
    """The style of the lines, and their `line_peaks` in it."""
    profiles = sample_across(grey, chunks, radius + BESIDE_PX)
    aside = BESIDE_PX - MARGIN_PX
    style = _style_of(np.ascontiguousarray(profiles[:, aside:-aside]))
    return style, *peaks(ridge(profiles, style), radius, style)


def visible(heights: FloatArray, noise: float) -> float:
    """Least response of a drawn line: all lines of a board are drawn alike."""
    return max(HIT * noise, ALIKE * float(np.percentile(heights, 75)))
