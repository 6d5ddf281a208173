"""Drawn surfaces and the light on them: what cell patches look like before and after the camera."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from lab.simulated.arrays import Float32Array, FloatArray, Rng

Grey = Float32Array
"""float32 (height, width), mean 0, standard deviation 1."""

SIDE_PX = 320


class Textures:
    """A stock of grey textures, drawn once; `cut` gives a turned piece of one of them."""

    def __init__(self, chance: Rng, count: int = 72) -> None:
        makers = (_grain, _paper, _cloth, _clouds, _speckle, _planks)
        self._stock = [_standard(makers[index % len(makers)](chance)) for index in range(count)]

    def cut(self, chance: Rng, side_px: int) -> Grey:
        """A square piece, turned and mirrored at random, by multiples of 90 degrees."""
        texture = self._stock[int(chance.integers(len(self._stock)))]
        top, left = chance.integers(0, SIDE_PX - side_px, 2)
        piece = np.rot90(texture[top : top + side_px, left : left + side_px], int(chance.integers(4)))
        return np.ascontiguousarray(piece[::-1] if chance.random() < 0.5 else piece)


def _standard(texture: NDArray[np.floating]) -> Grey:
    return np.asarray((texture - texture.mean()) / (texture.std() + 1e-6), dtype=np.float32)


def _noise(chance: Rng, sigma_x_px: float, sigma_y_px: float) -> Grey:
    noise = chance.standard_normal((SIDE_PX, SIDE_PX)).astype(np.float32)
    soft = cv2.GaussianBlur(noise, (0, 0), max(sigma_x_px, 0.1), sigmaY=max(sigma_y_px, 0.1))
    return _standard(np.asarray(soft, dtype=np.float32))


def _grain(chance: Rng) -> Grey:
    y = np.linspace(0, 1, SIDE_PX, dtype=np.float32)[:, None]
    rings = y * chance.uniform(4, 30) + _noise(chance, 60, 14) * chance.uniform(0.2, 1.2)
    return np.asarray(np.sin(2 * np.pi * rings) + _noise(chance, 25, 0.7) * chance.uniform(0.3, 1.5), dtype=np.float32)


def _paper(chance: Rng) -> Grey:
    return _noise(chance, 0.6, 0.6) * 0.4 + _noise(chance, 50, 50)


def _cloth(chance: Rng) -> Grey:
    step = np.arange(SIDE_PX, dtype=np.float32)
    waves = np.sin(step * chance.uniform(0.6, 2.2))[:, None] + np.sin(step * chance.uniform(0.6, 2.2))[None, :]
    return np.asarray(waves + _noise(chance, 1, 1) * 0.8 + _noise(chance, 30, 30), dtype=np.float32)


def _clouds(chance: Rng) -> Grey:
    """Marble, felt, stains: noise of many sizes."""
    total = sum(_noise(chance, 2.0**octave, 2.0**octave) * 1.5**octave for octave in range(6))
    return np.asarray(total, dtype=np.float32)


def _speckle(chance: Rng) -> Grey:
    """Fine noise: cork, stone, leather."""
    sigma = float(chance.uniform(0.5, 2.5))
    return _noise(chance, sigma, sigma)


def _planks(chance: Rng) -> Grey:
    texture = _noise(chance, 30, 1.0) * 0.4
    edge = 0
    while edge < SIDE_PX:
        width = int(chance.integers(12, 90))
        texture[edge : edge + width] += chance.normal(0, 0.8)
        texture[edge : edge + 1] -= 2.0
        edge += width
    return texture


def photograph(
    canvas: Float32Array, mask: Float32Array, chance: Rng, cell_px: int, patch_px: int
) -> tuple[NDArray[np.uint8], Float32Array]:
    """The patch as a camera and a rectification might deliver it, and the position of `mask` in it."""
    light(canvas, chance)
    patch_from_canvas = _view(canvas.shape[0], cell_px, patch_px, chance)
    size = (patch_px, patch_px)
    image = cv2.warpPerspective(cv2.GaussianBlur(canvas, (0, 0), 0.6), patch_from_canvas, size, flags=cv2.INTER_LINEAR)
    seen = cv2.warpPerspective(mask, patch_from_canvas, size, flags=cv2.INTER_LINEAR)
    image = _lens(expose(np.asarray(image, dtype=np.float32), chance), chance)
    return store(image, chance, 0.012, 0.5, 95), np.asarray(seen, dtype=np.float32)


def store(image: Float32Array, chance: Rng, noise: float, share: float, best: int) -> NDArray[np.uint8]:
    """The picture with noise in eight bits, a share of them through JPEG of a quality from 25 to below `best`."""
    noisy = image + chance.standard_normal(image.shape, dtype=np.float32) * np.float32(chance.gamma(1.2, noise))
    pixels = np.asarray(np.clip(noisy * 255, 0, 255), dtype=np.uint8)
    if chance.random() < share:
        quality = [cv2.IMWRITE_JPEG_QUALITY, int(chance.integers(25, best))]
        pixels = np.asarray(cv2.imdecode(cv2.imencode(".jpg", pixels, quality)[1], cv2.IMREAD_COLOR), dtype=np.uint8)
    return pixels


def light(canvas: Float32Array, chance: Rng) -> None:
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


def _view(side_px: int, cell_px: int, patch_px: int, chance: Rng) -> FloatArray:
    """(3, 3) the patch's pixels from the canvas's: a pose with small errors in place, turn, size and slant."""
    half = cell_px / 2 * chance.normal(1.0, 0.05)
    angle = chance.normal(0, 0.06) + (np.pi / 2) * int(chance.integers(4))
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], dtype=np.float64) * half
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    place = side_px / 2 + chance.normal(0, 0.035, 2) * cell_px
    source = corners @ turn.T + place + chance.normal(0, 0.02, (4, 2)) * cell_px
    target = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=np.float32) * patch_px
    return np.asarray(cv2.getPerspectiveTransform(source.astype(np.float32), target), dtype=np.float64)


def expose(image: Float32Array, chance: Rng) -> Float32Array:
    """Brightness, white balance, contrast and saturation of a random camera."""
    gain = np.exp(chance.normal(-0.1, 0.35))
    cast = np.exp(chance.normal(0, 0.09, 3))
    out = np.clip(image * (gain * cast).astype(np.float32), 0, 1) ** np.float32(np.exp(chance.normal(0, 0.2)))
    grey = out.mean(axis=2, keepdims=True)
    out = grey + (out - grey) * np.float32(chance.uniform(0.5, 1.3))
    lift = np.float32(chance.uniform(0, 0.12)) if chance.random() < 0.3 else np.float32(0)
    return np.asarray(np.clip(out * (1 - lift) + lift, 0, 1), dtype=np.float32)


def _lens(image: Float32Array, chance: Rng) -> Float32Array:
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
        seen = shaken(image, int(chance.integers(2, 7)), chance)
    elif kind < 0.75:
        seen = image + (image - cv2.GaussianBlur(image, (0, 0), 1.0)) * np.float32(chance.uniform(0.3, 1.2))
    return np.asarray(np.clip(seen, 0, 1), dtype=np.float32)


def shaken(image: Float32Array, length_px: int, chance: Rng) -> NDArray[Any]:
    """The picture blurred by motion along one of its sides."""
    kernel = np.zeros((length_px, length_px), dtype=np.float32)
    kernel[length_px // 2] = 1.0 / length_px
    return cv2.filter2D(image, -1, kernel if chance.random() < 0.5 else np.ascontiguousarray(kernel.T))


Colour = tuple[float, float, float]
"""Blue, green, red, 0 to 1."""
Kinds = tuple[tuple[float, tuple[float, float] | None, tuple[float, float], tuple[float, float]], ...]
"""Of each kind of colour: the share of it and those before it, mean and deviation of the hue (0 to 180; None: any), and
least and greatest saturation and value, 0 to 255."""


def board_colour(chance: Rng, kinds: Kinds) -> Float32Array:
    """(3,) a random colour of one of the kinds, 0 to 1."""
    drawn = chance.random()
    _, hue, saturation, value = next(kind for kind in kinds if drawn < kind[0])
    levels = (chance.normal(*hue) if hue else chance.uniform(0, 180)) % 180, chance.uniform(*saturation)
    pixel = np.array([[[*levels, chance.uniform(*value)]]], dtype=np.uint8)
    return np.asarray(cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)[0, 0] / 255.0, dtype=np.float32)


def surface(colour: Float32Array, texture: Float32Array, contrast: float, chance: Rng) -> Float32Array:
    """(h, w, 3) the colour on a texture."""
    tint = 1 + chance.normal(0, 0.25, 3).astype(np.float32)
    return np.asarray(np.clip(colour * (1 + texture[..., None] * contrast * tint * 1.5), 0, 1), dtype=np.float32)


def ink_on(ground: Float32Array, chance: Rng, dark: float, least: float) -> Colour:
    """A colour that shows on the ground: a share `dark` of them darker, the others lighter or coloured."""
    kind = chance.random()
    if kind < dark:
        ink = ground * chance.uniform(least, 0.75)
    elif kind < 0.85:
        ink = ground + (1 - ground) * chance.uniform(0.25, 1.0)
    else:
        ink = chance.uniform(0, 1, 3)
    return as_colour(ink)


def as_colour(levels: NDArray[np.floating]) -> Colour:
    return float(levels[0]), float(levels[1]), float(levels[2])
