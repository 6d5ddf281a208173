"""Procedural surfaces: wood, cloth, stone, paper, as linear colour per texel."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from lab.simulated.arrays import Float32Array, Rng
from lab.simulated.light import linear
from lab.simulated.style import Colour

_NO_MAP = np.empty(0, dtype=np.float32)


def noise(size_px: tuple[int, int], cell_px: tuple[float, float], rng: Rng) -> Float32Array:
    """(h, w) smooth noise of about -1 to 1, whose blobs have the given width and height."""
    width, height = size_px
    columns, rows = int(width / max(cell_px[0], 1)) + 4, int(height / max(cell_px[1], 1)) + 4
    coarse = rng.uniform(-1, 1, (rows, columns)).astype(np.float32)
    scale_x, scale_y = max(cell_px[0], 1), max(cell_px[1], 1)
    matrix = np.array([[1 / scale_x, 0, 1 + rng.random()], [0, 1 / scale_y, 1 + rng.random()]], dtype=np.float32)
    flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpAffine(coarse, matrix, size_px, flags=flags, borderMode=cv2.BORDER_REFLECT), np.float32)


def octaves(size_px: tuple[int, int], cell_px: float, count: int, rng: Rng) -> Float32Array:
    """(h, w) noise of several scales, each half as large and half as strong as the one before."""
    total = np.zeros((size_px[1], size_px[0]), dtype=np.float32)
    for octave in range(count):
        total += noise(size_px, (cell_px / 2**octave,) * 2, rng) / 2**octave
    return total


def sample(texture: NDArray[Any], texels: Float32Array, border: int = cv2.BORDER_CONSTANT) -> Float32Array:
    """(h, w, ...) the texture at (h, w, 2) texel coordinates, interpolated."""
    return np.asarray(cv2.remap(texture, texels, _NO_MAP, cv2.INTER_LINEAR, borderMode=border), dtype=np.float32)


def surface(
    kind: str, size_mm: tuple[float, float], scale: float, colour: Colour, accent: Colour, rng: Rng
) -> Float32Array:
    """(h, w, 3) linear colour of a piece of the material, at `scale` texels per millimetre, grain along x."""
    size_px = (max(round(size_mm[0] * scale), 8), max(round(size_mm[1] * scale), 8))
    if kind == "plain":
        share = 0.05 * octaves(size_px, 90 * scale, 3, rng)
        return _mix(share, colour, accent, 1 + 0.02 * noise(size_px, (1.2 * scale,) * 2, rng))
    make = {"wood": _wood, "cloth": _cloth, "stone": _stone, "paper": _paper, "checked": _checked}[kind]
    return make(size_px, scale, colour, accent, rng)


def planks(texture: Float32Array, scale: float, rng: Rng) -> Float32Array:
    """The texture cut into boards of varying tint along x, with dark joints."""
    result, top = texture.copy(), 0
    height, width = texture.shape[:2]
    while top < height:
        bottom = min(top + round(rng.uniform(85, 150) * scale), height)
        shift = int(rng.integers(0, width))
        result[top:bottom] = np.roll(texture[top:bottom], shift, axis=1) * np.float32(rng.uniform(0.82, 1.12))
        gap = max(round(0.8 * scale), 1)
        # Two planks meet where the roll joins its ends.
        result[top:bottom, shift : shift + gap] *= np.float32(0.4)
        result[max(bottom - gap, 0) : bottom] *= np.float32(0.35)
        top = bottom
    return result


def _mix(share: Float32Array, colour: Colour, accent: Colour, gain: Float32Array) -> Float32Array:
    first, second = linear(colour), linear(accent)
    share = np.clip(share, 0, 1)
    mixed = np.empty((*share.shape, 3), dtype=np.float32)
    for channel in range(3):
        mixed[..., channel] = (first[channel] + share * (second[channel] - first[channel])) * gain
    return mixed


def _wood(size_px: tuple[int, int], scale: float, colour: Colour, accent: Colour, rng: Rng) -> Float32Array:
    across = np.arange(size_px[1], dtype=np.float32)[:, None] / scale
    bend = noise(size_px, (420 * scale, 60 * scale), rng) * 16 + noise(size_px, (130 * scale, 24 * scale), rng) * 3
    ring_mm = rng.uniform(5, 11)
    phase = (across + bend) / ring_mm
    saw = phase - np.floor(phase)
    rings = np.where(saw < 0.8, saw / 0.8, (1 - saw) / 0.2) ** 2
    fibre = noise(size_px, (55 * scale, 0.9 * scale), rng) + 0.7 * noise(size_px, (14 * scale, 0.5 * scale), rng)
    pores = np.clip(noise(size_px, (5 * scale, 0.5 * scale), rng) - 0.6, 0, None)
    broad = 0.22 * noise(size_px, (300 * scale, 40 * scale), rng)
    share = 0.2 + 0.4 * rings + 0.16 * fibre + broad
    return _mix(np.asarray(share, np.float32), colour, accent, np.asarray(1 + 0.05 * fibre - 0.35 * pores, np.float32))


def _cloth(size_px: tuple[int, int], scale: float, colour: Colour, accent: Colour, rng: Rng) -> Float32Array:
    thread_mm = 1.3
    xs = np.arange(size_px[0], dtype=np.float32)[None] / scale * (2 * np.pi / thread_mm)
    ys = np.arange(size_px[1], dtype=np.float32)[:, None] / scale * (2 * np.pi / thread_mm)
    weave = np.sin(xs) * np.sin(ys) if scale > 2 / thread_mm else np.zeros((size_px[1], size_px[0]), np.float32)
    uneven = noise(size_px, (30 * scale, 1.2 * scale), rng) + noise(size_px, (1.2 * scale, 30 * scale), rng)
    folds = noise(size_px, (260 * scale, 120 * scale), rng)
    crease = np.exp(-((noise(size_px, (330 * scale, 260 * scale), rng) / 0.05) ** 2))
    share = 0.25 + 0.12 * uneven + 0.25 * folds
    gain = 1 + 0.05 * weave + 0.05 * uneven + 0.10 * folds - 0.10 * crease
    return _mix(np.asarray(share, np.float32), colour, accent, np.asarray(gain, np.float32))


def _checked(size_px: tuple[int, int], scale: float, colour: Colour, accent: Colour, rng: Rng) -> Float32Array:
    """A tablecloth woven in squares: bands across and down, twice as strong where they cross."""
    side_mm = rng.uniform(12, 60)
    band_x = (np.arange(size_px[0], dtype=np.float32)[None] / scale / side_mm) % 2 < 1
    band_y = (np.arange(size_px[1], dtype=np.float32)[:, None] / scale / side_mm) % 2 < 1
    share = (band_x.astype(np.float32) + band_y.astype(np.float32)) / 2
    folds = noise(size_px, (260 * scale, 120 * scale), rng)
    return _mix(np.asarray(share, np.float32), colour, accent, np.asarray(1 + 0.1 * folds, np.float32))


def _stone(size_px: tuple[int, int], scale: float, colour: Colour, accent: Colour, rng: Rng) -> Float32Array:
    clouds = octaves(size_px, 120 * scale, 5, rng)
    veins = np.exp(-((octaves(size_px, 180 * scale, 4, rng) / 0.06) ** 2))
    specks = np.clip(noise(size_px, (2.2 * scale,) * 2, rng) - 0.55, 0, None) * 2
    share = 0.3 + 0.3 * clouds + 0.5 * veins
    return _mix(np.asarray(share, np.float32), colour, accent, np.asarray(1 - 0.25 * specks, np.float32))


def _paper(size_px: tuple[int, int], scale: float, colour: Colour, accent: Colour, rng: Rng) -> Float32Array:
    stains = octaves(size_px, 150 * scale, 3, rng)
    # An ink-jet's bands run across the sheet.
    bands = noise(size_px, (6 * scale, 500 * scale), rng) + noise(size_px, (1.5 * scale, 500 * scale), rng)
    gain = 1 + 0.025 * bands + 0.02 * noise(size_px, (1 * scale,) * 2, rng)
    return _mix(np.asarray(0.25 + 0.3 * stains, np.float32), colour, accent, np.asarray(gain, np.float32))
