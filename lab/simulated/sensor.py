"""Turns light into a frame: vignette, blur, JPEG, noise, and changes of the lamp."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from lab.simulated.light import GAMMA
from lab.simulated.style import SensorStyle
from vision.frame import Image

Float32Array = NDArray[np.float32]
_SPARE_PX = 96
"""Pixels by which the noise tile is larger than the frame, so that every frame can use another part of it."""


class Sensor:
    def __init__(self, style: SensorStyle, size_px: tuple[int, int], rng: np.random.Generator) -> None:
        self._style = style
        self._size_px = size_px
        self._tile = _noise_tile(size_px, style.chroma, rng)
        self.vignette = _vignette(size_px, style.vignette)
        """(h, w, 3) factor on pixel values."""
        self.vignette_levels = np.asarray(np.rint(255 * self.vignette), dtype=np.uint8)
        """The same in 255ths."""

    def develop(self, picture: Float32Array) -> Image:
        """The noiseless picture of a static scene; vignette is already in it."""
        blurred = cv2.GaussianBlur(picture, (0, 0), self._style.blur_px) if self._style.blur_px > 0 else picture
        image = np.clip(blurred + 0.5, 0, 255).astype(np.uint8)
        if self._style.jpeg_quality > 0:
            image = jpeg(image, self._style.jpeg_quality)
        return np.asarray(image, dtype=np.uint8)

    def grain(self, image: Image) -> NDArray[np.int16]:
        """(h, w, 3) standard deviation of the noise of each pixel value, in sixteenths of a level."""
        levels = np.arange(256) / 255
        # Shot noise grows with the square root of the light; the power law then stretches the dark.
        sigma = np.sqrt(self._style.read_noise**2 + self._style.shot_noise**2 * levels ** (2 - GAMMA / 2))
        table = np.clip(sigma * 16, 0, 255).astype(np.uint8)
        return np.asarray(cv2.LUT(image, table), dtype=np.int16)

    def expose(self, image: Image, grain: NDArray[np.int16], rng: np.random.Generator) -> Image:
        if not self._style.read_noise and not self._style.shot_noise:
            return image.copy()
        width, height = self._size_px
        x, y = rng.integers(0, _SPARE_PX, 2)
        tile = self._tile[y : y + height, x : x + width]
        noise = cv2.multiply(tile, grain, scale=1 / 1024)
        return np.asarray(cv2.add(image, noise, dtype=cv2.CV_8U), dtype=np.uint8)

    def brighten(self, image: Image, gain: NDArray[np.float64]) -> Image:
        """The image under light multiplied by (3,) `gain`."""
        levels = np.arange(256)[:, None] * np.asarray(gain)[None] ** (1 / GAMMA)
        table = np.clip(levels + 0.5, 0, 255).astype(np.uint8)[:, None]
        return np.asarray(cv2.LUT(image, table), dtype=np.uint8)


def jpeg(image: Image, quality: int) -> Image:
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), dtype=np.uint8)


def _noise_tile(size_px: tuple[int, int], chroma: float, rng: np.random.Generator) -> NDArray[np.int16]:
    """Noise of standard deviation 64, a little blotchy as after demosaicing."""
    height, width = size_px[1] + _SPARE_PX, size_px[0] + _SPARE_PX
    # Blurred uniform bytes are very nearly normally distributed, and much faster to draw.
    grey = _blurred(rng, (height, width), 0.6)
    coloured = _blurred(rng, (height, width, 3), 0.9)
    grey *= (1 - chroma) / grey.std()
    coloured *= chroma / coloured.std()
    mixed = coloured + cv2.merge([grey, grey, grey])
    mixed *= 64 / mixed.std()
    return np.asarray(np.rint(mixed), dtype=np.int16)


def _blurred(rng: np.random.Generator, shape: tuple[int, ...], sigma_px: float) -> Float32Array:
    draws = rng.integers(0, 256, shape, dtype=np.uint8).astype(np.float32) - np.float32(127.5)
    return np.asarray(cv2.GaussianBlur(draws, (0, 0), sigma_px), dtype=np.float32)


def _vignette(size_px: tuple[int, int], loss: float) -> Float32Array:
    xs = np.linspace(-1, 1, size_px[0], dtype=np.float32)[None]
    ys = np.linspace(-1, 1, size_px[1], dtype=np.float32)[:, None] * (size_px[1] / size_px[0])
    squared = (xs**2 + ys**2) / (1 + (size_px[1] / size_px[0]) ** 2)
    factor = (1 - loss * squared) ** np.float32(1 / GAMMA)
    return np.asarray(cv2.merge([factor, factor, factor]), dtype=np.float32)
