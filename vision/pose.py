"""The board's pose in a picture, and the rectified picture of it."""

from __future__ import annotations

import dataclasses
import functools

import cv2
import numpy as np

from calibration.arrays import FloatArray
from calibration.template import BoardTemplate
from vision.frame import Image

MIN_BOARD = 0.02
"""Least share of the picture that a board must cover."""
MAX_TILT = 4.0
"""Greatest ratio between two sides of the board, as seen and relative to their true lengths."""
FEWEST = 12
"""Fewest points, lines or men by which anything is fitted or judged."""
SAMPLES = 9
"""Points across a man at which his visibility is tested."""


@dataclasses.dataclass(frozen=True, eq=False)
class BoardPose:
    image_from_board: FloatArray
    """(3, 3) homography: board millimetres to picture pixels."""
    error_px: float
    """Median reprojection error of what the pose was fitted to."""
    quality: float
    """0 (a guess) to 1 (every line and landmark where it belongs)."""

    def corners_px(self, template: BoardTemplate) -> FloatArray:
        """(4, 2) the frame's corners in the picture: top left, top right, bottom right, bottom left."""
        return project(self.image_from_board, template.corners_mm)


def project(destination_from_source: FloatArray, points: FloatArray) -> FloatArray:
    """(n, 2) points mapped by a (3, 3) homography; n may be 0, which OpenCV refuses."""
    if not points.size:
        return np.empty((0, 2))
    mapped = cv2.perspectiveTransform(points.reshape(-1, 1, 2).astype(np.float64), destination_from_source)
    return np.asarray(mapped.reshape(-1, 2), dtype=np.float64)


def pose_from_corners(corners_px: FloatArray, template: BoardTemplate) -> BoardPose:
    """The pose that puts the frame's four corners (top left first, clockwise) at these pixels."""
    matrix = cv2.getPerspectiveTransform(
        template.corners_mm.astype(np.float32), np.asarray(corners_px, dtype=np.float32).reshape(4, 2)
    )
    return BoardPose(np.asarray(matrix, dtype=np.float64), error_px=0.0, quality=1.0)


def is_square(template: BoardTemplate) -> bool:
    """Whether the board's frame looks the same after a quarter of a turn."""
    return bool(np.isclose(*template.size_mm))


def turns_of(template: BoardTemplate) -> range:
    """The numbers of corners by which a board of that shape may lie turned."""
    return range(4) if is_square(template) else range(0, 4, 2)


def turned_pose(pose: BoardPose, template: BoardTemplate, turn: int) -> BoardPose:
    """The pose of the same board whose own top left lies `turn` corners further clockwise."""
    corners = template.corners_mm.astype(np.float32)
    board_from_turned = cv2.getPerspectiveTransform(corners, np.roll(corners, -turn, axis=0))
    return dataclasses.replace(pose, image_from_board=pose.image_from_board @ board_from_turned)


def rectify(image: Image, pose: BoardPose, template: BoardTemplate) -> Image:
    """The board seen from straight above, at `template.pixels_per_mm` pixels per millimetre, margins included.

    uint8 (height, width, 3) BGR; black outside the picture.
    """
    rectified_from_image = template.rectified_from_board @ np.linalg.inv(pose.image_from_board)
    return np.asarray(cv2.warpPerspective(image, rectified_from_image, template.rectified_size_px), dtype=np.uint8)


class Rectified:
    """The rectified picture of a board, made when it is first asked for: most are never read."""

    def __init__(self, image: Image, pose: BoardPose, template: BoardTemplate) -> None:
        self.image, self.pose, self.template = image, pose, template

    @functools.cached_property
    def picture(self) -> Image:
        return rectify(self.image, self.pose, self.template)


def cells_in_picture(pose: BoardPose, template: BoardTemplate, image: Image) -> FloatArray:
    """(cells,) share, 0 to 1, of each cell's place for a man that lies within the picture."""
    height, width = image.shape[:2]
    across = np.linspace(-0.5, 0.5, SAMPLES)
    x, y = np.meshgrid(across, across)
    disc = template.man_diameter_mm * np.stack([x, y], axis=-1)[np.hypot(x, y) <= 0.5]
    places = template.cells_mm[:, None] + disc
    seen = project(pose.image_from_board, places.reshape(-1, 2))
    inside = ((seen >= 0) & (seen <= [width - 1, height - 1])).all(axis=1)
    return np.asarray(inside.reshape(len(places), -1).mean(axis=1), dtype=np.float64)


def is_plausible(pose: BoardPose, template: BoardTemplate, image: Image) -> bool:
    """Whether a camera could see a board like this: convex, not mirrored, large enough, its cells in the picture."""
    return not place_fault(pose, template, image)


def place_fault(pose: BoardPose, template: BoardTemplate, image: Image) -> str:
    """Why no camera could see a board like this; empty where one could."""
    height, width = image.shape[:2]
    cells = project(pose.image_from_board, template.cells_mm)
    inside = ((cells >= 0) & (cells <= [width - 1, height - 1])).all(axis=1)
    fault = shape_fault(pose, template, (width, height))
    if not fault and not inside.all():
        outside = template.cell_names[int(np.argmin(inside))]
        return f"the cell {outside} would lie outside of the picture of {width}x{height} pixels"
    return fault


def shape_fault(pose: BoardPose, template: BoardTemplate, size_px: tuple[int, int]) -> str:
    """Why no camera with pictures of that width and height could see such a shape; empty where one could."""
    corners = pose.corners_px(template)
    if not np.isfinite(corners).all() or not cv2.isContourConvex(corners.astype(np.float32)):
        return "they are not the four corners of a board"
    if cv2.contourArea(corners.astype(np.float32), oriented=True) < MIN_BOARD * size_px[0] * size_px[1]:
        return f"the board would be mirrored, or smaller than {MIN_BOARD:.0%} of the picture"
    sides = np.linalg.norm(corners - np.roll(corners, -1, axis=0), axis=1) / np.tile(template.size_mm, 2)
    if not sides.max() < MAX_TILT * sides.min():
        return f"one side would look {sides.max() / sides.min():.1f} times as long as another; {MAX_TILT:g} is the most"
    return ""
