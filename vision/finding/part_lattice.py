"""Finds a ruled board of which a part is seen: how far its lattice extends, and at which sides the picture ends.

A piece of the lattice is found like a small ruled board; from there the lattice grows line by line while the next
line is seen.
"""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from vision.finding.grid_finder import WORKING_PX, GridCandidate, grid_candidates, lines_of, on_points
from vision.finding.lattice_evidence import AROUND, ON_POINTS, ON_SQUARES, Evidence, look_at
from vision.frame import Image
from vision.pose import BoardPose, pose_from_corners, project
from vision.primitives.features import shrink

FloatArray = NDArray[np.float64]

PIECE = 6
"""Number of lines, each way, of the piece that is searched first."""
GOOD = 0.45
"""Least score of such a piece."""
TRIED = 4
"""Number of lattices that are examined."""
NEXT_SEEN = 0.2
"""Mean evidence, -1 to 1, above which the next line belongs to the board."""
MIN_SEEN_SHARE = 0.4
"""Least share of the board's lines, each way, that must be seen for a lattice to be a part of it."""


@dataclasses.dataclass(frozen=True, eq=False)
class LatticePart:
    """A lattice in the picture that may be a part of the board."""

    pose: BoardPose
    """The place of the whole board, which extends to the sides at which the picture ends."""
    lines: tuple[int, int]
    """Number of upright lines seen, and of lines across."""
    cut: tuple[bool, bool, bool, bool]
    """Whether the picture ends before the lattice does, at left, top, right and bottom."""
    seen: float
    """0 to 1: how clearly its lines are seen."""
    hidden: float
    """0 to 1: share of the board that is not seen although the picture continues there."""


def find_part_of_lattice(image: Image, template: BoardTemplate) -> LatticePart | None:
    """The largest lattice in the picture that may be the board's, whole or in part; None where there is none."""
    piece = _piece_of(template)
    grey, small_from_image = shrink(image, WORKING_PX)
    small = np.asarray(cv2.resize(image, grey.shape[::-1], interpolation=cv2.INTER_AREA), dtype=np.uint8)
    found: list[LatticePart] = []
    for number, candidate in enumerate(grid_candidates(image, piece)):
        if candidate.window.score > GOOD:
            part = _grown(small, grey, candidate, template)
            found += [] if part is None else [_in_whole_picture(part, small_from_image)]
        if number + 1 == TRIED:
            break
    return max(found, key=lambda part: part.lines[0] * part.lines[1] * part.seen, default=None)


def _piece_of(template: BoardTemplate) -> BoardTemplate:
    """The template with only as many lines as a piece has."""
    cells = PIECE if on_points(template) else PIECE - 1
    grid = {**template.source["grid"], "rows": cells, "columns": cells}
    return dataclasses.replace(template, source={**template.source, "grid": grid})


def _grown(small: Image, grey: NDArray[np.uint8], start: GridCandidate, template: BoardTemplate) -> LatticePart | None:
    lattice, window = start.lattice, start.window
    look = ON_POINTS if on_points(template) else ON_SQUARES
    best: LatticePart | None = None
    around = max(lines_of(template)) + AROUND
    for evidence in look_at(small, grey, lattice.picture_from_lattice, lattice.middle, look, around):
        left, top = window.left - evidence.origin[0], window.top - evidence.origin[1]
        low, high, cut = _extent(evidence, np.array([left, top]), np.array([left, top]) + PIECE - 1)
        columns, rows = (high - low + 1).tolist()
        if not _may_be(columns, rows, cut, template):
            continue
        arms = evidence.arms[low[1] : high[1] + 1, low[0] : high[0] + 1]
        men = evidence.men[low[1] : high[1] + 1, low[0] : high[0] + 1]
        seen = float(np.clip(np.where(men > 0, 1.0, arms.mean(axis=2)).mean(), 0, 1))
        if best is None or seen > best.seen:
            pose = _pose(lattice.picture_from_lattice, low + evidence.origin, high + evidence.origin, cut, template)
            hidden = _hidden(columns, rows, cut, template)
            best = LatticePart(pose, (columns, rows), cut, seen, hidden)
    return best


def _extent(
    evidence: Evidence, low: NDArray[np.intp], high: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp], tuple[bool, bool, bool, bool]]:
    """First and last (column, row) of the lattice, and whether the picture ends there: left, top, right, bottom."""
    low, high = low.copy(), high.copy()
    grows = True
    while grows:
        grows = False
        for axis, step in ((0, -1), (1, -1), (0, 1), (1, 1)):
            while _next_line(evidence, low, high, axis, step) == "seen":
                (low if step < 0 else high)[axis] += step
                grows = True
    ends = [_next_line(evidence, low, high, axis, step) for axis, step in ((0, -1), (1, -1), (0, 1), (1, 1))]
    return low, high, (ends[0] == "out", ends[1] == "out", ends[2] == "out", ends[3] == "out")


def _next_line(evidence: Evidence, low: NDArray[np.intp], high: NDArray[np.intp], axis: int, step: int) -> str:
    """State of the next line: "seen", "none", or "out" where the picture ends."""
    at = int((low if step < 0 else high)[axis]) + step
    across = slice(int(low[1 - axis]), int(high[1 - axis]) + 1)
    size = evidence.seen.shape[1 - axis]
    if not 0 <= at < size:
        return "out"
    index = (across, at) if axis == 0 else (at, across)
    inside = evidence.seen[index]
    if inside.mean() < 0.5:
        return "out"
    # The arms towards the next line, and those along it.
    before = (across, at - step) if axis == 0 else (at - step, across)
    out = (0 if step > 0 else 2) if axis == 0 else (1 if step > 0 else 3)
    along = (1, 3) if axis == 0 else (0, 2)
    towards = evidence.arms[before][:, out]
    runs = evidence.arms[index][:, along].mean(axis=1)
    strength = np.where(evidence.men[index] > 0, 1.0, (towards + runs) / 2)[inside].mean()
    return "seen" if strength > NEXT_SEEN else "none"


def _may_be(columns: int, rows: int, cut: tuple[bool, bool, bool, bool], template: BoardTemplate) -> bool:
    """Whether that many lines may be the board's: all, or fewer where the picture ends or where one side is covered."""
    wanted = lines_of(template)
    covered = 0
    for seen, whole, ends in ((columns, wanted[0], cut[0] or cut[2]), (rows, wanted[1], cut[1] or cut[3])):
        if seen > whole or seen < max(PIECE, MIN_SEEN_SHARE * whole):
            return False
        covered += seen < whole and not ends
    # A smaller board lacks lines both ways; a covered one has all its lines the other way.
    return covered == 0 or (covered == 1 and (columns, rows) != wanted and wanted[0] in (columns, rows))


def _hidden(columns: int, rows: int, cut: tuple[bool, bool, bool, bool], template: BoardTemplate) -> float:
    """Share of the board missing although the picture continues there; 0 where the picture cuts the board off."""
    if any(cut):
        return 0.0
    wanted = lines_of(template)
    return 1 - (columns - 1) * (rows - 1) / ((wanted[0] - 1) * (wanted[1] - 1))


def _pose(
    matrix: FloatArray,
    low: NDArray[np.intp],
    high: NDArray[np.intp],
    cut: tuple[bool, bool, bool, bool],
    template: BoardTemplate,
) -> BoardPose:
    """The whole board: what is missing is where the picture ends, half at each side if it ends at both."""
    ends = []
    for axis, whole in enumerate(lines_of(template)):
        missing = whole - 1 - int(high[axis] - low[axis])
        before, after = cut[axis], cut[axis + 2]
        share = 0.5 if before == after else float(before)
        ends.append((float(low[axis]) - share * missing, float(high[axis]) + (1 - share) * missing))
    (left, right), (top, bottom) = ends
    corners = project(matrix, np.array([[left, top], [right, top], [right, bottom], [left, bottom]]))
    if cv2.contourArea(corners.astype(np.float32), oriented=True) < 0:
        corners = corners[::-1]
    return pose_from_corners(np.roll(corners, -int(np.argmin(corners.sum(axis=1))), axis=0), template)


def _in_whole_picture(part: LatticePart, small_from_image: FloatArray) -> LatticePart:
    matrix = np.asarray(np.linalg.inv(small_from_image)) @ part.pose.image_from_board
    pose = dataclasses.replace(part.pose, image_from_board=np.asarray(matrix / matrix[2, 2]))
    return dataclasses.replace(part, pose=pose)
