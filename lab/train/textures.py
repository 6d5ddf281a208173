"""Random surfaces of tables, boards and pieces: wood, paper, cloth, noise, stripes."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Grey = NDArray[np.float32]
"""float32 (height, width), mean 0, standard deviation 1."""

SIDE_PX = 320


class Textures:
    """A stock of grey textures, drawn once; `cut` gives a turned piece of one of them."""

    def __init__(self, chance: np.random.Generator, count: int = 72) -> None:
        makers = (_grain, _paper, _cloth, _clouds, _speckle, _planks)
        self._stock = [_standard(makers[index % len(makers)](chance)) for index in range(count)]

    def cut(self, chance: np.random.Generator, side_px: int) -> Grey:
        """A square piece, turned and mirrored at random, by multiples of 90 degrees."""
        texture = self._stock[int(chance.integers(len(self._stock)))]
        top, left = chance.integers(0, SIDE_PX - side_px, 2)
        piece = np.rot90(texture[top : top + side_px, left : left + side_px], int(chance.integers(4)))
        return np.ascontiguousarray(piece[::-1] if chance.random() < 0.5 else piece)


def _standard(texture: NDArray[np.floating]) -> Grey:
    return np.asarray((texture - texture.mean()) / (texture.std() + 1e-6), dtype=np.float32)


def _noise(chance: np.random.Generator, sigma_x_px: float, sigma_y_px: float) -> Grey:
    noise = chance.standard_normal((SIDE_PX, SIDE_PX)).astype(np.float32)
    soft = cv2.GaussianBlur(noise, (0, 0), max(sigma_x_px, 0.1), sigmaY=max(sigma_y_px, 0.1))
    return _standard(np.asarray(soft, dtype=np.float32))


def _grain(chance: np.random.Generator) -> Grey:
    y = np.linspace(0, 1, SIDE_PX, dtype=np.float32)[:, None]
    rings = y * chance.uniform(4, 30) + _noise(chance, 60, 14) * chance.uniform(0.2, 1.2)
    return np.asarray(np.sin(2 * np.pi * rings) + _noise(chance, 25, 0.7) * chance.uniform(0.3, 1.5), dtype=np.float32)


def _paper(chance: np.random.Generator) -> Grey:
    return _noise(chance, 0.6, 0.6) * 0.4 + _noise(chance, 50, 50)


def _cloth(chance: np.random.Generator) -> Grey:
    step = np.arange(SIDE_PX, dtype=np.float32)
    waves = np.sin(step * chance.uniform(0.6, 2.2))[:, None] + np.sin(step * chance.uniform(0.6, 2.2))[None, :]
    return np.asarray(waves + _noise(chance, 1, 1) * 0.8 + _noise(chance, 30, 30), dtype=np.float32)


def _clouds(chance: np.random.Generator) -> Grey:
    """Marble, felt, stains: noise of many sizes."""
    total = sum(_noise(chance, 2.0**octave, 2.0**octave) * 1.5**octave for octave in range(6))
    return np.asarray(total, dtype=np.float32)


def _speckle(chance: np.random.Generator) -> Grey:
    """Fine noise: cork, stone, leather."""
    sigma = float(chance.uniform(0.5, 2.5))
    return _noise(chance, sigma, sigma)


def _planks(chance: np.random.Generator) -> Grey:
    texture = _noise(chance, 30, 1.0) * 0.4
    edge = 0
    while edge < SIDE_PX:
        width = int(chance.integers(12, 90))
        texture[edge : edge + width] += chance.normal(0, 0.8)
        texture[edge : edge + 1] -= 2.0
        edge += width
    return texture
