"""Finds a board of which only a part is seen, and estimates where the rest would be."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.sheet import SheetError, SheetLayout, layout_of
from calibration.template import BoardTemplate
from vision.finding.confidence import is_ruled
from vision.finding.landmarks import landmark_quality
from vision.finding.markers import Markers, find_markers
from vision.finding.part_chequered import find_part_of_chequered
from vision.finding.part_lattice import find_part_of_lattice
from vision.finding.part_outline import find_part_of_outline
from vision.finding.refused_outline import find_refused
from vision.frame import Image
from vision.pose import BoardPose, project
from vision.primitives.features import Reference, ReferenceMatcher, find_features
from vision.primitives.printed import draw_print, drawn_from_board

FloatArray = NDArray[np.float64]

ASIDE = 0.35
"""Greatest distance of a marker's corners from where the others put them, in its sides."""
PRINT_PX = 1280
"""Pixels, longer side of the picture in which the print is searched."""
PRINT_SEEN = 0.4
"""Share of the landmarks in the picture that must be seen."""
TALLEST = 5.0
"""Greatest ratio of two sides of a board, as seen."""


@dataclasses.dataclass(frozen=True, eq=False)
class PartBoard:
    """A board that is partly seen."""

    pose: BoardPose
    """The place of the whole board, to a few hundredths of its side."""
    template: BoardTemplate
    seen: float
    """Share, 0 to 1, of its lines or print in the picture that is seen."""
    hidden: float = 0.0
    """Share, 0 to 1, of its part in the picture that something covers."""

    def cells_px(self) -> FloatArray:
        """(cells, 2) middles of the cells in picture pixels, including those outside the picture."""
        return project(self.pose.image_from_board, self.template.cells_mm)


def find_part(image: Image, template: BoardTemplate) -> PartBoard | None:
    """Finds the board even if only a part of it is in the picture; None without proof. Takes some seconds."""
    for look in _looks(template):
        found = look(image, template)
        if found is not None and is_possible(found):
            return found
    return None


def _looks(template: BoardTemplate) -> list[Callable[[Image, BoardTemplate], PartBoard | None]]:
    if template.printed is not None:
        return [_by_markers, _by_print]
    if template.first_square:
        return [_by_markers, _by_squares, _by_lattice]
    return [_by_markers, _by_lattice if is_ruled(template) else _by_outline]


def is_possible(part: PartBoard) -> bool:
    """Whether a camera could see a board like this, in the picture or beyond it."""
    corners = part.pose.corners_px(part.template)
    if not np.isfinite(corners).all() or not cv2.isContourConvex(corners.astype(np.float32)):
        return False
    sides = np.linalg.norm(corners - np.roll(corners, -1, axis=0), axis=1) / np.tile(part.template.size_mm, 2)
    ahead = part.template.corners_mm @ part.pose.image_from_board[2, :2] + part.pose.image_from_board[2, 2]
    mirrored = cv2.contourArea(corners.astype(np.float32), oriented=True) < 0
    return bool((ahead > 0).all() and not mirrored and sides.max() < TALLEST * sides.min())


def _by_markers(image: Image, template: BoardTemplate) -> PartBoard | None:
    """Finds a printed board by its markers, of which at least one must be seen."""
    markers = find_markers(image)
    for landscape in (False, True):
        try:
            layout = layout_of(template, landscape)
        except SheetError:
            return None
        pose = _pose_by(markers, layout)
        if pose is not None:
            seen = sum(one in markers for one in layout.marker_ids) / 4
            return PartBoard(pose, layout.template, seen, 1 - seen)
    return None


def _pose_by(markers: Markers, layout: SheetLayout) -> BoardPose | None:
    chosen = [index for index, marker in enumerate(layout.marker_ids) if marker in markers]
    if not chosen:
        return None
    here = layout.markers_mm[chosen].reshape(-1, 2)
    there = np.concatenate([markers[layout.marker_ids[index]] for index in chosen])
    matrix, _ = cv2.findHomography(here, there)
    if matrix is None or not np.isfinite(matrix).all():
        return None
    errors = np.linalg.norm(project(np.asarray(matrix, dtype=np.float64), here) - there, axis=1)
    side_px = float(np.linalg.norm(there[0] - there[1]))
    if errors.max() > ASIDE * side_px:
        return None
    return BoardPose(np.asarray(matrix / matrix[2, 2], dtype=np.float64), float(np.median(errors)), len(chosen) / 4)


def _by_print(image: Image, template: BoardTemplate) -> PartBoard | None:
    pose = _matcher(template.game, template.options, template).match(find_features(image, PRINT_PX))
    if pose is None:
        return None
    assert template.printed is not None
    middles = np.array([one.centre_mm for one in template.printed.landmarks if not one.in_play])
    there = project(pose.image_from_board, middles)
    inside = ((there >= 0) & (there < image.shape[1::-1])).all(axis=1).mean()
    seen = landmark_quality(image, pose, template) / max(float(inside), 1e-6)
    return PartBoard(pose, template, min(seen, 1.0), max(1 - seen, 0.0)) if seen > PRINT_SEEN else None


_matchers: dict[tuple[str, frozenset[str]], ReferenceMatcher] = {}


def _matcher(game: str, options: frozenset[str], template: BoardTemplate) -> ReferenceMatcher:
    if (game, options) not in _matchers:
        scale = template.pixels_per_mm
        drawing = Reference(draw_print(template, scale), drawn_from_board(template, scale))
        _matchers[game, options] = ReferenceMatcher(drawing, template)
    return _matchers[game, options]


def _by_squares(image: Image, template: BoardTemplate) -> PartBoard | None:
    pose = find_part_of_chequered(image, template)
    return None if pose is None else PartBoard(pose, template, pose.quality)


def _by_lattice(image: Image, template: BoardTemplate) -> PartBoard | None:
    found = find_part_of_lattice(image, template)
    return None if found is None else PartBoard(found.pose, template, found.seen, found.hidden)


def _by_outline(image: Image, template: BoardTemplate) -> PartBoard | None:
    found = find_part_of_outline(image, template) or find_refused(image, template)
    return None if found is None else PartBoard(found.pose, found.template, found.pose.quality, found.hidden)
