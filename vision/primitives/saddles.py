"""Saddle points of the brightness: the corners where four squares of a chequered board meet.

At such a corner the brightness rises along one diagonal and falls along the other, and a circle around it shows two
bright and two dark quarters.
"""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Grey = NDArray[np.uint8]

SMOOTH_PX = 1.5
"""Pixels, standard deviation of the blur before slopes are measured."""
RADIUS_PX = 4.5
"""Pixels, radius of the circle on which the quarters are looked for: a third of the smallest square that is read."""
POINTS = 24
"""Points on that circle."""
MOST = 900
"""Greatest number of saddle points, the strongest ones."""
TWO_AND_TWO = 0.55
"""Least share of the variance around the circle that two bright and two dark quarters explain; 0.81 at a corner of
ideal squares (the second harmonic of a square wave)."""
LEAST_LEVELS = 3.0
"""Least amplitude of that harmonic, in grey levels."""


@dataclasses.dataclass(frozen=True, eq=False)
class Saddles:
    """Saddle points, the strongest first."""

    points: FloatArray
    """(n, 2) pixels, x then y."""
    bright_rad: FloatArray
    """(n,) direction of the bright quarters, modulo pi."""
    levels: FloatArray
    """(n,) amplitude in grey levels."""


def find_saddles(grey: Grey) -> Saddles:
    """The saddle points of a picture."""
    smooth = np.asarray(cv2.GaussianBlur(grey.astype(np.float32), (0, 0), SMOOTH_PX), dtype=np.float32)
    x_slope = cv2.Sobel(smooth, cv2.CV_32F, 1, 0, scale=1 / 8)
    y_slope = cv2.Sobel(smooth, cv2.CV_32F, 0, 1, scale=1 / 8)
    xx, yy = cv2.Sobel(smooth, cv2.CV_32F, 2, 0, scale=1 / 4), cv2.Sobel(smooth, cv2.CV_32F, 0, 2, scale=1 / 4)
    xy = cv2.Sobel(smooth, cv2.CV_32F, 1, 1, scale=1 / 4)
    saddle = xy * xy - xx * yy
    peak = (saddle > 0) & (saddle >= cv2.dilate(saddle, np.ones((5, 5), np.uint8)))
    edge = int(np.ceil(RADIUS_PX)) + 1
    peak[:edge] = peak[-edge:] = peak[:, :edge] = peak[:, -edge:] = False
    rows, columns = np.nonzero(peak)
    order = np.argsort(-saddle[rows, columns])[:MOST]
    rows, columns = rows[order], columns[order]
    # One step of Newton's method to the point without slope.
    determinant = -np.maximum(saddle[rows, columns], 1e-6)
    a, b, c = xx[rows, columns], xy[rows, columns], yy[rows, columns]
    p, q = x_slope[rows, columns], y_slope[rows, columns]
    step = np.stack([-(c * p - b * q) / determinant, -(a * q - b * p) / determinant], axis=1)
    points = np.asarray(np.stack([columns, rows], axis=1) + np.clip(step, -1, 1), dtype=np.float64)
    harmonic, explained = _two_and_two(smooth, points)
    kept = (explained > TWO_AND_TWO) & (np.abs(harmonic) > LEAST_LEVELS)
    return Saddles(np.asarray(points[kept], dtype=np.float64), np.angle(harmonic[kept]) / 2, np.abs(harmonic[kept]))


def _two_and_two(smooth: NDArray[np.float32], points: FloatArray) -> tuple[NDArray[np.complex128], FloatArray]:
    """(n,) second harmonic around each point, its phase twice the bright direction; the variance it explains."""
    if not len(points):
        return np.zeros(0, dtype=np.complex128), np.zeros(0)
    turns = 2 * np.pi * np.arange(POINTS) / POINTS
    around = points[:, None] + RADIUS_PX * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    around = around.astype(np.float32)
    values = cv2.remap(smooth, around[..., 0], around[..., 1], cv2.INTER_LINEAR).astype(np.float64)
    values -= values.mean(axis=1, keepdims=True)
    harmonic = 2 / POINTS * (values @ np.exp(2j * turns))
    variance = np.square(values).mean(axis=1)
    return harmonic, np.asarray(np.square(np.abs(harmonic)) / 2 / np.maximum(variance, 1e-9))
