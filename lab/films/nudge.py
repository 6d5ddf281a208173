"""A board that is pushed a little at a move: its part of the picture moves, and the table around it gives way."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from lab.simulated.camera import PinholeCamera
from vision.frame import Image

FloatArray = NDArray[np.float64]
Float32Array = NDArray[np.float32]
SOFT_PX = 60.0
"""Pixels around the board over which the table gives way."""
TURN_MM = 300.0
"""A shift's standard deviation, divided by this, is that of the turn in radians."""
KEPT = 0.7
"""Share of the way from its first place that a board keeps at the next push, so that it does not wander off."""


class Nudge:
    def __init__(self, camera: PinholeCamera, outline_mm: FloatArray, height_mm: float) -> None:
        """`outline_mm` is (4, 2), of the board with its border; `height_mm` that of the men."""
        self._image_from_world, self._centre = camera.image_from_world, outline_mm.mean(axis=0)
        width, height = camera.size_px
        points = [np.column_stack([outline_mm, np.full(4, rise)]) for rise in (0.0, height_mm)]
        hull = cv2.convexHull(camera.project(np.concatenate(points)).astype(np.float32))
        outside = np.full((height, width), 255, np.uint8)
        cv2.fillConvexPoly(outside, np.rint(hull).astype(np.int32), (0,))
        away = np.clip(cv2.distanceTransform(outside, cv2.DIST_L2, 3) / SOFT_PX, 0, 1)
        self._share = np.asarray(1 - away**2 * (3 - 2 * away), np.float32)[..., None]
        self._grid = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).astype(np.float32)
        self._last: tuple[bytes, Float32Array] = (b"", self._grid)

    def matrix(self, shift: FloatArray) -> FloatArray:
        """(3, 3) from the picture's pixels to those of the board pushed by `shift`: x and y in mm, turn in radians."""
        x, y, turn = shift
        cosine, sine = np.cos(turn), np.sin(turn)
        about = np.array([[1, 0, self._centre[0]], [0, 1, self._centre[1]], [0, 0, 1]])
        moved = about @ np.array([[cosine, -sine, x], [sine, cosine, y], [0, 0, 1]]) @ np.linalg.inv(about)
        matrix = self._image_from_world @ moved @ np.linalg.inv(self._image_from_world)
        return np.asarray(matrix / matrix[2, 2], np.float64)

    def pushed(self, picture: Image, shift: FloatArray) -> Image:
        if not shift.any():
            return picture
        none = np.empty(0, np.float32)
        places = self._places(shift)
        return np.asarray(cv2.remap(picture, places, none, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT), np.uint8)

    def _places(self, shift: FloatArray) -> Float32Array:
        """(h, w, 2) where each pixel of the pushed picture comes from; the last answer is kept."""
        key = shift.tobytes()
        if self._last[0] != key:
            back = np.linalg.inv(self.matrix(shift))
            there = cv2.perspectiveTransform(self._grid.reshape(1, -1, 2), back).reshape(self._grid.shape)
            self._last = key, self._grid + self._share * (there - self._grid).astype(np.float32)
        return self._last[1]


def shifts(boards: int, nudge_mm: float, rng: np.random.Generator) -> FloatArray:
    """(boards, 3) the place of the board at each of them: x, y and turn; the first is 0."""
    places = np.zeros((boards, 3))
    for board in range(1, boards):
        push = rng.normal(0, 1, 3) * (nudge_mm, nudge_mm, nudge_mm / TURN_MM)
        places[board] = KEPT * places[board - 1] + push if nudge_mm else 0.0
    return places
