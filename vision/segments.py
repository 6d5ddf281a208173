"""Straight line segments of a picture and the pairs of directions in which a board's lines may run."""

from __future__ import annotations

import dataclasses
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Grey = NDArray[np.uint8]

LEAST_LENGTH = 0.025
"""Least length of a segment, as a share of the picture's longer side."""
MOST_SEGMENTS = 700
SAMPLES = 1500
AGREE_RAD = 0.03
"""Greatest angle between a segment and the direction to its vanishing point."""
DIRECTIONS = 5
APART_RAD = 0.6
"""Least angle between the two directions of a board, as seen."""
FRAME_PX = 512


@dataclasses.dataclass(frozen=True, eq=False)
class Weave:
    """Segments of two directions in a frame in which one runs along x and the other along y.

    Only an affine map is left between the frame and the board: a board is an upright rectangle in it.
    """

    frame_from_picture: FloatArray
    """(3, 3) homography."""
    across: FloatArray
    """(n, 2, 2) end points, in frame pixels, of the segments that run along x."""
    upright: FloatArray
    """(m, 2, 2) the same for y."""


def find_segments(grey: Grey) -> FloatArray:
    """(n, 2, 2) end points of the picture's longest straight edges, in pixels."""
    equal = cv2.createCLAHE(clipLimit=2.0, tileGridSize=(8, 8)).apply(grey)
    detected: tuple[Any, ...] = cv2.createLineSegmentDetector(cv2.LSD_REFINE_STD).detect(equal)
    found = detected[0]
    if found is None:
        return np.zeros((0, 2, 2))
    segments = np.asarray(found, dtype=np.float64).reshape(-1, 2, 2)
    lengths = np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1)
    order = np.argsort(-lengths)[:MOST_SEGMENTS]
    return np.asarray(segments[order[lengths[order] > LEAST_LENGTH * max(grey.shape)]])


def find_weaves(segments: FloatArray, size: tuple[int, int], rng: np.random.Generator) -> list[Weave]:
    """Frames in which many segments run along x and y, the likeliest first."""
    if len(segments) < 8:
        return []
    middle = segments.mean(axis=1)
    along = segments[:, 1] - segments[:, 0]
    lengths = np.linalg.norm(along, axis=1)
    points = _vanishing_points(segments, size, rng)
    if len(points) == 0:
        return []
    agree = _agreement(points, middle, along / lengths[:, None])
    chosen = _distinct(agree, lengths)
    pairs = []
    for index, first in enumerate(chosen):
        for second in chosen[index + 1 :]:
            weight = np.where(agree[first], lengths, 0).sum(), np.where(agree[second], lengths, 0).sum()
            pairs.append((min(weight), first, second))
    weaves = []
    for _, first, second in sorted(pairs, reverse=True):
        weave = _weave(segments, points[first], points[second], agree[first], agree[second], size)
        if weave is not None:
            weaves.append(weave)
    return weaves


def _vanishing_points(segments: FloatArray, size: tuple[int, int], rng: np.random.Generator) -> FloatArray:
    """(n, 3) homogeneous meeting points of random pairs of segments, longer ones more often; unit length."""
    centre = np.array([size[0] / 2, size[1] / 2])
    scale = max(size) / 2
    ends = np.concatenate([(segments - centre) / scale, np.ones((len(segments), 2, 1))], axis=2)
    lines = np.cross(ends[:, 0], ends[:, 1])
    lengths = np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1)
    picks = rng.choice(len(segments), size=(SAMPLES, 2), p=lengths / lengths.sum())
    met = np.cross(lines[picks[:, 0]], lines[picks[:, 1]])
    norms = np.linalg.norm(met, axis=1)
    met = met[norms > 1e-9] / norms[norms > 1e-9, None]
    # A board seen by a camera has its vanishing points outside itself.
    far = np.linalg.norm(met[:, :2], axis=1) > 0.9 * np.abs(met[:, 2])
    back = np.array([[scale, 0, centre[0]], [0, scale, centre[1]], [0, 0, 1]])
    found = met[far] @ back.T
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True))


def _agreement(points: FloatArray, middle: FloatArray, direction: FloatArray) -> NDArray[np.bool_]:
    """(points, segments) whether a segment aims at a vanishing point."""
    towards = points[:, None, :2] - points[:, None, 2:] * middle[None]
    norms = np.linalg.norm(towards, axis=2) + 1e-12
    sine = np.abs(towards[..., 0] * direction[:, 1] - towards[..., 1] * direction[:, 0]) / norms
    return np.asarray(sine < np.sin(AGREE_RAD))


def _distinct(agree: NDArray[np.bool_], lengths: FloatArray) -> list[int]:
    """Indices of the vanishing points with most segments that no better one has."""
    left = lengths.copy()
    chosen: list[int] = []
    for _ in range(DIRECTIONS):
        weights = agree @ left
        best = int(np.argmax(weights))
        if weights[best] < 0.03 * lengths.sum():
            break
        chosen.append(best)
        left[agree[best]] = 0.0
    return chosen


def _weave(
    segments: FloatArray,
    first: FloatArray,
    second: FloatArray,
    in_first: NDArray[np.bool_],
    in_second: NDArray[np.bool_],
    size: tuple[int, int],
) -> Weave | None:
    centre = np.array([size[0] / 2, size[1] / 2])
    towards = [point[:2] - point[2] * centre for point in (first, second)]
    angles = [float(np.arctan2(direction[1], direction[0])) for direction in towards]
    apart = abs((angles[0] - angles[1] + np.pi / 2) % np.pi - np.pi / 2)
    if apart < APART_RAD:
        return None
    if abs(np.sin(angles[0])) > abs(np.sin(angles[1])):
        first, second, in_first, in_second = second, first, in_second, in_first
    horizon = np.cross(first, second)
    horizon = horizon / (horizon @ np.append(centre, 1.0))
    if not np.isfinite(horizon).all():
        return None
    flat = np.array([[1.0, 0, 0], [0, 1.0, 0], horizon])
    axes = np.stack([(flat @ first)[:2], (flat @ second)[:2]], axis=1)
    axes /= np.linalg.norm(axes, axis=0)
    axes *= np.sign([axes[0, 0] or 1.0, axes[1, 1] or 1.0])
    affine = np.eye(3)
    affine[:2, :2] = np.linalg.inv(axes)
    return _scaled(segments, affine @ flat, in_first & ~in_second, in_second & ~in_first)


def _scaled(
    segments: FloatArray, matrix: FloatArray, across: NDArray[np.bool_], upright: NDArray[np.bool_]
) -> Weave | None:
    ends = np.concatenate([segments, np.ones((len(segments), 2, 1))], axis=2)
    # Beyond the horizon nothing can lie on the table.
    visible = ((ends @ matrix[2]) > 0.2).all(axis=1)
    across, upright = across & visible, upright & visible
    if across.sum() < 4 or upright.sum() < 4:
        return None
    mapped = cv2.perspectiveTransform(segments.reshape(-1, 1, 2), matrix).reshape(-1, 2, 2)
    used = mapped[across | upright].reshape(-1, 2)
    low, high = np.percentile(used, 1, axis=0), np.percentile(used, 99, axis=0)
    scale = (FRAME_PX - 40) / max(float((high - low).max()), 1e-6)
    fit = np.array([[scale, 0, 20 - scale * low[0]], [0, scale, 20 - scale * low[1]], [0, 0, 1]])
    frame = mapped * scale + fit[:2, 2]
    return Weave(fit @ matrix, np.asarray(frame[across]), np.asarray(frame[upright]))
