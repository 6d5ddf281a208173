"""Straight line segments of a picture, and those that run along a board's two directions."""

from __future__ import annotations

import dataclasses
from typing import Any

import cv2
import numpy as np

from calibration.arrays import Flags, FloatArray, Grey

MIN_LENGTH = 0.009
"""Least length of a segment, as a share of the picture's longer side; between men, lines show in short pieces."""
MAX_SEGMENTS = 2500
AGREE_RAD = 0.03
"""Greatest angle between a segment and the direction to its vanishing point."""
APART_RAD = 0.6
"""Least angle between the two directions of a board, as seen."""
FRAME_PX = 512
QUAD_AGREE_RAD = 0.07
"""The same for the rough directions of a quadrangle."""
WIDENED = 3.6
"""Radius around a quadrangle within which segments count, in its half diagonals: it may be the innermost square."""


@dataclasses.dataclass(frozen=True, eq=False)
class Weave:
    """Segments of two directions in a frame in which one runs along x and the other along y.

    Only an affine map is left between the frame and the board: a board is an upright rectangle in it.
    """

    frame_from_picture: FloatArray
    across: FloatArray
    """(n, 2, 2) end points, in frame pixels, of the segments that run along x."""
    upright: FloatArray
    """(m, 2, 2) the same for y."""


@dataclasses.dataclass(frozen=True, eq=False)
class Segments:
    ends: FloatArray
    """(n, 2, 2) end points in pixels."""
    weights: FloatArray
    """(n,) length in pixels, less where the edge is faint: grain and weave have many faint ones."""


def find_segments(grey: Grey) -> Segments:
    detected: tuple[Any, ...] = cv2.createLineSegmentDetector(cv2.LSD_REFINE_STD).detect(grey)
    if detected[0] is None:
        return Segments(np.zeros((0, 2, 2)), np.zeros(0))
    ends = np.asarray(detected[0], dtype=np.float64).reshape(-1, 2, 2)
    lengths = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    long = lengths > MIN_LENGTH * max(grey.shape)
    ends, lengths = ends[long], lengths[long]
    if len(ends) == 0:
        return Segments(ends, lengths)
    contrast = _contrast(grey, ends)
    weights = lengths * np.minimum(1.0, contrast / max(1.0, float(np.percentile(contrast, 80)))) ** 2
    order = np.argsort(-weights)[:MAX_SEGMENTS]
    return Segments(np.asarray(ends[order]), np.asarray(weights[order]))


def _contrast(grey: Grey, ends: FloatArray) -> FloatArray:
    """(n,) grey levels by which the two sides of each segment differ."""
    along = ends[:, 1] - ends[:, 0]
    normal = np.stack([-along[:, 1], along[:, 0]], axis=1) / np.linalg.norm(along, axis=1)[:, None]
    places = ends[:, :1] + np.linspace(0.1, 0.9, 9)[None, :, None] * along[:, None]
    sides = [(places + sign * 2.0 * normal[:, None]).astype(np.float32) for sign in (-1, 1)]
    left, right = (cv2.remap(grey, side[..., 0], side[..., 1], cv2.INTER_LINEAR).astype(np.float64) for side in sides)
    return np.asarray(np.median(np.abs(left - right), axis=1))


def weave_of_quad(segments: Segments, quad: FloatArray) -> Weave | None:
    """The frame that a quadrangle in the picture suggests if it is the board."""
    ends = np.concatenate([quad, np.ones((4, 1))], axis=1)
    sides = np.cross(ends, np.roll(ends, -1, axis=0))
    middle = quad.mean(axis=0)
    reach = WIDENED * float(np.linalg.norm(quad - middle, axis=1).max())
    near = (np.linalg.norm(segments.ends - middle, axis=2) < reach).all(axis=1)
    if near.sum() < 8:
        return None
    local = Segments(segments.ends[near], segments.weights[near])
    points = np.stack([np.cross(sides[0], sides[2]), np.cross(sides[1], sides[3])])
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    first, second = (_refit(point, local, QUAD_AGREE_RAD) for point in points)
    return _weave(local, first, second, middle)


def _lines(ends: FloatArray) -> FloatArray:
    """(n, 3) homogeneous lines through pairs of points."""
    homogeneous = np.concatenate([ends, np.ones((len(ends), 2, 1))], axis=2)
    return np.asarray(np.cross(homogeneous[:, 0], homogeneous[:, 1]))


def _agreement(points: FloatArray, ends: FloatArray, limit_rad: float = AGREE_RAD) -> Flags:
    """(points, segments) whether a segment aims at a vanishing point."""
    middles, along = ends.mean(axis=1), ends[:, 1] - ends[:, 0]
    centre = middles.mean(axis=0)
    scale = float(np.abs(middles - centre).max()) + 1e-9
    middles = (middles - centre) / scale
    along = along / np.linalg.norm(along, axis=1)[:, None]
    # Centred on the segments and scaled: there are millions of pairs, so single precision must suffice.
    carried = points.copy()
    carried[:, :2] = (points[:, :2] - points[:, 2:] * centre) / scale
    carried = (carried / np.linalg.norm(carried, axis=1, keepdims=True)).astype(np.float32)
    # With m a segment's middle and d its direction, the sine of the angle is |p - m w, d| / |p - m w|.
    x, y = middles.T
    lines = np.stack([along[:, 1], -along[:, 0], y * along[:, 0] - x * along[:, 1]]).astype(np.float32)
    squares = np.stack([carried[:, 0] ** 2 + carried[:, 1] ** 2, -2 * carried[:, 0] * carried[:, 2]], axis=1)
    squares = np.concatenate([squares, (-2 * carried[:, 1] * carried[:, 2])[:, None], carried[:, 2:] ** 2], axis=1)
    places = np.stack([np.ones_like(x), x, y, x**2 + y**2]).astype(np.float32)
    aside = carried @ lines
    np.multiply(aside, aside, out=aside)
    return np.asarray(aside < np.float32(np.sin(limit_rad) ** 2) * (squares @ places))


def aiming_at_one_point(ends: FloatArray) -> Flags:
    """(n,) which of the (n, 2, 2) segments aim at a point, that at which most aim."""
    lines = _lines(ends)
    one, other = np.triu_indices(len(lines), 1)
    points = np.cross(lines[one], lines[other])
    points = points[np.linalg.norm(points, axis=1) > 0]
    if len(points) == 0:
        return np.ones(len(ends), dtype=np.bool_)
    agree = _agreement(points, ends)
    return np.asarray(agree[agree.sum(axis=1).argmax()])


def _refit(point: FloatArray, segments: Segments, limit_rad: float = AGREE_RAD) -> FloatArray:
    """The vanishing point refitted to the segments that aim near it."""
    middle = segments.ends.reshape(-1, 2).mean(axis=0)
    scale = float(np.abs(segments.ends - middle).max()) + 1e-9
    lines = _lines((segments.ends - middle) / scale)
    lines /= np.linalg.norm(lines[:, :2], axis=1, keepdims=True) + 1e-12
    back = np.array([[scale, 0, middle[0]], [0, scale, middle[1]], [0, 0, 1]])
    for limit in (limit_rad, 0.6 * limit_rad):
        agree = _agreement(point[None], segments.ends, limit)[0]
        if agree.sum() < 3:
            return point
        weighted = lines[agree] * segments.weights[agree, None]
        point = back @ np.linalg.eigh(weighted.T @ weighted)[1][:, 0]
        point = np.asarray(point / np.linalg.norm(point))
    return point


def _weave(segments: Segments, first: FloatArray, second: FloatArray, centre: FloatArray) -> Weave | None:
    """The frame whose x and y directions are two vanishing points, around a place; None where none can be seen so."""
    towards = [point[:2] - point[2] * centre for point in (first, second)]
    angles = [float(np.arctan2(direction[1], direction[0])) for direction in towards]
    apart = abs((angles[0] - angles[1] + np.pi / 2) % np.pi - np.pi / 2)
    if apart < APART_RAD:
        return None
    if abs(np.sin(angles[0])) > abs(np.sin(angles[1])):
        first, second = second, first
    horizon = np.cross(first, second)
    depth = float(horizon @ np.append(centre, 1.0))
    if abs(depth) < 1e-12:
        return None
    horizon = horizon / depth
    flat = np.array([[1.0, 0, 0], [0, 1.0, 0], horizon])
    axes = np.stack([(flat @ first)[:2], (flat @ second)[:2]], axis=1)
    lengths = np.linalg.norm(axes, axis=0)
    if not np.isfinite(axes).all() or lengths.min() < 1e-9:
        return None
    axes /= lengths
    axes *= np.sign([axes[0, 0] or 1.0, axes[1, 1] or 1.0])
    affine = np.eye(3)
    if abs(np.linalg.det(axes)) < 1e-6:
        return None
    affine[:2, :2] = np.linalg.inv(axes)
    agree = _agreement(np.stack([first, second]), segments.ends)
    return _scaled(segments.ends, affine @ flat, agree[0] & ~agree[1], agree[1] & ~agree[0])


def _scaled(segments: FloatArray, matrix: FloatArray, across: Flags, upright: Flags) -> Weave | None:
    ends = np.concatenate([segments, np.ones((len(segments), 2, 1))], axis=2)
    # Nothing beyond the horizon can lie on the table.
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
