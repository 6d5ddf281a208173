"""Photographs a drawn stretch of board at a slant, rectifies it with a small error, and cuts its cells."""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np
from numpy.typing import NDArray

from lab.train.domino_ground import CANVAS_PX, GRID
from lab.train.domino_tiles import CELL_PX
from lab.train.lighting import expose, light

PATCH_PX = 48
RECTIFIED_CELL_PX = 32
"""Pixels on a cell's side in rectified pictures of this board; a patch shows one and a half cells."""
FloatImage = NDArray[np.float32]
FloatArray = NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class View:
    azimuth_rad: float
    """Direction in the canvas away from the camera."""
    squash: float
    """Cosine of the camera's slant."""
    lean: tuple[float, float]
    """Offset of the tiles' faces from their feet in the view, in cells."""
    shadow_px: tuple[float, float]
    shadow_blur_px: float
    shadow_depth: float
    """0 to 1."""
    light_rad: float
    """Direction from which the light comes, in the canvas."""


def draw_view(chance: np.random.Generator) -> View:
    """A random view, mostly from nearly above; tiles are a quarter to half a cell thick."""
    azimuth = float(chance.uniform(0, 2 * np.pi))
    slant = min(abs(float(chance.normal(0, 0.28))), 0.75)
    rise = min(float(chance.uniform(0.15, 0.5)) * np.tan(slant), 0.3)
    sun, reach = chance.uniform(0, 2 * np.pi), chance.uniform(0, 0.3) * CELL_PX
    return View(
        azimuth_rad=azimuth,
        squash=float(np.cos(slant)),
        lean=(float(np.cos(azimuth) * rise), float(np.sin(azimuth) * rise)),
        shadow_px=(float(-np.cos(sun) * reach), float(-np.sin(sun) * reach)),
        shadow_blur_px=float(chance.uniform(0.6, 6)),
        shadow_depth=float(chance.uniform(0, 0.75)),
        light_rad=float(sun),
    )


def photograph(
    canvas: FloatImage, cells: NDArray[np.intp], view: View, chance: np.random.Generator
) -> NDArray[np.uint8]:
    """(n, 48, 48, 3) the cells (row, column) as a camera and a rectification might deliver them."""
    light(canvas, chance)
    if chance.random() < 0.15:
        light(canvas, chance)
    picture_from_canvas, size = _project(view, chance)
    picture = cv2.warpPerspective(
        canvas, picture_from_canvas, size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REFLECT
    )
    pixels = _expose_and_store(_blur(np.asarray(picture, dtype=np.float32), chance), chance)
    rectified = _straighten(pixels, picture_from_canvas, chance)
    half = PATCH_PX // 2
    padded = cv2.copyMakeBorder(rectified, half, half, half, half, cv2.BORDER_REPLICATE)
    patches = np.empty((len(cells), PATCH_PX, PATCH_PX, 3), dtype=np.uint8)
    for index, (row, column) in enumerate(cells):
        top, left = ((place + 0.5) * RECTIFIED_CELL_PX for place in (row, column))
        patches[index] = padded[int(top) : int(top) + PATCH_PX, int(left) : int(left) + PATCH_PX]
    return patches


def _project(view: View, chance: np.random.Generator) -> tuple[FloatArray, tuple[int, int]]:
    """Homography from the canvas to a camera's picture, and that picture's size in pixels."""
    cell_px = float(np.exp(chance.uniform(np.log(14), np.log(58))))
    turn = view.azimuth_rad + np.pi / 2
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], dtype=np.float64)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    seen = corners @ spin * np.array([1, view.squash])
    seen /= 1 + seen[:, 1:] * chance.uniform(-0.05, 0.05) * np.sqrt(1 - view.squash**2)
    seen = (seen - seen.min(axis=0)) * GRID / 2 * cell_px
    width, height = np.ceil(seen.max(axis=0)).astype(int)
    source = ((corners + 1) / 2 * CANVAS_PX).astype(np.float32)
    homography = cv2.getPerspectiveTransform(source, seen.astype(np.float32))
    return np.asarray(homography, dtype=np.float64), (max(int(width), 8), max(int(height), 8))


def _blur(picture: FloatImage, chance: np.random.Generator) -> FloatImage:
    kind = chance.random()
    if kind < 0.35:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), float(chance.uniform(0.3, 1.3))), dtype=np.float32)
    elif kind < 0.45:
        length = int(chance.integers(2, 6))
        kernel = np.zeros((length, length), dtype=np.float32)
        kernel[length // 2] = 1.0 / length
        kernel = kernel if chance.random() < 0.5 else np.ascontiguousarray(kernel.T)
        picture = np.asarray(cv2.filter2D(picture, -1, kernel), dtype=np.float32)
    elif kind < 0.6:
        soft = cv2.GaussianBlur(picture, (0, 0), 1.0)
        picture = picture + (picture - soft) * np.float32(chance.uniform(0.3, 1.5))
    return np.asarray(np.clip(picture, 0, 1), dtype=np.float32)


def _expose_and_store(picture: FloatImage, chance: np.random.Generator) -> NDArray[np.uint8]:
    """Exposure from very dark to clipped, noise, eight bits, JPEG."""
    if chance.random() < 0.35:
        picture = np.clip(picture * np.float32(np.exp(chance.uniform(-1.6, 0.9))), 0, 1)
    picture = expose(picture, chance)
    noise = chance.standard_normal(picture.shape, dtype=np.float32) * np.float32(chance.gamma(1.2, 0.014))
    pixels = np.asarray(np.clip((picture + noise) * 255, 0, 255), dtype=np.uint8)
    if chance.random() < 0.6:
        quality = [cv2.IMWRITE_JPEG_QUALITY, int(chance.integers(25, 96))]
        pixels = np.asarray(cv2.imdecode(cv2.imencode(".jpg", pixels, quality)[1], cv2.IMREAD_COLOR), dtype=np.uint8)
    return pixels


def _straighten(
    pixels: NDArray[np.uint8], picture_from_canvas: FloatArray, chance: np.random.Generator
) -> NDArray[np.uint8]:
    """The board from above at RECTIFIED_CELL_PX, by a pose with small errors in place, turn, size and slant."""
    source = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=np.float64) * CANVAS_PX
    wrong = chance.normal(0, 0.04, 2) + chance.normal(0, 0.045, (4, 2))
    target = source / CELL_PX + wrong
    rectified_from_canvas = cv2.getPerspectiveTransform(
        source.astype(np.float32), (target * RECTIFIED_CELL_PX).astype(np.float32)
    )
    rectified_from_picture = rectified_from_canvas @ np.linalg.inv(picture_from_canvas)
    side = GRID * RECTIFIED_CELL_PX
    return np.asarray(cv2.warpPerspective(pixels, rectified_from_picture, (side, side)), dtype=np.uint8)
