"""Finds a board that was never seen before: no marks, no profile, only the template's drawing.

1. Straight edges, and the pairs of vanishing points at which many of them, or the sides of a quadrangle, aim.
2. In the frame where such a pair runs along x and y, a board is an upright rectangle whose lines are known but for
   its shape parameters: every pair of lines across and every pair of upright ones may be its outline. Sums along
   rows and columns score tens of thousands of them at once.
3. The best are snapped to the drawn lines and measured; the one whose lines are really there wins, or none.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from vision.features import shrink
from vision.frame import Image
from vision.lines import measure_shape, refine_pose
from vision.outlines import Outline, find_outlines
from vision.pose import BoardPose, is_plausible, pose_from_corners
from vision.quads import find_quads
from vision.segments import find_segments, find_weaves, weave_of_quad
from vision.strays import stray_share

FloatArray = NDArray[np.float64]

WORKING_PX = 900
"""Longer side of the picture in which lines are looked for."""
WEAVES = 4
TRIED = 24
"""Outlines that are looked at closely."""
FOUND_QUALITY = 0.55
"""Share of the drawn lines that must be seen."""
MOST_STRAYS = 0.25
"""Length of unexplained lines inside the frame, as a share of the template's, that rules an outline out."""
SAME = 0.05
"""Distance of corners, as a share of the side, below which two outlines are one."""


@dataclasses.dataclass(frozen=True, eq=False)
class Found:
    """A board found in a picture."""

    pose: BoardPose
    template: BoardTemplate
    """With the shape measured on this board."""


def find_board(image: Image, template: BoardTemplate) -> Found | None:
    """The board in the picture, its top left corner the one nearest to the picture's; None rather than a guess."""
    grey, small_from_image = shrink(image, WORKING_PX)
    segments = find_segments(grey)
    size = grey.shape[1], grey.shape[0]
    weaves = [weave_of_quad(segments, quad, size) for quad in find_quads(grey)]
    weaves += find_weaves(segments, size, np.random.default_rng(0))[:WEAVES]
    outlines = [outline for weave in weaves if weave is not None for outline in find_outlines(weave, template)]
    outlines.sort(key=lambda outline: -outline.score)
    best = _best(grey, template, outlines)
    if best is None or best.pose.quality < FOUND_QUALITY:
        return None
    image_from_board = np.asarray(np.linalg.inv(small_from_image)) @ best.pose.image_from_board
    # A second round, now that pose and shape are nearly right, in the whole picture.
    found = _examine(image, dataclasses.replace(best.pose, image_from_board=image_from_board), best.template)
    return found if found is not None and found.pose.quality >= FOUND_QUALITY else None


def _best(grey: NDArray[np.uint8], template: BoardTemplate, outlines: Sequence[Outline]) -> Found | None:
    """The outline whose lines are seen best, with fewest left over; each board is looked at once."""
    best: Found | None = None
    merit = 0.0
    examined: list[FloatArray] = []
    for outline in outlines[:TRIED]:
        corners = _upright(outline.corners, template)
        if any(np.linalg.norm(corners - other, axis=1).max() < SAME * _side(other) for other in examined):
            continue
        found = _examine(grey, pose_from_corners(corners, template), template.with_shape(outline.shape))
        if found is None or found.pose.quality < FOUND_QUALITY:
            continue
        examined.append(found.pose.corners_px(found.template))
        strays = stray_share(grey, found.pose, found.template)
        if strays < MOST_STRAYS and found.pose.quality - 2 * strays > merit:
            best, merit = found, found.pose.quality - 2 * strays
    return best


def _examine(image: Image, pose: BoardPose, template: BoardTemplate) -> Found | None:
    if not is_plausible(pose, template, image):
        return None
    pose = refine_pose(image, pose, template)
    if pose.quality < FOUND_QUALITY / 2 or not is_plausible(pose, template, image):
        return None
    if template.shape:
        template = measure_shape(image, pose, template)
        pose = refine_pose(image, pose, template)
    return Found(pose, template) if is_plausible(pose, template, image) else None


def _side(corners: FloatArray) -> float:
    return float(np.linalg.norm(corners[0] - corners[2]) / np.sqrt(2))


def _upright(corners: FloatArray, template: BoardTemplate) -> FloatArray:
    """The corners, clockwise, turned so that the first is the nearest to the picture's top left."""
    width, height = template.size_mm
    turns = range(4) if np.isclose(width, height) else (0, 2)
    return np.roll(corners, -min(turns, key=lambda turn: float(corners[turn].sum())), axis=0)
