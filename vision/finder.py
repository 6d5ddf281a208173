"""Finds a board that was never seen before: no marks, no profile, only the template's drawing.

1. Straight edges, and the pairs of vanishing points at which many of them aim.
2. In the frame where such a pair runs along x and y, a board is an upright rectangle whose lines are known but for
   its shape parameters: every pair of lines across and every pair of upright ones may be its outline. Sums along
   rows and columns score tens of thousands of them at once.
3. The best are snapped to the drawn lines and measured; the one whose lines are really there wins, or none.
"""

from __future__ import annotations

import dataclasses
import logging

import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from vision.features import shrink
from vision.frame import Image
from vision.lines import measure_shape, refine_pose
from vision.outlines import Outline, find_outlines
from vision.pose import BoardPose, pose_from_corners, project
from vision.segments import find_segments, find_weaves

FloatArray = NDArray[np.float64]

log = logging.getLogger(__name__)

WORKING_PX = 900
"""Longer side of the picture in which lines are looked for."""
WEAVES = 4
TRIED = 16
"""Outlines that are looked at closely."""
FOUND_QUALITY = 0.55
"""Share of the drawn lines that must be seen."""
GOOD_QUALITY = 0.88
"""Quality at which looking further is idle."""


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
    outlines: list[Outline] = []
    for weave in find_weaves(segments, size, np.random.default_rng(0))[:WEAVES]:
        outlines += find_outlines(weave, template)
    outlines.sort(key=lambda outline: -outline.score)
    image_from_small = np.asarray(np.linalg.inv(small_from_image))
    best: Found | None = None
    for outline in outlines[:TRIED]:
        corners = _upright(project(image_from_small, outline.corners), template)
        found = _examine(image, pose_from_corners(corners, template), template.with_shape(outline.shape))
        if found is not None and (best is None or found.pose.quality > best.pose.quality):
            best = found
        if best is not None and best.pose.quality > GOOD_QUALITY:
            break
    return best if best is not None and best.pose.quality >= FOUND_QUALITY else None


def _examine(image: Image, pose: BoardPose, template: BoardTemplate) -> Found | None:
    from vision.align import is_plausible

    if not is_plausible(pose, template, image):
        return None
    pose = refine_pose(image, pose, template)
    if pose.quality < FOUND_QUALITY / 2 or not is_plausible(pose, template, image):
        return None
    if template.shape:
        template = measure_shape(image, pose, template)
        pose = refine_pose(image, pose, template)
    return Found(pose, template) if is_plausible(pose, template, image) else None


def _upright(corners: FloatArray, template: BoardTemplate) -> FloatArray:
    """The corners, clockwise, turned so that the first is the nearest to the picture's top left."""
    width, height = template.size_mm
    turns = range(4) if np.isclose(width, height) else (0, 2)
    return np.roll(corners, -min(turns, key=lambda turn: float(corners[turn].sum())), axis=0)
