"""Finds directions in which a picture repeats: a board so full of men that no line is seen still has its rows.

Men side by side have edges at even distances, whatever their colours. The spectrum of the edges in a window of a few
cells then has peaks; a wave's crests run along rows or columns, and meet at their vanishing point.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.primitives.segments import Segments

FloatArray = NDArray[np.float64]
Grey = NDArray[np.uint8]

WORKING_PX = 500
WINDOWS_PX = (112, 192)
"""Pixels, sides of the square windows: the first for small cells, the second for large ones."""
SPECTRUM = 256
"""Length of the spectra, finer than the windows' own, so that no peak falls between two frequencies."""
MIN_PERIODS = 2.6
MIN_PERIOD_PX = 5.0
BLUR_PX = 1.0
STRONG = 0.985
"""Quantile of edge strength above which all edges count alike."""
CLEAR = 14.0
"""Least power of a peak, in units of the mean power of equally coarse structure."""
APART_RAD = 0.7
"""Least angle between the two waves of a lattice, as seen."""
BESIDE = 0.12
"""Least power of the weaker wave, as a share of the stronger one's."""


def find_waves(grey: Grey) -> tuple[Segments, Segments]:
    """Pieces of rows and columns, and of diagonals, in windows where the picture repeats in two directions.

    Each runs through the middle of its window and is as long as its side; only its direction matters. The weight is the
    length. It is unknown which are the rows and which the diagonals: either may show the stronger waves.
    """
    scale = min(1.0, WORKING_PX / max(grey.shape))
    size = max(1, round(grey.shape[1] * scale)), max(1, round(grey.shape[0] * scale))
    edges = _edges(np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), dtype=np.uint8))
    found = [ends for window_px in WINDOWS_PX for ends in _waves(edges, window_px)]
    ends = np.array(found).reshape(-1, 4, 2, 2) * (np.array(grey.shape[::-1]) / size)
    rows, diagonals = ends[:, :2].reshape(-1, 2, 2), ends[:, 2:].reshape(-1, 2, 2)
    return (
        Segments(rows, np.linalg.norm(rows[:, 1] - rows[:, 0], axis=1)),
        Segments(diagonals, np.linalg.norm(diagonals[:, 1] - diagonals[:, 0], axis=1)),
    )


def _edges(grey: Grey) -> NDArray[np.float32]:
    smooth = cv2.GaussianBlur(grey.astype(np.float32), (0, 0), BLUR_PX)
    strength = cv2.magnitude(cv2.Sobel(smooth, cv2.CV_32F, 1, 0), cv2.Sobel(smooth, cv2.CV_32F, 0, 1))
    return np.asarray(np.minimum(strength, float(np.quantile(strength, STRONG))), dtype=np.float32)


def _waves(edges: NDArray[np.float32], window_px: int) -> list[FloatArray]:
    """List of (4, 2, 2) end points in the small picture: crests of the two strongest waves, and of their diagonals."""
    height, width = edges.shape
    if min(height, width) < window_px:
        return []
    shape = np.hanning(window_px + 2)[1:-1]
    taper = np.outer(shape, shape)
    frequencies = _frequencies()
    coarse = np.linalg.norm(frequencies, axis=2)
    inside = (coarse > MIN_PERIODS / window_px) & (coarse < 1 / MIN_PERIOD_PX)
    found = []
    for top in _starts(height, window_px):
        for left in _starts(width, window_px):
            tile = edges[top : top + window_px, left : left + window_px].astype(np.float64)
            power = np.abs(np.fft.rfft2((tile - tile.mean()) * taper, (SPECTRUM, SPECTRUM))) ** 2
            middle = np.array([left, top]) + (window_px - 1) / 2
            two = _strongest(np.where(inside, power, 0.0), inside, frequencies)
            if two is not None:
                all_four = np.stack([*two, two[0] + two[1], two[0] - two[1]])
                crests = all_four[:, ::-1] * [-1, 1] / np.linalg.norm(all_four, axis=1)[:, None]
                found.append(middle + crests[:, None] * (np.array([-0.5, 0.5]) * window_px)[:, None])
    return found


def _starts(length: int, window_px: int) -> NDArray[np.intp]:
    count = max(1, round(2 * (length - window_px) / window_px) + 1)
    return np.linspace(0, length - window_px, count).astype(np.intp)


def _frequencies() -> FloatArray:
    """(SPECTRUM, SPECTRUM / 2 + 1, 2) waves per pixel along x and y."""
    y, x = np.meshgrid(np.fft.fftfreq(SPECTRUM), np.fft.rfftfreq(SPECTRUM), indexing="ij")
    return np.stack([x, y], axis=2)


def _strongest(power: FloatArray, inside: NDArray[np.bool_], frequencies: FloatArray) -> tuple[FloatArray, ...] | None:
    """(2,) frequencies of the two strongest waves; None unless two are clear."""
    # Coarser structure is stronger, so each wave is compared with others of about its length.
    weighted = power * np.linalg.norm(frequencies, axis=2)
    limit = CLEAR * float(weighted[inside].mean())
    first = int(np.argmax(weighted))
    strongest = float(weighted.flat[first])
    if strongest <= limit:
        return None
    angles = np.arctan2(frequencies[..., 1], frequencies[..., 0])
    apart = np.abs((angles - angles.flat[first] + np.pi / 2) % np.pi - np.pi / 2)
    others = np.where(apart > APART_RAD, weighted, 0.0)
    second = int(np.argmax(others))
    if float(others.flat[second]) < max(0.5 * limit, BESIDE * strongest):
        return None
    waves = frequencies.reshape(-1, 2)
    return waves[first], waves[second]
