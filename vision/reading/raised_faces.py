"""Reads tiles at the height of their faces, which are nearer to the camera than the squares under them.

From a low angle, a face appears over another place of the board than its tile. How far aside follows from the pose if
the camera's focal length is roughly known; the height of the faces is found by reading the board at several heights.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from calibration.template import BoardTemplate
from vision.finding.viewpoint import FOCAL
from vision.frame import Image
from vision.pose import BoardPose, project, rectify
from vision.reading.board_reading import BoardReading
from vision.reading.reader import Reader

HEIGHTS = (0.2, 0.45)
"""Widths of a half: heights tried for the faces; domino tiles are a quarter to half a width thick."""
ASIDE = 0.2
"""Share of a half's width by which faces must appear aside; below it, the board's own plane reads as well."""
SURER_NATS = 2.0
"""Nats by which the reading of a whole board must be surer at another height to be preferred."""


def raised_pose(pose: BoardPose, height_mm: float, size_px: tuple[int, int]) -> BoardPose:
    """The pose of the plane `height_mm` above the board; `size_px` is the picture's width and height.

    Assumes that the lens's axis meets the picture's middle (Hartley, Zisserman, "Multiple View Geometry", 8.1: the
    columns of a plane's homography are two axes and the origin in the camera's frame; the third axis is the cross
    product of the two).
    """
    matrix = pose.image_from_board
    focal, (width, height) = FOCAL * max(size_px), size_px
    inner = np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]])
    axes = np.linalg.inv(inner) @ matrix
    axes *= np.sign(axes[2, 2]) or 1.0  # the board is in front of the camera
    away = np.cross(axes[:, 0], axes[:, 1])  # right x down points away from the camera
    away /= np.sqrt(np.linalg.norm(away))
    axes[:, 2] -= height_mm * away
    raised = inner @ axes
    return dataclasses.replace(pose, image_from_board=raised / raised[2, 2])


def aside_mm(pose: BoardPose, raised: BoardPose, template: BoardTemplate) -> float:
    """Greatest apparent shift, in millimetres on the board, between a cell and the same cell of the raised plane."""
    seen = project(np.linalg.inv(pose.image_from_board) @ raised.image_from_board, template.cells_mm)
    return float(np.linalg.norm(seen - template.cells_mm, axis=1).max())


def read_faces(
    reader: Reader, image: Image, pose: BoardPose, template: BoardTemplate, on_board: BoardReading
) -> BoardReading:
    """The surest reading of a photo over all heights; `on_board` is the reading at the board's own plane.

    Each height costs another reading, so heights are tried only if the camera's angle is low enough to matter.
    """
    height, width = image.shape[:2]
    best, least, half_mm = on_board, total_log_probability(on_board) + SURER_NATS, template.man_diameter_mm
    raised = [raised_pose(pose, share * half_mm, (width, height)) for share in HEIGHTS]
    if aside_mm(pose, raised[-1], template) < ASIDE * half_mm:
        return on_board
    for candidate in raised:
        reading = reader.read(rectify(image, candidate, template), on_board.time_s)
        if total_log_probability(reading) > least:
            best, least = reading, total_log_probability(reading)
    return best


def total_log_probability(reading: BoardReading) -> float:
    """Log probability of the board as read, treating cells as independent; 0 if every cell is certain."""
    return float(reading.log_probabilities.max(axis=1).sum())
