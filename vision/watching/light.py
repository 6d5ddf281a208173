"""Separates changed light from real changes: a smooth gain field between two pictures, and the rest it leaves."""

from __future__ import annotations

import functools

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Flags, FloatArray, Indices

FloatImage = NDArray[np.float32]
"""float32 (height, width, 3) BGR, 0 to 255."""

BLACK = 12.0
"""Grey values added before ratios are taken: below this, noise dominates and ratios mean nothing."""
GRID = 24
"""The gain field is fitted on at most this many points per row and column."""
ROUNDS = 6
GREY_LEVEL = 1 / 255
"""Log gain of less than a grey level; a fit that moves by less is done."""
MAX_LOG_GAIN = 1.6
ACCEPTED_LOG_RESIDUAL = 0.06


def light_change(before: FloatImage, after: FloatImage) -> FloatImage:
    """(height, width, 3) the smooth gain per channel, a quadratic surface, that turns most of `before` into `after`.

    Fitted to the logarithm of the ratio by reweighted least squares with Tukey's weights, so that hands and men do not
    count while they cover less than half of the picture.
    """
    height, width = before.shape[:2]
    rows, columns = np.linspace(0, height - 1, min(GRID, height)), np.linspace(0, width - 1, min(GRID, width))
    grid = np.ix_(rows.round().astype(int), columns.round().astype(int))
    one, other = before[grid].reshape(-1, 3).astype(np.float64), after[grid].reshape(-1, 3).astype(np.float64)
    ratio = np.clip(np.log((other + BLACK) / (one + BLACK)), -MAX_LOG_GAIN, MAX_LOG_GAIN)
    # Overexposed pixels carry no information about the gain.
    usable = np.maximum(one, other) < 245
    usable[:, usable.sum(axis=0) < 30] = True
    field = _robust_surfaces(_surface(len(rows), len(columns)).reshape(-1, 6), ratio, usable)
    field_image = field.reshape(len(rows), len(columns), 3).astype(np.float32)
    return np.asarray(cv2.exp(cv2.resize(field_image, (width, height), interpolation=cv2.INTER_LINEAR)), np.float32)


def expected(before: FloatImage, gain: FloatImage) -> FloatImage:
    """How `before` would look in the light of that gain."""
    return np.asarray(np.clip((before + BLACK) * gain - BLACK, 0, 255), dtype=np.float32)


def changed(before: FloatImage, after: FloatImage, gain: FloatImage) -> FloatImage:
    """(height, width) grey values by which `after` differs from `before` under the new light.

    A difference that a shift by one pixel would explain does not count: lines and edges jitter a little.
    """
    old, square = expected(before, gain), np.ones((3, 3), dtype=np.uint8)
    above = after - cv2.dilate(old, square)
    below = cv2.erode(old, square) - after
    return greatest_of(np.maximum(above, below))


def greatest_of(channels: FloatImage) -> NDArray[np.float32]:
    """(height, width) the greatest of three channels; numpy's own takes ten times as long, as for the next two."""
    blue, green, red = cv2.split(channels)
    return np.asarray(cv2.max(cv2.max(blue, green), red), dtype=np.float32)


def least_of(channels: FloatImage) -> NDArray[np.float32]:
    """(height, width) the least of three channels."""
    blue, green, red = cv2.split(channels)
    return np.asarray(cv2.min(cv2.min(blue, green), red), dtype=np.float32)


def mean_of(channels: FloatImage) -> NDArray[np.float32]:
    """(height, width) the mean of three channels."""
    return np.asarray(cv2.transform(channels, np.full((1, 3), 1 / 3)), dtype=np.float32)


def noise_level(before: FloatImage, after: FloatImage, gain: FloatImage) -> float:
    """Standard deviation of the noise between two pictures of the same scene, in grey values."""
    every_second = (slice(None, None, 2), slice(None, None, 2))
    return 1.48 * float(np.median(np.abs(after - expected(before, gain))[every_second]))


@functools.lru_cache(maxsize=4)
def _surface(rows: int, columns: int) -> FloatArray:
    y, x = np.meshgrid(np.linspace(-1, 1, rows), np.linspace(-1, 1, columns), indexing="ij")
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=-1)


def _robust_surfaces(design: FloatArray, values: FloatArray, usable: Flags) -> FloatArray:
    """(points, channels) surfaces fitted to `values`; those not `usable` have no weight."""
    counts = usable.sum(axis=0)
    # Starts from the median, a constant, so that a hand cannot tilt the surface from the start.
    residuals = values - _median(values, usable, counts)
    coefficients: FloatArray = np.zeros((values.shape[1], 6))
    prior = counts[:, None, None] * np.diag([0.0, 0.02, 0.02, 0.1, 0.1, 0.1]) * 0.01 + np.eye(6) * 1e-9
    for _ in range(ROUNDS):
        cut = 4.0 * np.maximum(ACCEPTED_LOG_RESIDUAL / 2, 1.48 * _median(np.abs(residuals), usable, counts))
        weights = np.clip(1 - (residuals / cut) ** 2, 0.0, None) ** 2 * usable
        weighted = weights.T[:, None] * design.T
        before = coefficients
        coefficients = np.linalg.solve(weighted @ design + prior, weighted @ values.T[..., None])[..., 0]
        residuals = values - design @ coefficients.T
        if np.abs(coefficients - before).max() < GREY_LEVEL:
            break
    return np.asarray(design @ coefficients.T)


def _median(values: FloatArray, usable: Flags, counts: Indices) -> FloatArray:
    """(channels,) median of the usable values; numpy's own takes three times as long."""
    ordered, channels = np.sort(np.where(usable, values, np.inf), axis=0), np.arange(len(counts))
    return np.asarray((ordered[(counts - 1) // 2, channels] + ordered[counts // 2, channels]) / 2)
