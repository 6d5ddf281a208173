"""Finds a board's printed landmarks near where a pose puts them, and the pose that they agree on.

Each landmark of the template's drawing is searched near its place in the rectified picture by normalised correlation,
so that neither light nor colour matters. Pieces, pawns and hands hide some; nothing depends on any single one. Boards
without a print are refined by their squares' edges or their lines instead.
"""

from __future__ import annotations

import dataclasses
import weakref

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Flags, FloatArray
from calibration.printed import Print
from calibration.template import BoardTemplate
from vision.frame import Image
from vision.pose import BoardPose, is_square, pose_from_corners, project, turned_pose, turns_of
from vision.primitives.channels import BoardView
from vision.primitives.chequer_edges import edge_quality, refine_by_edges
from vision.primitives.features import fit_homography
from vision.primitives.lines import line_quality, refine_pose
from vision.primitives.printed import draw_print

AROUND_MM = 2.0
"""Millimetres around a landmark that are compared too: its outline locates it best."""
INSET_MM = 1.5
"""Millimetres within its outline where its content begins: tiles in a row differ only in their content."""
SEARCH_MM = (8.0, 5.0, 3.0)
"""Millimetres that each refining step searches to every side."""
ALIKE, ALIKE_INSIDE = 0.6, 0.5
"""Least correlations, with the surroundings and within the outline, of a landmark that counts as seen."""
ASIDE_MM = 2.0
"""Greatest distance of a seen landmark from where the pose puts it: a wide lens distorts the board as much."""
MIN_POINTS = 8
"""Least number of landmarks for fitting a pose."""


def refine_by_landmarks(image: Image, pose: BoardPose, template: BoardTemplate) -> BoardPose:
    """The pose that most landmarks agree on; `pose` must be right within about 2 % of the board's side."""
    view, error_px = BoardView.grey(image, pose, template), 0.0
    for reach_mm in SEARCH_MM:
        proper, places, seen = _look(view, reach_mm)
        if seen.sum() < MIN_POINTS:
            break
        proper, places, limit_px = proper[seen], places[seen], ASIDE_MM * template.pixels_per_mm
        correction, kept = fit_homography(proper, places, cv2.USAC_MAGSAC, limit_px)
        if correction is None or kept.sum() < MIN_POINTS:
            break
        error_px = float(np.median(np.linalg.norm(project(correction, proper[kept]) - places[kept], axis=1)))
        view = view.corrected(correction)
    return view.pose(error_px, _quality(view))


def _quality(view: BoardView) -> float:
    """Share of the landmarks out of play, 0 to 1, that are seen where the pose puts them."""
    template = view.template
    assert template.printed is not None
    proper, places, seen = _look(view, SEARCH_MM[-1])
    aside = np.linalg.norm(places - proper, axis=1) / template.pixels_per_mm
    out_of_play = np.array([not landmark.in_play for landmark in template.printed.landmarks])
    return float((seen & (aside < ASIDE_MM))[out_of_play].mean())


def _look(view: BoardView, reach_mm: float) -> tuple[FloatArray, FloatArray, Flags]:
    """(landmarks, 2) where the pose puts each and its best place, in rectified pixels, and whether it matches there."""
    template, grey = view.template, view.rectified()
    reach = max(2, round(reach_mm * template.pixels_per_mm))
    padded: NDArray[np.float32] = np.pad(grey, reach, mode="edge")
    patches = _patches(template)
    shifts, seen = [], []
    for patch in patches:
        height, width = patch.picture.shape
        window = padded[patch.top : patch.top + height + 2 * reach, patch.left : patch.left + width + 2 * reach]
        response = np.asarray(cv2.matchTemplate(window, patch.picture, cv2.TM_CCOEFF_NORMED), dtype=np.float64)
        row, column = (int(index) for index in np.unravel_index(int(np.argmax(response)), response.shape))
        shifts.append((column + _vertex(response[row], column), row + _vertex(response[:, column], row)))
        there = window[row : row + height, column : column + width]
        seen.append(response[row, column] > ALIKE and _alike_inside(there, patch.picture, template) > ALIKE_INSIDE)
    proper = np.array([patch.proper for patch in patches])
    return proper, proper + np.array(shifts) - reach, np.array(seen, dtype=np.bool_)


def _alike_inside(there: NDArray[np.float32], picture: NDArray[np.float32], template: BoardTemplate) -> float:
    """Correlation within the landmark's outline, -1 to 1."""
    inset = round((AROUND_MM + INSET_MM) * template.pixels_per_mm)
    inner = (slice(inset, -inset), slice(inset, -inset))
    return float(cv2.matchTemplate(np.ascontiguousarray(there[inner]), picture[inner], cv2.TM_CCOEFF_NORMED)[0, 0])


@dataclasses.dataclass(frozen=True, eq=False)
class _Patch:
    """A landmark as drawn, and where it belongs in the rectified picture."""

    picture: NDArray[np.float32]
    left: int
    top: int
    proper: FloatArray
    """(2,) its middle, in rectified pixels."""


_drawn: weakref.WeakKeyDictionary[Print, tuple[_Patch, ...]] = weakref.WeakKeyDictionary()


def _patches(template: BoardTemplate) -> tuple[_Patch, ...]:
    assert template.printed is not None
    if template.printed not in _drawn:
        drawing = draw_print(template, template.pixels_per_mm)
        grey = np.asarray(cv2.cvtColor(drawing, cv2.COLOR_BGR2GRAY), dtype=np.float32)
        _drawn[template.printed] = tuple(_cut(grey, template))
    return _drawn[template.printed]


def _cut(grey: NDArray[np.float32], template: BoardTemplate) -> list[_Patch]:
    assert template.printed is not None
    height, width = grey.shape
    patches = []
    for landmark in template.printed.landmarks:
        middle = project(template.rectified_from_board, np.array([landmark.centre_mm]))[0]
        half = (np.array(landmark.size_mm) / 2 + AROUND_MM) * template.pixels_per_mm
        left, top = np.maximum(np.round(middle - half).astype(int), 0)
        right, bottom = np.minimum(np.round(middle + half).astype(int) + 1, (width, height))
        patches.append(_Patch(grey[top:bottom, left:right], int(left), int(top), middle))
    return patches


def _vertex(values: FloatArray, at: int) -> float:
    """Offset of a parabola's vertex through three neighbours from the middle one."""
    if not 0 < at < len(values) - 1:
        return 0.0
    before, peak, after = values[at - 1 : at + 2]
    curvature = before - 2 * peak + after
    return float(np.clip(0.5 * (before - after) / curvature, -0.5, 0.5)) if curvature < -1e-9 else 0.0


def snap_pose(image: Image, pose: BoardPose, template: BoardTemplate, men: Flags | None = None) -> BoardPose:
    """The pose snapped to the print, or else to the drawn lines; `pose` must be right within 2 % of the side.

    `men` are the cells, (cells,), known to hold men.
    """
    if template.first_square:
        return refine_by_edges(image, pose, template)
    if template.printed is not None:
        return refine_by_landmarks(image, pose, template)
    return refine_pose(image, pose, template, men)


def pose_quality(image: Image, pose: BoardPose, template: BoardTemplate, men: Flags | None = None) -> float:
    """Share of the print, or else of the drawn lines, 0 to 1, that is seen where the pose puts it.

    `men` are the cells, (cells,), known to hold men.
    """
    if template.first_square:
        return edge_quality(image, pose, template)
    if template.printed is not None:
        return _quality(BoardView.grey(image, pose, template))
    return line_quality(image, pose, template, men)


def right_way_round(image: Image, pose: BoardPose, template: BoardTemplate) -> BoardPose:
    """The pose with its corners in the order that the print or the squares' colours show, as far as they do.

    Corners given by hand may begin anywhere.
    """
    if template.printed is not None:
        corners = pose.corners_px(template)
        turned = [pose_from_corners(np.roll(corners, -turn, axis=0), template) for turn in turns_of(template)]
        return max(turned, key=lambda one: refine_by_landmarks(image, one, template).quality)
    if not template.first_square:
        return pose
    turned = [turned_pose(pose, template, turn) for turn in ((0, 1) if is_square(template) else (0,))]
    return max(turned, key=lambda one: edge_quality(image, one, template))
