"""Photographs a drawn cell: light, shadow, glare, perspective, blur, noise, JPEG."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray


def photograph(
    canvas: NDArray[np.float32], mask: NDArray[np.float32], chance: np.random.Generator, cell_px: int, patch_px: int
) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """The patch as a camera and a rectification might deliver it, and the position of `mask` in it."""
    light(canvas, chance)
    patch_from_canvas = _view(canvas.shape[0], cell_px, patch_px, chance)
    size = (patch_px, patch_px)
    image = cv2.warpPerspective(cv2.GaussianBlur(canvas, (0, 0), 0.6), patch_from_canvas, size, flags=cv2.INTER_LINEAR)
    seen = cv2.warpPerspective(mask, patch_from_canvas, size, flags=cv2.INTER_LINEAR)
    image = expose(np.asarray(image, dtype=np.float32), chance)
    image = _lens(image, chance)
    noisy = image + chance.standard_normal(image.shape, dtype=np.float32) * np.float32(chance.gamma(1.2, 0.012))
    pixels = np.asarray(np.clip(noisy * 255, 0, 255), dtype=np.uint8)
    if chance.random() < 0.5:
        quality = [cv2.IMWRITE_JPEG_QUALITY, int(chance.integers(25, 95))]
        pixels = np.asarray(cv2.imdecode(cv2.imencode(".jpg", pixels, quality)[1], cv2.IMREAD_COLOR), dtype=np.uint8)
    return pixels, np.asarray(seen, dtype=np.float32)


def light(canvas: NDArray[np.float32], chance: np.random.Generator) -> None:
    """Adds gradients of light, the edge of a shadow, a lamp's reflection."""
    side = canvas.shape[0]
    grid = np.linspace(-1, 1, side, dtype=np.float32)
    angle = np.float32(chance.uniform(0, 2 * np.pi))
    along = grid[None, :] * np.cos(angle) + grid[:, None] * np.sin(angle)
    canvas *= (1 + along * np.float32(chance.normal(0, 0.12)))[..., None]
    if chance.random() < 0.2:
        soft = np.float32(chance.choice((2.0, 8.0, 40.0)))
        edge = 1 / (1 + np.exp(-np.clip((along - np.float32(chance.uniform(-0.6, 0.6))) * soft, -30, 30)))
        canvas *= (1 - np.float32(chance.uniform(0.1, 0.65)) * edge)[..., None]
    if chance.random() < 0.12:
        x, y = chance.uniform(-0.8, 0.8, 2).astype(np.float32)
        size = np.float32(chance.uniform(0.1, 0.8))
        spot = np.exp(-((grid[None, :] - x) ** 2 + (grid[:, None] - y) ** 2) / size**2)
        canvas += (spot * np.float32(chance.uniform(0.1, 0.9)))[..., None]


def _view(side_px: int, cell_px: int, patch_px: int, chance: np.random.Generator) -> NDArray[np.float64]:
    """(3, 3) the patch's pixels from the canvas's: a pose with small errors in place, turn, size and slant."""
    half = cell_px / 2 * chance.normal(1.0, 0.05)
    angle = chance.normal(0, 0.06) + (np.pi / 2) * int(chance.integers(4))
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], dtype=np.float64) * half
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    place = side_px / 2 + chance.normal(0, 0.035, 2) * cell_px
    source = corners @ turn.T + place + chance.normal(0, 0.02, (4, 2)) * cell_px
    target = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=np.float32) * patch_px
    return np.asarray(cv2.getPerspectiveTransform(source.astype(np.float32), target), dtype=np.float64)


def expose(image: NDArray[np.float32], chance: np.random.Generator) -> NDArray[np.float32]:
    """Brightness, white balance, contrast and saturation of a random camera."""
    gain = np.exp(chance.normal(-0.1, 0.35))
    cast = np.exp(chance.normal(0, 0.09, 3))
    out = np.clip(image * (gain * cast).astype(np.float32), 0, 1) ** np.float32(np.exp(chance.normal(0, 0.2)))
    grey = out.mean(axis=2, keepdims=True)
    out = grey + (out - grey) * np.float32(chance.uniform(0.5, 1.3))
    lift = np.float32(chance.uniform(0, 0.12)) if chance.random() < 0.3 else np.float32(0)
    return np.asarray(np.clip(out * (1 - lift) + lift, 0, 1), dtype=np.float32)


def _lens(image: NDArray[np.float32], chance: np.random.Generator) -> NDArray[np.float32]:
    """Random loss of sharpness: few pixels, defocus, motion, sharpening."""
    side = image.shape[0]
    kind = chance.random()
    seen: NDArray[Any] = image
    if kind < 0.35:
        small = int(chance.integers(14, 40))
        seen = cv2.resize(image, (small, small), interpolation=cv2.INTER_AREA)
        seen = cv2.resize(seen, (side, side), interpolation=int(chance.choice((1, 2))))
    elif kind < 0.55:
        seen = cv2.GaussianBlur(image, (0, 0), float(chance.uniform(0.4, 1.8)))
    elif kind < 0.65:
        length = int(chance.integers(2, 7))
        kernel = np.zeros((length, length), dtype=np.float32)
        kernel[length // 2] = 1.0 / length
        seen = cv2.filter2D(image, -1, kernel if chance.random() < 0.5 else kernel.T)
    elif kind < 0.75:
        seen = image + (image - cv2.GaussianBlur(image, (0, 0), 1.0)) * np.float32(chance.uniform(0.3, 1.2))
    return np.asarray(np.clip(seen, 0, 1), dtype=np.float32)
