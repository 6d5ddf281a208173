"""Finds a ruled board that was never seen before, bare or covered with men: by its lattice.

1. Straight edges, short ones too, and the pairs of vanishing points at which many of them aim (a weave).
2. In a weave, the spacings at which edges repeat along x and y together, as far as a camera can see a square so.
3. From where the edges keep to it best, the lattice is fitted outwards.
4. Every point of it is looked at: pieces of lines, men, bare board. The window of as many lines as the board has
   that explains this best is the board, if it does so clearly better than the same window a line further.
"""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from vision.combs import find_combs
from vision.features import shrink
from vision.frame import Image
from vision.lattice import Lattice, fit_lattice
from vision.lattice_evidence import ON_POINTS, ON_SQUARES, look_at
from vision.lattice_window import Window, best_window
from vision.lines import line_quality, refine_pose
from vision.pose import BoardPose, is_plausible, pose_from_corners, project
from vision.quads import find_quads
from vision.segments import find_segments, find_weaves, weave_of_quad

FloatArray = NDArray[np.float64]

FEWEST_LINES = 12
"""Boards with fewer lines either way are told by their outline: a lattice of so few is found anywhere."""
WORKING_PX = 1000
LEAST_LENGTH = 0.009
"""Least length of a segment, as a share of the picture's longer side: lines show between men in short pieces."""
MOST_SEGMENTS = 2500
WEAVES = 4
GOOD = 0.3
"""Least score of a window."""
CLEARLY = 0.8
"""Least lead over the same window elsewhere, in arms to each point of a side."""
SIDE = 0.25
"""Least that must be seen of the weakest side."""
BEYOND = 0.3
"""Most that may be seen of lines beyond the outermost."""
MOST_MOVED = 0.6
"""Cells by which a corner may still move onto drawn lines."""


@dataclasses.dataclass(frozen=True, eq=False)
class FoundGrid:
    """A board found by its grid."""

    pose: BoardPose
    window: Window


def find_grid(image: Image, template: BoardTemplate) -> BoardPose | None:
    """The ruled board in the picture, its top left corner where the picture has it; None rather than a guess."""
    best = max(grid_candidates(image, template), key=lambda one: one.window.score, default=None)
    if best is None or not believed(best.window):
        return None
    return _snapped(image, best.pose, template)


def _snapped(image: Image, pose: BoardPose, template: BoardTemplate) -> BoardPose:
    """The pose on the drawn lines of the whole picture, where that moves it little and more of them are seen there."""
    before = line_quality(image, pose, template)
    refined = refine_pose(image, pose, template)
    moved = np.linalg.norm(refined.corners_px(template) - pose.corners_px(template), axis=1).max()
    cell_px = np.linalg.norm(np.ptp(pose.corners_px(template), axis=0)) / np.sqrt(2) / max(lines_of(template))
    if refined.quality > before and moved < MOST_MOVED * cell_px and is_plausible(refined, template, image):
        return refined
    return dataclasses.replace(pose, quality=before)


def believed(window: Window) -> bool:
    """Whether a window is a board, and this one, not a neighbour."""
    return window.score > GOOD and window.lead > CLEARLY and window.weakest_side > SIDE and window.beyond < BEYOND


def grid_candidates(image: Image, template: BoardTemplate) -> list[FoundGrid]:
    """The best window of every lattice in the picture, right or wrong."""
    grey, small_from_image = shrink(image, WORKING_PX)
    size = grey.shape[1], grey.shape[0]
    small = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    columns, rows = lines_of(template)
    segments = find_segments(grey, LEAST_LENGTH, MOST_SEGMENTS)
    weaves = [weave_of_quad(segments, quad, size) for quad in find_quads(grey)[:3]]
    weaves += find_weaves(segments, size, np.random.default_rng(0))[:WEAVES]
    found: list[FoundGrid] = []
    for weave in weaves:
        if weave is None:
            continue
        for comb in find_combs(weave, grey):
            lattice = fit_lattice(weave, comb, grey if on_points(template) else None)
            if lattice is None:
                continue
            evidence = look_at(small, grey, lattice, ON_POINTS if on_points(template) else ON_SQUARES)
            windows = [window for one in evidence if (window := best_window(one, columns, rows)) is not None]
            if not windows:
                continue
            window = max(windows, key=lambda one: one.score)
            corners = _corners(lattice, window, columns, rows)
            pose = pose_from_corners(project(np.asarray(np.linalg.inv(small_from_image)), corners), template)
            pose = dataclasses.replace(pose, quality=window.score)
            if is_plausible(pose, template, image):
                found.append(FoundGrid(pose, window))
    return found


def lines_of(template: BoardTemplate) -> tuple[int, int]:
    """How many upright lines a ruled board has, and how many across."""
    more = 0 if on_points(template) else 1
    grid = template.source["grid"]
    return int(grid["columns"]) + more, int(grid["rows"]) + more


def on_points(template: BoardTemplate) -> bool:
    """Whether men stand on the crossings, not in the squares."""
    return bool(template.source["grid"]["cells"] == "points")


def _corners(lattice: Lattice, window: Window, columns: int, rows: int) -> FloatArray:
    left, top = float(window.left), float(window.top)
    right, bottom = left + columns - 1, top + rows - 1
    corners = project(
        lattice.picture_from_lattice, np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
    )
    if cv2.contourArea(corners.astype(np.float32), oriented=True) < 0:
        corners = corners[::-1]
    return np.asarray(np.roll(corners, -int(np.argmin(corners.sum(axis=1))), axis=0))
