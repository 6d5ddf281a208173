"""Finds a chequered board of which a part is seen: where in its lattice of corners the rest would lie."""

from __future__ import annotations

import dataclasses

import numpy as np

from calibration.template import BoardTemplate
from vision.finding.chequered import GOOD, LEAD, WORKING_PX, Window, clear_view, find_lattices, upright, windows_of
from vision.frame import Image
from vision.pose import BoardPose, pose_from_corners, project
from vision.primitives.saddles import find_saddles

UNSEEN = 0.5
"""What an edge counts that is in the picture and not seen, as a share of one that is seen: men may hide it."""
LEAST = 0.4
"""Least share of a board's edges that must be in the picture."""


def find_part_of_chequered(image: Image, template: BoardTemplate) -> BoardPose | None:
    """The place of the board, in the picture or partly beyond it; None without proof. Its quality is the share seen."""
    grey, small_from_image = clear_view(image, WORKING_PX[0])
    best: tuple[float, Window] | None = None
    for lattice in find_lattices(find_saddles(grey)):
        ranked = [(_likely(one), one) for one in windows_of(grey, lattice, template) if one.in_picture > LEAST]
        ranked.sort(key=lambda one: -one[0])
        if not ranked or ranked[0][1].seen < GOOD * ranked[0][1].in_picture:
            continue
        if len(ranked) > 1 and ranked[0][0] - ranked[1][0] < LEAD:
            continue
        if best is None or ranked[0][0] > best[0]:
            best = ranked[0]
    if best is None:
        return None
    window = best[1]
    corners = project(np.asarray(np.linalg.inv(small_from_image)), window.corners)
    pose = pose_from_corners(upright(corners, window.light, template), template)
    return dataclasses.replace(pose, quality=window.seen / window.in_picture)


def _likely(window: Window) -> float:
    """Rank of a window: of two that hold the same seen edges, the one that has fewer unseen ones in the picture."""
    return window.score - UNSEEN * (window.in_picture - window.seen)
