"""Chooses the channel of a colour picture that shows a board's lines best: grey, unless only colour shows them.

Lines as bright as their board, such as dark brown on red, are invisible in grey. They must then differ in red or blue.
"""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import FloatArray, Grey
from calibration.template import BoardTemplate
from vision.frame import Image
from vision.pose import BoardPose
from vision.primitives.ridges import Chunks, cut_chunks, picture_scale, rectified_grey, styled_peaks
from vision.primitives.segments import find_segments

BLUE, RED = 0, 2
SEARCH_PX = 14
CLEAR = 12.0
"""Typical response of the lines, in units of the response beside them, from which grey is good enough."""
CLEARER = 1.5
"""Factor by which lines must be clearer than in grey, which has the least noise and the sharpest edges."""

MORE_EDGES = 1.25
"""Factor by which a channel's straight edges must exceed those of grey for it to be used."""
FULL_RANGE = 150.0
"""Grey values between the darkest and the brightest parts from which contrast is sufficient."""
MAX_GAIN = 5.0


@dataclasses.dataclass(frozen=True, eq=False)
class BoardView:
    """One channel of a picture, so small that rectifying it causes no aliasing, and a board's supposed place in it."""

    template: BoardTemplate
    small: Grey
    small_from_image: FloatArray
    small_from_board: FloatArray

    @classmethod
    def grey(cls, image: Image, pose: BoardPose, template: BoardTemplate) -> BoardView:
        small, matrix = _shrink(image, pose.image_from_board, template)
        return cls(template, _grey(small), matrix, matrix @ pose.image_from_board)

    @classmethod
    def channels(cls, image: Image, pose: BoardPose, template: BoardTemplate) -> list[BoardView]:
        """Grey, then the blue and the red channel of a colour picture."""
        small, matrix = _shrink(image, pose.image_from_board, template)
        views = [_grey(small)] + [_channel(small, index) for index in (BLUE, RED) if image.ndim == 3]
        return [cls(template, view, matrix, matrix @ pose.image_from_board) for view in views]

    @classmethod
    def clearest(cls, image: Image, pose: BoardPose, template: BoardTemplate) -> BoardView:
        """The channel with the clearest lines."""
        small, matrix = _shrink(image, pose.image_from_board, template)
        small_from_board = matrix @ pose.image_from_board
        return cls(template, _clearest(small, small_from_board, template), matrix, small_from_board)

    def rectified(self) -> NDArray[np.float32]:
        return rectified_grey(self.small, self.small_from_board, self.template)

    def corrected(self, correction: FloatArray) -> BoardView:
        """With the board moved by a homography of the rectified picture."""
        place = self.template.rectified_from_board
        moved = self.small_from_board @ np.linalg.inv(place) @ correction @ place
        return dataclasses.replace(self, small_from_board=moved)

    def pose(self, error: float, quality: float) -> BoardPose:
        """The board's place in the whole picture; `error` is in rectified pixels."""
        matrix = np.linalg.inv(self.small_from_image) @ self.small_from_board
        return BoardPose(matrix / matrix[2, 2], error * picture_scale(matrix, self.template), quality)


def _shrink(image: Image, image_from_board: FloatArray, template: BoardTemplate) -> tuple[Image, FloatArray]:
    shrink = picture_scale(image_from_board, template)
    small, matrix = image, np.eye(3)
    if shrink >= 1.5:
        size = max(1, round(image.shape[1] / shrink)), max(1, round(image.shape[0] / shrink))
        # Pixel centres, not corners, are whole numbers: hence the half pixels.
        offset = (1 / shrink - 1) / 2
        matrix = np.array([[1 / shrink, 0, offset], [0, 1 / shrink, offset], [0, 0, 1]])
        small = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    return small, matrix


def with_contrast(grey: Grey) -> Grey:
    """The picture, contrast raised at most fivefold, so that edges of a dark one are as strong as those of others."""
    low, high = np.percentile(grey[::4, ::4], (1, 99))
    gain = float(np.clip(FULL_RANGE / max(high - low, 1.0), 1.0, MAX_GAIN))
    if gain == 1.0:
        return grey
    return np.asarray(cv2.convertScaleAbs(np.maximum(grey, low) - low, alpha=gain), dtype=np.uint8)


def telling_channel(image: Image) -> Grey | None:
    """The blue or the red channel, where it shows more straight edges than grey; None where neither does."""
    if image.ndim == 2:
        return None
    grey, blue, red = _grey(image), _channel(image, BLUE), _channel(image, RED)
    lengths = [float(find_segments(view).weights.sum()) for view in (grey, blue, red)]
    best = int(np.argmax(lengths))
    return None if best == 0 or lengths[best] < MORE_EDGES * lengths[0] else (blue, red)[best - 1]


def _clearest(image: Image, image_from_board: FloatArray, template: BoardTemplate) -> Grey:
    grey = _grey(image)
    if image.ndim == 2:
        return grey
    chunks = cut_chunks(template)
    clearness = _clearness(grey, image_from_board, template, chunks)
    if clearness > CLEAR:
        return grey
    channels = [_channel(image, index) for index in (BLUE, RED)]
    values = [_clearness(channel, image_from_board, template, chunks) for channel in channels]
    best = int(np.argmax(values))
    return channels[best] if values[best] > CLEARER * clearness else grey


def _clearness(view: Grey, image_from_board: FloatArray, template: BoardTemplate, chunks: Chunks) -> float:
    """Typical response of the lines, in units of the response beside them."""
    rectified = rectified_grey(view, image_from_board, template)
    _, _, heights, noise = styled_peaks(rectified, chunks, SEARCH_PX)
    return float(np.median(heights)) / noise


def _grey(image: Image) -> Grey:
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) if image.ndim == 3 else image, dtype=np.uint8)


def _channel(image: Image, index: int) -> Grey:
    return np.ascontiguousarray(image[:, :, index])
