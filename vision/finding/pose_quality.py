"""Measures how much of a board's drawing is seen under a pose, and refines the pose to fit it best.

A print identifies more than lines do and stays visible where pieces hide these, so it decides if the template has one.
"""

from __future__ import annotations

from calibration.template import BoardTemplate
from vision.finding.landmarks import landmark_quality, refine_by_landmarks
from vision.frame import Image
from vision.pose import BoardPose
from vision.primitives.lines import line_quality, refine_pose


def snap_pose(image: Image, pose: BoardPose, template: BoardTemplate) -> BoardPose:
    """The pose snapped to the print, or else to the drawn lines; `pose` must be right within 2 % of the side."""
    refine = refine_pose if template.printed is None else refine_by_landmarks
    return refine(image, pose, template)


def pose_quality(image: Image, pose: BoardPose, template: BoardTemplate) -> float:
    """Share of the print, or else of the drawn lines, 0 to 1, that is seen where the pose puts it."""
    measure = line_quality if template.printed is None else landmark_quality
    return measure(image, pose, template)
