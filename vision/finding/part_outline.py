"""Finds the outline of a board of few lines with some of its sides outside the picture.

As for a whole board, outlines are rectangles of a weave of lines. Here the sides that no line shows lie where the
board's known aspect puts them, and only the lines inside the picture are scored.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from vision.finding.outlines import Sums, fixed_lines, line_positions, moved_lines, sums_of, unit_lines
from vision.finding.part_boxes import boxes_of_lines
from vision.frame import Image
from vision.pose import BoardPose, pose_from_corners, project
from vision.primitives.channels import shrink_to_board
from vision.primitives.combs import frame_aspect
from vision.primitives.features import shrink
from vision.primitives.lines import ASIDE_PX, SEARCH_PX, fit_correction, measure_shape, seen_share
from vision.primitives.quads import find_quads
from vision.primitives.ridges import HIT, Chunks, cut_chunks, line_peaks, line_style, rectified_grey, visible
from vision.primitives.segments import FRAME_PX, Weave, find_segments, find_weaves, weave_of_quad

FloatArray = NDArray[np.float64]

WORKING_PX = 700
WEAVES, QUADS = 3, 3
BESIDE, REACH_PX = 0.035, 2
"""Distance beside a line at which there should be none: a share of the side, plus pixels."""
KEPT, RETURNED, TRIED = 300, 8, 12
ALIKE_PX = 8
"""Frame pixels by which two outlines must differ."""
SHAPE_VALUES = 15
MIN_IN_PICTURE = 0.45
"""Share of the board's lines that must be in the picture."""
MAX_IN_PICTURE = 0.98
SEEN = 0.68
"""Share of the lines in the picture that must be seen."""
SURE = 0.85
"""Share of these from which no other outline is tried."""
TELLING = 0.35
"""Least score of an outline that is examined closely."""


@dataclasses.dataclass(frozen=True, eq=False)
class Frame:
    """A weave's lines, and the part of its frame inside the picture, both as running sums."""

    weave: Weave
    lines: tuple[Sums, Sums]
    """Lines that run along x, and upright lines."""
    shown: tuple[Sums, Sums]
    """Running sums of 1 where the frame's pixel is in the picture, by rows and by columns."""


@dataclasses.dataclass(frozen=True, eq=False)
class OutlinePart:
    """A board that is partly in the picture."""

    pose: BoardPose
    """The place of the whole board; its quality is the share seen of the lines in the picture."""
    template: BoardTemplate
    """The template with the shape measured on this board."""
    hidden: float = 0.0
    """Share, 0 to 1, of its part in the picture that something covers."""


def find_part_of_outline(image: Image, template: BoardTemplate) -> OutlinePart | None:
    """Finds a board that extends beyond the picture; None where too little of it is seen to be sure."""
    grey, small_from_image = shrink(image, WORKING_PX)
    outlines = [outline for weave in likely_weaves(grey) for outline in _outlines(weave, template, grey)]
    outlines.sort(key=lambda outline: -outline[0])
    best: OutlinePart | None = None
    for score, corners, shape in outlines[:TRIED]:
        if score < TELLING:
            break
        shaped = template.with_shape(shape) if template.shape else template
        found = _examined(grey, pose_from_corners(_upright(corners), shaped), shaped)
        if found is not None and (best is None or found.pose.quality > best.pose.quality):
            best = found
            if found.pose.quality > SURE:
                break
    if best is None or best.pose.quality < SEEN:
        return None
    matrix = np.asarray(np.linalg.inv(small_from_image)) @ best.pose.image_from_board
    pose = dataclasses.replace(best.pose, image_from_board=np.asarray(matrix / matrix[2, 2]))
    return dataclasses.replace(best, pose=pose)


def likely_weaves(grey: NDArray[np.uint8]) -> Iterator[Weave]:
    """Yields pairs of directions in which a board's lines may run, from vanishing points and from quadrangles."""
    segments, size = find_segments(grey), (grey.shape[1], grey.shape[0])
    yield from find_weaves(segments, size, np.random.default_rng(0))[:WEAVES]
    for quad in find_quads(grey)[:QUADS]:
        weave = weave_of_quad(segments, quad, size)
        if weave is not None:
            yield weave


def _outlines(
    weave: Weave, template: BoardTemplate, grey: NDArray[np.uint8]
) -> list[tuple[float, FloatArray, dict[str, float]]]:
    """Score, corners in the picture and shape of the likeliest outlines that extend beyond it."""
    frame = _frame(weave, grey)
    columns = line_positions(weave.upright[:, :, 0], weave.upright[:, :, 1])
    rows = line_positions(weave.across[:, :, 1], weave.across[:, :, 0])
    width, height = template.size_mm
    boxes = boxes_of_lines(columns, rows, frame_aspect(weave, grey.shape[::-1]) * height / width)
    boxes = boxes[_goes_beyond(boxes, frame)]
    if len(boxes) == 0:
        return []
    first, shown = _score(boxes, unit_lines(template, frame_only=True), frame)
    boxes = boxes[np.argsort(-np.where(shown > 0.25, first * np.sqrt(shown), -1.0))[:KEPT]]
    shapes, scores = _shaped(boxes, template, frame)
    picture_from_frame = np.asarray(np.linalg.inv(weave.frame_from_picture))
    found: list[tuple[float, FloatArray, dict[str, float]]] = []
    taken: list[FloatArray] = []
    for index in np.argsort(-scores):
        if any(np.abs(boxes[index] - other).max() < ALIKE_PX for other in taken):
            continue
        taken.append(boxes[index])
        left, right, top, bottom = boxes[index]
        corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
        shape = {name: float(values[index]) for name, values in shapes.items()}
        found.append((float(scores[index]), project(picture_from_frame, corners), shape))
        if len(found) == RETURNED:
            break
    return found


def _frame(weave: Weave, grey: NDArray[np.uint8]) -> Frame:
    size = (FRAME_PX, FRAME_PX)
    shown = cv2.warpPerspective(np.ones_like(grey), weave.frame_from_picture, size, flags=cv2.INTER_NEAREST)
    by_rows, by_columns = _running(np.asarray(shown)), _running(np.asarray(shown.T))
    lines = sums_of(weave.across), sums_of(np.asarray(weave.upright[:, :, ::-1]))
    return Frame(weave, lines, (by_rows, by_columns))


def _running(shown: NDArray[np.uint8]) -> Sums:
    return Sums(np.concatenate([np.zeros((FRAME_PX, 1)), np.cumsum(shown, axis=1, dtype=np.float64)], axis=1))


def _goes_beyond(boxes: FloatArray, frame: Frame) -> NDArray[np.bool_]:
    """(n,) whether the middles of some sides, but not of all four, lie outside the picture."""
    picture_from_frame = np.asarray(np.linalg.inv(frame.weave.frame_from_picture))
    shown = frame.shown[0].sums
    left, right, top, bottom = boxes.T
    beyond = np.zeros(len(boxes), dtype=np.intp)
    middle_x, middle_y = (left + right) / 2, (top + bottom) / 2
    for x, y in ((left, middle_y), (right, middle_y), (middle_x, top), (middle_x, bottom)):
        column, row = (np.rint(one).astype(np.intp) for one in (x, y))
        inside = (column >= 0) & (column < FRAME_PX) & (row >= 0) & (row < FRAME_PX)
        column, row = column.clip(0, FRAME_PX - 1), row.clip(0, FRAME_PX - 1)
        beyond += ~(inside & (shown[row, column + 1] > shown[row, column]))
    # The whole board must be in front of the camera.
    corners = np.stack([left, top, right, top, right, bottom, left, bottom], axis=1).reshape(-1, 4, 2)
    depth = corners @ picture_from_frame[2, :2] + picture_from_frame[2, 2]
    middle = np.full(2, FRAME_PX / 2) @ picture_from_frame[2, :2] + picture_from_frame[2, 2]
    return np.asarray((beyond > 0) & (beyond < 4) & (depth * middle > 0).all(axis=1))


def _score(boxes: FloatArray, lines: FloatArray, frame: Frame) -> tuple[FloatArray, FloatArray]:
    """(n,) mean support of each box's lines inside the picture, and (n,) the share of its lines that is inside."""
    origin, extent = boxes[:, [0, 2]], np.stack([boxes[:, 1] - boxes[:, 0], boxes[:, 3] - boxes[:, 2]], axis=1)
    total, weights, most = np.zeros(len(boxes)), np.zeros(len(boxes)), 0.0
    for start, end in lines:
        low, high = np.minimum(start, end), np.maximum(start, end)
        axis = 0 if high[0] - low[0] > high[1] - low[1] else 1
        first = origin[:, axis] + low[axis] * extent[:, axis]
        last = origin[:, axis] + high[axis] * extent[:, axis]
        at = origin[:, 1 - axis] + low[1 - axis] * extent[:, 1 - axis]
        beside = BESIDE * extent[:, 1 - axis] + REACH_PX
        shown = np.where((at >= 0) & (at < FRAME_PX), frame.shown[axis].share(at, first, last), 0.0)
        sums = frame.lines[axis]
        on = sums.share(at, first, last)
        off = 0.5 * (sums.share(at - beside, first, last) + sums.share(at + beside, first, last))
        weight = float(np.sqrt(high[axis] - low[axis]))
        total += weight * np.where(shown > 0.1, np.maximum(on - off, -0.2 * shown), 0.0)
        weights += weight * shown
        most += weight
    return np.asarray(total / np.maximum(weights, 0.2 * most)), np.asarray(weights / max(most, 1e-9))


def _shaped(boxes: FloatArray, template: BoardTemplate, frame: Frame) -> tuple[dict[str, FloatArray], FloatArray]:
    """For every box, the best value of each shape parameter, and the score over all lines, less if few are shown."""
    fixed = fixed_lines(template)
    weight = float(np.sqrt(np.abs(fixed[:, 0] - fixed[:, 1]).max(axis=1)).sum())
    score, shown = _score(boxes, fixed, frame)
    total, weights, most = weight * shown * score, weight * shown, weight
    shapes: dict[str, FloatArray] = {}
    for name, (low, high) in template.shape_range.items():
        values = np.linspace(low, high, SHAPE_VALUES)
        variants = [moved_lines(template, name, float(value)) for value in values]
        looked = [_score(boxes, lines, frame) for lines in variants]
        scores = np.stack([score * shown for score, shown in looked])
        best, rows = np.argmax(scores, axis=0), np.arange(len(boxes))
        shapes[name] = values[best]
        weight = float(np.sqrt(np.abs(variants[0][:, 0] - variants[0][:, 1]).max(axis=1)).sum())
        total = total + weight * scores[best, rows]
        weights = weights + weight * np.stack([shown for _, shown in looked])[best, rows]
        most += weight
    in_picture = weights / most
    return shapes, np.where(in_picture > MIN_IN_PICTURE, total / np.maximum(weights, 1e-9) * np.sqrt(in_picture), 0.0)


def _examined(grey: NDArray[np.uint8], pose: BoardPose, template: BoardTemplate) -> OutlinePart | None:
    """The pose and shape snapped to the lines in the picture; None where too few, or nearly all, of them are in it."""
    refined = refine_shown(grey, pose, template)
    if refined is not None and template.shape:
        template = measure_shape(grey, refined, template)
        refined = refine_shown(grey, refined, template)
    return None if refined is None else OutlinePart(refined, template)


def refine_shown(grey: NDArray[np.uint8], pose: BoardPose, template: BoardTemplate) -> BoardPose | None:
    """As `vision.primitives.lines.refine_pose`, by lines in the picture only; the quality is the share of these seen.

    None where too few of the lines, or nearly all, are in the picture.
    """
    chunks = cut_chunks(template)
    small, small_from_image = shrink_to_board(grey, pose.image_from_board, template)
    matrix = small_from_image @ pose.image_from_board
    rectified_from_board = template.rectified_from_board
    style = None
    for radius in (*SEARCH_PX, ASIDE_PX):
        shown = _only(chunks, _in_picture(chunks.centres, matrix @ np.linalg.inv(rectified_from_board), small.shape))
        if not MIN_IN_PICTURE < len(shown.segment) / len(chunks.segment) < MAX_IN_PICTURE:
            return None
        picture = rectified_grey(small, matrix, template)
        style = style or line_style(picture, shown, radius)
        offsets, heights, noise = line_peaks(picture, shown, radius, style)
        if radius == ASIDE_PX:
            break
        correction, _ = fit_correction(shown, offsets, heights / (heights + HIT * noise), picture.shape[:2])
        matrix = matrix @ np.linalg.inv(rectified_from_board) @ correction @ rectified_from_board
    quality = seen_share(offsets, heights > visible(heights, noise), shown)
    image_from_board = np.linalg.inv(small_from_image) @ matrix
    return BoardPose(np.asarray(image_from_board / image_from_board[2, 2]), 0.0, quality)


def _only(chunks: Chunks, kept: NDArray[np.bool_]) -> Chunks:
    return Chunks(chunks.points[kept], chunks.normals[kept], chunks.segment[kept])


def _in_picture(points: FloatArray, picture_from_rectified: FloatArray, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    there = project(picture_from_rectified, points)
    return np.asarray(((there >= 2) & (there <= np.array(shape[1::-1]) - 3)).all(axis=1))


def _upright(corners: FloatArray) -> FloatArray:
    """The corners, clockwise, starting with the one nearest the picture's top left."""
    if cv2.contourArea(corners.astype(np.float32), oriented=True) < 0:
        corners = corners[::-1]
    return np.asarray(np.roll(corners, -int(np.argmin(corners.sum(axis=1))), axis=0))
