"""Finds a board never seen before, without markers or profile: a network proposes it and its drawing confirms it.

1. The network marks the field in the shrunk picture; the quadrangles that its maps agree on are proposals.
2. Each is fitted to what is drawn there: a print by its landmarks, a chequered board by its squares, a ruled one by its
   lattice, any other by its lines.
3. The first that the evidence for it outweighs the evidence against it is the board; otherwise there is none.
"""

from __future__ import annotations

import cv2
import numpy as np

from calibration.template import BoardTemplate
from vision.finding.found import METHODS, Found, is_ruled
from vision.finding.landmarks import refine_by_landmarks, right_way_round
from vision.finding.lattice_fit import Scene, fit_board
from vision.finding.markers import find_sheet, name_sheet
from vision.finding.proposals import BoardNetwork, board_network
from vision.frame import Image
from vision.pose import BoardPose, is_plausible, pose_from_corners
from vision.primitives.chequer_edges import refine_by_edges
from vision.primitives.lines import measure_shape, refine_pose

MOVED = 0.1
"""Share of the side by which squares may move a proposed corner: a whole square off they look nearly as right."""


def find_board(image: Image, template: BoardTemplate) -> Found | None:
    """Finds the board in the picture; returns None rather than a guess.

    A board recognised by its lines alone gets the corner nearest the picture's top left as its own top left; a print,
    or a printed board's markers, show the true corner. A printed board seen in a mirror does not count. Raises
    OtherSheetError where the printed board of another game is seen.
    """
    sheet = find_sheet(image, template)
    if sheet is None:
        return None if name_sheet(mirrored(image)) is not None else find_drawn(image, template)
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


def find_drawn(image: Image, template: BoardTemplate, network: BoardNetwork | None = None) -> Found | None:
    """Like `find_board`, but by the board's drawing or print alone, ignoring markers."""
    scene = Scene(image)
    for proposal in (network or board_network()).propose(image, template.game):
        found = _fitted(scene, pose_from_corners(proposal.corners_px, template), template)
        if found is not None and is_plausible(found.pose, found.template, image):
            believed = found.believed(image)
            if believed is not None:
                return believed
    return None


def _fitted(scene: Scene, start: BoardPose, template: BoardTemplate) -> Found | None:
    if template.printed is not None:
        pose = refine_by_landmarks(scene.image, right_way_round(scene.image, start, template), template)
        return Found(pose, template, found_by="print") if pose.quality >= METHODS["print"].least else None
    if template.first_square:
        return _by_squares(scene.image, start, template)
    if is_ruled(template):
        fitted = fit_board(scene, start, template)
        return None if fitted is None else Found(fitted, template, found_by="lattice")
    return _by_lines(scene.image, start, template)


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
