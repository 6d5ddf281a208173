"""Derives from the board's pose alone how finely and from how high the camera sees the cells."""

from __future__ import annotations

import dataclasses

import numpy as np

from calibration.arrays import FloatArray
from calibration.template import BoardTemplate
from vision.pose import BoardPose, project

FOCAL = 0.9
"""Focal length, in lengths of the picture's longer side, assumed for an uncalibrated camera.

Phones and webcams have 0.7 to 1.1; over this range the elevation of a board in the picture's middle half changes by
about two degrees.
"""


@dataclasses.dataclass(frozen=True, eq=False)
class Viewpoint:
    cell_px: FloatArray
    """(cells,) side of the square in the picture with the cell's area as seen."""
    elevation_deg: FloatArray
    """(cells,) elevation of the camera above the board's plane as seen from the cell, 90 straight above."""


def viewpoint(pose: BoardPose, template: BoardTemplate, size_px: tuple[int, int]) -> Viewpoint:
    """The view that the pose gives of the cells; `size_px` is the picture's width and height."""
    matrix = pose.image_from_board
    seen_px = project(matrix, template.cells_mm)
    depth = np.column_stack([template.cells_mm, np.ones(len(template.cells_mm))]) @ matrix[2]
    jacobians = (matrix[None, :2, :2] - seen_px[:, :, None] * matrix[None, 2:, :2]) / depth[:, None, None]
    area = np.abs(np.linalg.det(jacobians))
    bent = _ray_from_pixel(seen_px, size_px) @ jacobians
    stretch = np.linalg.svd(bent, compute_uv=False)
    # A disc is seen as an ellipse whose ratio of axes is the sine of the angle between ray and disc.
    sine = np.clip(stretch[:, 1] / np.maximum(stretch[:, 0], 1e-12), 0, 1)
    return Viewpoint(np.sqrt(area) * template.cell_mm, np.degrees(np.arcsin(sine)))


def behind_mm(pose: BoardPose, template: BoardTemplate, size_px: tuple[int, int], height_mm: float) -> FloatArray:
    """(cells, 2) the points of the board that are hidden behind points at that height over the cells' centres."""
    focal_px = FOCAL * max(size_px)
    middle = (np.array(size_px) - 1) / 2
    lens = np.array([[focal_px, 0, middle[0]], [0, focal_px, middle[1]], [0, 0, 1]], dtype=np.float64)
    camera_from_board = np.linalg.inv(lens) @ pose.image_from_board
    lengths = np.linalg.norm(camera_from_board[:, :2], axis=0)
    camera_from_board = camera_from_board / np.sqrt(lengths.prod()) * np.sign(camera_from_board[2, 2])
    up = np.cross(camera_from_board[:, 1], camera_from_board[:, 0])  # y points down the board
    above = np.column_stack([template.cells_mm, np.ones(len(template.cells_mm))]) @ camera_from_board.T
    seen = (above + height_mm * up) @ lens.T
    board_from_image = np.asarray(np.linalg.inv(pose.image_from_board), dtype=np.float64)
    return project(board_from_image, np.asarray(seen[:, :2] / seen[:, 2:], dtype=np.float64))


def _ray_from_pixel(pixels: FloatArray, size_px: tuple[int, int]) -> FloatArray:
    """(n, 3, 2) derivatives of the unit ray through each pixel."""
    focal_px = FOCAL * max(size_px)
    middle = (np.array(size_px) - 1) / 2
    rays = np.column_stack([(pixels - middle) / focal_px, np.ones(len(pixels))])
    length = np.linalg.norm(rays, axis=1)[:, None, None]
    unit = rays / length[:, :, 0]
    across = np.eye(3)[None] - unit[:, :, None] * unit[:, None, :]
    return np.asarray(across[:, :, :2] / (length * focal_px))
