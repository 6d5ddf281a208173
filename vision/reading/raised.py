"""Where things are seen that stand above the board: a tile's face is nearer to the camera than the square under it.

Seen at a low angle, a face covers another place of the board than its tile does. How far aside follows from the pose,
if the camera's focal length is known about; how high faces lie is found by reading the board at several heights.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from vision.frame import Image
from vision.pose import BoardPose, project, rectify
from vision.reading.board_reading import BoardReading
from vision.reading.reader import Reader

FloatArray = NDArray[np.float64]

FOCAL = 0.9
"""Focal length, in longer sides of the picture, of a camera of which nothing is known: phones have 0.7 to 1.1."""
HEIGHTS = (0.2, 0.45)
"""Of faces above the board that are tried, in halves' widths; domino tiles are a quarter to half a width thick."""
ASIDE = 0.2
"""Share of a half's width by which faces have to be seen aside: as much is told from the board's own plane."""
SURER_NATS = 2.0
"""By how much surer a whole board must be read at another height to be read there."""


def raised_pose(pose: BoardPose, height_mm: float, size_px: tuple[int, int]) -> BoardPose:
    """The pose of the plane so many millimetres above the board, in a picture of that width and height.

    The picture's middle is taken for the lens' (Hartley, Zisserman, "Multiple View Geometry", 8.1: the columns of a
    plane's homography are two axes and the origin in the camera's frame; the third axis is their cross product).
    """
    matrix = pose.image_from_board
    focal, (width, height) = FOCAL * max(size_px), size_px
    inner = np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]])
    axes = np.linalg.inv(inner) @ matrix
    axes *= np.sign(axes[2, 2]) or 1.0  # the board lies before the camera
    away = np.cross(axes[:, 0], axes[:, 1])  # right and down make away from the camera
    away /= np.sqrt(np.linalg.norm(away))
    axes[:, 2] -= height_mm * away
    raised = inner @ axes
    return dataclasses.replace(pose, image_from_board=raised / raised[2, 2])


def aside_mm(pose: BoardPose, raised: BoardPose, template: BoardTemplate) -> float:
    """How far aside of its place on the board the farthest displaced cell of the raised plane is seen."""
    seen = project(np.linalg.inv(pose.image_from_board) @ raised.image_from_board, template.cells_mm)
    return float(np.linalg.norm(seen - template.cells_mm, axis=1).max())


def read_faces(
    reader: Reader, image: Image, pose: BoardPose, template: BoardTemplate, on_board: BoardReading
) -> BoardReading:
    """The reading of a photo at the height where it is surest; `on_board` is that of the board's own plane.

    Costs as much again for every height, and only where the camera looks from so far aside that it matters.
    """
    height, width = image.shape[:2]
    best, least, half_mm = on_board, sureness(on_board) + SURER_NATS, template.man_diameter_mm
    raised = [raised_pose(pose, share * half_mm, (width, height)) for share in HEIGHTS]
    if aside_mm(pose, raised[-1], template) < ASIDE * half_mm:
        return on_board
    for candidate in raised:
        reading = reader.read(rectify(image, candidate, template), on_board.time_s)
        if sureness(reading) > least:
            best, least = reading, sureness(reading)
    return best


def sureness(reading: BoardReading) -> float:
    """Logarithm of the probability of the board as read, its cells taken for independent: 0 where all is certain."""
    return float(reading.log_probabilities.max(axis=1).sum())
