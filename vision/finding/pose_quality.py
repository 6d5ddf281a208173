"""Measures how much of a board's drawing is seen under a pose, and refines the pose to fit it best.

A print identifies more than lines do and stays visible where pieces hide these, so it decides if the template has one.
On a chequered board the edges between squares take the place of lines. Where it is known on which cells men stand, the
lines under them do not count: they prove nothing.
"""

from __future__ import annotations

from calibration.arrays import Flags
from calibration.template import BoardTemplate
from vision.finding.landmarks import landmark_quality, refine_by_landmarks, turned_to_print
from vision.frame import Image
from vision.pose import BoardPose, is_square, turned_pose
from vision.primitives.chequer_edges import edge_quality, refine_by_edges
from vision.primitives.lines import line_quality, refine_pose


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
        return landmark_quality(image, pose, template)
    return line_quality(image, pose, template, men)


def right_way_round(image: Image, pose: BoardPose, template: BoardTemplate) -> BoardPose:
    """The pose with its corners in the order that the print or the squares' colours show, as far as they do.

    Corners given by hand may begin anywhere.
    """
    if template.printed is not None:
        return turned_to_print(image, pose, template)
    if not template.first_square:
        return pose
    turned = [turned_pose(pose, template, turn) for turn in ((0, 1) if is_square(template) else (0,))]
    return max(turned, key=lambda one: edge_quality(image, one, template))
