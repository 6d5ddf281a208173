"""The gate's small, smoothed pictures: of the board, and of the board with its surroundings.

The rectified picture ends just outside the board: it shows little but the fingertips of an arm laying a man on an edge.
"""

from __future__ import annotations

import dataclasses
from typing import Final

import cv2
import numpy as np

from calibration.arrays import Flags
from calibration.template import BoardTemplate
from vision.frame import Image
from vision.pose import BoardPose
from vision.primitives.ridges import picture_scale
from vision.watching.cover import BRIDGE
from vision.watching.light import FloatImage

LONGER_SIDE_PX: Final = 128
"""Pixels, about the longer side of the board's picture."""
MEN_ACROSS: Final = 8
"""Men that would fit side by side into a picture of which nothing is known."""
MAX_MAN: Final = 1.6
"""Greatest breadth of a man with his shadow, in diameters."""
NEAR_THE_END: Final = np.ones((11, 11), np.uint8)
"""How far from the end of the camera's picture an arm from beyond it shows: it is smoothed there, twice."""
RING: Final = 0.3
"""Width of the watched ring around the board's frame, as a share of its longer side; ends where the picture ends."""

TWICE: Final = np.array([[2, 0, 0.5], [0, 2, 0.5], [0, 0, 1]])
"""To the pixels of a picture from those of the one of half its size."""


@dataclasses.dataclass(frozen=True, eq=False)
class Surroundings:
    picture: FloatImage
    places: Flags
    """(height, width) True within the frame and on the place of a man who stands on its edge."""
    window: tuple[slice, slice]
    """The rows and columns that the gate's picture shows."""
    unseen: Flags
    """(height, width) True beyond the camera's picture."""
    man_px: float
    """Pixels, a man's diameter in `picture`."""
    longest_man_px: float
    """Pixels, how long a man may look, with his shadow, or as he leans."""


def small_picture(rectified: Image) -> FloatImage:
    """A rectified picture as the gate compares it."""
    longer = max(rectified.shape[:2])
    # Shrinks by a whole number, as near to the wanted size as that allows: several times faster to average.
    scale = 1 / _shrink(longer) if longer > LONGER_SIDE_PX else LONGER_SIDE_PX / longer
    size = max(8, round(rectified.shape[1] * scale)), max(8, round(rectified.shape[0] * scale))
    small = cv2.resize(rectified, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    return _smooth(np.asarray(small, dtype=np.uint8))


def surroundings_of(image: Image, pose: BoardPose, template: BoardTemplate) -> Surroundings:
    """The board with its surroundings in a picture; a millisecond. Black where the camera's picture ends."""
    width, height = template.rectified_size_px
    shrink, scale = _shrink(max(width, height)), template.pixels_per_mm
    ring = max(0, round((RING * max(template.size_mm) - template.margin_mm) * scale / shrink))
    columns, rows = round(width / shrink), round(height / shrink)
    size = columns + 2 * ring, rows + 2 * ring
    offset = ring + (1 / shrink - 1) / 2  # whole numbers are the pixels' centres, not their corners
    small_from_rectified = np.array([[1 / shrink, 0, offset], [0, 1 / shrink, offset], [0, 0, 1]])
    small_from_picture = small_from_rectified @ template.rectified_from_board @ np.linalg.inv(pose.image_from_board)
    # Halved first, which is cheap, but seen at twice the size, so that no thin line falls between two pixels.
    for _ in range(int(np.log2(max(1.0, shrink * picture_scale(pose.image_from_board, template) / 2)))):
        image = _halved(image)
        small_from_picture = small_from_picture @ TWICE
    twice = cv2.warpPerspective(image, TWICE @ small_from_picture, (2 * size[0], 2 * size[1]))
    small = _halved(np.asarray(twice, dtype=np.uint8))
    seen = cv2.warpPerspective(np.ones(image.shape[:2], np.uint8), small_from_picture, size, flags=cv2.INTER_NEAREST)
    margin_px = ring + (template.margin_mm - template.man_diameter_mm / 2) * scale / shrink
    inset = max(0, int(margin_px))
    places = np.zeros(small.shape[:2], dtype=np.bool_)
    places[inset : small.shape[0] - inset, inset : small.shape[1] - inset] = True
    window = slice(ring, ring + rows), slice(ring, ring + columns)
    man_px = template.man_diameter_mm * scale / shrink
    longest_px = MAX_MAN * man_px + template.man_height_mm * scale / shrink
    return Surroundings(_smooth(small), places, window, np.asarray(seen == 0), man_px, longest_px)


def surroundings_within(picture: Image, margin: float) -> Surroundings:
    """A picture whose outer `margin`, a share of its longer side, shows what lies around a board."""
    small = small_picture(picture)
    edge = round(margin * max(small.shape[:2]))
    window = slice(edge, small.shape[0] - edge), slice(edge, small.shape[1] - edge)
    places = np.zeros(small.shape[:2], dtype=np.bool_)
    places[window] = True
    man_px = small.shape[1] / MEN_ACROSS
    return Surroundings(small, places, window, np.zeros_like(places), man_px, MAX_MAN * man_px)


def reaching_in(things: Flags, around: Surroundings, least_px: float, least_hand_px: float) -> Flags:
    """The objects that cover places of the board and continue beyond it.

    Each needs more than `least_px` of both, in one piece but for gaps, and `least_hand_px` in total: less than the
    board's picture must show of a hand, since skin may have the colour of the table in shade. An arm beside the board
    covers no place, whatever its shadow does; a man just laid does not continue beyond. Where the camera's picture ends
    near the board, a piece longer than a man with his shadow is an arm.
    """
    beyond = np.ones(things.shape, dtype=np.bool_)
    beyond[around.window] = False
    ends = np.asarray(cv2.dilate(around.unseen.astype(np.uint8), NEAR_THE_END) > 0)
    joined = cv2.morphologyEx(things.astype(np.uint8), cv2.MORPH_CLOSE, BRIDGE)
    count, labels = cv2.connectedComponents(np.asarray(joined, dtype=np.uint8))
    found = np.zeros(things.shape, dtype=np.bool_)
    for label in range(1, count):
        piece = things & (labels == label)
        reaches = (piece & beyond).sum() > least_px
        if not reaches and (piece & ends).any():
            reaches = max(np.ptp(axis) + 1 for axis in np.nonzero(piece)) > around.longest_man_px
        reaches = reaches and (piece & around.places).sum() > least_px
        if reaches and piece.sum() > least_hand_px:
            found |= piece
    return found


def _shrink(longer_px: int) -> int:
    return max(1, round(longer_px / LONGER_SIDE_PX))


def _halved(image: Image) -> Image:
    height, width = image.shape[:2]
    even = image[: height // 2 * 2, : width // 2 * 2]
    return np.asarray(cv2.resize(even, (width // 2, height // 2), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _smooth(small: Image) -> FloatImage:
    return np.asarray(cv2.GaussianBlur(small, (3, 3), 0), dtype=np.float32)
