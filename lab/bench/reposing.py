"""Makes other photos of a photographed board: turned, tilted, darker, brighter, blurred, smaller, of another tint.

The table and the board are taken for one plane, and the photo for that plane seen from straight above; a camera that
looks at it from aside sees the plane through a homography, which is returned, so that every point of the photo can be
located in the new one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from vision.frame import Image
from vision.pose import BoardPose, project

FloatArray = NDArray[np.float64]

DISTANCE = 2.2
"""Sides of the board between the camera and the board."""
ROOM = 0.04
"""Share of the picture left around the board at least."""


@dataclasses.dataclass(frozen=True)
class View:
    """How a photo is transformed; by default it is only moved into the middle."""

    turn_deg: float = 0.0
    """Clockwise turn."""
    any_turn: bool = False
    """Whether to turn by a random angle instead."""
    tilt_deg: float = 0.0
    """Tilt of the camera from straight above, towards a random side."""
    gain: float = 1.0
    """Brightness; values beyond white are clipped."""
    cast: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """Gain of blue, green and red."""
    shade: float = 0.0
    """Share by which one side of the picture is darker than the other."""
    blur_px: float = 0.0
    """Standard deviation of the blur."""
    motion_px: float = 0.0
    """Length of a point's motion streak."""
    noise: float = 0.0
    """Standard deviation of the sensor's noise, in grey values."""
    size_px: tuple[int, int] | None = None
    """Width and height; None for those of the photo."""
    share: float | None = None
    """Board's side as a share of the picture's shorter side; None for that of the photo, if there is room."""


VIEWS: Mapping[str, View] = {
    "upright": View(),
    "turned_90": View(turn_deg=90),
    "turned_180": View(turn_deg=180),
    "turned_270": View(turn_deg=270),
    "turned": View(any_turn=True),
    "tilted": View(tilt_deg=30),
    "tilted_far": View(tilt_deg=45, any_turn=True),
    "darkened": View(gain=0.35, noise=3),
    "brightened": View(gain=1.9),
    "blurred": View(blur_px=2.5),
    "shaken": View(motion_px=9),
    "tinted": View(cast=(0.6, 0.9, 1.25), shade=0.5),
    "small": View(size_px=(1280, 720), share=0.83),
    "tiny": View(size_px=(640, 480), share=0.85),
    "hand_held": View(
        any_turn=True, tilt_deg=25, gain=0.7, shade=0.4, blur_px=0.8, noise=3, size_px=(1280, 720), share=0.9
    ),
}


def outermost(pose: BoardPose, template: BoardTemplate) -> FloatArray:
    """(4, 2) corners of the whole board, margin included, in the picture."""
    outwards = template.margin_mm * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    return project(pose.image_from_board, template.corners_mm + outwards)


def repose(image: Image, corners_px: FloatArray, view: View, rng: np.random.Generator) -> tuple[Image, FloatArray]:
    """The photo as it would look from there, and the (3, 3) homography destination_from_source.

    `corners_px` (4, 2) are the outermost corners of the board, all of which stay in the picture. Areas that the photo
    does not show are filled with the table's colour.
    """
    height, width = image.shape[:2]
    size = view.size_px or (width, height)
    matrix = _look(corners_px, view, rng)
    matrix = _framed(matrix, corners_px, size, view.share or _share(corners_px, (width, height))) @ matrix
    table = np.median(np.concatenate([image[0], image[-1]]), axis=0)
    # Shrunk by more than two, the picture would lose points: it is smoothed first.
    shrink = float(np.sqrt(_area(corners_px) / _area(project(matrix, corners_px))))
    smooth = cv2.GaussianBlur(image, (0, 0), 0.45 * shrink) if shrink > 1.3 else image
    moved = cv2.warpPerspective(
        smooth, matrix, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_CONSTANT, borderValue=table.tolist()
    )
    return _exposed(np.asarray(moved, dtype=np.float32), view, rng), matrix


def _look(corners_px: FloatArray, view: View, rng: np.random.Generator) -> FloatArray:
    """(3, 3) the plane as the turned and tilted camera sees it, the board's middle at the origin."""
    centre, side = corners_px.mean(axis=0), float(np.sqrt(_area(corners_px)))
    turn = rng.uniform(0, 2 * np.pi) if view.any_turn else np.radians(view.turn_deg)
    towards, tilt = rng.uniform(0, 2 * np.pi), np.radians(view.tilt_deg)
    to_middle = np.array([[1 / side, 0, -centre[0] / side], [0, 1 / side, -centre[1] / side], [0, 0, 1.0]])
    seen = np.array([[np.cos(tilt), 0, 0], [0, 1, 0], [np.sin(tilt) / DISTANCE, 0, 1]])
    plane: FloatArray = _rotation(towards) @ seen @ _rotation(turn - towards) @ to_middle
    return plane


def _framed(matrix: FloatArray, corners_px: FloatArray, size: tuple[int, int], share: float) -> FloatArray:
    """(3, 3) moves and scales the view so that the whole board is in the picture."""
    seen = project(matrix, corners_px)
    low, high = seen.min(axis=0), seen.max(axis=0)
    room = (1 - 2 * ROOM) * np.array(size) / (high - low)
    scale = min(float(room.min()), share * min(size) / float(np.sqrt(_area(seen))))
    x, y = np.array(size) / 2 - scale * (low + high) / 2
    return np.array([[scale, 0, x], [0, scale, y], [0, 0, 1.0]])


def _exposed(picture: NDArray[np.float32], view: View, rng: np.random.Generator) -> Image:
    height, width = picture.shape[:2]
    if view.blur_px:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), view.blur_px), dtype=np.float32)
    if view.motion_px:
        picture = np.asarray(cv2.filter2D(picture, -1, _streak(view.motion_px, rng.uniform(0, np.pi))))
    angle = rng.uniform(0, 2 * np.pi)
    across = np.cos(angle) * np.linspace(-0.5, 0.5, width) + np.sin(angle) * np.linspace(-0.5, 0.5, height)[:, None]
    light = view.gain * (1 - view.shade * (0.5 + across / 1.42))
    picture = picture * light[..., None].astype(np.float32) * np.array(view.cast, dtype=np.float32)
    picture += rng.normal(0, view.noise, picture.shape).astype(np.float32) if view.noise else 0
    return np.asarray(np.clip(np.rint(picture), 0, 255), dtype=np.uint8)


def _streak(length_px: float, angle: float) -> NDArray[np.float32]:
    half = int(np.ceil(length_px / 2)) + 1
    kernel: NDArray[np.float32] = np.zeros((2 * half + 1, 2 * half + 1), dtype=np.float32)
    for along in np.linspace(-length_px / 2, length_px / 2, 8 * half):
        kernel[half + round(along * np.sin(angle)), half + round(along * np.cos(angle))] += 1
    kernel /= kernel.sum()
    return kernel


def _rotation(angle: float) -> FloatArray:
    return np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])


def _share(corners_px: FloatArray, size: tuple[int, int]) -> float:
    return float(np.sqrt(_area(corners_px))) / min(size)


def _area(corners: FloatArray) -> float:
    return abs(float(cv2.contourArea(corners.astype(np.float32))))
