"""Rectangles of a weave of lines that may be a board's outline, scored by the template's other lines."""

from __future__ import annotations

import dataclasses
import itertools

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from vision.pose import project
from vision.primitives.lines import shaped_lines
from vision.primitives.segments import FRAME_PX, Weave

FloatArray = NDArray[np.float64]

POSITIONS = 22
"""Number of candidate lines in either direction."""
MIN_SIDE_PX = 60
ASPECT = 3.0
"""Greatest ratio of the frame's scales along x and y."""
KEPT = 300
"""Number of rectangles that are scored with all lines, after scoring the outline alone."""
RETURNED = 24
SHAPE_VALUES = 21
BESIDE = 0.035
"""Distance from a line, as a share of the side, at which there should be no line."""
REACH_PX = 2


@dataclasses.dataclass(frozen=True, eq=False)
class Outline:
    """A rectangle that may be the board's frame."""

    corners: FloatArray
    """(4, 2) picture pixels: top left, top right, bottom right, bottom left."""
    shape: dict[str, float]
    """The shape parameters that fit its lines best."""
    score: float
    """Share of the lines that is seen, less what is seen beside them."""


@dataclasses.dataclass(frozen=True, eq=False)
class Sums:
    """Running sums of line evidence along one direction, so that any stretch of any line costs two look-ups."""

    sums: FloatArray
    """(FRAME_PX, FRAME_PX + 1) evidence of row r up to column c; for upright lines rows are columns."""

    def share(self, at: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
        """Share of the stretch from `start` to `end` of the line at `at` that shows a line; arrays of one shape."""
        row = np.clip(np.rint(at).astype(np.intp), 0, FRAME_PX - 1)
        first = np.clip(np.rint(start).astype(np.intp), 0, FRAME_PX)
        last = np.clip(np.rint(end).astype(np.intp), 0, FRAME_PX)
        length = np.maximum(np.abs(end - start), 1.0)
        return np.asarray(np.clip((self.sums[row, last] - self.sums[row, first]) / length, 0.0, 1.0))


def find_outlines(weave: Weave, template: BoardTemplate) -> list[Outline]:
    """The likeliest outlines, best first."""
    across, upright = sums_of(weave.across), sums_of(np.asarray(weave.upright[:, :, ::-1]))
    rows, columns = (
        line_positions(weave.across[:, :, 1], weave.across[:, :, 0]),
        line_positions(*_swapped(weave.upright)),
    )
    boxes = _rectangles(columns, rows)
    if len(boxes) == 0:
        return []
    frame = unit_lines(template, frame_only=True)
    first = _score(boxes, frame, across, upright)
    boxes = boxes[np.argsort(-first)[:KEPT]]
    shapes, scores = _fit_shapes(boxes, template, across, upright)
    order = np.argsort(-scores)
    picture_from_frame = np.asarray(np.linalg.inv(weave.frame_from_picture))
    outlines: list[Outline] = []
    taken: list[FloatArray] = []
    for index in order:
        box = boxes[index]
        if any(np.abs(box - other).max() < 6 for other in taken):
            continue
        taken.append(box)
        left, right, top, bottom = box
        corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
        shape = {name: float(values[index]) for name, values in shapes.items()}
        outlines.append(Outline(project(picture_from_frame, corners), shape, float(scores[index])))
        if len(outlines) == RETURNED:
            break
    return outlines


def _swapped(upright: FloatArray) -> tuple[FloatArray, FloatArray]:
    return upright[:, :, 0], upright[:, :, 1]


def sums_of(segments: FloatArray) -> Sums:
    """Running sums of the segments that run along x."""
    canvas: NDArray[np.uint8] = np.zeros((FRAME_PX, FRAME_PX), dtype=np.uint8)
    for start, end in np.rint(segments).astype(int):
        cv2.line(canvas, (int(start[0]), int(start[1])), (int(end[0]), int(end[1])), (1,), 2 * REACH_PX + 1)
    sums = np.concatenate([np.zeros((FRAME_PX, 1)), np.cumsum(canvas, axis=1, dtype=np.float64)], axis=1)
    return Sums(sums)


def line_positions(at: FloatArray, along: FloatArray) -> FloatArray:
    """Positions of lines, ascending: the strongest peaks of the segments' length over their position across."""
    lengths = np.abs(along[:, 1] - along[:, 0])
    histogram, _ = np.histogram(at.mean(axis=1), bins=FRAME_PX, range=(0, FRAME_PX), weights=lengths)
    smooth = cv2.GaussianBlur(histogram.reshape(1, -1), (0, 0), 1.5).ravel()
    peak = (smooth > np.roll(smooth, 1)) & (smooth >= np.roll(smooth, -1)) & (smooth > 0)
    places = np.flatnonzero(peak)
    strongest = places[np.argsort(-smooth[places])[:POSITIONS]]
    return np.sort(strongest).astype(np.float64) + 0.5


def _rectangles(columns: FloatArray, rows: FloatArray) -> FloatArray:
    """(n, 4) left, right, top, bottom of all rectangles of a board's size."""
    pairs_x = np.array([pair for pair in itertools.combinations(columns, 2) if pair[1] - pair[0] >= MIN_SIDE_PX])
    pairs_y = np.array([pair for pair in itertools.combinations(rows, 2) if pair[1] - pair[0] >= MIN_SIDE_PX])
    if len(pairs_x) == 0 or len(pairs_y) == 0:
        return np.zeros((0, 4))
    boxes = np.concatenate([np.repeat(pairs_x, len(pairs_y), axis=0), np.tile(pairs_y, (len(pairs_x), 1))], axis=1)
    ratio = (boxes[:, 1] - boxes[:, 0]) / (boxes[:, 3] - boxes[:, 2])
    return np.asarray(boxes[(ratio < ASPECT) & (ratio > 1 / ASPECT)])


def unit_lines(template: BoardTemplate, frame_only: bool = False) -> FloatArray:
    """(lines, 2, 2) the template's lines that run along x or y, as shares of the frame."""
    lines = template.lines_mm / np.array(template.size_mm)
    straight = (np.abs(lines[:, 0] - lines[:, 1]) < 1e-6).any(axis=1)
    lines = lines[straight]
    if frame_only:
        edge = (np.abs(lines - 0.5) > 0.5 - 1e-6).all(axis=1).any(axis=1)
        lines = lines[edge]
    return np.asarray(lines)


def _score(boxes: FloatArray, lines: FloatArray, across: Sums, upright: Sums) -> FloatArray:
    """(n,) mean support of the lines in every box, long lines counting for more."""
    origin, extent = boxes[:, [0, 2]], np.stack([boxes[:, 1] - boxes[:, 0], boxes[:, 3] - boxes[:, 2]], axis=1)
    total = np.zeros(len(boxes))
    weights = 0.0
    for start, end in lines:
        low, high = np.minimum(start, end), np.maximum(start, end)
        axis = 0 if high[0] - low[0] > high[1] - low[1] else 1
        sums = across if axis == 0 else upright
        first = origin[:, axis] + low[axis] * extent[:, axis]
        last = origin[:, axis] + high[axis] * extent[:, axis]
        at = origin[:, 1 - axis] + low[1 - axis] * extent[:, 1 - axis]
        beside = BESIDE * extent[:, 1 - axis] + REACH_PX
        on = sums.share(at, first, last)
        off = 0.5 * (sums.share(at - beside, first, last) + sums.share(at + beside, first, last))
        weight = float(np.sqrt(high[axis] - low[axis]))
        total += weight * np.maximum(on - off, -0.2)
        weights += weight
    return np.asarray(total / max(weights, 1e-9))


def _fit_shapes(
    boxes: FloatArray, template: BoardTemplate, across: Sums, upright: Sums
) -> tuple[dict[str, FloatArray], FloatArray]:
    """For every box, the best value of each shape parameter, one after the other, and the score over all lines."""
    fixed = fixed_lines(template)
    lengths = float(np.sqrt(np.abs(fixed[:, 0] - fixed[:, 1]).max(axis=1)).sum())
    total, weights = lengths * _score(boxes, fixed, across, upright), lengths
    shapes: dict[str, FloatArray] = {}
    for name, (low, high) in template.shape_range.items():
        values = np.linspace(low, high, SHAPE_VALUES)
        variants = [moved_lines(template, name, float(value)) for value in values]
        scores = np.stack([_score(boxes, lines, across, upright) for lines in variants])
        best = np.argmax(scores, axis=0)
        shapes[name] = values[best]
        weight = float(np.sqrt(np.abs(variants[0][:, 0] - variants[0][:, 1]).max(axis=1)).sum())
        total = total + weight * scores[best, np.arange(len(boxes))]
        weights += weight
    return shapes, np.asarray(total / max(weights, 1e-9))


def moved_lines(template: BoardTemplate, name: str, value: float) -> FloatArray:
    """(lines, 2, 2) the lines that a shape parameter moves, at its given value, as shares of the frame."""
    candidate = template.with_shape({**template.shape, name: value})
    return unit_lines(dataclasses.replace(candidate, lines_mm=candidate.lines_mm[shaped_lines(template, name)]))


def fixed_lines(template: BoardTemplate) -> FloatArray:
    """(lines, 2, 2) the lines that no shape parameter moves, as shares of the frame."""
    moved = np.zeros(len(template.lines_mm), dtype=np.bool_)
    for name in template.shape_range:
        moved |= shaped_lines(template, name)
    return unit_lines(dataclasses.replace(template, lines_mm=template.lines_mm[~moved]))
