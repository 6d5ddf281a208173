"""Finds a board never seen before, without markers or profile: a network proposes it and its drawing confirms it.

1. The network marks the field in the shrunk picture; the quadrangles that its maps agree on are proposals.
2. Each is fitted to what is drawn there: a print by its landmarks, a chequered board by its squares, a ruled one by its
   lattice, any other by its lines.
3. The first that the evidence for it outweighs the evidence against it is the board; otherwise there is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import numpy as np

from calibration.arrays import FloatArray
from calibration.template import BoardTemplate
from vision.finding.found import METHODS, Found, is_ruled
from vision.finding.landmarks import refine_by_landmarks, right_way_round
from vision.finding.lattice_fit import Scene, fit_board
from vision.finding.markers import find_sheet, name_sheet
from vision.finding.proposals import GROUND, board_network
from vision.frame import Image
from vision.pose import BoardPose, is_plausible, pose_from_corners, project
from vision.primitives.chequer_edges import refine_by_edges
from vision.primitives.lines import measure_shape, refine_pose

MOVED = 0.1
"""Share of the side by which squares may move a proposed corner: a whole square off they look nearly as right."""


def find_board(image: Image, template: BoardTemplate, sizes: Sequence[BoardTemplate] = ()) -> Found | None:
    """Finds the board in the picture; returns None rather than a guess.

    A board recognised by its lines alone gets the corner nearest the picture's top left as its own top left; a print,
    or a printed board's markers, show the true corner. A printed board seen in a mirror does not count. Raises
    OtherSheetError where the printed board of another game is seen. `sizes` are as in `find_drawn`.
    """
    sheet = find_sheet(image, template)
    if sheet is None:
        return None if name_sheet(mirrored(image)) is not None else find_drawn(image, template, sizes)
    return Found(sheet[0], sheet[1].template, sheet[1], "markers").believed(image)


def is_mirrored(image: Image, template: BoardTemplate) -> bool:
    """Whether the picture shows a printed board mirrored; for a board that is only drawn this cannot be determined."""
    mirror = mirrored(image)
    if name_sheet(mirror) is not None:
        return True
    return (
        template.printed is not None
        and find_drawn(image, template) is None
        and find_drawn(mirror, template) is not None
    )


def mirrored(image: Image) -> Image:
    return np.ascontiguousarray(image[:, ::-1])


def find_drawn(image: Image, template: BoardTemplate, sizes: Sequence[BoardTemplate] = ()) -> Found | None:
    """Like `find_board`, but by the board's drawing or print alone, ignoring markers.

    `sizes` are boards that differ from it only in their number of lines or squares: the one that is seen is found.
    """
    return find_in(Scene(image), proposed(image, template), (template, *sizes))


def proposed(image: Image, template: BoardTemplate) -> list[FloatArray]:
    """(4, 2) corners of the places where a board may lie, the likeliest first; hardly other ones for another game."""
    return [proposal.corners_px for proposal in board_network().propose(image, template.game)]


def find_beside(image: Image, found: Found) -> Found | None:
    """Another board of that kind in the picture; None if there is none. Some 20 ms where nothing looks like one."""
    template = found.template
    rim = np.sign(template.corners_mm - template.corners_mm.mean(axis=0)) * template.pitch_mm
    covered = image.copy()
    around = np.rint(project(found.pose.image_from_board, template.corners_mm + rim)).astype(np.int32)
    cv2.fillConvexPoly(covered, around, (GROUND, GROUND, GROUND))
    quads = proposed(covered, template)
    return find_in(Scene(covered), quads, (template,)) if quads else None


def find_in(scene: Scene, quads: Sequence[FloatArray], templates: Sequence[BoardTemplate]) -> Found | None:
    """The first of the proposed places at which one of the boards is believed; as `find_drawn`."""
    # A part of a board may look like a smaller one: with several sizes all places are compared.
    together = len(templates) > 1 and is_ruled(templates[0])
    for group in [quads] if together and quads else [[quad] for quad in quads]:
        for found in _fitted(scene, group, templates):
            if is_plausible(found.pose, found.template, scene.image):
                believed = found.believed(scene.image)
                if believed is not None:
                    return believed
    return None


def _fitted(scene: Scene, quads: Sequence[FloatArray], templates: Sequence[BoardTemplate]) -> Iterator[Found]:
    template = templates[0]
    start = pose_from_corners(quads[0], template)
    if template.printed is not None:
        pose = refine_by_landmarks(scene.image, right_way_round(scene.image, start, template), template)
        if pose.quality >= METHODS["print"].least:
            yield Found(pose, template, found_by="print")
    elif template.first_square:
        found = [_by_squares(scene.image, pose_from_corners(quads[0], one), one) for one in templates]
        yield from sorted(filter(None, found), key=lambda one: -one.pose.quality)
    elif is_ruled(template):
        fitted = fit_board(scene, quads, templates)
        if fitted is not None:
            yield Found(*fitted, found_by="lattice")
    else:
        by_lines = _by_lines(scene.image, start, template)
        if by_lines is not None:
            yield by_lines


def _by_squares(image: Image, start: BoardPose, template: BoardTemplate) -> Found | None:
    pose = start
    for _ in range(2):  # the colours tell its turn only once its squares are met
        pose = refine_by_edges(image, right_way_round(image, pose, template), template)
    turns = (np.roll(pose.corners_px(template), turn, axis=0) - start.corners_px(template) for turn in range(4))
    moved_px = min(float(np.linalg.norm(apart, axis=1).max()) for apart in turns)
    side_px = np.sqrt(cv2.contourArea(start.corners_px(template).astype(np.float32)))
    if pose.quality < METHODS["squares"].least or moved_px > MOVED * side_px:
        return None
    return Found(pose, template, found_by="squares")


def _by_lines(image: Image, start: BoardPose, template: BoardTemplate) -> Found | None:
    pose = refine_pose(image, start, template)
    if not is_plausible(pose, template, image):
        return None
    for _ in range(2 if template.shape else 0):  # the shape depends on the pose, and the pose on the shape
        template = measure_shape(image, pose, template)
        pose = refine_pose(image, pose, template)
    return Found(pose, template) if pose.quality >= METHODS["outline"].least else None
